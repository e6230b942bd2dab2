import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createCatalogService } from '../packages/catalog-service/src/index.ts';
import { createLocalDiscord, type LocalDiscord } from '../packages/local-discord/src/index.ts';
import { newSubscription } from '../src/announcements/kinds/of-source.ts';
import { systemClock } from '../src/shared/clock.ts';
import { createLog } from '../src/shared/log.ts';
import { openStore } from '../src/store/store.ts';
import { startTcpProxy, type TcpProxy } from '../test/helpers/tcp-proxy.ts';
import { isAnnouncement } from '../test/model/reading.ts';
import { createShop, FEED, type Shop } from '../test/torture/shop.ts';
import { KEY, UNLIMITED } from './limits.ts';
import { type Section, spreadOf } from './measure.ts';
import { onEachBackend } from './states.ts';

/** The channels in which offers are announced: a forum's posts have no nonce, so that they wait after a kill. */
const PLACES = ['text channel', 'forum'] as const;
type Place = (typeof PLACES)[number];

/** The ends of a leader: how it ends, how often that is measured, and the longest gaps that are promised after it. */
const ENDS = [
  { end: 'stop', signal: 'SIGTERM', times: 10, mostMs: { 'text channel': 2_000, forum: 2_000 } },
  { end: 'kill', signal: 'SIGKILL', times: 5, mostMs: { 'text channel': 3_000, forum: 20_000 } },
] as const;
/** The leader alone loses one of these, on PostgreSQL; after 30 s it hands the state over. */
const LOSSES = ['Discord away', 'the catalog away', 'the database slow'] as const;
type Loss = (typeof LOSSES)[number];
const TIMES_LOST = 3;
/** By a way so slow to the database, in each direction, no leader stays one: milliseconds. */
const SLOW_MS = 1_500;
/**
 * The longest times that are promised until the process that stood by posts: 30 s, and those of its start, in which the
 * former leader ends what it is at. A forum waits until its last requests are over, 15 s more.
 */
const MOST_LOST_MS: Readonly<Record<Loss, Readonly<Record<Place, number>>>> = {
  'Discord away': { 'text channel': 40_000, forum: 55_000 },
  'the catalog away': { 'text channel': 40_000, forum: 55_000 },
  'the database slow': { 'text channel': 60_000, forum: 75_000 },
};
/** Within this, a leader has seen twice that another process stands by, and what that reaches. */
const KNOWN_WITHIN_MS = 31_000;
/** From the leader's end on, an offer appears so often: something to post is always there. */
const OFFER_EVERY_MS = 100;
/** The same while the leader loses something, which takes longer. */
const OFFER_EVERY_MS_WHEN_LOST = 1_000;
/** All that was found has been posted. */
const QUIET_MS = 2_000;
const LOOK_EVERY_MS = 10;
const MOST_PER_HOUR = 1_000_000;

interface Gaps {
  name: string;
  end: (typeof ENDS)[number];
  /** Milliseconds from the signal to the leader until its process ended, and until the next one's first post. */
  endedMs: number[];
  gapsMs: Record<Place, number[]>;
}

/** How long nothing is announced when the leader ends, or loses half of the world, while another process stands by. */
export async function benchGap(): Promise<Section[]> {
  const gaps: Gaps[] = [];
  const losses = new Map<Loss, Gaps['gapsMs']>();
  for (const { backend, url, remove } of onEachBackend()) {
    try {
      await inHouse(url, async (house) => {
        gaps.push(...(await endAll(backend, house)));
        if (backend === 'PostgreSQL') for (const loss of LOSSES) losses.set(loss, await lose(loss, house));
      });
    } finally {
      await remove();
    }
  }
  return [section(gaps), sectionOfLosses(losses)];
}

/** All that the processes need, and what starts them. */
interface House {
  shop: Shop;
  discord: LocalDiscord;
  catalogUrl: string;
  stateUrl: string;
  start: (changes?: Record<string, string>) => Process;
}

async function inHouse(stateUrl: string, run: (house: House) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'dealbell-bench-'));
  const at = { host: '127.0.0.1', port: 0, clock: systemClock, log: createLog('silent') };
  const shop = createShop(join(folder, 'catalog'), systemClock);
  const catalog = createCatalogService({ ...at, keys: [KEY], content: shop.content, limits: UNLIMITED });
  const unlimited = { requests: 1e9, perMs: 1 };
  const discord = createLocalDiscord({
    ...at,
    stateUrl: `sqlite://${join(folder, 'discord.sqlite')}`,
    limits: { createMessage: unlimited, global: unlimited },
  });
  const catalogUrl = await catalog.start();
  await discord.start();
  await subscribe(stateUrl, discord);
  const environment = environmentOf(discord, catalogUrl, stateUrl);
  const processes: Process[] = [];
  function start(changes: Record<string, string> = {}): Process {
    const started = startProcess({ ...environment, ...changes }, folder);
    processes.push(started);
    return started;
  }
  try {
    await run({ shop, discord, catalogUrl, stateUrl, start });
  } finally {
    for (const one of processes) one.process.kill('SIGKILL');
    await discord.stop();
    await catalog.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function endAll(name: string, { shop, discord, start }: House): Promise<Gaps[]> {
  const pair: Pair = { shop, discord, start, leader: null, waiting: null };
  const gaps: Gaps[] = [];
  for (const end of ENDS) gaps.push({ name, end, ...(await endLeaders(pair, end)) });
  await stop([pair.leader, pair.waiting]);
  return gaps;
}

async function stop(processes: readonly (Process | null)[]): Promise<void> {
  const running = processes.flatMap((one) => (one && one.process.exitCode === null ? [one.process] : []));
  const ended = running.map((one) => once(one, 'exit'));
  for (const one of running) one.kill('SIGTERM');
  await Promise.all(ended);
}

/** Takes something from the leader alone, each time from a new one, and measures until the process that stood by posts. */
async function lose(loss: Loss, { shop, discord, catalogUrl, stateUrl, start }: House): Promise<Gaps['gapsMs']> {
  const gapsMs: Gaps['gapsMs'] = { 'text channel': [], forum: [] };
  for (let time = 0; time < TIMES_LOST; time += 1) {
    const ways: Readonly<Record<Loss, TcpProxy>> = {
      'Discord away': await startTcpProxy(discord.api),
      'the catalog away': await startTcpProxy(catalogUrl),
      'the database slow': await startTcpProxy(stateUrl),
    };
    const portal = ways['the catalog away'].url.replace(/\/$/, '');
    const leader = start({
      DISCORD_API: ways['Discord away'].url,
      CATALOG_PORTAL_URL: portal,
      CATALOG_V2_URL: portal,
      STATE_URL: ways['the database slow'].url,
    });
    await leader.leads;
    const waiting = start();
    await waiting.standsBy;
    await systemClock.sleep(KNOWN_WITHIN_MS);
    const sinceMs = performance.now();
    if (loss === 'the database slow') ways[loss].delay(SLOW_MS);
    else ways[loss].set('silent');
    // Posts that the leader may still make by a slow database count for nothing.
    const posted = await firstPosts(shop, discord, { everyMs: OFFER_EVERY_MS_WHEN_LOST, from: waiting.leads });
    for (const place of PLACES) gapsMs[place].push((posted.get(place) ?? Number.NaN) - sinceMs);
    await stop([leader, waiting]);
    for (const way of Object.values(ways)) await way.close();
  }
  return gapsMs;
}

async function subscribe(stateUrl: string, discord: LocalDiscord): Promise<void> {
  const store = await openStore(stateUrl);
  discord.createChannel('offers', 'forum');
  for (const [channel, target] of [
    ['deals', 'channel'],
    ['offers', 'forum'],
  ] as const) {
    const subscription = newSubscription({
      id: channel,
      guildId: discord.guildId,
      channelId: discord.channel(channel).id,
      source: { kind: 'feed', feed: FEED },
      createdBy: discord.people.ada.id,
      createdAtMs: systemClock.now(),
      catchUp: 0,
    });
    await store.subscriptions.save({ ...subscription, target, mostPerHour: MOST_PER_HOUR });
  }
  await store.commit((changes) => store.markSetUp(changes));
  await store.close();
}

function environmentOf(discord: LocalDiscord, catalogUrl: string, stateUrl: string): Record<string, string> {
  const limits = Object.entries(UNLIMITED).map(([name, value]) => [
    `CATALOG_PORTAL_${name.toUpperCase()}`,
    String(value),
  ]);
  return {
    DISCORD_TOKEN: discord.token,
    DISCORD_API: discord.api,
    STATE_URL: stateUrl,
    PORT: '0',
    POLL_CRON: '* * * * * *',
    POLL_MIN_SECONDS: '0.1',
    CATALOG_V2_URL: catalogUrl,
    CATALOG_V2_KEY: KEY,
    CATALOG_PORTAL_URL: catalogUrl,
    CATALOG_PORTAL_KEY: KEY,
    ...(Object.fromEntries(limits) as Record<string, string>),
  };
}

/** The program itself. */
interface Process {
  process: ChildProcess;
  /** Resolves when it waits for the end of another one. */
  standsBy: Promise<void>;
  /** Resolves when it leads and has logged in. */
  leads: Promise<unknown>;
}

function startProcess(environment: Record<string, string>, folder: string): Process {
  const program = fileURLToPath(new URL('../src/main.js', import.meta.url));
  const { PATH = '' } = process.env;
  const child = spawn(process.execPath, [program, '--standby'], {
    env: { PATH, ...environment },
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const lines = createInterface(child.stderr);
  const logged = (event: string) =>
    new Promise<void>((resolve) => {
      lines.on('line', (line) => {
        if (line.includes(event)) resolve();
      });
    });
  return { process: child, standsBy: logged('standing by'), leads: logged('"msg":"running"') };
}

/** Two processes, of which one leads; null where one has to be started. */
interface Pair {
  shop: Shop;
  discord: LocalDiscord;
  start: () => Process;
  leader: Process | null;
  waiting: Process | null;
}

async function endLeaders(pair: Pair, { signal, times }: (typeof ENDS)[number]) {
  const { shop, discord, start } = pair;
  const endedMs: number[] = [];
  const gapsMs: Gaps['gapsMs'] = { 'text channel': [], forum: [] };
  for (let time = 0; time < times; time += 1) {
    pair.leader ??= start();
    const { leader } = pair;
    await leader.leads;
    pair.waiting ??= start();
    await pair.waiting.standsBy;
    await systemClock.sleep(QUIET_MS);
    const sinceMs = performance.now();
    const ended = once(leader.process, 'exit');
    leader.process.kill(signal);
    await ended;
    endedMs.push(performance.now() - sinceMs);
    const posted = await firstPosts(shop, discord, { everyMs: OFFER_EVERY_MS, from: Promise.resolve() });
    for (const place of PLACES) gapsMs[place].push((posted.get(place) ?? Number.NaN) - sinceMs);
    [pair.leader, pair.waiting] = [pair.waiting, null];
  }
  return { endedMs, gapsMs };
}

/**
 * Adds offers until, once `from` has settled, one of them is posted in each place. Resolves with when that was: milliseconds
 * of `performance`.
 */
async function firstPosts(
  shop: Shop,
  discord: LocalDiscord,
  { everyMs, from }: { everyMs: number; from: Promise<unknown> },
): Promise<ReadonlyMap<Place, number>> {
  const posted = new Map<Place, number>();
  let isCounting = false;
  void from.then(() => {
    isCounting = true;
  });
  const textChannelId = discord.channel('deals').id;
  const stopListening = discord.onUpdate((update) => {
    if (!isCounting || update.type !== 'message' || !isAnnouncement(update.message)) return;
    const place = update.message.channel_id === textChannelId ? 'text channel' : 'forum';
    if (!posted.has(place)) posted.set(place, performance.now());
  });
  for (let waitedMs = 0; posted.size < PLACES.length; waitedMs += LOOK_EVERY_MS) {
    if (waitedMs % everyMs === 0) shop.addOffer();
    await systemClock.sleep(LOOK_EVERY_MS);
  }
  stopListening();
  return posted;
}

const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;

function sectionOfLosses(measured: ReadonlyMap<Loss, Gaps['gapsMs']>): Section {
  const [load = Number.NaN] = loadavg();
  const all = [...measured].flatMap(([loss, gapsMs]) =>
    PLACES.map((place) => ({ loss, place, spread: spreadOf(gapsMs[place]), mostMs: MOST_LOST_MS[loss][place] })),
  );
  return {
    title: 'Gap: announcements after the leader has lost half of the world',
    how: `\`npm run bench -- gap\`. Two processes on one PostgreSQL, of which one leads and the other one stands by; they poll every second. For the leader alone, nothing passes any more between it and Discord, or the catalog, or what passes between it and the database takes ${SLOW_MS / 1_000} s more in each direction. From then on an offer appears every ${OFFER_EVERY_MS_WHEN_LOST / 1_000} s: until the first post of the other process, to which the leader hands the state over. A local Discord without limits. The machine’s load was ${load.toFixed(1)} at the end.`,
    head: ['for the leader alone', 'how often', 'until the other one posts, median', 'worst'],
    rows: all.map(({ loss, place, spread }) => [
      `${loss}, ${place}`,
      String(TIMES_LOST),
      seconds(spread.median),
      seconds(spread.max),
    ]),
    claims: all.map(({ loss, place, spread, mostMs }) => ({
      promise: `${loss} for the leader alone: the other one posts in a ${place} within ${mostMs / 1_000} s`,
      measured: `${seconds(spread.max)} at the worst`,
      isKept: spread.max <= mostMs,
    })),
  };
}

function section(measured: readonly Gaps[]): Section {
  const [load = Number.NaN] = loadavg();
  return {
    title: 'Gap: announcements after the leader’s end',
    how: `\`npm run bench -- gap\`. Two processes on one state, of which one leads and the other one stands by; they poll every second. The leader is stopped (SIGTERM) or killed (SIGKILL), and from its end on an offer appears every ${OFFER_EVERY_MS} ms: from the signal until the first post of the other process, in a text channel and in a forum, and the process has to log in before it. A local Discord without limits. The machine’s load was ${load.toFixed(1)} at the end.`,
    head: ['', 'how often', 'until the process had ended, median', 'gap, median', 'gap, worst'],
    rows: measured.flatMap(({ name, end: { end, times }, endedMs, gapsMs }) =>
      PLACES.map((place) => [
        `${name}: ${end}, ${place}`,
        String(times),
        seconds(spreadOf(endedMs).median),
        seconds(spreadOf(gapsMs[place]).median),
        seconds(spreadOf(gapsMs[place]).max),
      ]),
    ),
    claims: measured.flatMap(({ name, end: { end, mostMs }, gapsMs }) =>
      PLACES.map((place) => ({
        promise: `${name}: at a ${end}, a gap of at most ${mostMs[place] / 1_000} s in a ${place}`,
        measured: `${seconds(spreadOf(gapsMs[place]).max)} at the worst`,
        isKept: spreadOf(gapsMs[place]).max <= mostMs[place],
      })),
    ),
  };
}
