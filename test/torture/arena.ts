import { createHash } from 'node:crypto';
import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { KeyvSqlite } from '@keyv/sqlite';
import {
  type CatalogService,
  createCatalogService,
  FAULTS,
  type FaultSettings,
} from '../../packages/catalog-service/src/index.ts';
import { createLocalDiscord, type LocalDiscord } from '../../packages/local-discord/src/index.ts';
import { newSubscription } from '../../src/announcements/kinds/of-source.ts';
import { placeOfPerson } from '../../src/deals/person.ts';
import { pacingOf } from '../../src/deals/settings.ts';
import type { Subscription } from '../../src/deals/subscription.ts';
import { type Clock, systemClock } from '../../src/shared/clock.ts';
import { createLog } from '../../src/shared/log.ts';
import type { Person } from '../../src/store/server-records.ts';
import { openStore } from '../../src/store/store.ts';
import { FEED_FAULTS } from '../helpers/feed-faults.ts';
import { seededRandom } from '../helpers/seeded-random.ts';
import { type Bot, type Ending, type Moment, spawnBot } from './bot-process.ts';
import { channelNamed, personNamed } from './places.ts';
import { createShop, FEED, type Shop } from './shop.ts';
import { createTally, type Tally } from './tally.ts';

/** The place in which the bot is killed: the catalog and Discord beside it, clocks that can leap, and a count of arrivals. */
export interface Arena {
  /** Where everything is, and the bot's state in it. */
  folder: string;
  stateUrl: string;
  discord: LocalDiscord;
  /** The origin of the catalog. */
  catalogUrl: string;
  shop: Shop;
  /** Draws the numbers from 0 to 1 that the script is made of. */
  random: () => number;
  /** Draws other numbers, one row for each name, so that further draws do not change the script. */
  randomOf: (name: string) => () => number;
  say: (line: string) => void;
  /** The time of the catalog and of Discord, which is the right one: epoch milliseconds. */
  now: () => number;
  /** Lets time pass, for the bot's next start and for both services at once. */
  leap(ms: number): void;
  /** The lead of the bot's clock over the right time: milliseconds, less than 0 where it is behind. */
  botAheadMs(): number;
  /** Sets the bot's clock, from its next start on. Returns by how much: a bot that lives has to be told. */
  setBotAhead(ms: number): number;
  /** When the bot's clock was set ahead, by the right time: epoch milliseconds. */
  setAheadAtMs: readonly number[];
  /** Calls the listener with the bot's time of each request for the feed. Returns what ends that. */
  onRequest(listener: (botNowMs: number) => void): () => void;
  /** Share of the catalog's answers that each of its faults spoils, from now on. */
  spoilCatalog(rate: number): void;
  startBot(start?: Start): Bot;
  /** From now on the monotonic clock of a process stands still while it is stopped. */
  suspend(bot: Bot): void;
  /** Whether a process is in the middle of a write to the bot's state. */
  isStateLocked: () => Promise<boolean>;
  /** The text of a log; empty before the first process that writes it. */
  readLog(name: string): string;
  /**
   * One run: until everything has arrived, and to its end. It may be killed at a step (from 1).
   * @param isComplete whether it has to bring everything before it ends
   */
  runOnce(options?: { killAt?: number; isComplete?: boolean }): Promise<Run>;
  /** Lets channels follow the feed, and a run see it for the first time. Resolves with the count of what arrives there. */
  subscribe(places: readonly Place[]): Promise<Tally>;
  close(result: { isKept: boolean }): Promise<void>;
}

/** The traits of one run of the bot. */
export interface Start {
  environment?: Record<string, string>;
  moments?: readonly Moment[];
  /** Name of its log in the arena's folder, where that is not everybody's. */
  log?: string;
  /** The network namespace in which it runs, where that is not this one. */
  namespace?: string;
}

/** A channel that follows the feed, by its name, and how; `@ben` is a person who watches it. It may follow another source. */
export interface Place extends Partial<Pick<Subscription, OptionOfPlace>> {
  channel: string;
  /** The flags of features that are on, by their fields. */
  flags?: Readonly<Record<string, true>>;
}
const OF_FEED: Subscription['source'] = { kind: 'feed', feed: FEED };
type OptionOfPlace = 'source' | 'target' | 'timing' | 'mostPerHour' | 'isPublished';

export interface Run extends Ending {
  said: string;
}

/** Longer than the least time between two looks at a feed. */
const FIRST_SIGHT_MS = 60_000;
/** A run that has not brought everything so long after its start is asked to end all the same. */
const RUN_WITHIN_MS = 30_000;
/** One that has not come to its end by then never does. */
const END_WITHIN_MS = 180_000;
const PLENTY = { requests: 1_000_000, perMs: 1_000 };

interface Services {
  shop: Shop;
  catalog: CatalogService;
  catalogUrl: string;
  discord: LocalDiscord;
}

async function startServices(parts: {
  folder: string;
  clock: Clock;
  faults: FaultSettings;
  onRequest: () => void;
}): Promise<Services> {
  const { folder, clock, faults, onRequest } = parts;
  const log = createLog('silent');
  const shop = createShop(join(folder, 'catalog'), clock, onRequest);
  const catalog = createCatalogService({
    host: '127.0.0.1',
    port: 0,
    keys: ['torture'],
    clock,
    log,
    content: shop.content,
    limits: { rate: 10_000, burst: 10_000, quota: 1_000_000_000 },
    faults,
  });
  const discord = createLocalDiscord({
    application: { name: 'Dealbell' },
    host: '127.0.0.1',
    port: 0,
    stateUrl: `sqlite://${join(folder, 'discord.sqlite')}`,
    clock,
    log,
    limits: { global: PLENTY, createMessage: PLENTY, createThread: PLENTY, createCommand: PLENTY },
  });
  const catalogUrl = await catalog.start();
  await discord.start();
  return { shop, catalog, catalogUrl, discord };
}

function environmentOf({ catalogUrl, discord }: Services, stateUrl: string) {
  return {
    PATH: process.env['PATH'],
    DISCORD_TOKEN: discord.token,
    DISCORD_API: discord.api,
    CATALOG_V2_URL: catalogUrl,
    CATALOG_V2_KEY: 'torture',
    CATALOG_PORTAL_URL: catalogUrl,
    CATALOG_PORTAL_KEY: 'torture',
    CATALOG_PORTAL_RATE: '1000',
    CATALOG_PORTAL_BURST: '1000',
    CATALOG_PORTAL_QUOTA: '100000000',
    CATALOG_V2_QUOTA: '100000000',
    STATE_URL: stateUrl,
    POLL_CRON: '* * * * * *',
    POLL_MIN_SECONDS: '0.1',
    PORT: '0',
  };
}

async function saveSubscriptions(stateUrl: string, discord: LocalDiscord, places: readonly Place[], nowMs: number) {
  const store = await openStore(stateUrl);
  for (const { channel, source = OF_FEED, flags, ...options } of places) {
    const personId = personNamed(discord, channel);
    const subscription = newSubscription({
      id: channel,
      guildId: personId === null ? discord.guildId : placeOfPerson(personId),
      channelId: channelNamed(discord, channel).id,
      source,
      createdBy: discord.people.ada.id,
      createdAtMs: nowMs,
      catchUp: 0,
    });
    const watch: object = personId === null ? {} : { watch: { aim: 'new', product: null, below: null } };
    await store.subscriptions.save({ ...subscription, ...watch, ...options, ...flags });
    if (personId !== null) await store.people.save(personId, personOf(personId, subscription));
  }
  await store.commit((changes) => store.markSetUp(changes));
  await store.close();
}

function personOf(id: string, watch: Subscription): Person {
  const { channelId, createdAtMs } = watch;
  const never = { closed: null, shownWaiting: null };
  return { id, channelId, locale: 'en-US', ...pacingOf(watch), usedAtMs: createdAtMs, ...never };
}

async function isLocked(stateUrl: string): Promise<boolean> {
  const connection = new KeyvSqlite({ uri: stateUrl, table: 'state' });
  await connection.query('PRAGMA busy_timeout = 0');
  try {
    await connection.query('BEGIN IMMEDIATE');
    await connection.query('ROLLBACK');
    return false;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'SQLITE_BUSY') return true;
    throw error;
  } finally {
    await connection.close();
  }
}

/** @param elsewhere where the bot's state is, if not in a file of the arena's folder */
export async function openArena(
  seed: number,
  say: (line: string) => void,
  elsewhere: string | null = null,
): Promise<Arena> {
  const folder = mkdtempSync(join(tmpdir(), 'dealbell-torture-'));
  const rates: Record<string, number> = {};
  let leaptMs = 0;
  let aheadMs = 0;
  const setAheadAtMs: number[] = [];
  const clock: Clock = {
    ...systemClock,
    now: () => Date.now() + leaptMs,
    monotonicMs: () => performance.now() + leaptMs,
  };
  const listeners = new Set<(botNowMs: number) => void>();
  const onRequest = () => {
    for (const listener of listeners) listener(clock.now() + aheadMs);
  };
  const services = await startServices({ folder, clock, faults: { seed: String(seed), rates }, onRequest });
  const { shop, discord } = services;
  const stateUrl = elsewhere ?? `sqlite://${join(folder, 'bot.sqlite')}`;
  const environment = environmentOf(services, stateUrl);
  const logs = createLogs(folder);
  let tally: Tally | null = null;

  function startBot({ environment: more = {}, moments = [], log = 'bot.log', namespace }: Start = {}): Bot {
    const all = { ...environment, TORTURE_LEAPT_MS: String(leaptMs + aheadMs), ...more };
    return spawnBot({ environment: all, folder, logFile: logs.open(log), moments, namespace: namespace ?? null });
  }

  async function runOnce({ killAt = 0, isComplete = true } = {}): Promise<Run> {
    const bot = startBot({ environment: { TORTURE_RUN: 'once', TORTURE_KILL_AT: String(killAt) } });
    const tooLong = setTimeout(() => void bot.kill(), END_WITHIN_MS);
    // Before it has started, which takes long on a busy machine, the signal would end it at once.
    await bot.started;
    const deadline = AbortSignal.timeout(RUN_WITHIN_MS);
    const isDone = async () => !isComplete || (await tally?.isComplete()) !== false;
    await Promise.race([bot.ended, until(isDone, deadline)]);
    bot.process.kill('SIGTERM');
    await bot.ended;
    clearTimeout(tooLong);
    return { ...(await bot.ended), said: bot.said() };
  }

  return {
    folder,
    stateUrl,
    discord,
    catalogUrl: services.catalogUrl,
    shop,
    random: seededRandom(seed),
    randomOf: (name) => seededRandom(createHash('sha256').update(`${seed}/${name}`).digest().readUInt32BE()),
    say,
    now: () => clock.now(),
    startBot,
    suspend: ({ process: { pid } }) => writeFileSync(join(folder, `suspended-${pid}`), ''),
    isStateLocked: () => isLocked(stateUrl),
    readLog: logs.read,
    runOnce,
    leap(ms) {
      leaptMs += ms;
    },
    botAheadMs: () => aheadMs,
    setBotAhead(ms) {
      const byMs = ms - aheadMs;
      aheadMs = ms;
      if (byMs > 0) setAheadAtMs.push(clock.now());
      return byMs;
    },
    setAheadAtMs,
    onRequest(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    spoilCatalog(rate) {
      setRates(rates, rate);
    },
    async subscribe(places) {
      await saveSubscriptions(stateUrl, discord, places, clock.now());
      // The first poll of a feed announces nothing, so it has to be over when the first offer appears.
      await runOnce();
      leaptMs += FIRST_SIGHT_MS;
      const names = places.map(({ channel }) => channel);
      tally = createTally({ discord, places: names, addresses: shop.addresses, now: () => clock.now() });
      return tally;
    },
    async close({ isKept }) {
      await tally?.close();
      await discord.stop();
      await services.catalog.stop();
      if (isKept) rmSync(folder, { recursive: true, force: true });
      else say(`State and log are in ${folder}.`);
    },
  };
}

/** These come from the shop, one at a time and counted. */
const DISAPPEARANCES = new Set<string>(FEED_FAULTS);

function setRates(rates: Record<string, number>, rate: number): void {
  for (const name of Object.keys(FAULTS)) rates[name] = DISAPPEARANCES.has(name) ? 0 : rate;
  // One of these closes the whole day, and the days here are short.
  rates['quota'] = rate / 5;
}

/** The logs of the bots, by their names. */
function createLogs(folder: string) {
  const files = new Map<string, number>();
  return {
    open(name: string): number {
      const file = files.get(name) ?? openSync(join(folder, name), 'a');
      files.set(name, file);
      return file;
    },
    read: (name: string) => (files.has(name) ? readFileSync(join(folder, name), 'utf8') : ''),
  };
}

/** Resolves when `isDone`, or when the signal aborts. */
export async function until(isDone: () => Promise<boolean>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && !(await isDone())) await sleep(20);
}
