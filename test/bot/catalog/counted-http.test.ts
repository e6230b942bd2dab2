import { expect, test } from 'vitest';
import { countedHttp } from '../../../src/bot/catalog/counted-http.ts';
import { CatalogNetworkError } from '../../../src/bot/catalog/errors.ts';
import { createHttp } from '../../../src/bot/catalog/http.ts';
import { closedUrl, json, startScriptedCatalog } from './scripted-catalog.ts';

test('each request is counted by its interface and the status of its answer, or as unanswered', async () => {
  const service = await startScriptedCatalog(json([]));
  const counts: string[] = [];
  const http = countedHttp(createHttp(), (name, outcome) => counts.push(`${name} ${outcome}`));
  const send = (headers: Record<string, string>, origin = service.url) =>
    http.send({ origin, path: '/', label: 'A request', headers }, new AbortController().signal);
  expect(await send({})).toMatchObject({ status: 200, text: '[]' });
  service.play(json('', 503));
  expect(await send({ 'x-api-key': 'key' })).toMatchObject({ status: 503 });
  await expect(send({}, await closedUrl())).rejects.toThrow(CatalogNetworkError);
  expect(counts).toEqual(['v2 200', 'portal 503', 'v2 none']);
  await http.close();
  await expect(send({ 'x-api-key': 'key' })).rejects.toThrow(CatalogNetworkError);
  expect(counts.at(-1)).toBe('portal none');
});
