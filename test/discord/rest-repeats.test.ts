import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { REST, type RouteLike } from 'discord.js';
import { Routes } from 'discord-api-types/v10';
import { expect, onTestFinished, test } from 'vitest';
import { createRestOptions } from '../../src/discord/rest.ts';

/** A client of a Discord that answers each request with 500, and how often it was asked. */
async function setUp() {
  let asked = 0;
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      asked += 1;
      response.writeHead(500, { 'content-type': 'application/json' }).end('{}');
    });
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
      requestsPerSecond: 1_000,
      mayLeave: async () => undefined,
      onUnauthorized: () => undefined,
    }),
    retries: 1,
    api: `http://127.0.0.1:${port}`,
  }).setToken('token');
  return {
    /** How often a request is sent that never succeeds. */
    sent: async (route: RouteLike, given: Parameters<REST['post']>[1] = { body: { name: 'x' } }) => {
      const before = asked;
      await expect(rest.post(route, given)).rejects.toThrow();
      return asked - before;
    },
  };
}

/** Routes on which a second request does what one does. */
const REPEATABLE: readonly string[] = [Routes.interactionCallback('1', '1'), Routes.userChannels()];

/** All of Discord's routes, of whatever is called 1. */
const ROUTES = Object.values(Routes).map((route) =>
  (route as (...ids: string[]) => RouteLike)(...Array.from({ length: 6 }, () => '1')),
);

test('of all that makes something, only what Discord takes once is sent again after an answer that says nothing', async () => {
  const { sent } = await setUp();
  const repeated: string[] = [];
  for (const route of ROUTES) if ((await sent(route)) > 1) repeated.push(route);
  expect([...new Set(repeated)].toSorted()).toEqual([...REPEATABLE].toSorted());
});

test('a message is sent again only with a nonce that Discord enforces, also with files', async () => {
  const { sent } = await setUp();
  const route = Routes.channelMessages('1');
  const files = [{ name: 'a.png', data: Buffer.from('a') }];
  const named = { nonce: '1', enforce_nonce: true };
  expect(await sent(route, { body: named })).toBe(2);
  expect(await sent(route, { body: named, files })).toBe(2);
  expect(await sent(route, { body: { nonce: '1' } })).toBe(1);
  expect(await sent(route, { body: { content: '"enforce_nonce":true' }, files })).toBe(1);
  expect(await sent(Routes.threads('1'), { body: { message: named } })).toBe(1);
});
