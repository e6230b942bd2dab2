import { createRandom } from '../random.ts';
import type { CatalogEvent, SitePrefix } from '../v2/schemas.ts';
import {
  CATEGORIES,
  type Category,
  COMPUTERS,
  ELECTRONICS,
  GOURMET,
  HOME,
  SHIRTS,
  SPORTS,
  TOOLS,
} from './categories.ts';
import { createListing, type Listing } from './listing.ts';
import type { Pace } from './pace.ts';

/** A planned event: its time and its offers. */
export interface PlannedEvent {
  key: string;
  id: string;
  type: CatalogEvent['Type'];
  sitePrefix: SitePrefix;
  startMs: number;
  endMs: number;
  listings: readonly Listing[];
}

interface Slot {
  type: CatalogEvent['Type'];
  sitePrefix: SitePrefix;
  /** The category of the event's offers; `null` for any. */
  category: Category | null;
  /** The length of one event, in spans. */
  length: number;
  offers: number;
}

/** The series of events that run at all times, one event after the other. */
function slotsOf(pace: Pace): Slot[] {
  const daily = (sitePrefix: SitePrefix, category: Category | null): Slot => ({
    type: 'Daily',
    sitePrefix,
    category,
    length: pace.daily,
    offers: 1,
  });
  const plus = (sitePrefix: SitePrefix, category: Category | null): Slot => ({
    type: 'DealPlus',
    sitePrefix,
    category,
    length: pace.dealPlus,
    offers: 6,
  });
  return [
    daily('www', null),
    daily('electronics', ELECTRONICS),
    daily('computers', COMPUTERS),
    daily('home', HOME),
    daily('sport', SPORTS),
    daily('tools', TOOLS),
    daily('shirt', SHIRTS),
    daily('wine', GOURMET),
    daily('kids', null),
    daily('accessories', ELECTRONICS),
    daily('sellout', null),
    plus('electronics', ELECTRONICS),
    plus('computers', COMPUTERS),
    plus('home', HOME),
    plus('sport', SPORTS),
    plus('tools', TOOLS),
    { type: 'Ghost', sitePrefix: 'www', category: null, length: pace.ghost, offers: 2 },
    { type: 'Moofi', sitePrefix: 'www', category: null, length: pace.moofi, offers: 1 },
    { type: 'Reckoning', sitePrefix: 'shirt', category: SHIRTS, length: pace.reckoning, offers: 12 },
  ];
}

/** The events that run at `nowMs`. While a deal-off runs, its site has no daily event. */
export function eventsAt(nowMs: number, seed: string, pace: Pace): PlannedEvent[] {
  const dealOff = dealOffAt(nowMs, seed, pace);
  const running = slotsOf(pace).map((slot, place) => slotAt(nowMs, seed, pace, slot, place));
  return [
    ...dealOff,
    ...running.filter((event) => dealOff.length === 0 || event.type !== 'Daily' || event.sitePrefix !== 'www'),
  ];
}

/** The time around `nowMs` in which the same events run. */
export function sameEventsAround(nowMs: number, pace: Pace): { fromMs: number; untilMs: number } {
  const span = pace.spanOf(nowMs);
  const around = { fromMs: pace.spanStartMs(span), untilMs: pace.spanStartMs(span + 1) };
  const { endMs } = dealOffTimes(nowMs, pace);
  if (endMs <= nowMs) return { ...around, fromMs: Math.max(around.fromMs, endMs) };
  return { ...around, untilMs: Math.min(around.untilMs, endMs) };
}

/** The deal-off that runs now, or else the last one. */
function dealOffTimes(nowMs: number, pace: Pace): { first: number; startMs: number; endMs: number } {
  const first = Math.floor(pace.spanOf(nowMs) / pace.dealOffEvery) * pace.dealOffEvery;
  const startMs = pace.spanStartMs(first);
  return { first, startMs, endMs: startMs + pace.dealOffMs };
}

function slotAt(nowMs: number, seed: string, pace: Pace, slot: Slot, place: number): PlannedEvent {
  // The offset keeps the series from all changing at the same time.
  const offset = place % slot.length;
  const first = Math.floor((pace.spanOf(nowMs) - offset) / slot.length) * slot.length + offset;
  const key = `${seed}/event/${slot.type}/${slot.sitePrefix}/${first}`;
  const id = createRandom(key, 'id').uuid();
  const startMs = pace.spanStartMs(first);
  const endMs = pace.spanStartMs(first + slot.length);
  const listings = Array.from({ length: slot.offers }, (_, index) =>
    eventListing(`${key}/${index}`, id, slot.category, startMs + index * pace.eventOfferEveryMs, endMs, pace, false),
  );
  return { key, id, type: slot.type, sitePrefix: slot.sitePrefix, startMs, endMs, listings };
}

/** The deal-off offers its listings one after the other: each sells out when the next one comes, and is shown for a while then. */
function dealOffAt(nowMs: number, seed: string, pace: Pace): PlannedEvent[] {
  const { first, startMs, endMs } = dealOffTimes(nowMs, pace);
  if (nowMs >= endMs) return [];
  const key = `${seed}/event/DealOff/${first}`;
  const id = createRandom(key, 'id').uuid();
  const { dealOffOfferMs } = pace;
  const listings = Array.from({ length: Math.floor(pace.dealOffMs / dealOffOfferMs) }, (_, index) => {
    const fromMs = startMs + index * dealOffOfferMs;
    const soldOutMs = fromMs + dealOffOfferMs;
    const goneMs = Math.min(soldOutMs + Math.floor(dealOffOfferMs / 2), endMs);
    return { ...eventListing(`${key}/${index}`, id, null, fromMs, endMs, pace, true), dropsMs: [], soldOutMs, goneMs };
  });
  return [{ key, id, type: 'DealOff', sitePrefix: 'www', startMs, endMs, listings }];
}

function eventListing(
  key: string,
  eventId: string,
  category: Category | null,
  startMs: number,
  endMs: number,
  pace: Pace,
  isDealOff: boolean,
): Listing {
  return createListing({
    key,
    product: key,
    edition: 1,
    category: category ?? createRandom(key, 'category').pick(CATEGORIES),
    startMs,
    endMs,
    isDealOff,
    eventId,
    featuredShare: 0,
    pace,
  });
}
