import type { FeedName } from '../content.ts';
import { createRandom } from '../random.ts';
import type { Category } from './categories.ts';
import type { Pace } from './pace.ts';

/**
 * A product while it is on offer, under one offer id. Its content and the times of its changes are fixed from the
 * start.
 */
export interface Listing {
  /** The seed of everything random about the listing. */
  key: string;
  id: string;
  eventId: string;
  /** The seed of everything random about the product: a relist has the product of an earlier listing. */
  product: string;
  /** 1, and one more with every relist of the product. */
  edition: number;
  category: Category;
  isClearance: boolean;
  isDealOff: boolean;
  isFeatured: boolean;
  startMs: number;
  endMs: number;
  /** Times of its price drops, in order, at most two. */
  dropsMs: readonly number[];
  soldOutMs: number | null;
  /** The time at which it leaves the feeds, at the latest when it ends. */
  goneMs: number;
  /** Percentage of the stock that is left at the end. */
  leftAtEnd: number;
}

export interface ListingPlan
  extends Pick<Listing, 'key' | 'product' | 'edition' | 'category' | 'startMs' | 'endMs' | 'isDealOff'> {
  /** The event that shows the listing; without one the listing is in an event of its own. */
  eventId?: string;
  /** Probability that the listing is featured, 0 to 1. */
  featuredShare: number;
  pace: Pick<Pace, 'lingerMs' | 'dropGridMs' | 'dropShare'>;
}

const CLEARANCE_SHARE = 0.37;

export function createListing(plan: ListingPlan): Listing {
  const random = createRandom(plan.key);
  const { startMs, endMs } = plan;
  const { lingerMs, dropGridMs, dropShare } = plan.pace;
  const at = (from: number, to: number) =>
    startMs + Math.floor((from + random.next() * (to - from)) * (endMs - startMs));

  const soldOutMs = random.chance(0.3) ? at(0.25, 0.95) : null;
  const dropAt = (from: number, to: number) => Math.ceil(at(from, to) / dropGridMs) * dropGridMs;
  const drops = random.chance(dropShare) ? [dropAt(0.15, 0.45), ...(random.chance(0.4) ? [dropAt(0.5, 0.8)] : [])] : [];
  // Half of the listings that sell out stay visible for a while, the other half vanishes at once.
  const goneMs = soldOutMs === null ? endMs : soldOutMs + (random.chance(0.5) ? random.int(0, lingerMs) : 0);
  return {
    key: plan.key,
    id: random.uuid(),
    eventId: plan.eventId ?? random.uuid(),
    product: plan.product,
    edition: plan.edition,
    category: plan.category,
    isClearance: random.chance(CLEARANCE_SHARE),
    isDealOff: plan.isDealOff,
    isFeatured: random.chance(plan.featuredShare),
    startMs,
    endMs,
    dropsMs: drops.filter((dropMs) => soldOutMs === null || dropMs < soldOutMs),
    soldOutMs,
    goneMs: Math.min(goneMs, endMs),
    leftAtEnd: random.int(5, 85),
  };
}

export function isLive(listing: Listing, nowMs: number): boolean {
  return listing.startMs <= nowMs && nowMs < listing.goneMs;
}

export function isSoldOut({ soldOutMs }: Listing, nowMs: number): boolean {
  return soldOutMs !== null && soldOutMs <= nowMs;
}

/** Number of price drops so far. */
export function dropsSoFar({ dropsMs }: Listing, nowMs: number): number {
  return dropsMs.filter((dropMs) => dropMs <= nowMs).length;
}

/** Percentage of the stock that is left, 0 to 100; 0 only when it is sold out. */
export function percentageRemaining(listing: Listing, nowMs: number): number {
  if (isSoldOut(listing, nowMs)) return 0;
  const { startMs, endMs, soldOutMs, leftAtEnd } = listing;
  const [untilMs, left] = soldOutMs === null ? [endMs, leftAtEnd] : [soldOutMs, 0];
  const sold = Math.min(1, Math.max(0, (nowMs - startMs) / (untilMs - startMs)));
  return Math.max(1, Math.round(100 - sold * (100 - left)));
}

/** Narrows `span` to the time around `nowMs` in which the feeds show the listing as it is now. */
export function narrow(span: { fromMs: number; untilMs: number }, listing: Listing, nowMs: number): void {
  const { startMs, dropsMs, soldOutMs, goneMs } = listing;
  narrowTo(span, startMs, nowMs);
  narrowTo(span, goneMs, nowMs);
  if (soldOutMs !== null) narrowTo(span, soldOutMs, nowMs);
  for (const dropMs of dropsMs) narrowTo(span, dropMs, nowMs);
}

function narrowTo(span: { fromMs: number; untilMs: number }, changeMs: number, nowMs: number): void {
  if (changeMs <= nowMs) span.fromMs = Math.max(span.fromMs, changeMs);
  else span.untilMs = Math.min(span.untilMs, changeMs);
}

/** The feeds that show the listing. */
export function feedsOf(listing: Listing): FeedName[] {
  return [
    'All',
    listing.category.feed,
    ...(listing.isClearance ? (['Clearance'] as const) : []),
    ...(listing.isFeatured ? (['Featured'] as const) : []),
    ...(listing.isDealOff ? (['DealOff'] as const) : []),
  ];
}
