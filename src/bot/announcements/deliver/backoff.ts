import type { Clock } from '../../../shared/clock.ts';
import type { Urgency } from './priority-limiter.ts';

/** The first back-off of a channel that did not answer; each further one in a row is twice as long. */
const FIRST_RETRY_MS = 2_000;
const LONGEST_RETRY_MS = 5 * 60_000;
/**
 * The first back-off of a channel where the bot may not post; each further one in a row is four times as long. Discord
 * bans an address for 10,000 refused requests in ten minutes.
 */
const FIRST_BLOCKED_MS = 60_000;
const LONGEST_BLOCKED_MS = 3_600_000;

/** The reason for which a channel is paused. */
export type Setback = { kind: 'unknown' } | { kind: 'blocked' } | { kind: 'later'; afterMs: number };

/** The back-off of one task in one channel. */
interface Backoff {
  failures: number;
  /** Monotonic milliseconds. */
  untilMs: number;
  isBlocked: boolean;
}

const NO_BACKOFF: Backoff = { failures: 0, untilMs: Number.NEGATIVE_INFINITY, isBlocked: false };

/** The back-offs of each task in each channel. */
export class Backoffs {
  readonly #clock: Clock;
  readonly #byChannel = new Map<string, Map<Urgency, Backoff>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * The end of the current pause in epoch milliseconds, by the wall clock as it is set now; in the past where there is
   * none.
   */
  untilMs(channelId: string, urgency: Urgency): number {
    return this.#of(channelId, urgency).untilMs - this.#clock.monotonicMs() + this.#clock.now();
  }

  /** Starts a pause. Each pause in a row is longer than the one before. */
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

  /** Ends the pause and forgets the failures. */
  resume(channelId: string, urgency: Urgency): void {
    const channel = this.#byChannel.get(channelId);
    channel?.delete(urgency);
    if (channel?.size === 0) this.#byChannel.delete(channelId);
  }

  resumeAll(channelId: string): void {
    this.#byChannel.delete(channelId);
  }

  /** Ends the pauses that a missing permission caused. Failures stay counted, so the next pause is longer. */
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
