import { type Clock, wallMsOf } from '../../../shared/clock.ts';
import type { Log } from '../../../shared/log.ts';
import { Backoffs, type Setback } from './backoff.ts';
import { createPriorityLimiter, URGENCIES, type Urgency } from './priority-limiter.ts';

/**
 * The result of a step. After `again` the task continues at once, and its failures stay counted; after `unknown`,
 * `blocked` and `later` it pauses in the channel.
 */
export type Result = { kind: 'done' } | { kind: 'again' } | Setback;

/** A kind of work in channels: posting, publishing or editing. */
export interface Task {
  /** When the next step is due in the channel: epoch milliseconds, Infinity for never. */
  dueAtMs(channelId: string): number;
  /** Does one step. A rejection counts as `unknown`. */
  step(channelId: string): Promise<Result>;
  /** Called when a step has rejected: its effect is not known. */
  doubt?(channelId: string): void;
}

/** Runs the tasks: one step at a time in a channel, the most urgent first; channels run in parallel. */
export interface ChannelWork {
  /** Starts or wakes the channel's work if anything is due. */
  kick(channelId: string): void;
  /** Ends the pauses that a missing permission caused. Failures stay counted, so the next pause is longer. */
  retry: (channelId: string) => void;
  /** Ends all pauses of a channel, and forgets its failures. */
  restart(channelId: string): void;
  /** Resolves when no step is running and no retry is pending, anywhere or in one channel. */
  settled: (channelId?: string) => Promise<void>;
  blockedChannels(): number;
}

export interface ChannelWorkParts {
  tasks: Readonly<Record<Urgency, Task>>;
  /** Called when a channel has nothing to do until `untilMs`. */
  onIdle: (channelId: string, untilMs: number) => void;
  /** Whether all work waits. Whoever ends that kicks every channel. */
  isHeld: () => boolean;
  /** Monotonic time before which no step is done. */
  clearFromMs: number;
  clock: Clock;
  log: Log;
  signal: AbortSignal;
}

export function createChannelWork(parts: ChannelWorkParts): ChannelWork {
  const { tasks, onIdle, isHeld, clearFromMs, clock, log, signal } = parts;
  const limiter = createPriorityLimiter();
  const working = new Map<string, Promise<void>>();
  const sleeping = new Map<string, AbortController>();
  const backoffs = new Backoffs(clock);
  /** Channels for which a retry was requested during a step, whose result may predate the change of permissions. */
  const retried = new Set<string>();
  const { dueAtMs, readyAtMs, nextAtMs } = timesOf(tasks, backoffs, clock, log);

  async function workOn(channelId: string): Promise<void> {
    while (!signal.aborted && !isHeld()) {
      const nowMs = clock.now();
      const ready = URGENCIES.find((urgency) => readyAtMs(channelId, urgency) <= nowMs);
      if (ready) {
        await limiter.run(ready, async () => {
          if (!signal.aborted && !isHeld()) await stepOf(channelId, ready);
        });
        continue;
      }
      const isPaused = URGENCIES.some((urgency) => dueAtMs(channelId, urgency) <= nowMs);
      if (!isPaused) return;
      const waking = new AbortController();
      sleeping.set(channelId, waking);
      const ends = AbortSignal.any([signal, waking.signal]);
      await clock.sleep(nextAtMs(channelId) - nowMs, ends).catch(() => undefined);
    }
  }

  async function stepOf(channelId: string, urgency: Urgency): Promise<void> {
    retried.delete(channelId);
    const result = await stepOrLog(tasks[urgency], channelId, urgency, log);
    if (result.kind === 'again') return;
    if (result.kind === 'done') backoffs.resume(channelId, urgency);
    else backoffs.pause(channelId, urgency, result);
    if (retried.has(channelId)) backoffs.endBlocked(channelId);
  }

  function kick(channelId: string): void {
    if (signal.aborted || isHeld()) return;
    const atMs = Math.max(nextAtMs(channelId), wallMsOf(clearFromMs, clock));
    const isReady = atMs <= clock.now();
    if (working.has(channelId)) {
      if (isReady) sleeping.get(channelId)?.abort();
    } else if (isReady) working.set(channelId, workUntilIdle(channelId));
    else onIdle(channelId, atMs);
  }

  function workUntilIdle(channelId: string): Promise<void> {
    return workOn(channelId)
      .catch((error: unknown) => log.error({ err: error, channel: channelId }, "a channel's work stopped unexpectedly"))
      .then(() => {
        working.delete(channelId);
        sleeping.delete(channelId);
        retried.delete(channelId);
        // Work that was added after the last check found the channel busy, so its kick did nothing.
        kick(channelId);
      });
  }

  return {
    kick,
    retry(channelId) {
      backoffs.endBlocked(channelId);
      if (working.has(channelId)) retried.add(channelId);
      if (backoffs.has(channelId)) kick(channelId);
    },
    restart(channelId) {
      backoffs.resumeAll(channelId);
      if (working.has(channelId)) retried.add(channelId);
      kick(channelId);
    },
    async settled(channelId) {
      if (channelId !== undefined) return working.get(channelId);
      while (working.size > 0) await Promise.all(working.values());
    },
    blockedChannels: () => backoffs.blockedChannels(),
  };
}

/**
 * A rejection most likely means that the state could not be written. The work is repeated, once it is known how far it
 * got.
 */
async function stepOrLog(task: Task, channelId: string, urgency: Urgency, log: Log): Promise<Result> {
  try {
    return await task.step(channelId);
  } catch (error) {
    log.error({ err: error, channel: channelId, what: urgency }, "a channel's work failed");
    task.doubt?.(channelId);
    return { kind: 'unknown' };
  }
}

/** When work is due in a channel: epoch milliseconds. `ready` is the work that is due and not paused. */
function timesOf(tasks: ChannelWorkParts['tasks'], backoffs: Backoffs, clock: Clock, log: Log) {
  /** A record that can't be evaluated pauses its task, which is evaluated again later; other channels continue. */
  function dueAtMs(channelId: string, urgency: Urgency): number {
    try {
      return tasks[urgency].dueAtMs(channelId);
    } catch (error) {
      if (backoffs.untilMs(channelId, urgency) <= clock.now()) {
        log.error({ err: error, channel: channelId, what: urgency }, "could not plan a channel's posts");
        backoffs.pause(channelId, urgency, { kind: 'unknown' });
      }
      return 0;
    }
  }
  const readyAtMs = (channelId: string, urgency: Urgency) =>
    Math.max(dueAtMs(channelId, urgency), backoffs.untilMs(channelId, urgency));
  const nextAtMs = (channelId: string) => Math.min(...URGENCIES.map((urgency) => readyAtMs(channelId, urgency)));
  return { dueAtMs, readyAtMs, nextAtMs };
}
