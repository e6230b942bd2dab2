import { type Clock, wallMsOf } from '../../shared/clock.ts';
import type { Log } from '../../shared/log.ts';
import type { Channel, Channels, Setback } from './channel.ts';
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
  channels: Channels;
  tasks: Readonly<Record<Urgency, Task>>;
  /** Called when a channel has nothing to do until `untilMs`. */
  onIdle: (channel: Channel, untilMs: number) => void;
  /** Whether all work waits. Whoever ends that kicks every channel. */
  isHeld: () => boolean;
  /** Monotonic time before which no step is done. */
  clearFromMs: number;
  clock: Clock;
  log: Log;
  signal: AbortSignal;
}

export function createChannelWork(parts: ChannelWorkParts): ChannelWork {
  const { channels, tasks, onIdle, isHeld, clearFromMs, clock, log, signal } = parts;
  const limiter = createPriorityLimiter();
  const { dueAtMs, readyAtMs, nextAtMs } = timesOf(tasks, clock, log);

  async function workOn(channel: Channel): Promise<void> {
    while (!signal.aborted && !isHeld()) {
      const nowMs = clock.now();
      const ready = URGENCIES.find((urgency) => readyAtMs(channel, urgency) <= nowMs);
      if (ready) {
        await limiter.run(ready, async () => {
          if (!signal.aborted && !isHeld()) await stepOf(channel, ready);
        });
        continue;
      }
      const isPaused = URGENCIES.some((urgency) => dueAtMs(channel, urgency) <= nowMs);
      if (!isPaused) return;
      channel.sleep = new AbortController();
      const ends = AbortSignal.any([signal, channel.sleep.signal]);
      await clock.sleep(nextAtMs(channel) - nowMs, ends).catch(() => undefined);
    }
  }

  async function stepOf(channel: Channel, urgency: Urgency): Promise<void> {
    channel.wasRetried = false;
    const result = await stepOrLog(tasks[urgency], channel.id, urgency, log);
    if (result.kind === 'again') return;
    if (result.kind === 'done') channel.resume(urgency);
    else channel.pause(urgency, result);
    if (channel.wasRetried) channel.endBlocked();
  }

  function kick(channel: Channel): void {
    if (signal.aborted || isHeld()) return;
    const atMs = Math.max(nextAtMs(channel), wallMsOf(clearFromMs, clock));
    const isReady = atMs <= clock.now();
    if (channel.working) {
      if (isReady) channel.sleep?.abort();
    } else if (isReady) channel.working = workUntilIdle(channel);
    else onIdle(channel, atMs);
  }

  function workUntilIdle(channel: Channel): Promise<void> {
    return workOn(channel)
      .catch((error: unknown) =>
        log.error({ err: error, channel: channel.id }, "a channel's work stopped unexpectedly"),
      )
      .then(() => {
        channel.working = null;
        channel.sleep = null;
        channel.wasRetried = false;
        // Work that was added after the last check found the channel busy, so its kick did nothing.
        kick(channel);
      });
  }

  return {
    kick: (channelId) => kick(channels.get(channelId)),
    retry(channelId) {
      const channel = channels.get(channelId);
      channel.endBlocked();
      channel.wasRetried = channel.working !== null;
      if (channel.hasFailed) kick(channel);
    },
    restart(channelId) {
      const channel = channels.get(channelId);
      channel.resume();
      channel.wasRetried = channel.working !== null;
      kick(channel);
    },
    async settled(channelId) {
      if (channelId === undefined) await allSettled(channels);
      else await channels.get(channelId).working;
    },
    blockedChannels: () => [...channels.all()].filter(({ isBlocked }) => isBlocked).length,
  };
}

async function allSettled(channels: Channels): Promise<void> {
  for (;;) {
    const working = [...channels.all()].flatMap((channel) => channel.working ?? []);
    if (working.length === 0) return;
    await Promise.all(working);
  }
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
function timesOf(tasks: ChannelWorkParts['tasks'], clock: Clock, log: Log) {
  /** A record that can't be evaluated pauses its task, which is evaluated again later; other channels continue. */
  function dueAtMs(channel: Channel, urgency: Urgency): number {
    try {
      return tasks[urgency].dueAtMs(channel.id);
    } catch (error) {
      if (channel.pausedUntilMs(urgency) <= clock.now()) {
        log.error({ err: error, channel: channel.id, what: urgency }, "could not plan a channel's posts");
        channel.pause(urgency, { kind: 'unknown' });
      }
      return 0;
    }
  }
  const readyAtMs = (channel: Channel, urgency: Urgency) =>
    Math.max(dueAtMs(channel, urgency), channel.pausedUntilMs(urgency));
  const nextAtMs = (channel: Channel) => Math.min(...URGENCIES.map((urgency) => readyAtMs(channel, urgency)));
  return { dueAtMs, readyAtMs, nextAtMs };
}
