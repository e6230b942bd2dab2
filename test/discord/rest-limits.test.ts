import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { REST } from 'discord.js';
import { expect, onTestFinished, test } from 'vitest';
import { failureOf } from '../../src/discord/outcome.ts';
import { createRestOptions } from '../../src/discord/rest.ts';

/** A client of a Discord that limits its first requests, and what it has been asked. */
async function setUp(headers: Record<string, string>) {
  let asked = 0;
  const server = createServer((_, response) => {
    asked += 1;
    response.writeHead(asked <= 30 ? 429 : 200, { 'content-type': 'application/json', ...headers }).end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  const { port } = server.address() as AddressInfo;
  const rest = new REST({
    ...createRestOptions(
      async () => undefined,
      () => undefined,
    ),
    api: `http://127.0.0.1:${port}`,
  }).setToken('token');
  return {
    asked: () => asked,
    failure: (route: `/${string}`) =>
      rest.get(route).then(
        () => null,
        (error: unknown) => failureOf(error),
      ),
  };
}

test.each([
  ['no Retry-After', {}],
  ['one of 0', { 'retry-after': '0' }],
  ['a negative one', { 'retry-after': '-5' }],
  ['one that is no number', { 'retry-after': 'later' }],
])('a limit with %s is not asked again at once', async (_, headers) => {
  const { asked, failure } = await setUp(headers);
  expect(await failure('/channels/1')).toMatchObject({ kind: 'later', afterMs: 60_000 });
  expect(await failure('/webhooks/1/token')).toMatchObject({ kind: 'later', afterMs: 60_000 });
  expect(asked()).toBe(2);
});

test.each([
  ['61', 61_000 + 50],
  ['86399', 86_399_000 + 50],
  ['86400', 86_400_000],
  // 24.8 days are the longest timer of Node.
  ['2147484', 86_400_000],
  ['99999999999999', 86_400_000],
  ['1e999', 86_400_000],
])('a limit of %s seconds is told at once, as one of at most a day', async (seconds, afterMs) => {
  const { asked, failure } = await setUp({ 'retry-after': seconds });
  expect(await failure('/channels/1')).toMatchObject({ kind: 'later', afterMs });
  expect(asked()).toBe(1);
});
