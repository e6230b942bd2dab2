import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { REST, RequestMethod } from 'discord.js';
import { expect, onTestFinished, test } from 'vitest';
import { failureOf } from '../../src/discord/outcome.ts';
import { createRestOptions } from '../../src/discord/rest.ts';

/**
 * A client of a Discord that limits its first requests, and what it has been asked.
 * @param body of the refusals
 */
async function setUp(headers: Record<string, string>, body = '{}') {
  let asked = 0;
  const server = createServer((_, response) => {
    asked += 1;
    response.writeHead(asked <= 30 ? 429 : 200, { 'content-type': 'application/json', ...headers }).end(body);
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
    ...createRestOptions({
      requestsPerSecond: 50,
      mayLeave: async () => undefined,
      onUnauthorized: () => undefined,
    }),
    api: `http://127.0.0.1:${port}`,
  }).setToken('token');
  return {
    asked: () => asked,
    failure: (route: `/${string}`, method = RequestMethod.Get) =>
      rest.request({ fullRoute: route, method }).then(
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
  expect(await failure('/channels/1')).toMatchObject({ kind: 'later', afterMs: 60_000 + 50 });
  expect(await failure('/webhooks/1/token')).toMatchObject({ kind: 'later', afterMs: 60_000 + 50 });
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

const UNTIL_THE_HOUR_IS_OVER = JSON.stringify({
  code: 20028,
  global: false,
  message: 'The write action you are performing on the channel has hit the write rate limit.',
  retry_after: 1163.097,
});

test('where header and body disagree on how long a limit lasts, the longer time counts', async () => {
  const publication = ['/channels/11/messages/12/crosspost', RequestMethod.Post] as const;
  const { asked, failure } = await setUp({ 'retry-after': '1' }, UNTIL_THE_HOUR_IS_OVER);
  expect(await failure(...publication)).toMatchObject({ kind: 'later', afterMs: 1_163_097 + 50 });
  expect(asked()).toBe(1);
  const other = await setUp({ 'retry-after': '1164' }, '{"retry_after":1}');
  expect(await other.failure(...publication)).toMatchObject({ kind: 'later', afterMs: 1_164_000 + 50 });
});

test.each([
  ['its header', { 'retry-after': '3' }, '{"code":30046}', 3_000],
  ['its body', {}, '{"code":30046,"retry_after":2.5}', 2_500],
  ['neither', {}, '{"code":30046}', 6_000],
])('a limit of edits of old messages whose time is in %s ends after so long', async (_, headers, body, afterMs) => {
  const { asked, failure } = await setUp(headers, body);
  const place = '/channels/11/messages/12';
  expect(await failure(place, RequestMethod.Patch)).toMatchObject({ kind: 'later', afterMs: afterMs + 50 });
  expect(asked()).toBe(1);
});

test.each([
  ['an edit', '/channels/11/messages/12', RequestMethod.Patch],
  ['a deletion', '/channels/11/messages/12', RequestMethod.Delete],
  ['a publication', '/channels/11/messages/12/crosspost', RequestMethod.Post],
  ['a new entry of an Events list', '/guilds/11/scheduled-events', RequestMethod.Post],
  ['a change of one', '/guilds/11/scheduled-events/12', RequestMethod.Patch],
] as const)('%s never waits in the queue of the client', async (_, route, method) => {
  const used = { 'x-ratelimit-limit': '5', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset-after': '50' };
  const { asked, failure } = await setUp({ 'retry-after': '1', ...used });
  expect(await failure(route, method)).toMatchObject({ kind: 'later' });
  // The window is over only after 50 s, which the client knows.
  expect(await failure(route, method)).toMatchObject({ kind: 'later' });
  expect(asked()).toBe(1);
});
