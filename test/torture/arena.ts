import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { FAULTS, type FaultSettings } from '../../src/catalog-service/faults.ts';
import { createCatalogService } from '../../src/catalog-service/service.ts';
import { type Clock, systemClock } from '../../src/clock.ts';
import { createLocalDiscord, type LocalDiscord } from '../../src/local-discord/local-discord.ts';
import { createLog } from '../../src/log.ts';
import { seededRandom } from '../helpers/seeded-random.ts';
import { type Arrivals, countArrivals } from './arrivals.ts';
import { createShop, FEED } from './shop.ts';

/** Where the bot is killed: the catalog and Discord beside it, a clock that can leap, and the count of what arrived. */
export interface Arena {
  discord: LocalDiscord;
  /** What the script is drawn from: numbers from 0 to 1. */
  random: () => number;
  /** What faults are drawn from, so that the number of requests does not change the script. */
  randomFault: () => number;
  say: (line: string) => void;
  /** Lets time pass, for the bot's next start and for both services at once. */
  leap(ms: number): void;
  /** Puts an offer into the feed. */
  addOffer(): void;
  /** Share of the catalog's answers that each of its faults spoils, from now on. */
  spoilCatalog(rate: number): void;
  startBot(more?: Record<string, string>): Bot;
  /** One run: until everything has arrived, and to its end. It may be killed at a step (from 1). */
  runOnce(killAt?: number): Promise<Run>;
  /** What is lost or was posted twice, a line per channel; empty where all is well. */
  problems(): string[];
  /** Whether every offer has arrived in every channel. */
  isComplete(): boolean;
  /** Subscribes the channels, and lets a run see the feed for the first time. */
  subscribe(): Promise<void>;
  close(result: { isKept: boolean }): Promise<void>;
}

export interface Bot {
  process: ChildProcess;
  /** Resolves when it is no more. */
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  /** What it said last on its standard output. */
  said(): string;
  kill(): Promise<void>;
}

export interface Run {
  code: number | null;
  signal: NodeJS.Signals | null;
  said: string;
}

const CHANNELS = ['deals', 'announcements'];
/** Longer than the least time between two looks at a feed. */
const FIRST_SIGHT_MS = 60_000;
/** A run that has not brought everything by then is asked to end all the same. */
const RUN_WITHIN_MS = 30_000;
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
    limits: { global: PLENTY, createMessage: PLENTY, createCommand: PLENTY },
  });
  const catalogUrl = await service.start();
  await discord.start();
  const botLog = openSync(join(folder, 'bot.log'), 'a');
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
    STATE_URL: `sqlite://${join(folder, 'bot.sqlite')}`,
    POLL_CRON: '* * * * * *',
    POLL_MIN_SECONDS: '0.1',
    PORT: '0',
  };

  function startBot(more: Record<string, string> = {}): Bot {
    const program = fileURLToPath(new URL('./bot.js', import.meta.url));
    const env = { ...environment, TORTURE_LEAPT_MS: String(leaptMs), ...more };
    const child = spawn(process.execPath, [program], { env, stdio: ['ignore', 'pipe', botLog], cwd: folder });
    const lines: string[] = [];
    if (child.stdout) createInterface(child.stdout).on('line', (line) => lines.push(line));
    const ended = once(child, 'exit').then(([code, signal]: unknown[]) => ({
      code: code as number | null,
      signal: signal as NodeJS.Signals | null,
    }));
    return {
      process: child,
      ended,
      said: () => lines.at(-1) ?? '',
      async kill() {
        child.kill('SIGKILL');
        await ended;
      },
    };
  }

  async function runOnce(killAt = 0): Promise<Run> {
    const bot = startBot({ TORTURE_RUN: 'once', TORTURE_KILL_AT: String(killAt) });
    const deadline = AbortSignal.timeout(RUN_WITHIN_MS);
    const isDone = () => bot.said() === 'started' && isComplete();
    await Promise.race([bot.ended, until(isDone, deadline)]);
    bot.process.kill('SIGTERM');
    return { ...(await bot.ended), said: bot.said() };
  }

  const isComplete = () => CHANNELS.every((name) => arrivals(name).lost.length === 0);
  const arrivals = (name: string): Arrivals =>
    countArrivals(discord.messages(discord.channel(name).id), shop.addresses());

  return {
    discord,
    random: seededRandom(seed),
    randomFault: seededRandom(seed + 1),
    say,
    startBot,
    leap(ms) {
      leaptMs += ms;
    },
    addOffer: () => shop.addOffer(),
    spoilCatalog(rate) {
      for (const name of Object.keys(FAULTS)) rates[name] = rate;
      // One of these closes the whole day, and the days here are short.
      rates['quota'] = rate / 5;
    },
    problems: () =>
      CHANNELS.flatMap((name) => {
        const { lost, repeated } = arrivals(name);
        if (lost.length + repeated.length === 0) return [];
        return [`#${name}: lost ${lost.join(' ') || 'none'}; posted twice ${repeated.join(' ') || 'none'}`];
      }),
    isComplete,
    runOnce,
    async subscribe() {
      const bot = startBot();
      await once(bot.process.stdout ?? bot.process, 'data');
      for (const name of CHANNELS) {
        const text = `/subscription add source:feed feed:${FEED} catch-up:0 channel:#${name}`;
        const channelId = discord.channel(name).id;
        await discord.runCommand({ personId: discord.people.ada.id, channelId, text });
      }
      await bot.kill();
      // At the first sight of a feed nothing is news: that has to be past when the first offer appears.
      leaptMs += FIRST_SIGHT_MS;
      await runOnce();
    },
    async close({ isKept }) {
      await discord.stop();
      await service.stop();
      if (isKept) rmSync(folder, { recursive: true, force: true });
      else say(`State and log are in ${folder}.`);
    },
  };
}

/** Resolves when `isDone`, or when the signal aborts. */
async function until(isDone: () => boolean, signal: AbortSignal): Promise<void> {
  while (!isDone() && !signal.aborted) await sleep(20);
}
