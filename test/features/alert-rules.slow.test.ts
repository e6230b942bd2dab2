import { spawnSync } from 'node:child_process';
import { EventEmitter, on } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { App } from '../../src/app/app.ts';
import type { AppParts } from '../../src/app/context.ts';
import { FEATURES } from '../../src/features/index.ts';
import { MINUTE_MS } from '../../src/shared/time.ts';
import { COMPARE_EVERY_MS } from '../../src/store/table/standby.ts';
import { AlertRecording, alertNames, type Firing, type Target } from '../helpers/alert-rules.ts';
import { aCatalogFolder, type CatalogFolder, feedItem } from '../helpers/catalog-folder.ts';
import { aHouse, type House } from '../helpers/house.ts';
import { createTestLog } from '../helpers/keys.ts';
import { ManualClock } from '../helpers/manual-clock.ts';
import { findPromtool } from '../helpers/optional-parts.ts';
import { aSchedule } from '../helpers/schedule.ts';
import { startTcpProxy } from '../helpers/tcp-proxy.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

const HOUR = 60;

/** Starts a bot; resolves once its figures are served, which a bot that stands by does before it has started. */
async function serve(
  house: House,
  settings: Record<string, string> = {},
  more: Partial<AppParts> = {},
): Promise<{ address: string; starting: Promise<App> }> {
  const told = new EventEmitter();
  const lines = on(told, 'line') as AsyncIterable<[{ msg: string; address: string }]>;
  const log = createTestLog((line) => {
    house.logLines.push(line);
    told.emit('line', JSON.parse(line));
  });
  const starting = house.startBot({ METRICS_PORT: '0', ...settings }, { ...more, log });
  starting.catch(() => undefined);
  for await (const [{ msg, address }] of lines) if (msg === 'serving metrics') return { address, starting };
  throw new Error('It serves no metrics.');
}

interface Recorded {
  house: House;
  folder: CatalogFolder;
  app: App;
  recording: AlertRecording;
  target: Target;
  /** The scheduled jobs, by name. */
  run: (job: string) => Promise<unknown>;
  /** Lets minutes pass, with a tick and a scrape in each. */
  live: (minutes: number, more?: { scraped?: readonly Target[]; isTicking?: boolean }) => Promise<void>;
  /** Lets minutes pass in which nothing is scraped. */
  pass: (minutes: number) => Promise<void>;
  scrape: () => Promise<void>;
}

/** A bot on a house of its own, and what its metrics show. */
async function record(
  settings: Record<string, string> = {},
  { follow = true, more = {} }: { follow?: boolean; more?: Partial<AppParts> } = {},
): Promise<Recorded> {
  const folder = aCatalogFolder();
  folder.writeFeed('Home', [feedItem(1)]);
  const house = await aHouse({ content: () => folder.content, features: FEATURES });
  const scheduled = aSchedule();
  const { address, starting } = await serve(house, settings, { ...scheduled, ...more });
  const app = await starting;
  if (follow) await house.asAda('deals', '/subscription add feed feed:Home catch-up:0');
  const target = { job: 'dealbell', instance: 'one', address };
  const recording = new AlertRecording(house.clock);
  const scrape = () => recording.scrape([target]);
  return {
    house,
    folder,
    app,
    recording,
    target,
    run: (job) => scheduled.jobs.get(job)?.run() ?? Promise.reject(new Error(`no job ${job}`)),
    async live(minutes, { scraped = [target], isTicking = true } = {}) {
      for (let minute = 0; minute < minutes; minute += 1) {
        await house.clock.advance(MINUTE_MS);
        if (isTicking) await tickThrough(app, house.clock);
        await recording.scrape(scraped);
      }
    },
    pass: (minutes) => house.clock.advance(minutes * MINUTE_MS),
    scrape,
  };
}

/** Lets a bot tick, and the pauses pass that retries and gathering take. */
async function tickThrough(app: App, clock: ManualClock): Promise<void> {
  let isDone = false;
  const ticking = app.tick().finally(() => {
    isDone = true;
  });
  while (!isDone) {
    await Promise.race([ticking, clock.untilSleeping((ms) => ms < 10_000)]);
    if (!isDone) await clock.advance(50);
  }
}

/** An alert of the only bot. */
const firing = (alert: string, severity: 'page' | 'warn', labels: Record<string, string> = {}): Firing => ({
  alert,
  severity,
  job: 'dealbell',
  instance: 'one',
  ...labels,
});
/** An alert of a job, whichever of its processes. */
const ofJob = (alert: string, severity: 'page' | 'warn', job = 'dealbell'): Firing => ({ alert, severity, job });

const rulesTest = test.runIf(findPromtool() !== null);

rulesTest('of a bot that works, with one that stands by, nothing fires', async () => {
  const { house, recording, target, live, run, folder } = await record({
    BACKUP_CRON: '30 3 * * *',
    BACKUP_FOLDER: join(temporaryFolder(), 'copies'),
  });
  const standby = await serve(house, {}, { isStandby: true, clock: new ManualClock() });
  const scraped = [target, { job: 'dealbell', instance: 'two', address: standby.address }];
  await run('audit');
  await run('backup');
  await recording.scrape(scraped);
  for (let number = 2; number < 8; number += 1) {
    folder.writeFeed(
      'Home',
      Array.from({ length: number }, (_, index) => feedItem(index + 1)),
    );
    await live(5, { scraped });
  }
  expect(house.announcements('deals').length).toBeGreaterThan(4);
  recording.expectFiring({ 0: [], 10: [], 30: [] });
});

rulesTest('a process that stands by and is gone, then its leader, and another bot goes on', async () => {
  const { house, recording, target, live, app } = await record();
  const standby = await serve(house, {}, { isStandby: true, clock: new ManualClock() });
  const other = await record();
  const scraped = [
    target,
    { job: 'dealbell', instance: 'two', address: standby.address },
    { ...other.target, job: 'dealbell-two' },
  ];
  const passing = async (minutes: number, isTicking: boolean) => {
    for (let minute = 0; minute < minutes; minute += 1) {
      await other.house.clock.advance(MINUTE_MS);
      await tickThrough(other.app, other.house.clock);
      await live(1, { scraped, isTicking });
    }
  };
  await recording.scrape(scraped);
  await passing(10, true);
  // A process that is gone takes no connections any more.
  scraped[1] = { job: 'dealbell', instance: 'two', address: 'http://127.0.0.1:1/metrics' };
  await passing(20, true);
  await app.stop();
  await passing(10, false);
  recording.expectFiring({
    10: [],
    20: [],
    22: [ofJob('DealbellProcessGone', 'warn')],
    34: [],
    39: [ofJob('DealbellDown', 'page')],
  });
});

rulesTest('a bot whose processes all wait for the state', async () => {
  const { house, recording, target, live, app } = await record();
  const standby = await serve(house, {}, { isStandby: true, clock: new ManualClock() });
  const scraped = [target, { job: 'dealbell', instance: 'two', address: standby.address }];
  await recording.scrape(scraped);
  await live(5, { scraped });
  await app.stop();
  await live(12, { scraped, isTicking: false });
  recording.expectFiring({
    5: [],
    10: [],
    12: [ofJob('DealbellWithoutLeader', 'page')],
    17: [ofJob('DealbellWithoutLeader', 'page'), ofJob('DealbellProcessGone', 'warn')],
  });
});

rulesTest('a gateway that is down', async () => {
  const { house, recording, target, scrape, live } = await record();
  await scrape();
  await house.discord.stop();
  await expect
    .poll(async () => (await fetch(target.address)).text(), { timeout: 20_000, interval: 20 })
    .toContain('dealbell_gateway_up{shard="0"} 0');
  await live(12);
  recording.expectFiring({ 0: [], 10: [], 12: [firing('DealbellGatewayDown', 'page')] });
});

const isPost = ({ method, path }: { method: string; path: string }) => method === 'POST' && path.endsWith('/messages');

rulesTest('posts that Discord refuses', async () => {
  const { house, recording, folder, scrape, live } = await record();
  await live(1);
  await scrape();
  house.discord.faults.use((request) =>
    isPost(request) ? { kind: 'error', status: 503, accepted: false } : undefined,
  );
  folder.writeFeed('Home', [feedItem(1), feedItem(2)]);
  await live(14);
  const [warn, page] = [firing('DealbellBacklog', 'warn'), firing('DealbellBacklog', 'page')];
  // It is due from the second minute on.
  recording.expectFiring({ 2: [], 4: [warn], 11: [warn], 14: [warn, page] });
});

rulesTest.each(['limit', 'permission'])('announcements that a channel’s %s holds back are no backlog', async (what) => {
  const { house, recording, folder, live, target } = await record({}, { follow: false });
  await house.asAda('deals', '/subscription add feed feed:Home catch-up:0 most-per-hour:2');
  await live(1);
  if (what === 'permission') {
    house.discord.setPermissions(house.discord.channel('deals').id, { deny: ['sendMessages'] });
  }
  for (let number = 2; number < 17; number += 1) {
    folder.writeFeed(
      'Home',
      Array.from({ length: number }, (_, index) => feedItem(index + 1)),
    );
    await live(1);
  }
  const waited = /^dealbell_outbox_oldest_seconds (\d+)/m.exec(await (await fetch(target.address)).text())?.[1];
  expect(Number(waited)).toBeGreaterThan(300);
  recording.expectFiring({ 8: [], 16: [] });
});

rulesTest('a quota of which polling may spend nothing more', async () => {
  const { recording, live } = await record({ CATALOG_PORTAL_QUOTA: '2' });
  await recording.scrape([]);
  await live(8);
  recording.expectFiring({ 5: [], 8: [firing('DealbellQuotaSpent', 'warn', { interface: 'portal' })] });
});

rulesTest('a feed that is read no more', async () => {
  const { recording, live } = await record();
  await live(10);
  await live(30, { isTicking: false });
  const unread = firing('DealbellFeedUnread', 'warn', { resource: 'feed:Home' });
  recording.expectFiring({ 10: [], 14: [], 40: [unread] });
});

rulesTest('a catalog that fails from the start on, and answers later', async () => {
  const folder = aCatalogFolder();
  folder.writeFeed('Home', [feedItem(1)]);
  const house = await aHouse({ content: () => folder.content, features: FEATURES });
  const proxy = await startTcpProxy(house.catalogUrl);
  onTestFinished(() => proxy.close());
  const { address, starting } = await serve(house, { CATALOG_PORTAL_URL: proxy.url.replace(/\/$/, '') });
  const app = await starting;
  await house.asAda('deals', '/subscription add feed feed:Home catch-up:0');
  const recording = new AlertRecording(house.clock);
  const live = async (minutes: number) => {
    for (const until = recording.minute + minutes; recording.minute < until; ) {
      await house.clock.advance(MINUTE_MS);
      await tickThrough(app, house.clock);
      await recording.scrape([{ job: 'dealbell', instance: 'one', address }]);
    }
  };
  proxy.set('closed');
  await live(25);
  proxy.set('open');
  await live(10);
  const away = firing('DealbellCatalogAway', 'warn', { interface: 'portal' });
  const unread = firing('DealbellFeedUnread', 'warn', { resource: 'feed:Home' });
  recording.expectFiring({ 4: [], 14: [unread], 24: [away, unread], 35: [] });
});

rulesTest('what has not answered for five minutes', async () => {
  const network = new ManualClock();
  const folder = aCatalogFolder();
  folder.writeFeed('Home', []);
  const house = await aHouse({ content: () => folder.content, features: FEATURES });
  const proxy = await startTcpProxy(house.discord.api);
  onTestFinished(() => proxy.close());
  const { address, starting } = await serve(house, { DISCORD_API: proxy.url }, { networkClock: network });
  const app = await starting;
  const recording = new AlertRecording(house.clock);
  const scrape = () => recording.scrape([{ job: 'dealbell', instance: 'one', address }]);
  await scrape();
  proxy.set('silent');
  for (let times = 0; times < 4; times += 1) {
    for (const asked of [10_000, 5_000]) {
      await network.untilSleeping((ms) => ms === asked);
      // It reads the state, so that the state has answered before.
      await fetch(`${house.addressOf(app)}/livez`);
      await network.advance(asked);
    }
  }
  await network.untilSleeping((ms) => ms === COMPARE_EVERY_MS);
  for (const minutes of [1, 9]) {
    await house.clock.advance(minutes * MINUTE_MS);
    await scrape();
  }
  // Whoever stops says goodbye to Discord.
  proxy.set('open');
  recording.expectFiring({ 5: [], 10: [firing('DealbellDependencyAway', 'warn', { dependency: 'discord' })] });
});

rulesTest('a field of the catalog that can’t be read', async () => {
  const { recording, folder, live, run, pass } = await record();
  await run('audit');
  folder.writeFeed('Home', [feedItem(1, { Condition: 5 })]);
  while (recording.minute < 7 * HOUR) {
    await live(1);
    await pass(2);
  }
  const drifts = { ...ofJob('DealbellCatalogDrifts', 'warn'), resource: 'feed:Home', field: 'Condition' };
  recording.expectFiring({ 1: [], [5.9 * HOUR]: [], [6.5 * HOUR]: [drifts] });
});

rulesTest('an audit that finds what stands twice and what is missing', async () => {
  const { house, recording, folder, app, scrape, live, run, pass } = await record();
  await live(1);
  for (const number of [2, 3, 4]) {
    folder.writeFeed(
      'Home',
      Array.from({ length: number }, (_, index) => feedItem(index + 1)),
    );
    await live(10);
    await app.settled();
  }
  await pass(2 * HOUR);
  await run('audit');
  await live(1);
  const before = recording.minute;
  const [deleted, doubled, stale] = house.announcements('deals');
  await fetch(`${house.discord.api}/v10/channels/${deleted?.channel_id}/messages/${deleted?.id}`, {
    method: 'DELETE',
    headers: { authorization: `Bot ${house.discord.token}` },
  });
  await house.post(doubled?.channel_id ?? '', { flags: 32_768, components: doubled?.components });
  await fetch(`${house.discord.api}/v10/channels/${stale?.channel_id}/messages/${stale?.id}`, {
    method: 'PATCH',
    headers: { authorization: `Bot ${house.discord.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ components: stale?.components }).replaceAll('$20.00', '$25.00'),
  });
  await house.asAda('deals', '/owner audit');
  await scrape();
  const found = recording.minute;
  recording.expectFiring({
    [before]: [],
    [found]: [
      firing('DealbellAuditFoundTwice', 'warn', { result: 'twice' }),
      firing('DealbellAuditFoundMissing', 'warn', { result: 'missing' }),
      firing('DealbellAuditFoundUntrue', 'warn', { result: 'untrue' }),
    ],
  });
});

rulesTest('audits that no longer end, and a process that stands by and makes none', async () => {
  const { house, recording, target, run, pass } = await record({}, { follow: false });
  const standby = await serve(house, {}, { isStandby: true, clock: new ManualClock() });
  const scraped = [target, { job: 'dealbell', instance: 'two', address: standby.address }];
  await run('audit');
  await recording.scrape(scraped);
  await pass(80 * HOUR);
  await recording.scrape(scraped);
  const [before, after] = [70 * HOUR, 75 * HOUR];
  recording.expectFiring({ [before]: [], [after]: [firing('DealbellAuditLate', 'warn')] }, 5);
});

rulesTest('a bot that never makes an audit', async () => {
  const { recording, scrape, pass } = await record({}, { follow: false });
  await scrape();
  await pass(30 * HOUR);
  await scrape();
  recording.expectFiring({ [23 * HOUR]: [], [25 * HOUR]: [firing('DealbellAuditLate', 'warn')] }, HOUR);
});

rulesTest.each([true, false])('backups that fail, after one was made: %s', async (wasMade) => {
  const parent = temporaryFolder();
  const place = join(parent, 'copies');
  const { recording, scrape, run, pass } = await record(
    { BACKUP_CRON: '30 3 * * *', BACKUP_FOLDER: place },
    { follow: false },
  );
  await run('audit');
  if (wasMade) await run('backup');
  else {
    writeFileSync(place, 'a file in the place of the folder');
    await expect(run('backup')).rejects.toThrow();
  }
  await scrape();
  await pass(40 * HOUR);
  await scrape();
  recording.expectFiring(
    { [35 * HOUR]: [], [38 * HOUR]: [firing(wasMade ? 'DealbellBackupOld' : 'DealbellBackupMissing', 'warn')] },
    HOUR,
  );
});

rulesTest('a pause that was forgotten', async () => {
  const { house, recording, scrape, run, pass } = await record({}, { follow: false });
  await house.asAda('deals', '/owner pause');
  for (let hours = 0; hours <= 26; hours += 1) {
    if (hours % 20 === 0) await run('audit');
    await scrape();
    await pass(HOUR);
  }
  recording.expectFiring({ [24 * HOUR]: [], [25 * HOUR]: [firing('DealbellPauseForgotten', 'warn')] }, HOUR);
});

rulesTest('promtool has nothing to say of the rules', () => {
  const { status, stdout, stderr } = spawnSync(findPromtool() ?? '', ['check', 'rules', 'deploy/alerts.yml']);
  expect([status, String(stdout), String(stderr)]).toEqual([0, expect.stringContaining('SUCCESS'), '']);
});

test('each rule has a failure above', () => {
  const own = readFileSync(import.meta.filename, 'utf8');
  expect(alertNames().filter((name) => !own.includes(`'${name}'`))).toEqual([]);
});
