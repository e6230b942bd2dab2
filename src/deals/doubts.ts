import { HOUR_MS } from '../shared/time.ts';
import type { FieldRule } from './belief.ts';
import { isInFeed, type KnownOffer } from './known-offer.ts';
import type { Offer } from './offer.ts';
import { OFFER_RULES } from './offer-belief.ts';

/** A feed's new statement about a field that one answer is not enough to believe. */
export interface FieldDoubt {
  /** As `feedKey` makes it. */
  feed: string;
  field: keyof Offer;
  says: unknown;
}

/** How doubts have changed. */
export interface DoubtChanges<D = FieldDoubt> {
  began: readonly D[];
  confirmed: readonly D[];
  /** The doubts whose feed took the statement back or dropped its subject, or for which something else is believed since. */
  refuted: readonly D[];
}

/** Maps each doubt of the changes to another form. */
export function doubtsAs<D, E>({ began, confirmed, refuted }: DoubtChanges<D>, as: (doubt: D) => E): DoubtChanges<E> {
  return { began: began.map(as), confirmed: confirmed.map(as), refuted: refuted.map(as) };
}

/** Feeds that go on saying something else than what is believed. */
export interface Contradictions {
  /** The number of offers with a contradiction. */
  offers: number;
  /** The contradicted fields, those of the most offers first. */
  fields: readonly { feed: string; field: keyof Offer; offers: number }[];
}

/** An answer that was on its way or in a cache for a while is no contradiction. */
const LASTING_MS = HOUR_MS;

/** The statements about an offer that one answer alone has made and that are not believed yet, of the feeds that show it. */
export function doubtsOf(known: KnownOffer): FieldDoubt[] {
  const { dissents, feeds } = known;
  if (!dissents) return [];
  return Object.entries(dissents)
    .filter(([feed]) => isInFeed(known, feed) || feeds[feed]?.backSinceMs !== undefined)
    .flatMap(([feed, own]) =>
      Object.entries(own)
        .filter(([, { isOlder }]) => !isOlder)
        .map(([field, { says }]) => ({ feed, field: field as keyof Offer, says })),
    );
}

/**
 * The doubts that began between two records of an offer, and how the earlier ones ended.
 * @param was undefined where the offer was not known
 */
export function doubtsBetween(was: KnownOffer | undefined, known: KnownOffer): DoubtChanges {
  const before = was ? doubtsOf(was) : [];
  const after = doubtsOf(known);
  const ended = before.filter((doubt) => !after.some((other) => isSame(doubt, other)));
  const isBelieved = ({ field, says }: FieldDoubt) => isSameValue(field, says, known.offer[field]);
  return {
    began: after.filter((doubt) => !before.some((other) => isSame(doubt, other))),
    confirmed: ended.filter(isBelieved),
    refuted: ended.filter((doubt) => !isBelieved(doubt)),
  };
}

function isSame(one: FieldDoubt, other: FieldDoubt): boolean {
  return one.feed === other.feed && one.field === other.field && isSameValue(one.field, one.says, other.says);
}

function isSameValue(field: keyof Offer, one: unknown, other: unknown): boolean {
  const rule = OFFER_RULES[field] as FieldRule<unknown> | undefined;
  return rule?.isSame(one, other) ?? false;
}

/**
 * Counts what feeds have said for more than an hour, and still say, although something else is believed.
 * @param polledAtMs when a feed, by its name in lower case, was last polled; null where its answers don't count
 */
export function contradictionsIn(
  all: Iterable<KnownOffer>,
  polledAtMs: (feed: string) => number | null,
): Contradictions {
  const byField = new Map<string, { feed: string; field: keyof Offer; offers: number }>();
  let offers = 0;
  for (const known of all) {
    const found = contradictionsOf(known, polledAtMs);
    if (found.length > 0) offers += 1;
    for (const { feed, field } of found) {
      const key = `${field} ${feed}`;
      byField.set(key, { feed, field, offers: (byField.get(key)?.offers ?? 0) + 1 });
    }
  }
  return { offers, fields: [...byField.values()].toSorted((a, b) => b.offers - a.offers) };
}

function contradictionsOf(
  { dissents = {}, feeds }: KnownOffer,
  polledAtMs: (feed: string) => number | null,
): Pick<FieldDoubt, 'feed' | 'field'>[] {
  return Object.entries(dissents).flatMap(([feed, own]) => {
    const lastMs = feeds[feed]?.unseenSinceMs === null ? polledAtMs(feed) : null;
    if (lastMs === null) return [];
    const lasting = Object.entries(own).filter(([, { sinceMs, isOlder }]) => isOlder && lastMs - sinceMs > LASTING_MS);
    return lasting.map(([field]) => ({ feed, field: field as keyof Offer }));
  });
}
