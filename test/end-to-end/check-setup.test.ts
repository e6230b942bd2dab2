import { once } from 'node:events';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { parseConfig } from '../../src/app/config.ts';
import { checkSetup } from '../../src/app/operator/check-setup.ts';
import { clockCheck, isWellSetUp, setupAsJson, setupAsText } from '../../src/app/setup-report.ts';
import { amount } from '../../src/shared/amount.ts';
import { type Clock, systemClock } from '../../src/shared/clock.ts';
import { createLog } from '../../src/shared/log.ts';
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
    checkSetup(parseConfig({ ...house.environment, CATALOG_FEEDS: 'All', ...changes }), clock);
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
    'backup ok',
    'portal ok',
    'v2 ok',
    'discord ok',
    'clock ok',
    'channel skipped',
  ]);
  expect(first[3]?.detail).toBe('The key works: the catalog has 1 feed with 2 offers. Requests used today: 1 of 1000.');
  expect(first[4]?.detail).toContain('Requests used today: 1 of 1000.');
  expect(await spentOf(stateUrl)).toEqual({ portal: 1, v2: 1 });
  const second = await check();
  expect(second[3]?.detail).toContain('Requests used today: 2 of 1000.');
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
  expect(checks[0]?.detail).toMatch(/^The bot can post in 1 of 3 subscribed channels: #deals in .+\.$/);
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
  expect(named(checks)).toEqual([
    'settings ok',
    'state ok',
    'backup ok',
    'portal failed',
    'v2 failed',
    'discord failed',
  ]);
  expect(checks[3]?.detail).toContain('check the key');
  expect(checks[5]?.detail).toContain('Discord rejected DISCORD_TOKEN');
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
    'backup ok',
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
    expect(named(checks)).toEqual(
      expect.arrayContaining(['state failed', 'portal skipped', 'v2 skipped', 'discord ok']),
    );
  }
});

/** A clock on which the time for the checks is over when `giveUp` is called. */
function impatientClock() {
  const limits: number[] = [];
  let giveUp: () => void = () => undefined;
  const clock: Clock = {
    ...systemClock,
    after(ms, ring) {
      if (ms !== 24_000) return systemClock.after(ms, ring);
      limits.push(ms);
      giveUp = ring;
      return () => undefined;
    },
  };
  return { clock, limits, giveUp: () => giveUp() };
}

test('a Discord that is away is waited for, but not for ever', async () => {
  const { check } = await aSetUp();
  const { clock, limits, giveUp } = impatientClock();
  const sleep: Clock['sleep'] = (_, signal) => {
    giveUp();
    return Promise.reject(signal?.reason as Error);
  };
  const checks = await check(
    { DISCORD_API: 'http://127.0.0.1:9/api', STATE_URL: temporaryState() },
    { ...clock, sleep },
  );
  const discord = checks.filter(({ part }) => part === 'discord');
  expect(discord).toMatchObject([{ result: 'failed', detail: expect.stringContaining('Logging in to Discord at') }]);
  expect(limits).toHaveLength(1);
});

test('what never answers has failed when the time is up, and what has answered counts', async () => {
  const { house } = await aSetUp();
  const [asked, silent] = await Promise.all([aSilentServer(), aSilentServer()]);
  const { clock, giveUp } = impatientClock();
  const environment = {
    ...house.environment,
    CATALOG_PORTAL_URL: asked.url,
    DISCORD_API: `${silent.url}/api`,
    CATALOG_FEEDS: 'All,Home',
  };
  const checking = checkSetup(parseConfig(environment), clock);
  await Promise.all([asked.first, silent.first]);
  giveUp();
  const checks = await checking;
  expect(named(checks)).toEqual(['settings ok', 'state ok', 'backup ok', 'portal failed', 'v2 ok', 'discord failed']);
  expect(checks[3]?.detail).toBe('The catalog has answered for 0 of 2 feeds in time.');
  expect(checks[5]?.detail).toBe('Discord has not answered in time.');
  // The state is given back all the same.
  const store = await openStore(house.environment['STATE_URL'] ?? '', systemClock, {
    dealbell: '0.0.0',
    clock: systemClock,
    log: createLog('silent'),
    signal: new AbortController().signal,
    onLost: () => undefined,
  });
  await store.close();
});

/** A server that takes requests and never answers. */
async function aSilentServer() {
  let noteFirst: () => void = () => undefined;
  const first = new Promise<void>((resolve) => {
    noteFirst = resolve;
  });
  const server = createServer(() => noteFirst()).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, first };
}

test('each feed that the catalog does not know is named, one that is only followed included', async () => {
  const { house, check } = await aSetUp();
  const store = await openStore(house.environment['STATE_URL'] ?? '');
  await store.commit((changes) => store.markSetUp(changes));
  const { guildId } = house.discord;
  const channelId = house.discord.channel('deals').id;
  await store.subscriptions.save(aSubscription('a', { guildId, channelId, source: { kind: 'feed', feed: 'Gone' } }));
  await store.close();
  const portal = (await check({ CATALOG_FEEDS: 'All,Gadgets,all' })).filter(({ part }) => part === 'portal');
  expect(portal.map(({ result, detail }) => `${result} ${detail}`)).toEqual([
    'ok The key works: the catalog has 1 feed with 2 offers. Requests used today: 3 of 1000.',
    'failed The catalog has no feed named Gadgets. Correct CATALOG_FEEDS, and the subscriptions that follow it.',
    'failed The catalog has no feed named Gone. Correct CATALOG_FEEDS, and the subscriptions that follow it.',
  ]);
});

test('many feeds at once make Node warn of nothing', async () => {
  const { check } = await aSetUp();
  const warnings: string[] = [];
  const note = ({ message }: Error) => warnings.push(message);
  process.on('warning', note);
  onTestFinished(() => void process.off('warning', note));
  const names = Array.from({ length: 20 }, (_, number) => `Feed${number}`);
  const checks = await check({ CATALOG_FEEDS: ['All', ...names].join(','), CATALOG_PORTAL_BURST: '100' });
  expect(checks.filter(({ detail }) => detail.startsWith('The catalog has no feed named Feed'))).toHaveLength(20);
  expect(warnings).toEqual([]);
});

test('a quota that ends in the middle is said, beside what was found', async () => {
  const { check } = await aSetUp();
  const checks = await check({ CATALOG_FEEDS: 'All,Gadgets', CATALOG_PORTAL_QUOTA: '1' });
  expect(named(checks).filter((one) => one.startsWith('portal'))).toEqual(['portal ok', 'portal failed']);
  expect(checks.filter(({ part }) => part === 'portal').at(-1)?.detail).toMatch(/no requests left until/);
});

test('a port in use is named; one of the Dealbell that runs on this state is as it should be', async () => {
  const { house, check } = await aSetUp();
  const taken = String(new URL(house.discord.url).port);
  const ports = async (settings: Record<string, string>) =>
    (await check(settings)).filter(({ part }) => part === 'port').map(({ result, detail }) => `${result} ${detail}`);
  expect(await ports({ PORT: taken, METRICS_PORT: '0' })).toEqual([
    `failed PORT ${taken} on HOST 127.0.0.1 isn't available: something else listens there already. Set another one.`,
  ]);
  const app = await house.startBot({ METRICS_PORT: '0' }, { clock: systemClock });
  const own = new URL(house.addressOf(app)).port;
  const { address } = JSON.parse(house.logLines.find((line) => line.includes('serving metrics')) ?? '{}') as {
    address: string;
  };
  const metrics = new URL(address).port;
  expect(await ports({ PORT: own, METRICS_PORT: metrics })).toEqual([
    `ok PORT ${own} on HOST 127.0.0.1 is in use by the running Dealbell.`,
    `ok METRICS_PORT ${metrics} on HOST 127.0.0.1 is in use by the running Dealbell.`,
  ]);
  expect((await ports({ PORT: taken }))[0], 'something else').toMatch(/^failed PORT/);
  expect((await ports({ PORT: own, STATE_URL: temporaryState() }))[0], 'another bot').toMatch(/^failed PORT/);
  await app.stop();
  expect((await ports({ PORT: own }))[0]).toBe(`ok PORT ${own} on HOST 127.0.0.1 is free.`);
});

test('a folder for backups that can not be written is named, and nothing is left in one that can', async () => {
  const { check } = await aSetUp();
  const folder = temporaryFolder();
  const backup = async (settings: Record<string, string>) =>
    (await check(settings)).find(({ part }) => part === 'backup');
  const deep = join(folder, 'not/there/yet');
  expect(await backup({ BACKUP_FOLDER: deep, BACKUP_CRON: '30 3 * * *' })).toEqual({
    part: 'backup',
    result: 'ok',
    detail: `Backups can be written to ${deep}.`,
  });
  expect((await backup({ BACKUP_FOLDER: deep }))?.detail).toContain("BACKUP_CRON isn't set");
  expect(readdirSync(folder)).toEqual([]);
  writeFileSync(join(folder, 'file'), '');
  expect(await backup({ BACKUP_FOLDER: join(folder, 'file') })).toEqual({
    part: 'backup',
    result: 'failed',
    detail: `Backups can't be written to ${join(folder, 'file')} (ENOTDIR). Set BACKUP_FOLDER to a folder that this user can write.`,
  });
});

test('numbers and their nouns agree', () => {
  expect([0, 1, 2].map((count) => amount(count, 'poll'))).toEqual(['0 polls', '1 poll', '2 polls']);
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
  expect(named(checks).filter((one) => !one.startsWith('port '))).toEqual([
    'settings ok',
    'state ok',
    'backup ok',
    'portal skipped',
    'v2 skipped',
    'discord skipped',
  ]);
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
