import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLocalDiscord, type LocalDiscord } from '../packages/local-discord/src/index.ts';
import { newSubscription } from '../src/announcements/kinds/of-source.ts';
import { systemClock } from '../src/shared/clock.ts';
import { createLog } from '../src/shared/log.ts';
import { openStore } from '../src/store/store.ts';
import { seededRandom } from '../test/helpers/seeded-random.ts';
import { type BotMemory, type ChildBot, startBot } from './bots.ts';
import { CHANNELS, channelIdOf, guildIdOf, ROLES, startCrowdedDiscord } from './crowded-discord.ts';
import { LARGE_FEED_OFFERS, LARGE_FEEDS } from './large-feeds.ts';
import { KEY, UNLIMITED } from './limits.ts';
import { filterSource, simulatedOffers } from './matching-filters.ts';
import { elapsedMs, formatCount, percentileOf, type Section, spreadOf } from './measure.ts';
import { type ChildServer, startServer } from './servers.ts';

const FEW_SERVERS = 1_000;
export const SERVERS = 10_000;
const MANY_SERVERS = 100_000;
export const SUBSCRIPTIONS = 100_000;
/** Subscriptions that are stored together. */
const BATCH = 10_000;
/** The feeds that the subscriptions follow. */
const FEEDS = ['All', 'Home', 'Electronics', 'Computers', 'Sports'];
const OFFERS = 12_400;
/** About as many as Discord recommends. */
const SERVERS_A_SHARD = 1_000;
const MOST_MIB = 600;
/** People notice a second; Discord waits for three. */
const LONGEST_ANSWER_MS = 1_000;

/** Time in which the feeds are read for the first time, and in which the process calms down. */
const REST_MS = 20_000;
const MEMORY_READINGS = 5;
const COMMAND_EVERY_MS = 10;
const WARM_UP_MS = 4_000;
/** The planner looks once in that time what is to be polled. */
const AT_REST_FOR_MS = 15_000;
/** Longer than a feed's last answer is good for somebody who subscribes to it. */
const STALE_AFTER_MS = 61_000;
/** Both are answered from memory. */
const COMMANDS = [
  { who: 'ben', text: '/feed feed:All' },
  { who: 'ada', text: '/subscription list' },
] as const;

/**
 * The readings of each feed, in this order, with the command that causes them. The first one makes the offers known, the
 * second one confirms their prices, the third one brings nothing new.
 */
const READINGS = [
  {
    name: 'are read and become known',
    command: (feed: string): GivenCommand => ({ who: 'ben', text: `/feed feed:${feed}` }),
  },
  { name: 'are read a second time', command: (feed: string) => subscribing(feed, 'kettle') },
  { name: 'are read again', command: (feed: string) => subscribing(feed, 'vacuum') },
] as const;

/** A try with many servers ends after that time, or when the JavaScript heap is as large as that. */
const MOST_MINUTES = 10;
const MOST_HEAP_MIB = 8_192;

interface Held extends BotMemory {
  servers: number;
  startMs: number;
}

interface GivenCommand {
  who: 'ada' | 'ben';
  text: string;
}

interface Answers {
  servers: number;
  name: string;
  /** Answers of feeds that the catalog has sent meanwhile. */
  feedsRead: number;
  samples: number[];
}

/** The bot in many servers, in one process. */
export async function benchServers(): Promise<Section[]> {
  const catalog = await startServer('large-feeds', String(OFFERS));
  try {
    const answers: Answers[] = [];
    const measure = (servers: number) =>
      withBot(servers, catalog.origin, async ({ discord }) => {
        answers.push(...(await measureAnswers(servers, discord, catalog)));
      });
    const few = await measure(FEW_SERVERS);
    const held = await measure(SERVERS);
    const many = await withBot(MANY_SERVERS, catalog.origin).catch((error: unknown) => String(error));
    return [holdSection(few, held, many), answersSection(answers)];
  } finally {
    catalog.stop();
  }
}

/** A bot that runs, and the environment of its operator's commands. */
interface Running {
  discord: LocalDiscord;
  bot: ChildBot;
  environment: Readonly<Record<string, string>>;
}

/** Starts the bot in so many servers, measures what it takes, and then does `more`. */
export async function withBot(
  servers: number,
  catalogUrl: string,
  more: (running: Running) => Promise<void> = async () => undefined,
): Promise<Held> {
  const directory = mkdtempSync(join(tmpdir(), 'dealbell-bench-'));
  const undo: (() => unknown)[] = [() => rmSync(directory, { recursive: true, force: true })];
  const stateUrl = `sqlite://${join(directory, 'state.sqlite')}`;
  const unlimited = { requests: 1e9, perMs: 1 };
  const discord = createLocalDiscord({
    host: '127.0.0.1',
    port: 0,
    stateUrl: `sqlite://${join(directory, 'discord.sqlite')}`,
    clock: systemClock,
    log: createLog('silent'),
    shards: Math.ceil(servers / SERVERS_A_SHARD),
    limits: { createMessage: unlimited, global: unlimited },
  });
  try {
    await fill(stateUrl, servers);
    await discord.start();
    undo.push(() => discord.stop());
    const crowded = await startCrowdedDiscord(discord, servers);
    undo.push(() => crowded.stop());
    const signal = AbortSignal.timeout(MOST_MINUTES * 60_000);
    const startedMs = performance.now();
    const environment = environmentOf({ servers, stateUrl, catalogUrl, api: crowded.api, token: discord.token });
    const bot = await startBot(environment, signal);
    undo.push(() => bot.stop());
    await untilAnswered(discord, signal);
    const startMs = performance.now() - startedMs;
    const memory = await memoryAtRest(bot);
    await more({ discord, bot, environment });
    return { servers, startMs, ...memory };
  } finally {
    for (const step of undo.reverse()) await step();
  }
}

/** Writes a state whose subscriptions are spread evenly over the servers. */
async function fill(stateUrl: string, servers: number): Promise<void> {
  const write = filterSource(await simulatedOffers(), 2);
  const random = seededRandom(3);
  const createdAtMs = systemClock.now();
  const subscriptionOf = (number: number) => {
    const server = number % servers;
    const subscription = newSubscription({
      id: randomUUID(),
      guildId: guildIdOf(server),
      channelId: channelIdOf(server, Math.floor(number / servers)),
      source: { kind: 'feed', feed: FEEDS[Math.floor(random() * FEEDS.length)] ?? 'All' },
      createdBy: '1',
      createdAtMs,
      catchUp: 0,
    });
    return { ...subscription, filter: write() };
  };
  const store = await openStore(stateUrl);
  for (let first = 0; first < SUBSCRIPTIONS; first += BATCH) {
    const saved = Array.from({ length: BATCH }, (_, index) => subscriptionOf(first + index));
    await store.subscriptions.apply(() => ({ saved, removed: [] }));
  }
  await store.close();
}

function environmentOf(at: {
  servers: number;
  stateUrl: string;
  catalogUrl: string;
  api: string;
  token: string;
}): Record<string, string> {
  const limits = Object.entries(UNLIMITED).flatMap(([name, value]) =>
    ['V2', 'PORTAL'].map((side) => [`CATALOG_${side}_${name.toUpperCase()}`, String(value)]),
  );
  return {
    DISCORD_TOKEN: at.token,
    DISCORD_API: at.api,
    STATE_URL: at.stateUrl,
    PORT: '0',
    CATALOG_V2_URL: at.catalogUrl,
    CATALOG_V2_KEY: KEY,
    CATALOG_PORTAL_URL: at.catalogUrl,
    CATALOG_PORTAL_KEY: KEY,
    // The feeds are read once, so that nothing is announced.
    POLL_MIN_SECONDS: '3600',
    // By default, Node.js gives a process at most 4 GiB of heap.
    ...(at.servers > SERVERS && { NODE_OPTIONS: `--max-old-space-size=${MOST_HEAP_MIB}` }),
    ...Object.fromEntries(limits),
  };
}

function subscribing(feed: string, filter: string): GivenCommand {
  return { who: 'ada', text: `/subscription add feed feed:${feed} filter:${filter} catch-up:0` };
}

function run(discord: LocalDiscord, { who, text }: GivenCommand) {
  return discord.runCommand({ personId: discord.people[who].id, channelId: discord.channel('deals').id, text });
}

/** Until the commands are registered, local Discord refuses them at once. */
async function untilAnswered(discord: LocalDiscord, signal: AbortSignal): Promise<void> {
  for (;;) {
    const isAnswered = await run(discord, { who: 'ben', text: '/help' }).then(
      () => true,
      () => false,
    );
    if (isAnswered) return;
    await systemClock.sleep(50, signal);
  }
}

async function memoryAtRest(bot: ChildBot): Promise<BotMemory> {
  await systemClock.sleep(REST_MS);
  const readings: BotMemory[] = [];
  for (let reading = 0; reading < MEMORY_READINGS; reading += 1) readings.push(await bot.memory());
  const median = (of: keyof BotMemory) => spreadOf(readings.map((memory) => memory[of])).median;
  return { residentBytes: median('residentBytes'), peakBytes: median('peakBytes') };
}

async function measureAnswers(servers: number, discord: LocalDiscord, catalog: ChildServer): Promise<Answers[]> {
  await run(discord, { who: 'ada', text: '/subscription add feed feed:All catch-up:0' });
  // The first answers are slower: nothing is compiled yet.
  await askUntil(systemClock.sleep(WARM_UP_MS), discord);
  const answers: Answers[] = [
    {
      servers,
      name: 'nothing else to do',
      feedsRead: 0,
      samples: await askUntil(systemClock.sleep(AT_REST_FOR_MS), discord),
    },
  ];
  for (const { name, command } of READINGS) {
    const before = await catalog.feedsServed();
    const samples: number[] = [];
    for (const feeds of LARGE_FEEDS) {
      const reading = Promise.all(feeds.map((feed) => run(discord, command(feed))));
      samples.push(...(await askUntil(reading, discord)));
    }
    const feedsRead = (await catalog.feedsServed()) - before;
    if (feedsRead === 0) throw new Error(`The catalog served no feed while offers "${name}".`);
    answers.push({ servers, name: `while ${formatCount(2 * LARGE_FEED_OFFERS)} offers ${name}`, feedsRead, samples });
    await systemClock.sleep(STALE_AFTER_MS);
  }
  return answers;
}

/** Gives a command every few milliseconds, whether or not the last one is answered; answers how long each took: ms. */
export async function askUntil(end: Promise<unknown>, discord: LocalDiscord): Promise<number[]> {
  let isOver = false;
  const ended = end.finally(() => {
    isOver = true;
  });
  const answers: Promise<number>[] = [];
  while (!isOver) {
    for (const command of COMMANDS) {
      answers.push(elapsedMs(() => run(discord, command)));
      await systemClock.sleep(COMMAND_EVERY_MS);
    }
  }
  await ended;
  return Promise.all(answers);
}

function holdSection(few: Held, held: Held, many: Held | string): Section {
  const mebibytes = (bytes: number) => formatCount(bytes / 2 ** 20);
  const row = ({ servers, residentBytes, peakBytes, startMs }: Held) => [
    formatCount(servers),
    mebibytes(residentBytes),
    mebibytes(peakBytes),
    (startMs / 1_000).toFixed(1),
  ];
  const most = `${MOST_MINUTES} minutes and ${MOST_HEAP_MIB / 1024} GiB of JavaScript heap`;
  return {
    title: 'Servers: what one process holds',
    how: `\`npm run bench -- servers\`. One process on SQLite, in servers with ${CHANNELS} channels and ${ROLES} roles each, with ${formatCount(SUBSCRIPTIONS)} subscriptions spread evenly over them, whose filters are seeded; a gateway connection for each ${formatCount(SERVERS_A_SHARD)} servers, all opened at once, which Discord would space by 5 seconds. The feeds hold ${formatCount(OFFERS)} offers. Resident memory after a collection, ${REST_MS / 1_000} s after the start, and at the most until then; from the start of the process until a command is answered. ${load()}`,
    head: ['servers', 'resident, MiB', 'at the most, MiB', 'start, s'],
    rows: [
      row(few),
      row(held),
      typeof many === 'string' ? [formatCount(MANY_SERVERS), `not within ${most}: ${many}`, '', ''] : row(many),
    ],
    claims: [
      {
        promise: `${formatCount(SERVERS)} servers with ${formatCount(SUBSCRIPTIONS)} subscriptions take at most ${MOST_MIB} MiB at rest`,
        measured: `${mebibytes(held.residentBytes)} MiB`,
        isKept: held.residentBytes <= MOST_MIB * 2 ** 20,
        reason:
          'Measured apart: 194 MiB without servers and subscriptions, 33 KiB for a server, 1.2 KiB for a subscription. Of a server, 5.6 KiB are the empty permission overwrites of its channels, whose cache discord.js lets nobody replace.',
      },
    ],
  };
}

function answersSection(answers: readonly Answers[]): Section {
  const ms = (samples: readonly number[], share: number) => percentileOf(samples, share).toFixed(1);
  return {
    title: 'Servers: how long a command takes to be answered',
    how: `\`npm run bench -- servers\`. The processes of above. \`/feed\` and \`/subscription list\` in turns, one every ${COMMAND_EVERY_MS} ms whether or not the last one is answered, through local Discord and the proxy that adds the servers, both in one process. Two feeds of ${formatCount(LARGE_FEED_OFFERS)} offers each, none of them known, are read at once; ${LARGE_FEEDS.length} times, other feeds each time. Then the same feeds are read twice more, because somebody subscribes to them: the second answer confirms their prices, which changes every record. One that the poller has just read isn't read again. ${load()}`,
    head: ['milliseconds', 'feeds read', 'commands', 'p50', 'p99', 'longest'],
    rows: answers.map(({ servers, name, feedsRead, samples: of }) => [
      `${formatCount(servers)} servers, ${name}`,
      formatCount(feedsRead),
      formatCount(of.length),
      ms(of, 0.5),
      ms(of, 0.99),
      ms(of, 1),
    ]),
    claims: answers
      .filter(({ feedsRead }) => feedsRead > 0)
      .map(({ servers, name, samples }) => ({
        promise: `Every command is answered within ${formatCount(LONGEST_ANSWER_MS)} ms in ${formatCount(servers)} servers ${name}`,
        measured: `${ms(samples, 1)} ms`,
        isKept: percentileOf(samples, 1) <= LONGEST_ANSWER_MS,
      })),
  };
}

function load(): string {
  return `The machine’s load was ${loadavg()[0]?.toFixed(1)} at the end.`;
}
