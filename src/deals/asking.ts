import { isDeepStrictEqual } from 'node:util';
import { type Belief, ITSELF, settle } from './belief.ts';
import {
  arrivedLater,
  type Before,
  type Changes,
  hasOtherTerms,
  note,
  recordOf,
  whatHappened,
  withPresence,
  withTrueClaims,
} from './change.ts';
import { astonishingFeeds, isMissingLong } from './feed-presence.ts';
import { isMissing, type KnownOffer } from './known-offer.ts';
import type { Offer, OfferDetail, OfferTerms } from './offer.ts';
import { OFFER_RULES } from './offer-belief.ts';
import { isFoundAs } from './offer-record.ts';
import { priceRangeOf } from './price.ts';
import { termsOf } from './terms.ts';

/** What an offer says of itself. */
export interface AskedOffer {
  detail: OfferDetail;
  /** The fields that could not be read; their values mean nothing. */
  unreadable: ReadonlySet<string>;
}

/**
 * The changes that answers about single offers bring (`settle`). An offer that no feed shows has ended once its own answers
 * have said for long that it is not live.
 * @param answers by id; null for an offer that no longer exists
 */
export function changesOfAsking(
  before: Before,
  answers: ReadonlyMap<string, AskedOffer | null>,
  nowMs: number,
): Changes {
  const found: Changes = { changes: [], records: [], isDoubtful: false };
  const moved = missingOnceAsked(before, answers, nowMs);
  for (const [id, asked] of answers) {
    const was = before.get(id);
    const { feeds, overAtMs } = moved.get(id) ?? was ?? {};
    if (!was || !feeds || overAtMs !== was.overAtMs) continue;
    const believed: Belief<Offer> = { value: was.offer, dissents: was.dissents ?? {}, seenOnce: was.seenOnce ?? [] };
    const belief = settle(believed, { ...saidBy(asked, was, nowMs), nowMs }, OFFER_RULES);
    const terms = toldTerms(asked);
    if (belief === believed && isFoundAs({ ...was, terms: terms ?? was.terms }, was)) {
      if (!terms || isDeepStrictEqual(terms, was.terms)) continue;
      const isRestated = hasOtherTerms(was, terms);
      note(found, was, { ...(moved.get(id) ?? was), terms, ...(isRestated && { restatedAtMs: nowMs }) });
      moved.delete(id);
      continue;
    }
    const known = recordOf(was, belief, { feeds, unreadable: null, gaps: {}, terms, polled: null }, before, nowMs);
    moved.delete(id);
    found.records.push(known);
    const arrived = arrivedLater(was, known);
    if (arrived) found.changes.push(arrived);
    found.changes.push(...whatHappened(was, known));
  }
  for (const [id, record] of moved) note(found, before.get(id) ?? record, record);
  return withTrueClaims(found, before, nowMs);
}

/**
 * The records of offers that are missing together with much of a feed, and of which it is known now whether they left it:
 * an offer that was asked says so itself, and most of those that were asked speak for the others.
 */
function missingOnceAsked(
  before: Before,
  answers: ReadonlyMap<string, AskedOffer | null>,
  nowMs: number,
): Map<string, KnownOffer> {
  const moved = new Map<string, KnownOffer>();
  for (const feed of astonishingFeeds(before.all(), nowMs)) {
    const missing = [...before.all()].filter((known) => isMissingLong(known, feed, nowMs));
    const asked = missing.filter(({ offer }) => answers.has(offer.id));
    const live = new Set(asked.filter(({ offer }) => isLive(answers.get(offer.id) ?? null)));
    const isLeft = live.size * 2 < asked.length;
    for (const known of isLeft ? missing : asked) {
      const record = moved.get(known.offer.id) ?? known;
      // An offer that says that it is live counts as missing from now on.
      const change = live.has(known) ? { missedAtMs: nowMs } : { goneSinceMs: nowMs };
      moved.set(known.offer.id, withPresence(record, change, before, { feed, nowMs }));
    }
  }
  return moved;
}

function isLive(asked: AskedOffer | null): asked is AskedOffer {
  return asked !== null && asked.detail.isOfferLiveNow !== false;
}

/** What an offer says of itself, and the feeds that may be contradicted by it. */
function saidBy(
  asked: AskedOffer | null,
  was: KnownOffer,
  nowMs: number,
): { says: Partial<Offer>; implied?: (keyof Offer)[]; witnesses: string[] } {
  const witnesses = Object.keys(was.feeds);
  if (isLive(asked)) return { says: fieldsOf(asked), witnesses };
  // No feed shows it either, so none can be contradicted: one that shows it again makes a newer statement.
  if (isMissing(was, nowMs)) return { says: { endDateMs: was.overAtMs }, implied: ['endDateMs'], witnesses: [] };
  return { says: endedBy(was, nowMs), witnesses };
}

/** What a live offer says of itself. */
function fieldsOf({ detail: { title, isSoldOut, items }, unreadable }: AskedOffer): Partial<Offer> {
  const salePrice = unreadable.has('items') ? null : priceRangeOf(items.map((item) => item.salePrice));
  return {
    ...(unreadable.has('title') ? {} : { title }),
    ...(unreadable.has('isSoldOut') ? {} : { isSoldOut }),
    ...(salePrice ? { salePrice } : {}),
  };
}

/** The terms in an offer's answer; undefined where it isn't live, or not all of them could be read. */
export function toldTerms(asked: AskedOffer | null): OfferTerms | undefined {
  if (!isLive(asked)) return undefined;
  const { detail, unreadable } = asked;
  const isWhole = !['items', 'shippingMethods', 'purchaseLimit'].some((field) => unreadable.has(field));
  return isWhole ? termsOf(detail) : undefined;
}

/** The end of an offer that is no longer live, where a feed says that it has ended. */
function endedBy({ dissents = {} }: KnownOffer, nowMs: number): Partial<Offer> {
  const { [ITSELF]: _, ...feeds } = dissents;
  const ends = Object.values(feeds).map(({ endDateMs }) => endDateMs?.says);
  const past = ends.find((endMs) => typeof endMs === 'number' && endMs <= nowMs);
  return typeof past === 'number' ? { endDateMs: past } : {};
}
