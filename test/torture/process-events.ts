import { setTimeout as sleep } from 'node:timers/promises';
import type { TcpProxy } from '../helpers/tcp-proxy.ts';
import { type Arena, type Start, until } from './arena.ts';
import type { Bot } from './bot-process.ts';
import type { Database } from './database.ts';
import type { Host } from './hosts.ts';
import type { Leaders } from './leaders.ts';
import type { Tally } from './tally.ts';

/** The events that happen to the processes, each with how often it does among the others. */
export const PROCESS_EVENTS = {
  killed: { weight: 3, is: 'the leader is killed' },
  stopped: { weight: 4, is: 'the leader stands still for 1 to 5 seconds' },
  paused: { weight: 2, is: 'the leader stands still until another one leads, or has posted' },
  suspended: { weight: 2, is: 'the same, and its monotonic clock stands still meanwhile' },
  upgraded: { weight: 3, is: 'the leader is stopped, and another one takes over' },
  waiting: { weight: 2, is: 'a process that stands by is killed' },
  cut: { weight: 6, is: 'the connections of the leader and the database end' },
  away: { weight: 4, is: 'the leader can not reach the database for 1 to 8 seconds' },
  silent: { weight: 4, is: 'nothing passes between the leader and the database for 1 to 8 seconds' },
  apart: { weight: 1, is: 'nothing passes between the leader and the database until another one leads' },
  slow: { weight: 3, is: 'what passes between the leader and the database takes up to 0.2 seconds more' },
  restarted: { weight: 2, is: 'the database restarts, with a goodbye or without' },
  unheard: { weight: 1, is: 'nothing passes between the leader and Discord until another one leads' },
  slowed: {
    weight: 1,
    is: 'what passes between the leader and the database takes 1.5 seconds more until another one leads',
  },
  dropped: {
    weight: 2,
    is: "the network between the leader's host and the database drops all packets for 1 to 8 seconds",
  },
  parted: { weight: 1, is: 'the same until another process leads' },
  muted: {
    weight: 2,
    is: "the network between the leader's host and Discord and the catalog drops all packets for 1 to 8 seconds",
  },
} as const;
export type ProcessEvent = keyof typeof PROCESS_EVENTS;
const NAMES = Object.keys(PROCESS_EVENTS) as ProcessEvent[];
const OF_HOSTS: readonly ProcessEvent[] = ['dropped', 'parted', 'muted'];

/** Share of the kills and stops after which nothing else happens until another process has posted, or leads. */
const WATCHED_RATE = 1 / 3;
const QUIET_WITHIN_MS = 90_000;
const LED_WITHIN_MS = 90_000;
/** So slow is a database by whose way no leader stays one. */
const SLOWED_MS = 1_500;

export interface Process {
  bot: Bot;
  /** Stands before the database. */
  proxy: TcpProxy;
  /** Stands before Discord. */
  discord: TcpProxy;
  /** All that stand between it and others. */
  proxies: TcpProxy[];
  /** null where this machine permits none. */
  host: Host | null;
  start: Start;
}

/** The run whose processes events happen to, with its figures so far. */
export interface Run {
  arena: Arena;
  database: Database;
  leaders: Leaders;
  tally: Tally;
  processes: Process[];
  /** Disturbances that last: while they do, other events happen. */
  lasting: Set<Promise<void>>;
  problems: string[];
  /** Milliseconds from the end of a leader that was stopped until another one leads; from a kill until the first post. */
  takeovers: number[];
  gaps: number[];
  /** From the loss of half of the world until another one leads. */
  handovers: number[];
}

/** The events that this machine permits. */
export function permittedEvents(hasHosts: boolean): ProcessEvent[] {
  return NAMES.filter((name) => hasHosts || !OF_HOSTS.includes(name));
}

export function drawEvent(names: readonly ProcessEvent[], random: () => number): ProcessEvent {
  const all = names.flatMap((name) => Array.from({ length: PROCESS_EVENTS[name].weight }, () => name));
  return all[Math.floor(random() * all.length)] ?? 'cut';
}

/** Resolves when no disturbance lasts. */
export async function untilUndisturbed({ lasting }: Run): Promise<void> {
  await Promise.all(lasting);
}

/**
 * How an event happens: while no other does; beside others, where most disturbances last after it; or so, and nobody waits for a
 * post, because none is to come.
 */
type Manner = 'alone' | 'beside others' | 'without posts';

export async function happen(run: Run, name: ProcessEvent, manner: Manner): Promise<void> {
  const leader = await leaderOf(run);
  if (!leader) return;
  const { random } = run.arena;
  if (name === 'killed' || name === 'upgraded') {
    const isWatched = manner === 'alone' || (manner === 'beside others' && random() < WATCHED_RATE);
    if (isWatched) await endAndWatch(run, name);
    else leader.bot.process.kill(name === 'killed' ? 'SIGKILL' : 'SIGTERM');
  } else if (name === 'paused' || name === 'suspended') await pause(run, name, manner);
  else if (name === 'apart' || name === 'parted') await part(run, name);
  else if (name === 'unheard' || name === 'slowed') await haveHandedOver(run, name);
  else if (name === 'waiting') await run.processes.find((one) => one !== leader)?.bot.kill();
  else if (name === 'cut') leader.proxy.cut();
  else if (name === 'restarted') await run.database.restart(random() < 0.5 ? 'fast' : 'immediate');
  else disturb(run, name, leader);
  if (manner === 'alone') await untilUndisturbed(run);
}

/** Ends the leader, and measures how long the others take. */
async function endAndWatch(run: Run, name: 'killed' | 'upgraded'): Promise<void> {
  await untilUndisturbed(run);
  const [leader, epoch] = [await leaderOf(run), await epochOf(run)];
  if (!leader) return;
  const posts = run.tally.posts();
  leader.bot.process.kill(name === 'killed' ? 'SIGKILL' : 'SIGTERM');
  await leader.bot.ended;
  const sinceMs = performance.now();
  if (name === 'upgraded') {
    await untilAnotherLeads(run, epoch);
    run.takeovers.push(performance.now() - sinceMs);
  } else {
    await untilPosted(run, posts);
    run.gaps.push(performance.now() - sinceMs);
  }
}

/** Stops the leader (SIGSTOP) for longer than its lease lasts. It goes on before another one has posted, or after that. */
async function pause(run: Run, name: 'paused' | 'suspended', manner: Manner): Promise<void> {
  await untilUndisturbed(run);
  const [leader, epoch] = [await leaderOf(run), await epochOf(run)];
  if (!leader) return;
  const { process } = leader.bot;
  if (name === 'suspended') run.arena.suspend(leader.bot);
  process.kill('SIGSTOP');
  await untilAnotherLeads(run, epoch);
  if (manner !== 'without posts' && run.arena.random() < 0.5) {
    await untilPosted(run, run.tally.posts());
    await sleep(2_000);
  }
  process.kill('SIGCONT');
}

/** Parts the leader from the database until another process leads. */
async function part(run: Run, name: 'apart' | 'parted'): Promise<void> {
  await untilUndisturbed(run);
  const [leader, epoch] = [await leaderOf(run), await epochOf(run)];
  if (!leader) return;
  const { proxy, host } = leader;
  if (name === 'parted') host?.cut('database');
  else proxy.set('silent');
  await untilAnotherLeads(run, epoch);
  if (name === 'parted') host?.heal('database');
  else proxy.set('open');
}

/** Takes half of the world from the leader until it has handed the state over. */
async function haveHandedOver(run: Run, name: 'unheard' | 'slowed'): Promise<void> {
  await untilUndisturbed(run);
  const former = await epochOf(run);
  // One that was itself handed the state keeps it for minutes: another one follows it.
  (await leaderOf(run))?.bot.process.kill('SIGTERM');
  await untilAnotherLeads(run, former);
  const [leader, epoch] = [await leaderOf(run), await epochOf(run)];
  if (!leader) return;
  const { proxy, discord } = leader;
  const sinceMs = performance.now();
  if (name === 'slowed') proxy.delay(SLOWED_MS);
  else discord.set('silent');
  await untilAnotherLeads(run, epoch);
  run.handovers.push(performance.now() - sinceMs);
  proxy.delay(0);
  // What was held back is late by more than Discord is asked for: it never arrives.
  discord.set('closed');
  discord.set('open');
}

/** Disturbs a process for some seconds, in which other events happen. */
function disturb(
  { arena: { random }, lasting }: Run,
  name: 'stopped' | 'away' | 'silent' | 'slow' | 'dropped' | 'muted',
  { bot, proxy, host }: Process,
): void {
  const { process } = bot;
  const delayMs = 50 + random() * 150;
  const way = name === 'muted' ? 'discord' : 'database';
  const [begin, end] = {
    stopped: [() => process.kill('SIGSTOP'), () => process.kill('SIGCONT')],
    away: [() => proxy.set('closed'), () => proxy.set('open')],
    silent: [() => proxy.set('silent'), () => proxy.set('open')],
    slow: [() => proxy.delay(delayMs), () => proxy.delay(0)],
    dropped: [() => host?.cut(way), () => host?.heal(way)],
    muted: [() => host?.cut(way), () => host?.heal(way)],
  }[name] as [() => unknown, () => unknown];
  const forMs = 1_000 + random() * (name === 'stopped' ? 4_000 : 7_000);
  begin();
  const over = sleep(forMs).then(() => {
    end();
    lasting.delete(over);
  });
  lasting.add(over);
}

/** The process that leads, once one does. */
async function leaderOf({ leaders, processes, problems }: Run): Promise<Process | null> {
  let leader: Process | undefined;
  await until(async () => {
    const pid = (await leaders.current())?.process.pid;
    leader = processes.find(({ bot }) => bot.process.pid === pid && bot.process.exitCode === null);
    return leader !== undefined;
  }, AbortSignal.timeout(LED_WITHIN_MS));
  if (!leader) problems.push(`Nobody led for ${LED_WITHIN_MS / 1000} seconds.`);
  return leader ?? null;
}

async function epochOf({ leaders }: Run): Promise<number> {
  return (await leaders.current())?.epoch ?? 0;
}

async function untilAnotherLeads(run: Run, epoch: number): Promise<void> {
  const isAnother = async () => (await epochOf(run)) > epoch;
  await until(isAnother, AbortSignal.timeout(LED_WITHIN_MS));
  if (!(await isAnother())) run.problems.push(`Nobody took over for ${LED_WITHIN_MS / 1000} seconds.`);
}

/** Adds an offer, and waits for a post beyond so many. */
async function untilPosted({ arena, tally }: Run, posts: number): Promise<void> {
  arena.shop.addOffer();
  await until(async () => tally.posts() > posts, AbortSignal.timeout(QUIET_WITHIN_MS));
}
