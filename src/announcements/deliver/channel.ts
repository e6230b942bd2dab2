import { Pause, type Setback } from '../../discord/pause.ts';
import type { BackOff } from '../../shared/backoff.ts';
import { wallMsOf } from '../../shared/clock.ts';
import { HOUR_MS, MINUTE_MS } from '../../shared/time.ts';
import type { Records } from '../../store/store.ts';
import type { DelivererParts } from './parts.ts';

/** The kinds of work in a channel, the most urgent first. */
const URGENCIES = ['post', 'reply', 'publish', 'edit', 'pin'] as const;
type Urgency = (typeof URGENCIES)[number];
/** The queues for a place, the most urgent first: posts to people have one of their own. */
const LANES = ['post', 'direct', 'reply', 'publish', 'edit', 'pin'] as const;
type Lane = (typeof LANES)[number];

/**
 * A step gets a place while fewer than this are taken, whatever the number of channels: seconds of Discord's limit of
 * requests a second, so that posts reach it at 2 s each. Publications and edits never take all the places, so that a new
 * post finds one. They wait while more urgent work does.
 */
const CONCURRENCY: Readonly<Record<Lane, number>> = { post: 2, direct: 2, reply: 1, publish: 1, edit: 0.5, pin: 0.5 };
/**
 * The most steps of a lane, besides, in the same unit. All requests leave in one line: a post in a server, which may take
 * two of them, waits there behind one of each step. With these edits and people it takes less than 2 s; a quarter of a
 * second reaches the limit at 250 ms each.
 */
const MOST_OF_LANE: Readonly<Partial<Record<Lane, number>>> = { direct: 0.25 };
/** The back-off of a channel that did not answer. */
export const RETRY: BackOff = { firstMs: 2_000, factor: 2, longestMs: 5 * MINUTE_MS };
/**
 * How long an attempt to post with an unknown outcome may still arrive: well within the time that Discord remembers a
 * nonce.
 */
export const MAY_ARRIVE_MS = 2 * MINUTE_MS;
/** The longest wait of the timer. Timers have a maximum delay, and each ring makes the bot look at the wall clock. */
const LONGEST_TIMER_MS = HOUR_MS;

/**
 * The result of a step. After `again` the task continues at once, and its failures stay counted; after `unknown`,
 * `blocked` and `later` it pauses in the channel.
 */
export type Result = { kind: 'done' } | { kind: 'again' } | Setback;

export const DONE = { kind: 'done' } as const satisfies Result;
/** Continues at once. Discord has not shown whether the channel takes posts, so its failures stay counted. */
export const AGAIN: Result = { kind: 'again' };

/** A kind of work in channels: posting, replying, publishing, editing or pinning. */
export interface Task {
  /** When the next step is due in the channel: epoch milliseconds, Infinity for never. */
  dueAtMs(channel: Channel): number;
  /** Does one step. A rejection counts as `unknown`. */
  step(channel: Channel): Promise<Result>;
}

interface ChannelsParts extends Pick<DelivererParts, 'requestsPerSecond' | 'clock' | 'log' | 'clearFromMs'> {
  store: Records;
  tasks: Readonly<Record<Urgency, Task>>;
  /** Whether what waits for a channel is for a person. */
  isDirect: (channelId: string) => boolean;
  /** Whether the posts of a channel have nonces. */
  hasNonces: (channelId: string) => boolean;
  /** Ends the waits; no step begins after it. */
  signal: AbortSignal;
}

/** The work of one kind that is under way in a channel. */
interface Work {
  /** Resolves when no step is running and no retry is pending. */
  done: Promise<void>;
  /** Ends the sleep; null while it does not sleep. */
  sleep: AbortController | null;
  /** Whether a retry was requested during a step, whose result may predate the change of permissions. */
  wasRetried: boolean;
}

/**
 * One channel during a run: its state besides its records, and its work. Each kind of work takes one step at a time, and
 * holds up no other: a publication or an edit may wait for Discord for long.
 */
export class Channel {
  readonly id: string;
  /**
   * Whether all posts of the bot there are in the ledger. A channel is read before its first post in a run, because an
   * earlier run may have posted without recording it, and the state may be an older copy. It is read again after an
   * attempt with an unknown outcome.
   */
  isReconciled = false;
  /**
   * Whether Discord has answered that the channel does not exist, of which the gateway has said nothing, or that a person
   * takes no messages: it is asked for the channel itself before anything ends, or is posted.
   */
  isDoubtful = false;
  /** When the hourly limit that was logged last allows the next post: epoch milliseconds; 0 where none was logged. */
  loggedLimitMs = 0;
  /** The same of the hour's publications. */
  loggedPublicationMs = 0;
  /**
   * Until when the channel's publications count as used by others, too: monotonic milliseconds. A restart forgets it, and
   * asks once more.
   */
  contestedUntilMs = Number.NEGATIVE_INFINITY;
  /** When Discord answered the latest edits of old messages: monotonic milliseconds, oldest first. */
  oldEditsMs: readonly number[] = [];
  /** When the idle channel is to be woken: epoch milliseconds; Infinity for never. */
  wakeAtMs = Number.POSITIVE_INFINITY;
  readonly #channels: Channels;
  readonly #parts: ChannelsParts;
  readonly #pauses: Readonly<Record<Urgency, Pause>>;
  /** The attempts to post of which the outcome is not known, by id: monotonic milliseconds. */
  readonly #tries = new Map<string, number>();
  #isGone = false;
  readonly #works = new Map<Urgency, Work>();

  constructor(id: string, channels: Channels, parts: ChannelsParts) {
    this.id = id;
    this.#channels = channels;
    this.#parts = parts;
    const pause = () => new Pause(parts.clock, RETRY);
    this.#pauses = { post: pause(), reply: pause(), publish: pause(), edit: pause(), pin: pause() };
  }

  /** Starts or wakes the work if anything is due. */
  kick(): void {
    const { clock } = this.#parts;
    if (this.#channels.areHeld) return;
    let wakeAtMs = Number.POSITIVE_INFINITY;
    for (const urgency of URGENCIES) {
      const atMs = this.readyAtMs(urgency);
      const isReady = atMs <= clock.now();
      const work = this.#works.get(urgency);
      if (work) {
        if (isReady) work.sleep?.abort();
      } else if (isReady) this.#begin(urgency);
      else wakeAtMs = Math.min(wakeAtMs, atMs);
    }
    this.#channels.wake(this, wakeAtMs);
  }

  /** Ends the pauses that a missing permission caused. Failures stay counted, so the next pause is longer. */
  retry(): void {
    this.#endBlocked();
    this.#noteRetry();
    if (this.isBlocked) this.kick();
  }

  /** Marks the channel as gone: its next step, which is made at once, ends all that waits. */
  abandon(): void {
    this.#isGone = true;
    for (const urgency of URGENCIES) this.#pauses[urgency].reset();
    this.#noteRetry();
    this.kick();
  }

  /** Undoes `abandon` where that step was not done yet: the channel is back. */
  reclaim(): void {
    this.#isGone = false;
  }

  get isGone(): boolean {
    return this.#isGone;
  }

  /** Whether a permission is missing for any kind of work. */
  get isBlocked(): boolean {
    return URGENCIES.some((urgency) => this.#pauses[urgency].because === 'blocked');
  }

  /** When one kind of work is due and not paused: epoch milliseconds, Infinity for never. */
  readyAtMs(urgency: Urgency): number {
    return Math.max(this.#dueAtMs(urgency), this.#pauses[urgency].untilMs);
  }

  /** Why one kind of work is paused; null where it is not. */
  pausedBecause(urgency: Urgency): Setback['kind'] | null {
    const { untilMs, because } = this.#pauses[urgency];
    return untilMs > this.#parts.clock.now() ? because : null;
  }

  /** Resolves when no step is running and no retry is pending; null where that is so. */
  get working(): Promise<unknown> | null {
    return this.#works.size === 0 ? null : Promise.all([...this.#works.values()].map(({ done }) => done));
  }

  /** @param agoMs how long ago the attempt was made */
  beginTry(id: string, agoMs = 0): void {
    this.#tries.set(id, this.#parts.clock.monotonicMs() - Math.min(MAY_ARRIVE_MS, agoMs));
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
    const { clock } = this.#parts;
    const aheadMs = clock.now() - clock.monotonicMs();
    const young = [...this.#tries].filter(([, atMs]) => !this.#isOver(atMs));
    return new Map(young.map(([id, atMs]) => [id, atMs + MAY_ARRIVE_MS + aheadMs]));
  }

  /** When an attempt can't arrive any more: epoch milliseconds; Infinity where its outcome is known. */
  settlesAtMs(id: string): number {
    const { clock } = this.#parts;
    return (this.#tries.get(id) ?? Infinity) + MAY_ARRIVE_MS + clock.now() - clock.monotonicMs();
  }

  /** Whether another attempt may have arrived: then the channel's newest message says nothing of what came before it. */
  hasTriesBesides(id: string): boolean {
    return [...this.#tries.keys()].some((other) => other !== id);
  }

  /** Whether the time of an attempt is over: only a read of the channel shows that it did not arrive. */
  get hasOverdueTry(): boolean {
    return [...this.#tries.values()].some((atMs) => this.#isOver(atMs));
  }

  /**
   * Notes that the channel was read, and forgets the attempts that were too old to arrive when the read began: it would
   * have found them.
   * @param startedMs when the read began: monotonic milliseconds
   */
  wasRead(startedMs: number): void {
    this.isReconciled = true;
    for (const [id, atMs] of this.#tries) if (this.#isOver(atMs, startedMs)) this.#tries.delete(id);
  }

  /** Forgets what was known of the channel's posts: it no longer exists. */
  forget(): void {
    this.isReconciled = false;
    this.isDoubtful = false;
    this.#isGone = false;
    this.#tries.clear();
  }

  #isOver(atMs: number, monotonicMs = this.#parts.clock.monotonicMs()): boolean {
    return monotonicMs - atMs >= MAY_ARRIVE_MS;
  }

  #noteRetry(): void {
    for (const work of this.#works.values()) work.wasRetried = true;
  }

  #begin(urgency: Urgency): void {
    const work: Work = { done: Promise.resolve(), sleep: null, wasRetried: false };
    this.#works.set(urgency, work);
    work.done = this.#workUntilIdle(urgency, work)
      .catch((error: unknown) =>
        this.#parts.log.error({ err: error, channel: this.id }, "a channel's work stopped unexpectedly"),
      )
      .then(() => {
        this.#works.delete(urgency);
        // Work that was added after the last check found the channel busy, so its kick did nothing.
        this.kick();
      });
  }

  async #workUntilIdle(urgency: Urgency, work: Work): Promise<void> {
    const { clock, signal } = this.#parts;
    while (!this.#channels.areHeld) {
      const nowMs = clock.now();
      const readyAtMs = this.readyAtMs(urgency);
      if (readyAtMs <= nowMs) {
        await this.#channels.inPlace(this.#laneOf(urgency), async () => {
          if (!this.#channels.areHeld) await this.#step(urgency, work);
        });
        continue;
      }
      const isPaused = this.#dueAtMs(urgency) <= nowMs;
      if (!isPaused) return;
      work.sleep = new AbortController();
      const ends = AbortSignal.any([signal, work.sleep.signal]);
      await clock.sleep(readyAtMs - nowMs, ends).catch(() => undefined);
    }
  }

  /**
   * A step that rejects could most likely not write the state. It is repeated, once the channel was read: that shows how
   * far it got.
   */
  async #step(urgency: Urgency, work: Work): Promise<void> {
    const { tasks, log } = this.#parts;
    work.wasRetried = false;
    let result: Result;
    try {
      result = await tasks[urgency].step(this);
    } catch (error) {
      log.error({ err: error, channel: this.id, what: urgency }, "a channel's work failed");
      if (urgency === 'post') this.isReconciled = false;
      result = { kind: 'unknown' };
    }
    if (result.kind === 'again') return;
    if (result.kind === 'done') this.#pauses[urgency].reset();
    else this.#pauses[urgency].begin(result);
    if (work.wasRetried) this.#endBlocked();
  }

  #laneOf(urgency: Urgency): Lane {
    return urgency === 'post' && this.#parts.isDirect(this.id) ? 'direct' : urgency;
  }

  /** A record that can't be evaluated pauses its task, which is evaluated again later; other channels continue. */
  #dueAtMs(urgency: Urgency): number {
    const { tasks, clock, log } = this.#parts;
    try {
      return Math.max(tasks[urgency].dueAtMs(this), this.#clearAtMs(urgency));
    } catch (error) {
      if (this.#pauses[urgency].untilMs <= clock.now()) {
        log.error({ err: error, channel: this.id, what: urgency }, "could not plan a channel's posts");
        this.#pauses[urgency].begin({ kind: 'unknown' });
      }
      return 0;
    }
  }

  /**
   * When nothing of another process can arrive any more that work of this kind could double or undo: epoch milliseconds,
   * 0 where that is certain.
   */
  #clearAtMs(urgency: Urgency): number {
    const { clock, clearFromMs = 0, hasNonces } = this.#parts;
    return urgency === 'post' && hasNonces(this.id) ? 0 : wallMsOf(clearFromMs, clock);
  }

  /** Ends the pauses that a missing permission caused. Failures stay counted, so the next pause is longer. */
  #endBlocked(): void {
    for (const urgency of URGENCIES) this.#pauses[urgency].endBlocked();
  }
}

/**
 * The channels, each made when it is first asked for. They are worked on in parallel, within the most concurrent steps,
 * and woken by a single timer.
 */
export class Channels {
  readonly #parts: ChannelsParts;
  readonly #byId = new Map<string, Channel>();
  /** The steps that wait for a place. */
  readonly #waiting: Record<Lane, (() => void)[]> = { post: [], direct: [], reply: [], publish: [], edit: [], pin: [] };
  /** The steps that have a place. */
  readonly #busy: Record<Lane, number> = { post: 0, direct: 0, reply: 0, publish: 0, edit: 0, pin: 0 };
  /** Rings when the first channel is to be woken: epoch milliseconds; Infinity where none is. */
  #timer = { atMs: Number.POSITIVE_INFINITY, cancel: (): void => undefined };

  constructor(parts: ChannelsParts) {
    this.#parts = parts;
    parts.signal.addEventListener('abort', () => this.#timer.cancel(), { once: true });
  }

  get(id: string): Channel {
    const channel = this.#byId.get(id) ?? new Channel(id, this, this.#parts);
    this.#byId.set(id, channel);
    return channel;
  }

  all(): Iterable<Channel> {
    return this.#byId.values();
  }

  /** Whether no step may begin: posting is paused, or the run ends. Whoever ends the pause kicks every channel. */
  get areHeld(): boolean {
    return this.#parts.signal.aborted || this.#parts.store.postingPause.sinceMs() !== null;
  }

  /** Resolves when no step is running and no retry is pending in any channel. */
  async settled(): Promise<void> {
    for (;;) {
      const working = [...this.all()].flatMap((channel) => channel.working ?? []);
      if (working.length === 0) return;
      await Promise.all(working);
    }
  }

  /** Does a step when a place is free, the most urgent first. */
  async inPlace(lane: Lane, step: () => Promise<void>): Promise<void> {
    await new Promise<void>((enter) => {
      this.#waiting[lane].push(enter);
      this.#admit();
    });
    try {
      await step();
    } finally {
      this.#busy[lane] -= 1;
      this.#admit();
    }
  }

  /** Sets when to wake the idle channel, and replaces its earlier time: epoch milliseconds, Infinity for never. */
  wake(channel: Channel, atMs: number): void {
    channel.wakeAtMs = atMs;
    this.#arm(atMs);
  }

  #admit(): void {
    for (const lane of LANES) {
      while (this.#hasPlace(lane)) {
        const enter = this.#waiting[lane].shift();
        if (!enter) break;
        this.#busy[lane] += 1;
        enter();
      }
    }
  }

  #hasPlace(lane: Lane): boolean {
    const taken = LANES.reduce((sum, each) => sum + this.#busy[each], 0);
    const { requestsPerSecond } = this.#parts;
    const mostOfLane = (MOST_OF_LANE[lane] ?? Number.POSITIVE_INFINITY) * requestsPerSecond;
    return taken < CONCURRENCY[lane] * requestsPerSecond && this.#busy[lane] + 1 <= Math.max(1, mostOfLane);
  }

  #arm(atMs: number): void {
    const { clock, signal } = this.#parts;
    if (atMs >= this.#timer.atMs || signal.aborted) return;
    this.#timer.cancel();
    const ms = Math.min(Math.max(0, atMs - clock.now()), LONGEST_TIMER_MS);
    this.#timer = { atMs, cancel: clock.after(ms, () => this.#ring()) };
  }

  #ring(): void {
    this.#timer = { atMs: Number.POSITIVE_INFINITY, cancel: () => undefined };
    const nowMs = this.#parts.clock.now();
    let next = Number.POSITIVE_INFINITY;
    for (const channel of this.all()) {
      if (channel.wakeAtMs > nowMs) next = Math.min(next, channel.wakeAtMs);
      else {
        channel.wakeAtMs = Number.POSITIVE_INFINITY;
        channel.kick();
      }
    }
    this.#arm(next);
  }
}
