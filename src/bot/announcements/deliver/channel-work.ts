import type { Clock } from '../../../shared/clock.ts';
import type { Log } from '../../../shared/log.ts';
import { Backoffs, type Setback } from './backoff.ts';
import { createPriorityLimiter, URGENCIES, type Urgency } from './priority-limiter.ts';

/**
 * How a step went. After `again` the task goes on at once, but has not got over its failures yet; after `unknown`,
 * `blocked` and `later` it leaves the channel alone for a while.
 */
export type Result = { kind: 'done' } | { kind: 'again' } | Setback;

/** One of the things that are done in channels. */
export interface Task {
  /** When there is something to do there: epoch milliseconds, Infinity for nothing. */
  dueAtMs(channelId: string): number;
  /** Does one piece of it. A rejection counts as `unknown`. */
  step(channelId: string): Promise<Result>;
  /** Called when a step has been rejected: what it did is not known. */
  doubt?(channelId: string): void;
}

/** The work in the channels: one step at a time in a channel, the most pressing first, channels side by side. */
export interface ChannelWork {
  /** Starts on the channel, or wakes it, if there is something to do. */
  kick(channelId: string): void;
  /** Ends the pauses of a channel where the bot was not allowed to do something; what is tried in vain again is paused for longer. */
  retry: (channelId: string) => void;
  /** Ends all pauses of a channel, and forgets its failures. */
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
  const limiter = createPriorityLimiter();
  const working = new Map<string, Promise<void>>();
  const sleeping = new Map<string, AbortController>();
  const backoffs = new Backoffs(clock);
  /** Channels with a step under way that a retry came for: the answer to that step may be older than what has changed. */
  const retried = new Set<string>();
  const { dueAtMs, readyAtMs, nextAtMs } = timesOf(tasks, backoffs, clock, log);

  async function workOn(channelId: string): Promise<void> {
    while (!signal.aborted) {
      const nowMs = clock.now();
      const ready = URGENCIES.find((urgency) => readyAtMs(channelId, urgency) <= nowMs);
      if (ready) {
        await limiter.run(ready, async () => {
          if (!signal.aborted) await stepOf(channelId, ready);
        });
        continue;
      }
      const isPaused = URGENCIES.some((urgency) => dueAtMs(channelId, urgency) <= nowMs);
      if (!isPaused) return;
      const waking = new AbortController();
      sleeping.set(channelId, waking);
      await sleep(nextAtMs(channelId) - nowMs, AbortSignal.any([signal, waking.signal]), clock);
    }
  }

  async function stepOf(channelId: string, urgency: Urgency): Promise<void> {
    retried.delete(channelId);
    const result = await stepOrLog(tasks[urgency], channelId, urgency, log);
    if (result.kind === 'again') return;
    if (result.kind === 'done') backoffs.resume(channelId, urgency);
    else backoffs.pause(channelId, urgency, result);
    if (result.kind === 'blocked' && retried.has(channelId)) backoffs.endBlocked(channelId);
  }

  function kick(channelId: string): void {
    if (signal.aborted) return;
    const atMs = nextAtMs(channelId);
    const isReady = atMs <= clock.now();
    if (working.has(channelId)) {
      if (isReady) sleeping.get(channelId)?.abort();
      return;
    }
    if (!isReady) {
      onIdle(channelId, atMs);
      return;
    }
    const work = workOn(channelId)
      .catch((error: unknown) => log.error({ err: error, channel: channelId }, 'work in a channel ended'))
      .then(() => {
        working.delete(channelId);
        sleeping.delete(channelId);
        retried.delete(channelId);
        // What came after the last look found the channel at work.
        kick(channelId);
      });
    working.set(channelId, work);
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
    async settled() {
      while (working.size > 0) await Promise.all(working.values());
    },
    blockedChannels: () => backoffs.blockedChannels(),
  };
}

/** Most likely the state could not be written. What is not written is done again, once it is known what was done. */
async function stepOrLog(task: Task, channelId: string, urgency: Urgency, log: Log): Promise<Result> {
  try {
    return await task.step(channelId);
  } catch (error) {
    log.error({ err: error, channel: channelId, what: urgency }, 'work in a channel broke off');
    task.doubt?.(channelId);
    return { kind: 'unknown' };
  }
}

/** When there is something to do in a channel: epoch milliseconds. `ready` is what is due and not paused. */
function timesOf(tasks: ChannelWorkParts['tasks'], backoffs: Backoffs, clock: Clock, log: Log) {
  /** What can't be told because of a record that makes no sense is asked again after a pause; other channels go on. */
  function dueAtMs(channelId: string, urgency: Urgency): number {
    try {
      return tasks[urgency].dueAtMs(channelId);
    } catch (error) {
      if (backoffs.untilMs(channelId, urgency) <= clock.now()) {
        log.error({ err: error, channel: channelId, what: urgency }, 'what is to be done in a channel can not be told');
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

/** Resolves after that time, or when the signal comes. */
async function sleep(ms: number, signal: AbortSignal, clock: Clock): Promise<void> {
  try {
    await clock.sleep(ms, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
