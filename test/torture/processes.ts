import { setTimeout as sleep } from 'node:timers/promises';
import { openBackend } from '../../src/shared/storage/backend.ts';
import { type DatabaseProxy, startDatabaseProxy } from '../helpers/database-proxy.ts';
import { type Arena, type Place, until } from './arena.ts';
import type { Bot } from './bot-process.ts';
import type { Database } from './database.ts';
import { settle } from './kills.ts';
import { type Leaders, watchLeaders } from './leaders.ts';
import type { Tally } from './tally.ts';

/** The events that happen to the processes, each with how often it does among the others. */
const EVENTS = {
  killed: { weight: 3, is: 'the leader is killed' },
  stopped: { weight: 4, is: 'the leader stands still for 1 to 5 seconds' },
  paused: { weight: 2, is: 'the leader stands still until another one has posted' },
  upgraded: { weight: 3, is: 'the leader is stopped, and another one takes over' },
  waiting: { weight: 2, is: 'a process that stands by is killed' },
  cut: { weight: 6, is: 'the connections of the leader and the database end' },
  away: { weight: 4, is: 'the leader can not reach the database for 1 to 8 seconds' },
  silent: { weight: 4, is: 'nothing passes between the leader and the database for 2 to 8 seconds' },
  apart: { weight: 1, is: 'nothing passes between the leader and the database until another one leads' },
  slow: { weight: 3, is: 'what passes between the leader and the database takes up to 0.2 seconds more' },
  restarted: { weight: 2, is: 'the database restarts, with a goodbye or without' },
} as const;
type EventName = keyof typeof EVENTS;
const NAMES = Object.keys(EVENTS) as EventName[];

const PLACES: readonly Place[] = [
  { channel: 'deals', mostPerHour: 600 },
  { channel: 'announcements' },
  { channel: 'digest', timing: { mode: 'hourly', dailyAtMinute: 0, timeZone: 'UTC', quiet: null } },
  { channel: 'forum', target: 'forum', mostPerHour: 600 },
];
/** Where everything comes at once; the other channels have digests, and a limit. */
const AT_ONCE = ['deals', 'forum'];
/** The wall clocks of the processes differ by so much from the right time, in turn. */
const SKEWS_MS = [0, 300_000, -300_000];
/** After so many events everything gets the time to arrive. */
const EVENTS_IN_A_ROW = 8;
const QUIET_WITHIN_MS = 90_000;
const LED_WITHIN_MS = 90_000;
const ANSWERED_WITHIN_MS = 60_000;
/** Exit statuses of a process: it was stopped, could not reach the database at its start, has lost the state. */
const EXPECTED_STATUSES = [0, 1, 3];

interface Process {
  bot: Bot;
  proxy: DatabaseProxy;
  environment: Record<string, string>;
}

interface Parts {
  arena: Arena;
  database: Database;
  leaders: Leaders;
  tally: Tally;
  processes: Process[];
  problems: string[];
  /** Milliseconds from the end of a leader that was stopped until another one leads; from a kill until the first post. */
  takeovers: number[];
  gaps: number[];
  /** Milliseconds from when everything had arrived until a command was answered. */
  answers: number[];
}

/** Lets several processes use one state while everything between them breaks. Resolves with a line for each problem. */
export async function tortureProcesses(
  arena: Arena,
  database: Database,
  options: { processes: number; events: number; hasFence: boolean; hasShards: boolean },
): Promise<string[]> {
  const { say, random, discord } = arena;
  discord.createChannel('digest', 'text');
  const tally = await arena.subscribe(PLACES);
  const leaders = await watchLeaders(database);
  if (!options.hasFence) await takeFenceOut(database);
  const parts: Parts = {
    arena,
    database,
    leaders,
    tally,
    processes: [],
    problems: [],
    takeovers: [],
    gaps: [],
    answers: [],
  };
  const ending = new AbortController();
  const supervised: Promise<void>[] = [];
  for (let index = 0; index < options.processes; index += 1) {
    const proxy = await startDatabaseProxy(database.stateUrl);
    const environment = {
      STATE_URL: proxy.url,
      TORTURE_RUN: 'standby',
      TORTURE_SKEW_MS: String(SKEWS_MS[index % SKEWS_MS.length] ?? 0),
      ...(!options.hasFence && { TORTURE_WITHOUT_FENCE: 'yes' }),
      ...(options.hasShards && { SHARDS: `${index}/${options.processes}` }),
    };
    const one = { proxy, environment, bot: arena.startBot({ environment }) };
    parts.processes.push(one);
    supervised.push(supervise(parts, one, ending.signal));
  }
  const countRequests = { served: 0 };
  const stopCounting = arena.onRequest(() => {
    countRequests.served += 1;
  });
  const counts = new Map<EventName, number>();
  let offers = 0;
  for (let event = 0; event < options.events; event += 1) {
    const name = NAMES[event] ?? draw(random);
    for (let fresh = 0; fresh < 1 + Math.floor(random() * 2); fresh += 1) {
      arena.shop.addOffer();
      offers += 1;
    }
    counts.set(name, (counts.get(name) ?? 0) + 1);
    await happen(parts, name);
    await sleep(300 + random() * 1_500);
    if ((event + 1) % EVENTS_IN_A_ROW === 0) {
      await quieten(parts);
      if (options.hasShards) await answer(parts);
    }
    if ((event + 1) % 25 === 0) say(`${event + 1} events, ${offers} offers, ${parts.problems.length} problems`);
    if (parts.problems.length > 0 && !options.hasFence) break;
  }
  await quieten(parts);
  ending.abort();
  for (const { bot } of parts.processes) bot.process.kill('SIGTERM');
  await Promise.all(supervised);
  for (const { proxy } of parts.processes) await proxy.close();
  stopCounting();
  parts.problems.push(...(await overdrawn(arena.stateUrl, countRequests.served)));
  parts.problems.push(...(await leaders.overlaps()), ...(await settle(arena)), ...(await tally.problems()));
  const summary = NAMES.map((name) => `${name} ${counts.get(name) ?? 0}`).join(', ');
  say(`Events: ${summary}.`);
  say(`${offers} offers to each of ${PLACES.length} channels, ${await leaders.count()} leaders, one after another.`);
  say(
    `After a stop another one led within ${longest(parts.takeovers)} s; after a kill it posted within ${longest(parts.gaps)} s.`,
  );
  if (options.hasShards)
    say(`${parts.answers.length} commands were answered, the last one to be within ${longest(parts.answers)} s.`);
  return parts.problems;
}

const longest = (times: readonly number[]) => (Math.max(0, ...times) / 1000).toFixed(1);

function draw(random: () => number): EventName {
  const all = NAMES.flatMap((name) => Array.from({ length: EVENTS[name].weight }, () => name));
  return all[Math.floor(random() * all.length)] ?? 'cut';
}

/** Starts a process again whenever it has ended, as a supervisor does. */
async function supervise(parts: Parts, one: Process, ending: AbortSignal): Promise<void> {
  for (;;) {
    const { code, signal } = await one.bot.ended;
    if (signal === null && !EXPECTED_STATUSES.includes(code ?? -1)) {
      parts.problems.push(`A process ended with ${code}, see its log.`);
    }
    if (ending.aborted) return;
    await sleep(300);
    one.bot = parts.arena.startBot({ environment: one.environment });
    // It may have been asked to end while there was none.
    if (ending.aborted) one.bot.process.kill('SIGTERM');
  }
}

/** The process that leads, once one does. */
async function leaderOf({ leaders, processes, problems }: Parts): Promise<Process | null> {
  let leader: Process | undefined;
  await until(async () => {
    const pid = (await leaders.current())?.process.pid;
    leader = processes.find(({ bot }) => bot.process.pid === pid && bot.process.exitCode === null);
    return leader !== undefined;
  }, AbortSignal.timeout(LED_WITHIN_MS));
  if (!leader) problems.push(`Nobody led for ${LED_WITHIN_MS / 1000} seconds.`);
  return leader ?? null;
}

async function untilAnotherLeads({ leaders, problems }: Parts, epoch: number): Promise<void> {
  const isAnother = async () => ((await leaders.current())?.epoch ?? 0) > epoch;
  await until(isAnother, AbortSignal.timeout(LED_WITHIN_MS));
  if (!(await isAnother())) problems.push(`Nobody took over for ${LED_WITHIN_MS / 1000} seconds.`);
}

async function happen(parts: Parts, name: EventName): Promise<void> {
  const { arena, database, leaders, tally, processes } = parts;
  const { random } = arena;
  const leader = await leaderOf(parts);
  if (!leader) return;
  const { proxy } = leader;
  const epoch = (await leaders.current())?.epoch ?? 0;
  if (name === 'killed') {
    const posts = tally.posts();
    const sinceMs = performance.now();
    await leader.bot.kill();
    arena.shop.addOffer();
    await until(async () => tally.posts() > posts, AbortSignal.timeout(QUIET_WITHIN_MS));
    parts.gaps.push(performance.now() - sinceMs);
  } else if (name === 'stopped' || name === 'paused') {
    leader.bot.process.kill('SIGSTOP');
    if (name === 'stopped') await sleep(1_000 + random() * 4_000);
    else {
      await untilAnotherLeads(parts, epoch);
      const posts = tally.posts();
      arena.shop.addOffer();
      await until(async () => tally.posts() > posts, AbortSignal.timeout(QUIET_WITHIN_MS));
      await sleep(2_000);
    }
    leader.bot.process.kill('SIGCONT');
  } else if (name === 'upgraded') {
    leader.bot.process.kill('SIGTERM');
    await leader.bot.ended;
    const sinceMs = performance.now();
    await untilAnotherLeads(parts, epoch);
    parts.takeovers.push(performance.now() - sinceMs);
  } else if (name === 'waiting') {
    await processes.find((one) => one !== leader)?.bot.kill();
  } else if (name === 'cut') proxy.cut();
  else if (name === 'restarted') await database.restart(random() < 0.5 ? 'fast' : 'immediate');
  else await disturb(parts, name, proxy, epoch);
}

async function disturb(
  parts: Parts,
  name: 'away' | 'silent' | 'apart' | 'slow',
  proxy: DatabaseProxy,
  epoch: number,
): Promise<void> {
  const { random } = parts.arena;
  if (name === 'slow') {
    proxy.delay(50 + random() * 150);
    await sleep(3_000);
    proxy.delay(0);
    return;
  }
  proxy.set(name === 'away' ? 'closed' : 'silent');
  if (name === 'apart') await untilAnotherLeads(parts, epoch);
  else await sleep(1_000 + random() * 7_000);
  proxy.set('open');
}

/** Lets everything that is due arrive where it comes at once. */
async function quieten(parts: Parts): Promise<void> {
  await until(async () => {
    await sleep(500);
    return !(await parts.tally.problems()).some((line) => AT_ONCE.some((place) => line.startsWith(`#${place}:`)));
  }, AbortSignal.timeout(QUIET_WITHIN_MS));
  const doubled = (await parts.tally.problems()).filter((line) => !/posted twice: none/.test(line));
  parts.problems.push(...doubled.filter((line) => !parts.problems.includes(line)));
}

/** A command is answered once all processes are back, whichever of them receives it. */
async function answer({ arena: { discord }, answers, problems }: Parts): Promise<void> {
  const sinceMs = performance.now();
  const ask = { personId: discord.people.ben.id, channelId: discord.channel('deals').id, text: '/help' };
  let isAnswered = false;
  await until(async () => {
    isAnswered = await discord.runCommand(ask).then(
      ({ message }) => message !== null,
      () => false,
    );
    return isAnswered;
  }, AbortSignal.timeout(ANSWERED_WITHIN_MS));
  if (isAnswered) answers.push(performance.now() - sinceMs);
  else problems.push(`No command was answered for ${ANSWERED_WITHIN_MS / 1000} seconds.`);
}

/** Every request that was served has to be counted in the state: it is counted before it leaves. */
async function overdrawn(stateUrl: string, served: number): Promise<string[]> {
  const backend = openBackend(stateUrl);
  const spent = (await backend.table<{ spent: number }>('spending').get('portal'))?.spent ?? 0;
  await backend.close();
  return served <= spent ? [] : [`The catalog served ${served} requests, of which only ${spent} were counted.`];
}

/** Lets every write through, as if nothing had been built against a former leader's. */
async function takeFenceOut(database: Database): Promise<void> {
  const tables = await database.query(`SELECT tablename FROM pg_tables WHERE schemaname = 'dealbell'`);
  for (const { tablename } of tables) {
    await database.query(`DROP TRIGGER IF EXISTS fence ON dealbell.${String(tablename)}`);
  }
}

/** The events, a line each. */
export const processEvents = NAMES.map((name) => `${name.padEnd(10)} ${EVENTS[name].is}`);
