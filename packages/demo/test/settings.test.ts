import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, test } from 'vitest';
import type { BotSettings } from '../src/protocol.ts';
import { checkSettings, isFreeAt, isOpenToEveryone, portFor } from '../src/settings.ts';

function settings(changes: Partial<BotSettings> = {}): BotSettings {
  return {
    name: 'dealbell',
    missing: ['DISCORD_TOKEN', 'CATALOG_PORTAL_URL', 'CATALOG_V2_URL'],
    isStandby: false,
    host: '127.0.0.1',
    port: 8080,
    isPortSet: false,
    folder: 'data',
    feeds: [],
    logLevel: 'info',
    ...changes,
  };
}

test('wants to be told that local Discord is to be open beyond this machine', () => {
  const open = settings({ host: '0.0.0.0' });
  expect(() => checkSettings(open, {})).toThrow(/HOST 0\.0\.0\.0 .* act as anyone.*LOCAL_DISCORD_FOR_EVERYONE/);
  expect(() => checkSettings(open, { LOCAL_DISCORD_FOR_EVERYONE: 'yes' })).not.toThrow();
  expect(isOpenToEveryone(open)).toBe(true);
  const withToken = settings({ host: '0.0.0.0', missing: ['CATALOG_V2_URL'] });
  expect(() => checkSettings(withToken, {})).not.toThrow();
  expect(isOpenToEveryone(withToken)).toBe(false);
  for (const host of ['127.0.0.1', 'localhost', '::1', '127.8.0.1']) {
    expect(isOpenToEveryone(settings({ host }))).toBe(false);
  }
});

test('lists every problem in one go', () => {
  const open = settings({ host: '0.0.0.0', isStandby: true });
  expect(() => checkSettings(open, { LOCAL_DISCORD_FOR_EVERYONE: 'maybe' })).toThrow(
    /There are 3 problems.*LOCAL_DISCORD_FOR_EVERYONE must be yes or no.*HOST 0\.0\.0\.0.*--standby needs DISCORD_TOKEN/s,
  );
});

test('where nobody has set a port and it is taken, the next free one is used', async () => {
  const asked: number[] = [];
  const taken = new Set([8080, 8081]);
  const isFree = async (port: number) => {
    asked.push(port);
    return !taken.has(port);
  };
  expect(await portFor(settings(), isFree)).toBe(8082);
  expect(asked).toEqual([8080, 8081, 8082]);
  expect(await portFor(settings({ isPortSet: true }), isFree), 'what is set is not changed').toBe(8080);
  // Then listening there says why it can't be.
  expect(await portFor(settings(), async () => false)).toBe(8080);
});

test('a port is free while nothing listens there', async () => {
  const server = createServer();
  server.listen({ host: '127.0.0.1', port: 0 });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const isFree = isFreeAt('127.0.0.1');
  expect(await isFree(port)).toBe(false);
  server.close();
  await once(server, 'close');
  expect(await isFree(port)).toBe(true);
});
