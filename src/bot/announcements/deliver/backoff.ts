import type { Clock } from '../../../shared/clock.ts';
import type { Urgency } from './priority-limiter.ts';

/** Between two tries at a channel that did not answer; doubled from one try to the next. */
const FIRST_RETRY_MS = 2_000;
const LONGEST_RETRY_MS = 5 * 60_000;
/**
 * Between two looks whether the bot may post in a channel again; four times as long from one to the next. Discord bans
 * an address for 10,000 refused requests in ten minutes.
 */
const FIRST_BLOCKED_MS = 60_000;
const LONGEST_BLOCKED_MS = 3_600_000;

/** Why a channel is left alone for a while. */
export type Setback = { kind: 'unknown' } | { kind: 'blocked' } | { kind: 'later'; afterMs: number };

/** How long a task leaves a channel alone after a step that came to nothing. */
interface Backoff {
  failures: number;
  /** On the monotonic clock. */
  untilMs: number;
  isBlocked: boolean;
}

const NO_BACKOFF: Backoff = { failures: 0, untilMs: Number.NEGATIVE_INFINITY, isBlocked: false };

/** The pauses of each task in each channel. */
export class Backoffs {
  readonly #clock: Clock;
  readonly #byChannel = new Map<string, Map<Urgency, Backoff>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The end of a pause on the wall clock as it stands now; the past where there is none. */
  untilMs(channelId: string, urgency: Urgency): number {
    return this.#of(channelId, urgency).untilMs - this.#clock.monotonicMs() + this.#clock.now();
  }

  /** Each pause in a row is longer than the one before. */
  pause(channelId: string, urgency: Urgency, setback: Setback): void {
    const { failures } = this.#of(channelId, urgency);
    const channel = this.#byChannel.get(channelId) ?? new Map<Urgency, Backoff>();
    channel.set(urgency, {
      failures: failures + 1,
      untilMs: this.#clock.monotonicMs() + pauseMs(setback, failures),
      isBlocked: setback.kind === 'blocked',
    });
    this.#byChannel.set(channelId, channel);
  }

  /** The task goes on, and its failures are forgotten. */
  resume(channelId: string, urgency: Urgency): void {
    const channel = this.#byChannel.get(channelId);
    channel?.delete(urgency);
    if (channel?.size === 0) this.#byChannel.delete(channelId);
  }

  resumeAll(channelId: string): void {
    this.#byChannel.delete(channelId);
  }

  /** Ends the pauses where the bot was not allowed to do something; what is tried in vain again is paused for longer. */
  endBlocked(channelId: string): void {
    const channel = this.#byChannel.get(channelId);
    for (const [urgency, backoff] of channel ?? []) {
      if (backoff.isBlocked) channel?.set(urgency, { ...backoff, untilMs: NO_BACKOFF.untilMs });
    }
  }

  has(channelId: string): boolean {
    return this.#byChannel.has(channelId);
  }

  blockedChannels(): number {
    return [...this.#byChannel.values()].filter((channel) => [...channel.values()].some(({ isBlocked }) => isBlocked))
      .length;
  }

  #of(channelId: string, urgency: Urgency): Backoff {
    return this.#byChannel.get(channelId)?.get(urgency) ?? NO_BACKOFF;
  }
}

function pauseMs(setback: Setback, failures: number): number {
  switch (setback.kind) {
    case 'unknown':
      return Math.min(FIRST_RETRY_MS * 2 ** failures, LONGEST_RETRY_MS);
    case 'blocked':
      return Math.min(FIRST_BLOCKED_MS * 4 ** failures, LONGEST_BLOCKED_MS);
    case 'later':
      return setback.afterMs;
  }
}
