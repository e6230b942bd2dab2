import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseConfig } from '../../src/app/config.ts';
import { checkSetup } from '../../src/app/operator/check-setup.ts';
import { clockCheck, isWellSetUp, setupAsJson, setupAsText } from '../../src/app/setup-report.ts';
import { type Clock, systemClock } from '../../src/shared/clock.ts';
import { openSpending } from '../../src/store/catalog-records.ts';
import { openState } from '../../src/store/open-state.ts';
import { openStore } from '../../src/store/store.ts';
import { aCatalogFolder, feedItem } from '../helpers/catalog-folder.ts';
import { aHouse } from '../helpers/house.ts';
import { PORTAL_KEY, V2_KEY } from '../helpers/keys.ts';
import { temporaryFolder, temporaryState } from '../helpers/temporary-folder.ts';
import { aSubscription } from '../helpers/things.ts';

async function aSetUp() {
  const folder = aCatalogFolder();
  folder.writeFeed('All', [feedItem(1), feedItem(2)]);
  const house = await aHouse({ content: () => folder.content });
  const check = (changes: Record<string, string> = {}, clock: Clock = systemClock) =>
    checkSetup(parseConfig({ ...house.environment, ...changes }), clock);
  return { house, check };
}

const named = (checks: Awaited<ReturnType<typeof checkSetup>>) => checks.map(({ part, result }) => `${part} ${result}`);
const spentOf = async (stateUrl: string) => {
  const { backend, state } = openState(stateUrl);
  const spending = openSpending(state);
  const spent = { portal: (await spending.load('portal'))?.spent, v2: (await spending.load('v2'))?.spent };
  await backend.close();
  return spent;
};

test('a good set-up passes, with one request to each interface, which counts', async () => {
  const { house, check } = await aSetUp();
  const stateUrl = house.environment['STATE_URL'] ?? '';
  const first = await check();
  expect(named(first)).toEqual([
    'settings ok',
    'state ok',
    'portal ok',
    'v2 ok',
    'discord ok',
    'clock ok',
    'channel skipped',
  ]);
  expect(first[2]?.detail).toBe("The key works: the feed All has 2 offers. 1 of today's 1000 requests are used.");
  expect(first[3]?.detail).toContain("1 of today's 1000 requests are used.");
  expect(await spentOf(stateUrl)).toEqual({ portal: 1, v2: 1 });
  const second = await check();
  expect(second[2]?.detail).toContain("2 of today's 1000 requests are used.");
  expect(await spentOf(stateUrl)).toEqual({ portal: 2, v2: 2 });
  // The first start still is the first one.
  const store = await openStore(stateUrl);
  expect(store.isNew).toBe(true);
  await store.close();
});

test('every channel where the bot can not post is named, with what it lacks', async () => {
  const { house, check } = await aSetUp();
  const { discord } = house;
  const store = await openStore(house.environment['STATE_URL'] ?? '');
  await store.commit((changes) => store.markSetUp(changes));
  const { guildId } = discord;
  const deals = discord.channel('deals').id;
  const news = discord.channel('announcements').id;
  await store.subscriptions.save(aSubscription('a', { guildId, channelId: deals }));
  await store.subscriptions.save(aSubscription('b', { guildId, channelId: news }));
  await store.subscriptions.save(aSubscription('c', { guildId, channelId: '1100000000000009999' }));
  await store.subscriptions.save(aSubscription('d', { guildId, channelId: '1100000000000008888', pausedBy: 'person' }));
  await store.close();
  discord.setPermissions(news, { deny: ['sendMessages'] });
  const checks = (await check()).filter(({ part }) => part === 'channel');
  expect(checks.map(({ result }) => result)).toEqual(['ok', 'failed', 'failed']);
  expect(checks[0]?.detail).toBe('The bot can post in 1 of 3 subscribed channels.');
  expect(checks[1]?.detail).toMatch(/^#announcements in .+: .*Send Messages/);
  expect(checks[2]?.detail).toMatch(/^Channel 1100000000000009999 in /);
  expect(isWellSetUp(checks)).toBe(false);
});

test('wrong keys and a wrong token are said, and printed nowhere', async () => {
  const { house, check } = await aSetUp();
  const wrong = {
    DISCORD_TOKEN: 'wrong.token.indeed',
    CATALOG_PORTAL_KEY: 'wrong-portal-key',
    CATALOG_V2_KEY: 'wrong-v2-key',
  };
  const checks = await check(wrong);
  expect(named(checks)).toEqual(['settings ok', 'state ok', 'portal failed', 'v2 failed', 'discord failed']);
  expect(checks[2]?.detail).toContain('check the key');
  expect(checks[4]?.detail).toContain('Discord rejected DISCORD_TOKEN');
  const good = await check();
  for (const report of [checks, good].flatMap((each) => [setupAsText(each), setupAsJson(each)])) {
    const secrets = [...Object.values(wrong), house.discord.token, PORTAL_KEY, V2_KEY];
    for (const secret of secrets) expect(report).not.toContain(secret);
  }
});

test('beside a running bot no request is made that nobody would count', async () => {
  const { house, check } = await aSetUp();
  await house.startBot({}, { clock: systemClock });
  const before = await spentOf(house.environment['STATE_URL'] ?? '');
  const checks = await check();
  expect(named(checks)).toEqual([
    'settings ok',
    'state ok',
    'portal skipped',
    'v2 skipped',
    'discord ok',
    'clock ok',
    'channel skipped',
  ]);
  expect(checks[1]?.detail).toContain('is in use by a running Dealbell.');
  expect(await spentOf(house.environment['STATE_URL'] ?? '')).toEqual(before);
});

test('a state that can not be used fails, and the rest is checked all the same', async () => {
  const { check } = await aSetUp();
  const file = join(temporaryFolder(), 'file');
  writeFileSync(file, 'no database, though long enough to be taken for one'.repeat(50));
  for (const url of [`sqlite://${file}/below.sqlite`, `sqlite://${file}`]) {
    const checks = await check({ STATE_URL: url });
    expect(named(checks).slice(1, 5)).toEqual(['state failed', 'portal skipped', 'v2 skipped', 'discord ok']);
  }
});

test('a Discord that is away is waited for, but not for ever', async () => {
  const { check } = await aSetUp();
  const asked: number[] = [];
  let giveUp: () => void = () => undefined;
  const clock: Clock = {
    ...systemClock,
    after(ms, ring) {
      asked.push(ms);
      if (ms !== 30_000) return systemClock.after(ms, ring);
      giveUp = ring;
      return () => undefined;
    },
    sleep: (_, signal) => {
      giveUp();
      return Promise.reject(signal?.reason as Error);
    },
  };
  const checks = await check({ DISCORD_API: 'http://127.0.0.1:9/api', STATE_URL: temporaryState() }, clock);
  const discord = checks.find(({ part }) => part === 'discord');
  expect(discord?.result).toBe('failed');
  expect(discord?.detail).toContain('Logging in to Discord at');
  expect(asked).toContain(30_000);
});

test.each([
  [-10_000, 'ok'],
  [10_000, 'ok'],
  [-10_001, 'failed'],
  [10_001, 'failed'],
])('a clock that is off by %i ms: %s', (aheadMs, result) => {
  expect(clockCheck(aheadMs).result).toBe(result);
});

test("a clock that is an hour ahead of Discord's is found by its Date header", async () => {
  const { check } = await aSetUp();
  const ahead: Clock = { ...systemClock, now: () => Date.now() + 3_600_000 };
  const clock = (await check({}, ahead)).find(({ part }) => part === 'clock');
  expect(clock?.result).toBe('failed');
  expect(clock?.detail).toMatch(/(3599|3600|3601) s ahead of Discord's/);
  expect(clockCheck(null).result).toBe('skipped');
});

test('the demo has nothing to check outside, and makes no request', async () => {
  const stateUrl = temporaryState();
  const checks = await checkSetup(parseConfig({ STATE_URL: stateUrl }), systemClock);
  expect(named(checks)).toEqual(['settings ok', 'state ok', 'portal skipped', 'v2 skipped', 'discord skipped']);
  expect(existsSync(stateUrl.slice('sqlite://'.length))).toBe(false);
});

test('without a state and without a request to count, nothing is left behind', async () => {
  const folder = temporaryFolder();
  const stateUrl = `sqlite://${join(folder, 'new/deep/state.sqlite')}`;
  const [, state] = await checkSetup(parseConfig({ STATE_URL: stateUrl }), systemClock);
  expect(state).toEqual({
    part: 'state',
    result: 'ok',
    detail: `${join(folder, 'new/deep/state.sqlite')} can be written. It is new.`,
  });
  expect(readdirSync(folder)).toEqual([]);
  // A file in the folder's place can't hold one.
  writeFileSync(join(folder, 'new'), '');
  const [, refused] = await checkSetup(parseConfig({ STATE_URL: stateUrl }), systemClock);
  expect(refused).toMatchObject({ part: 'state', result: 'failed' });
  expect(readdirSync(folder)).toEqual(['new']);
});
