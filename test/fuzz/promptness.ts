import { AGAIN_AFTER_MS } from '../../src/announcements/poll/doubts.ts';
import type { Answer, Entity, Told } from '../model/catalog.ts';
import { APART_MS, PRICE_RULES } from '../model/evidence.ts';

type Fields = Pick<Entity, 'isSoldOut' | 'price' | 'product'>;

/** What the one feed that has ever shown an offer says of it. */
interface Said {
  feed: string;
  /** Whether another feed has shown it, too. */
  isShared: boolean;
  last: Fields | null;
  /**
   * Whether that is news of which the offer itself is to be asked, when, how often it was, and from when on two answers are
   * enough: by the bot's clock.
   */
  asked: { dueMs: number; times: number; believedFromMs: number } | null;
}

/**
 * Judges that news is believed as soon as the offer itself, asked at the promised moments, says the same. Only where nothing else
 * is heard of it.
 */
export class Promptness {
  readonly #said = new Map<string, Said>();

  /** What offers are asked from here on tells nothing. */
  forget(): void {
    for (const said of this.#said.values()) said.asked = null;
  }

  answer({ resource: feed, entities }: Answer<Entity>, nowMs: number): void {
    const shown = new Map(entities.map((entity) => [entity.id, entity]));
    for (const [id, said] of this.#said)
      if (said.feed === feed && !shown.has(id)) Object.assign(said, { last: null, asked: null });
    for (const [id, { unreadable, isSoldOut, price, product }] of shown) {
      const said = this.#said.get(id) ?? { feed, isShared: false, last: null, asked: null };
      this.#said.set(id, said);
      said.isShared ||= said.feed !== feed;
      const last = unreadable ? null : { isSoldOut, price, product };
      const isNews = last !== null && said.last !== null && !isSame(last, said.last);
      if (isNews) said.asked = { dueMs: nowMs, times: 0, believedFromMs: nowMs + timeFor(said.last, last) };
      if (last === null || said.isShared) said.asked = null;
      said.last = last;
    }
  }

  /**
   * The offers that are not believed to be as they say themselves when they have been asked by now.
   * @param itself what an offer says of itself now; null where it can't be bought
   */
  late(
    itself: (id: string) => Told | null,
    isBelieved: (id: string, fields: Fields) => boolean,
    nowMs: number,
  ): string[] {
    const late: string[] = [];
    for (const [id, said] of this.#said) {
      const { last, asked } = said;
      if (!last || !asked || nowMs < asked.dueMs) continue;
      asked.dueMs = nowMs + (AGAIN_AFTER_MS[asked.times] ?? Infinity);
      asked.times += 1;
      const told = itself(id);
      const isTold = told !== null && isSame(told, last);
      const isKnown = isBelieved(id, last);
      const isEnough = isTold && nowMs >= asked.believedFromMs;
      if (isEnough && !isKnown) late.push(id);
      if (isEnough || isKnown) said.asked = null;
    }
    return late;
  }
}

/** How long two answers have to be apart to count as two for such a change. */
function timeFor(was: Fields | null, is: Fields): number {
  const needsTime = was !== null && PRICE_RULES.needsTime?.([was.price, was.price], [is.price, is.price], 0);
  return needsTime ? APART_MS : 0;
}

function isSame(one: Fields, other: Fields): boolean {
  return one.isSoldOut === other.isSoldOut && Object.is(one.price, other.price) && one.product === other.product;
}
