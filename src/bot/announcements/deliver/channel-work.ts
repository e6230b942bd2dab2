import type { Clock } from '../../../shared/clock.ts';
import type { Log } from '../../../shared/log.ts';
import { createGate, URGENCIES, type Urgency } from './priority-limiter.ts';

/** Between two tries at a channel that did not answer; doubled from one try to the next. */
const FIRST_RETRY_MS = 2_000;
const LONGEST_RETRY_MS = 5 * 60_000;
/**
 * Between two looks whether the bot may post in a channel again; four times as long from one to the next. Discord bans
 * an address for 10,000 refused requests in ten minutes.
 */
const FIRST_BLOCKED_MS = 60_000;
const LONGEST_BLOCKED_MS = 3_600_000;

/**
 * How a step went. After `again` the task goes on at once, but has not got over its failures yet; after `unknown`,
 * `blocked` and `later` it leaves the channel alone for a while.
 */
export type Result =
  | { kind: 'done' }
  | { kind: 'again' }
  | { kind: 'unknown' }
  | { kind: 'blocked' }
  | { kind: 'later'; afterMs: number };

/** One of the things that are done in channels. */
export interface Task {
  /** When there is something to do there: epoch milliseconds, Infinity for nothing. */
  dueAtMs(channelId: string): number;
  /** Does one piece of it. A rejection counts as `unknown`. */
  step(channelId: string): Promise<Result>;
  /** Called when a step has been rejected: what it did is not known. */
  doubt?(channelId: string): void;
}

/** A task's rest in a channel after a step that came to nothing. */
interface Rest {
  failures: number;
  /** On the monotonic clock. */
  untilMs: number;
  isBlocked: boolean;
}

const RESTED: Rest = { failures: 0, untilMs: Number.NEGATIVE_INFINITY, isBlocked: false };

/** The work in the channels: one step at a time in a channel, the most pressing first, channels side by side. */
export interface ChannelWork {
  /** Starts on the channel, or wakes it, if there is something to do. */
  kick(channelId: string): void;
  /** Ends the rests of a channel where the bot was not allowed to do something; what is tried in vain again rests longer. */
  retry: (channelId: string) => void;
  /** Ends all rests of a channel, and forgets its failures. */
  restart(channelId: string): void;
  /** Resolves when nothing is being worked on and nothing waits for another try. */
  settled: () => Promise<void>;
  blockedChannels(): number;
}

export interface ChannelWorkParts {
  tasks: Readonly<Record<Urgency, Task>>;
  /** Told when a channel has nothing to do until a moment. */
  onIdle: (channelId: string, untilMs: number) => void;
  clock: Clock;
  log: Log;
  signal: AbortSignal;
}

export function createChannelWork({ tasks, onIdle, clock, log, signal }: ChannelWorkParts): ChannelWork {
  const gate = createGate();
  const working = new Map<string, Promise<void>>();
  const sleeping = new Map<string, AbortController>();
  const rests = new Map<string, Map<Urgency, Rest>>();
  /** Channels with a step under way that a retry came for: the answer to that step may be older than what has changed. */
  const retried = new Set<string>();

  const restOf = (channelId: string, urgency: Urgency) => rests.get(channelId)?.get(urgency) ?? RESTED;
  /** The end of a rest on the wall clock as it stands now. */
  const restedAtMs = (channelId: string, urgency: Urgency) =>
    restOf(channelId, urgency).untilMs - clock.monotonicMs() + clock.now();
  const readyAtMs = (channelId: string, urgency: Urgency) =>
    Math.max(dueAtMs(channelId, urgency), restedAtMs(channelId, urgency));

  /** What can't be told because of a record that makes no sense is asked again after a rest; other channels go on. */
  function dueAtMs(channelId: string, urgency: Urgency): number {
    try {
      return tasks[urgency].dueAtMs(channelId);
    } catch (error) {
      if (restedAtMs(channelId, urgency) <= clock.now()) {
        log.error({ err: error, channel: channelId, what: urgency }, 'what is to be done in a channel can not be told');
        rest(channelId, urgency, { kind: 'unknown' });
      }
      return 0;
    }
  }

  function rest(channelId: string, urgency: Urgency, result: Exclude<Result, { kind: 'done' | 'again' }>): void {
    const channel = rests.get(channelId) ?? new Map<Urgency, Rest>();
    const { failures } = restOf(channelId, urgency);
    rests.set(channelId, channel.set(urgency, restAfter(result, failures, clock.monotonicMs())));
  }

  function goOn(channelId: string, urgency: Urgency): void {
    const channel = rests.get(channelId);
    channel?.delete(urgency);
    if (channel?.size === 0) rests.delete(channelId);
  }

  const nextAtMs = (channelId: string) => Math.min(...URGENCIES.map((urgency) => readyAtMs(channelId, urgency)));

  async function workOn(channelId: string): Promise<void> {
    while (!signal.aborted) {
      const nowMs = clock.now();
      const ready = URGENCIES.find((urgency) => readyAtMs(channelId, urgency) <= nowMs);
      if (ready) {
        await gate.pass(ready, async () => {
          if (!signal.aborted) await stepOf(channelId, ready);
        });
        continue;
      }
      const isResting = URGENCIES.some((urgency) => dueAtMs(channelId, urgency) <= nowMs);
      if (!isResting) return;
      await sleep(channelId, nextAtMs(channelId) - nowMs);
    }
  }

  async function stepOf(channelId: string, urgency: Urgency): Promise<void> {
    const task = tasks[urgency];
    retried.delete(channelId);
    const result = await task.step(channelId).catch((error: unknown): Result => {
      // Most likely the state could not be written. What is not written is done again, once it is known what was done.
      log.error({ err: error, channel: channelId, what: urgency }, 'work in a channel broke off');
      task.doubt?.(channelId);
      return { kind: 'unknown' };
    });
    if (result.kind === 'again') return;
    if (result.kind === 'done') goOn(channelId, urgency);
    else rest(channelId, urgency, result);
    if (result.kind === 'blocked' && retried.has(channelId)) endBlockedRests(channelId);
  }

  function endBlockedRests(channelId: string): void {
    const channel = rests.get(channelId);
    for (const [urgency, one] of channel ?? []) {
      if (one.isBlocked) channel?.set(urgency, { ...one, untilMs: RESTED.untilMs });
    }
  }

  async function sleep(channelId: string, ms: number): Promise<void> {
    const waking = new AbortController();
    sleeping.set(channelId, waking);
    try {
      await clock.sleep(ms, AbortSignal.any([signal, waking.signal]));
    } catch (error) {
      if (!signal.aborted && !waking.signal.aborted) throw error;
    } finally {
      sleeping.delete(channelId);
    }
  }

  function kick(channelId: string): void {
    if (signal.aborted) return;
    if (working.has(channelId)) {
      const nowMs = clock.now();
      if (URGENCIES.some((urgency) => readyAtMs(channelId, urgency) <= nowMs)) sleeping.get(channelId)?.abort();
      return;
    }
    const atMs = nextAtMs(channelId);
    if (atMs > clock.now()) {
      onIdle(channelId, atMs);
      return;
    }
    const work = workOn(channelId)
      .catch((error: unknown) => log.error({ err: error, channel: channelId }, 'work in a channel ended'))
      .then(() => {
        working.delete(channelId);
        retried.delete(channelId);
        // What came after the last look found the channel at work.
        kick(channelId);
      });
    working.set(channelId, work);
  }

  return {
    kick,
    retry(channelId) {
      endBlockedRests(channelId);
      if (working.has(channelId)) retried.add(channelId);
      if (rests.has(channelId)) kick(channelId);
    },
    restart(channelId) {
      rests.delete(channelId);
      if (working.has(channelId)) retried.add(channelId);
      kick(channelId);
    },
    async settled() {
      while (working.size > 0) await Promise.all(working.values());
    },
    blockedChannels: () =>
      [...rests.values()].filter((channel) => [...channel.values()].some(({ isBlocked }) => isBlocked)).length,
  };
}

function restAfter(result: Exclude<Result, { kind: 'done' | 'again' }>, failures: number, nowMs: number): Rest {
  const restMs = {
    unknown: () => Math.min(FIRST_RETRY_MS * 2 ** failures, LONGEST_RETRY_MS),
    blocked: () => Math.min(FIRST_BLOCKED_MS * 4 ** failures, LONGEST_BLOCKED_MS),
    later: () => (result.kind === 'later' ? result.afterMs : 0),
  }[result.kind]();
  return { failures: failures + 1, untilMs: nowMs + restMs, isBlocked: result.kind === 'blocked' };
}
