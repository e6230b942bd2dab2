import { expect, it } from 'vitest';
import { createAddress } from '../../src/catalog/http.ts';

const SECRET = "it's a key~";

it('keeps the key out of what a request is called', () => {
  const address = createAddress({
    name: 'v2',
    url: 'https://x:y@catalog.example/base/',
    key: SECRET,
    secrets: [SECRET],
  });
  const { origin, path, headers, label } = address('GET', '/2/events.json', [['site', 'a,b']]);
  expect({ origin, path, headers, label }).toEqual({
    origin: 'https://catalog.example',
    path: '/base/2/events.json?site=a%2Cb&key=it%27s+a+key%7E',
    headers: {},
    label: 'GET https://catalog.example/base/2/events.json?site=a%2Cb',
  });
});

it("takes every key out of the catalog's texts, however it was sent", () => {
  const address = createAddress({
    name: 'portal',
    url: 'https://catalog.example',
    key: 'other',
    secrets: [SECRET, ''],
  });
  const target = address('POST', '/getoffers', []);
  expect(target.headers).toEqual({ 'x-api-key': 'other' });
  const spellings = [SECRET, encodeURIComponent(SECRET), 'it%27s+a+key%7E'];
  expect(target.redact(`Keys: ${spellings.join(', ')}.`)).toBe('Keys: ***, ***, ***.');
});
