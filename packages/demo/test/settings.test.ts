import { expect, test } from 'vitest';
import type { BotSettings } from '../src/protocol.ts';
import { checkSettings, isOpenToEveryone } from '../src/settings.ts';

function settings(changes: Partial<BotSettings> = {}): BotSettings {
  return {
    name: 'dealbell',
    missing: ['DISCORD_TOKEN', 'CATALOG_PORTAL_URL', 'CATALOG_V2_URL'],
    isStandby: false,
    host: '127.0.0.1',
    port: 8080,
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
