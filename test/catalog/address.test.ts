import { expect, it } from 'vitest';
import { createTestCatalog } from './create-test-catalog.ts';
import { httpOf } from './reading.ts';

const SECRET = "it's a key~";
const LANE = { lane: 'background' } as const;

it('keeps the key out of what a request is called', async () => {
  const sent: object[] = [];
  const http = httpOf((request) => {
    sent.push(request);
    return { status: 410, text: '' };
  });
  const url = 'https://x:y@catalog.example/base/';
  const { catalog } = createTestCatalog(url, { http, v2: { key: SECRET }, portal: { key: 'other' } });
  const called = 'https://catalog.example/base';
  await expect(catalog.polls.list(LANE)).rejects.toThrow(`GET ${called}/2/polls.json answered 410.`);
  await expect(catalog.feeds.get('A b', LANE)).rejects.toThrow(`GET ${called}/feed/A%20b answered 410.`);
  expect(sent).toMatchObject([
    { origin: 'https://catalog.example', path: '/base/2/polls.json?key=it%27s+a+key%7E', headers: {} },
    { origin: 'https://catalog.example', path: '/base/feed/A%20b', headers: { 'x-api-key': 'other' } },
  ]);
});

it("takes every key out of the catalog's texts, however it was sent", async () => {
  const spellings = [SECRET, encodeURIComponent(SECRET), 'it%27s+a+key%7E'];
  const text = JSON.stringify({ message: `Keys: ${spellings.join(', ')}.` });
  const http = httpOf(() => ({ status: 400, text }));
  const { catalog } = createTestCatalog('https://catalog.example', { http, v2: { key: SECRET }, portal: { key: '' } });
  await expect(catalog.feeds.get('Home', LANE)).rejects.toThrow(
    'GET https://catalog.example/feed/Home answered 400: Keys: ***, ***, ***.',
  );
});
