import { setTimeout as sleep } from 'node:timers/promises';
import { type Arena, until } from './arena.ts';
import type { Bot } from './bot-process.ts';
import type { Tally } from './tally.ts';

/** The exit status of a program whose state another process holds. */
const EXIT_HELD = 3;
const REFUSED_WITHIN_MS = 20_000;
/** The state is taken over at the latest 20 s after its holder was heard of last, and a start takes a while. */
const TAKEN_OVER_WITHIN_MS = 45_000;
const TRY_AGAIN_MS = 1_000;
/** A process that was told to stop stands still after so long at the latest. */
const STANDS_STILL_MS = 50;
/** One that was in the middle of a write is stopped again after so long, where it may be at anything. */
const GOES_ON_MS = 5;
/** Nothing has been posted for so long: the process has come to rest. */
const QUIET_MS = 2_000;
const QUIET_WITHIN_MS = 30_000;
/** A process that has lost the state ends at the latest so long after it is continued. */
const ENDS_WITHIN_MS = 12_000;
/** Longer than Discord remembers a nonce: from then on a repeat shows. */
const NONCE_OVER_MS = 6 * 60_000;
const NEW_OFFERS = 3;
const LOG = 'second.log';

/** A second process beside a living one: it names the first one, ends with status 3 and has asked nobody anything. */
export async function startSecond(arena: Arena): Promise<string[]> {
  const first = arena.startBot();
  await first.started;
  for (let offer = 0; offer < NEW_OFFERS; offer += 1) arena.shop.addOffer();
  const logged = arena.readLog(LOG).length;
  const second = arena.startBot({ log: LOG });
  const ending = await endingWithin(second, REFUSED_WITHIN_MS);
  const problems: string[] = [];
  if (!ending) {
    problems.push(`A second process beside the first: it has not ended within ${REFUSED_WITHIN_MS / 1_000} s.`);
    await second.kill();
  } else {
    if (ending.code !== EXIT_HELD) problems.push(`A second process ended with ${ending.code ?? ending.signal}.`);
    const said = arena.readLog(LOG).slice(logged);
    if (!said.includes(String(first.process.pid))) problems.push(`A second process does not name the first: ${said}`);
    const counts = /^refused (.*)$/.exec(second.said())?.[1];
    const { calls } = JSON.parse(counts ?? '{}') as { calls?: number };
    if (calls !== 0) problems.push(`A second process made ${calls ?? 'nobody knows how many'} requests.`);
  }
  if (first.process.exitCode !== null) problems.push('The first process ended when a second one was started.');
  await first.kill();
  return problems;
}

/**
 * Stops a process in the middle of its work for longer than its lease lasts, lets a second one take over and post, and
 * continues the first: it must ask Discord for nothing any more, and end.
 */
export async function stopAndContinue(arena: Arena, tally: Tally, how: 'stopped' | 'suspended'): Promise<string[]> {
  const { discord, shop, random, say } = arena;
  const first = arena.startBot();
  await first.started;
  for (let offer = 0; offer < NEW_OFFERS; offer += 1) shop.addOffer();
  await sleep(random() * 1_500);
  if (how === 'suspended') arena.suspend(first);
  await stopOutsideOfWrites(first, arena);
  for (let offer = 0; offer < NEW_OFFERS; offer += 1) shop.addOffer();
  const stoppedAtMs = Date.now();
  const second = await startUntilTakenOver(arena);
  if (!second) {
    await first.kill();
    return [`No second process took over within ${TAKEN_OVER_WITHIN_MS / 1_000} s of the first being stopped.`];
  }
  const tookMs = Date.now() - stoppedAtMs;
  await untilQuiet(tally);
  // Every request from here on is the first one's: the second one stands still for less than its lease.
  second.process.kill('SIGSTOP');
  arena.leap(NONCE_OVER_MS);
  // A real Discord has given up by then on a request that was half sent when the process was stopped: nothing in a bot can
  // hold back bytes that are on their way.
  discord.faults.breakConnections();
  const asked: string[] = [];
  discord.faults.use(({ method, path }) => {
    if (method !== 'GET') asked.push(`${method} ${path.split('/').slice(0, 4).join('/')}`);
    return undefined;
  });
  first.process.kill('SIGCONT');
  const ending = await endingWithin(first, ENDS_WITHIN_MS);
  discord.faults.use(null);
  const problems: string[] = [];
  if (asked.length > 0) problems.push(`A process that had lost the state asked for ${asked.join(', ')}.`);
  if (!ending) problems.push(`A process that had lost the state went on for ${ENDS_WITHIN_MS / 1_000} s.`);
  say(
    `${how}: taken over after ${Math.round(tookMs / 1_000)} s; the first one ${ending ? `ended with ${ending.code ?? ending.signal}` : 'went on'}.`,
  );
  await first.kill();
  second.process.kill('SIGCONT');
  await second.kill();
  return problems;
}

/**
 * Stops a process, and again where it stands still in the middle of a write: SQLite lets nobody else write then, so that
 * nobody can take over, and nothing can be posted but by the one that was stopped.
 */
async function stopOutsideOfWrites({ process }: Bot, { isStateLocked, say }: Arena): Promise<void> {
  for (;;) {
    process.kill('SIGSTOP');
    await sleep(STANDS_STILL_MS);
    if (!(await isStateLocked())) return;
    say('stopped: in the middle of a write, so it goes on for a moment.');
    process.kill('SIGCONT');
    await sleep(GOES_ON_MS);
  }
}

/** Starts each process that ends again, as a supervisor does. */
async function startUntilTakenOver(arena: Arena): Promise<Bot | null> {
  const deadlineMs = Date.now() + TAKEN_OVER_WITHIN_MS;
  while (Date.now() < deadlineMs) {
    const bot = arena.startBot({ log: LOG });
    await Promise.race([bot.started, sleep(deadlineMs - Date.now())]);
    if (bot.said() === 'started') return bot;
    await bot.kill();
    await sleep(TRY_AGAIN_MS);
  }
  return null;
}

async function untilQuiet(tally: Tally): Promise<void> {
  let [posts, sinceMs] = [-1, 0];
  await until(async () => {
    if (tally.posts() !== posts) [posts, sinceMs] = [tally.posts(), Date.now()];
    return Date.now() - sinceMs > QUIET_MS;
  }, AbortSignal.timeout(QUIET_WITHIN_MS));
}

async function endingWithin({ ended }: Bot, ms: number) {
  const waiting = new AbortController();
  const ending = await Promise.race([ended, sleep(ms, undefined, { signal: waiting.signal }).catch(() => undefined)]);
  waiting.abort();
  return ending;
}
