import { type BackOff, backOffMs } from '../shared/backoff.ts';
import { type Clock, wallMsOf } from '../shared/clock.ts';
import { HOUR_MS, MINUTE_MS } from '../shared/time.ts';

/**
 * After this many bad answers, with another request to Discord having succeeded between each two of them, they are about
 * the thing that was asked for: Discord itself answers.
 */
export const BAD_ANSWERS = 3;
/** The waits for the further tries of a thing that steps aside. Within the first one, a try has arrived or never will. */
export const ASIDE: BackOff = { firstMs: 2 * MINUTE_MS, factor: 2, longestMs: HOUR_MS };
/** The plain card is tried first from then on, and again after so many tries. */
const PLAIN_EACH = 4;

/** The bad answers to the requests for one thing: a post, an edit, an entry of an Events list. */
interface BadAnswers {
  /** Counts an answer only if another request has succeeded since the one before it. */
  count: number;
  /** How many requests to Discord had succeeded when the last one came. */
  successes: number;
}

/** Counts another bad answer, unless nothing has succeeded since the last one: then Discord may be away. */
function afterBadAnswer(before: BadAnswers | undefined, successes: number): BadAnswers {
  const isCounted = before === undefined || successes > before.successes;
  return { count: (before?.count ?? 0) + (isCounted ? 1 : 0), successes };
}

/** Whether the next try is the plain card, where a thing has one. */
export function isPlainNext(count: number): boolean {
  return count >= BAD_ANSWERS && (count - BAD_ANSWERS) % PLAIN_EACH === 0;
}

/**
 * How many bad answers a thing had since it stepped aside, the one with which it did included; 0 where it has not.
 * @param hasPlain whether it has a plain card, which is tried first
 */
function answersAside(count: number, hasPlain: boolean): number {
  return Math.max(0, count - BAD_ANSWERS + (hasPlain ? 0 : 1));
}

interface Thing<About> extends BadAnswers {
  about: About;
  /** When it was answered so last: monotonic milliseconds. */
  atMs: number;
  /** When it is tried again: monotonic milliseconds; null while it has not stepped aside. */
  againAtMs: number | null;
}

/** A message that has stepped aside, as people see it. */
export interface AsideMessage {
  /** What Discord keeps answering badly. */
  what: 'post' | 'edit';
  deliveryId: string;
  guildId: string;
  /** The subscribed channel. */
  channelId: string;
  /** Foreign text. */
  title: string;
  /** The subscriptions that want it. */
  subscriptionIds: readonly string[];
}

interface Parts {
  /** How many requests to Discord have succeeded so far, for whatever they were. */
  successes: () => number;
  clock: Clock;
}

/**
 * The things that Discord answers badly, and those of them that have stepped aside, so that others go on. A restart forgets
 * them: each has to be answered badly as often again, which takes seconds, and may be answered well by then.
 */
export class ThingsAside<About> {
  readonly #parts: Parts;
  readonly #things = new Map<string, Thing<About>>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Notes a bad answer. `isAside`: it is about this thing, so that others can go on at once; `isFirst`: the thing has
   * stepped aside with it.
   * @param hasPlain as for `answersAside`
   */
  note(key: string, about: About, hasPlain: boolean): { isAside: boolean; isFirst: boolean } {
    const { successes, clock } = this.#parts;
    const before = this.#things.get(key);
    const answers = afterBadAnswer(before, successes());
    const aside = answersAside(answers.count, hasPlain);
    const atMs = clock.monotonicMs();
    this.#things.set(key, { ...answers, about, atMs, againAtMs: aside === 0 ? null : atMs + backOffMs(aside, ASIDE) });
    const isAside = aside > 0 && answers.count > (before?.count ?? 0);
    return { isAside, isFirst: isAside && aside === 1 };
  }

  /** The bad answers so far that count. */
  countOf(key: string): number {
    return this.#things.get(key)?.count ?? 0;
  }

  /** When a thing that has stepped aside is tried again: epoch milliseconds; null where it has not. */
  againAtMs(key: string): number | null {
    const againAtMs = this.#things.get(key)?.againAtMs ?? null;
    return againAtMs === null ? null : wallMsOf(againAtMs, this.#parts.clock);
  }

  /** The things that have stepped aside, and when each is tried again: epoch milliseconds. */
  all(): { key: string; about: About; againAtMs: number }[] {
    return [...this.#things].flatMap(([key, { about }]) => {
      const againAtMs = this.againAtMs(key);
      return againAtMs === null ? [] : [{ key, about, againAtMs }];
    });
  }

  /**
   * Forgets a thing, which was answered well or is wanted no more. Returns whether it had stepped aside. Where that was
   * answered well as it is, whatever ailed Discord is mended, and the others are tried at once.
   */
  end(key: string, isMended = false): boolean {
    const wasAside = this.againAtMs(key) !== null;
    this.#things.delete(key);
    if (wasAside && isMended) this.#things.clear();
    return wasAside;
  }

  /** Forgets what is tried no more: all of which the last answer is older than the longest wait, twice over. */
  sweep(): void {
    const oldestMs = this.#parts.clock.monotonicMs() - 2 * ASIDE.longestMs;
    for (const [key, { atMs }] of this.#things) if (atMs < oldestMs) this.#things.delete(key);
  }
}
