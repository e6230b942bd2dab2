import { createHash } from 'node:crypto';
import { mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { FAULTS, type FaultSettings } from '../../src/catalog-service/faults.ts';
import { createCatalogService } from '../../src/catalog-service/service.ts';
import { type Clock, systemClock } from '../../src/clock.ts';
import { newSubscription, type Subscription } from '../../src/deals/subscription.ts';
import { createLocalDiscord, type LocalDiscord } from '../../src/local-discord/local-discord.ts';
import { createLog } from '../../src/log.ts';
import { openStore } from '../../src/store/store.ts';
import { seededRandom } from '../helpers/seeded-random.ts';
import { type Bot, type Ending, type Moment, spawnBot } from './bot-process.ts';
import { createShop, FEED } from './shop.ts';
import { createTally, type Tally } from './tally.ts';

/** Where the bot is killed: the catalog and Discord beside it, a clock that can leap, and the count of what arrived. */
export interface Arena {
  discord: LocalDiscord;
  /** What the script is drawn from: numbers from 0 to 1. */
  random: () => number;
  /** What else may be drawn, so that how often it is does not change the script: one row of numbers for each name. */
  randomOf: (name: string) => () => number;
  say: (line: string) => void;
  /** Lets time pass, for the bot's next start and for both services at once. */
  leap(ms: number): void;
  /** Puts an offer into the feed. */
  addOffer(): void;
  /** Share of the catalog's answers that each of its faults spoils, from now on. */
  spoilCatalog(rate: number): void;
  startBot(more?: Record<string, string>, moments?: readonly Moment[]): Bot;
  /** One run: until everything has arrived, and to its end. It may be killed at a step (from 1). */
  runOnce(killAt?: number): Promise<Run>;
  /** Lets channels follow the feed, and a run see it for the first time. Resolves with the count of what arrives there. */
  subscribe(places: readonly Place[]): Promise<Tally>;
  close(result: { isKept: boolean }): Promise<void>;
}

/** A channel that follows the feed, by its name, and how. */
export interface Place extends Partial<Pick<Subscription, 'target' | 'timing' | 'mostPerHour' | 'isPublished'>> {
  channel: string;
}

export interface Run extends Ending {
  said: string;
}

/** Longer than the least time between two looks at a feed. */
const FIRST_SIGHT_MS = 60_000;
/** A run that has not brought everything by then is asked to end all the same. */
const RUN_WITHIN_MS = 30_000;
/** One that does not come to its end then never does. */
const END_WITHIN_MS = 60_000;
const PLENTY = { requests: 1_000_000, perMs: 1_000 };

export async function openArena(seed: number, say: (line: string) => void): Promise<Arena> {
  const folder = mkdtempSync(join(tmpdir(), 'dealbell-torture-'));
  const log = createLog('silent');
  let leaptMs = 0;
  const clock: Clock = { ...systemClock, now: () => Date.now() + leaptMs };

  const shop = createShop(join(folder, 'catalog'), clock);
  const rates: Record<string, number> = {};
  const faults: FaultSettings = { seed: String(seed), rates };
  const service = createCatalogService({
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
    host: '127.0.0.1',
    port: 0,
    stateUrl: `sqlite://${join(folder, 'discord.sqlite')}`,
    clock,
    log,
    limits: { global: PLENTY, createMessage: PLENTY, createThread: PLENTY, createCommand: PLENTY },
  });
  const catalogUrl = await service.start();
  await discord.start();
  const stateUrl = `sqlite://${join(folder, 'bot.sqlite')}`;
  const logFile = openSync(join(folder, 'bot.log'), 'a');
  const environment = {
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
    STATE_URL: stateUrl,
    POLL_CRON: '* * * * * *',
    POLL_MIN_SECONDS: '0.1',
    PORT: '0',
  };
  let tally: Tally | null = null;

  function startBot(more: Record<string, string> = {}, moments: readonly Moment[] = []): Bot {
    const all = { ...environment, TORTURE_LEAPT_MS: String(leaptMs), ...more };
    return spawnBot({ environment: all, folder, logFile, moments });
  }

  async function runOnce(killAt = 0): Promise<Run> {
    const bot = startBot({ TORTURE_RUN: 'once', TORTURE_KILL_AT: String(killAt) });
    const deadline = AbortSignal.timeout(RUN_WITHIN_MS);
    const isDone = async () => bot.said() === 'started' && (await tally?.isComplete()) !== false;
    await Promise.race([bot.ended, until(isDone, deadline)]);
    bot.process.kill('SIGTERM');
    const tooLong = setTimeout(() => void bot.kill(), END_WITHIN_MS);
    await bot.ended;
    clearTimeout(tooLong);
    return { ...(await bot.ended), said: bot.said() };
  }

  return {
    discord,
    random: seededRandom(seed),
    randomOf: (name) => seededRandom(createHash('sha256').update(`${seed}/${name}`).digest().readUInt32BE()),
    say,
    startBot,
    runOnce,
    leap(ms) {
      leaptMs += ms;
    },
    addOffer: () => shop.addOffer(),
    spoilCatalog(rate) {
      for (const name of Object.keys(FAULTS)) rates[name] = rate;
      // One of these closes the whole day, and the days here are short.
      rates['quota'] = rate / 5;
    },
    async subscribe(places) {
      const store = await openStore(stateUrl);
      for (const { channel, ...wish } of places) {
        const subscription = newSubscription({
          id: channel,
          guildId: discord.guildId,
          channelId: discord.channel(channel).id,
          source: { kind: 'feed', feed: FEED },
          createdBy: discord.people.ada.id,
          createdAtMs: clock.now(),
          catchUp: 0,
        });
        await store.subscriptions.save({ ...subscription, ...wish });
      }
      await store.markSetUp();
      await store.close();
      // At the first sight of a feed nothing is news: that has to be past when the first offer appears.
      await runOnce();
      leaptMs += FIRST_SIGHT_MS;
      tally = createTally({
        discord,
        stateUrl,
        places: places.map(({ channel }) => channel),
        addresses: () => shop.addresses(),
      });
      return tally;
    },
    async close({ isKept }) {
      await tally?.close();
      await discord.stop();
      await service.stop();
      if (isKept) rmSync(folder, { recursive: true, force: true });
      else say(`State and log are in ${folder}.`);
    },
  };
}

/** Resolves when `isDone`, or when the signal aborts. */
export async function until(isDone: () => Promise<boolean>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && !(await isDone())) await sleep(20);
}
