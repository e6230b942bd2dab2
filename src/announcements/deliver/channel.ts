import { type BackOff, backOffMs } from '../../shared/backoff.ts';
import type { Clock } from '../../shared/clock.ts';
import type { Urgency } from './priority-limiter.ts';

/** The back-off of a channel that did not answer. */
const RETRY: BackOff = { firstMs: 2_000, factor: 2, longestMs: 5 * 60_000 };
/**
 * The back-off of a channel where the bot may not post. Discord bans an address for 10,000 refused requests in ten
 * minutes.
 */
const BLOCKED: BackOff = { firstMs: 60_000, factor: 4, longestMs: 3_600_000 };
/**
 * How long an attempt to post with an unknown outcome may still arrive: well within the time that Discord remembers a
 * nonce.
 */
const MAY_ARRIVE_MS = 2 * 60_000;

/** The reason for which a channel is paused. */
export type Setback = { kind: 'unknown' } | { kind: 'blocked' } | { kind: 'later'; afterMs: number };

/** The back-off of one kind of work. */
interface Pause {
  failures: number;
  /** Monotonic milliseconds. */
  untilMs: number;
  isBlocked: boolean;
}

const NO_PAUSE: Pause = { failures: 0, untilMs: Number.NEGATIVE_INFINITY, isBlocked: false };

/** The state of one channel during a run, besides its records: all of it in one place. */
export class Channel {
  readonly id: string;
  /**
   * Whether all posts of the bot there are in the ledger. A channel is read before its first post in a run, because an
   * earlier run may have posted without recording it, and the state may be an older copy. It is read again after an
   * attempt with an unknown outcome.
   */
  isReconciled = false;
  /** Whether the channel no longer exists: the next step ends all that waits. */
  isGone = false;
  /** When the hourly limit that was logged last allows the next post: epoch milliseconds; 0 where none was logged. */
  loggedLimitMs = 0;
  /** When the idle channel is to be woken: epoch milliseconds; Infinity for never. */
  wakeAtMs = Number.POSITIVE_INFINITY;
  /** The work that is under way; null while the channel is idle. */
  working: Promise<void> | null = null;
  /** Ends the sleep of the work; null while it does not sleep. */
  sleep: AbortController | null = null;
  /** Whether a retry was requested during a step, whose result may predate the change of permissions. */
  wasRetried = false;
  readonly #clock: Clock;
  readonly #pauses = new Map<Urgency, Pause>();
  /** The attempts to post of which the outcome is not known, by id: monotonic milliseconds. */
  readonly #tries = new Map<string, number>();

  constructor(id: string, clock: Clock) {
    this.id = id;
    this.#clock = clock;
  }

  /**
   * The end of the current pause of one kind of work in epoch milliseconds, by the wall clock as it is set now; in the
   * past where there is none.
   */
  pausedUntilMs(urgency: Urgency): number {
    return this.#pauseOf(urgency).untilMs - this.#clock.monotonicMs() + this.#clock.now();
  }

  /** Starts a pause. Each one in a row is longer than the one before. */
  pause(urgency: Urgency, setback: Setback): void {
    const failures = this.#pauseOf(urgency).failures + 1;
    this.#pauses.set(urgency, {
      failures,
      untilMs: this.#clock.monotonicMs() + pauseMs(setback, failures),
      isBlocked: setback.kind === 'blocked',
    });
  }

  /** Ends the pause of one kind of work, or of all, and forgets the failures. */
  resume(urgency?: Urgency): void {
    if (urgency === undefined) this.#pauses.clear();
    else this.#pauses.delete(urgency);
  }

  /** Ends the pauses that a missing permission caused. Failures stay counted, so the next pause is longer. */
  endBlocked(): void {
    for (const [urgency, pause] of this.#pauses) {
      if (pause.isBlocked) this.#pauses.set(urgency, { ...pause, untilMs: NO_PAUSE.untilMs });
    }
  }

  get hasFailed(): boolean {
    return this.#pauses.size > 0;
  }

  get isBlocked(): boolean {
    return [...this.#pauses.values()].some(({ isBlocked }) => isBlocked);
  }

  /** @param agoMs how long ago the attempt was made */
  beginTry(id: string, agoMs = 0): void {
    this.#tries.set(id, this.#clock.monotonicMs() - Math.min(MAY_ARRIVE_MS, agoMs));
  }

  /** Discord accepted or refused the attempt, so it can't arrive any more. */
  endTry(id: string): void {
    this.#tries.delete(id);
  }

  /**
   * The attempts that may still arrive, each with the end of that time: epoch milliseconds, by the wall clock as it is
   * set now.
   */
  mayArrive(): ReadonlyMap<string, number> {
    const aheadMs = this.#clock.now() - this.#clock.monotonicMs();
    const young = [...this.#tries].filter(([, atMs]) => !this.#isOver(atMs));
    return new Map(young.map(([id, atMs]) => [id, atMs + MAY_ARRIVE_MS + aheadMs]));
  }

  /** Whether the time of an attempt is over: only a read of the channel shows that it did not arrive. */
  get hasOverdueTry(): boolean {
    return [...this.#tries.values()].some((atMs) => this.#isOver(atMs));
  }

  /**
   * Notes that the channel was read: that settles the attempts that could not arrive any more when the read began.
   * Deliveries that it found have ended.
   * @param startedMs when the read began: monotonic milliseconds
   */
  wasRead(startedMs: number): void {
    this.isReconciled = true;
    for (const [id, atMs] of this.#tries) if (this.#isOver(atMs, startedMs)) this.#tries.delete(id);
  }

  /** Forgets what was known of the channel's posts: it no longer exists. */
  forget(): void {
    this.isReconciled = false;
    this.isGone = false;
    this.#tries.clear();
  }

  #isOver(atMs: number, monotonicMs = this.#clock.monotonicMs()): boolean {
    return monotonicMs - atMs >= MAY_ARRIVE_MS;
  }

  #pauseOf(urgency: Urgency): Pause {
    return this.#pauses.get(urgency) ?? NO_PAUSE;
  }
}

/** The channels, each made when it is first asked for. */
export class Channels {
  readonly #clock: Clock;
  readonly #byId = new Map<string, Channel>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get(id: string): Channel {
    const channel = this.#byId.get(id) ?? new Channel(id, this.#clock);
    this.#byId.set(id, channel);
    return channel;
  }

  all(): Iterable<Channel> {
    return this.#byId.values();
  }
}

function pauseMs(setback: Setback, failures: number): number {
  switch (setback.kind) {
    case 'unknown':
      return backOffMs(failures, RETRY);
    case 'blocked':
      return backOffMs(failures, BLOCKED);
    case 'later':
      return setback.afterMs;
  }
}
