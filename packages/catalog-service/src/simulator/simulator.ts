import { type CatalogContent, type CatalogMoment, FEED_NAMES, type FeedName } from '../content.ts';
import type { FeedItem, PortalOffer } from '../portal/schemas.ts';
import type { CatalogEvent } from '../v2/schemas.ts';
import { arrivalsIn } from './arrivals.ts';
import { dealcastsAt, monkeychatsAt, pollsAt } from './community.ts';
import { eventOf } from './event-view.ts';
import { dropsSoFar, feedsOf, isLive, isSoldOut, type Listing, narrow } from './listing.ts';
import { PACES, type Pace, type PaceName } from './pace.ts';
import { pictureOf } from './pictures.ts';
import { SITE_DOMAIN } from './places.ts';
import { feedItemOf, portalOfferOf } from './portal-view.ts';
import { eventsAt, type PlannedEvent, sameEventsAround } from './programme.ts';
import { v2OfferOf } from './v2-view.ts';

export interface SimulatorOptions {
  /** Any text. The same seed gives the same bytes at the same moment. */
  seed: string;
  /** About this many offers are live at a time. */
  offers: number;
  pace: PaceName;
}

/** The live offers between two changes of any of them. */
interface Scene {
  fromMs: number;
  untilMs: number;
  origin: string;
  moment: CatalogMoment;
}

const MARKETING_NAMES: Readonly<Partial<Record<FeedName, string>>> = {
  All: 'All Deals',
  Home: 'Home & Kitchen',
  Sports: 'Sports & Outdoors',
  Tools: 'Tools & Garden',
  DealOff: 'Deal-Off',
};

/**
 * A store that runs by itself. The seed, the size, the pace and the moment alone determine its content; memory is only
 * a cache.
 */
export function createSimulator({ seed, offers, pace: paceName }: SimulatorOptions): CatalogContent {
  const pace = PACES[paceName];
  const spans = new Map<number, Listing[]>();
  const items = new WeakMap<Listing, Map<string, FeedItem>>();
  let scene: Scene | undefined;

  function arrivalsOf(span: number): Listing[] {
    const known = spans.get(span);
    if (known) return known;
    const arrivals = arrivalsIn(span, { seed, offers, pace });
    spans.set(span, arrivals);
    return arrivals;
  }

  /** All listings that may be live, newest first. */
  function candidatesAt(nowMs: number, events: readonly PlannedEvent[]): Listing[] {
    const last = pace.spanOf(nowMs);
    const first = last - pace.maxLife - 1;
    for (const span of spans.keys()) if (span < first || span > last) spans.delete(span);
    const arrivals = Array.from({ length: last - first + 1 }, (_, back) => arrivalsOf(last - back));
    return [...events.flatMap((event) => event.listings), ...arrivals.flat()];
  }

  function feedItem(listing: Listing, nowMs: number, origin: string): FeedItem {
    const state = `${origin} ${dropsSoFar(listing, nowMs)} ${isSoldOut(listing, nowMs)}`;
    const states = items.get(listing) ?? new Map<string, FeedItem>();
    items.set(listing, states);
    const item = states.get(state) ?? feedItemOf(listing, nowMs, origin);
    states.set(state, item);
    return item;
  }

  function sceneAt(nowMs: number, origin: string): Scene {
    const events = eventsAt(nowMs, seed, pace);
    const candidates = candidatesAt(nowMs, events);
    const span = sameEventsAround(nowMs, pace);
    for (const listing of candidates) narrow(span, listing, nowMs);
    const live = candidates.filter((listing) => isLive(listing, nowMs));
    const { fromMs } = span;
    const moment = momentOf({
      live,
      planned: events,
      nowMs: fromMs,
      origin,
      seed,
      pace,
      feedItem: (listing) => feedItem(listing, fromMs, origin),
    });
    return { ...span, origin, moment };
  }

  return {
    siteDomain: SITE_DOMAIN,
    at(nowMs, origin) {
      const isCurrent = scene && scene.origin === origin && scene.fromMs <= nowMs && nowMs < scene.untilMs;
      if (!scene || !isCurrent) scene = sceneAt(nowMs, origin);
      return scene.moment;
    },
    picture: pictureOf,
  };
}

interface MomentParts {
  live: readonly Listing[];
  planned: readonly PlannedEvent[];
  nowMs: number;
  origin: string;
  seed: string;
  pace: Pace;
  feedItem: (listing: Listing) => FeedItem;
}

/** The content that those offers and events give at a moment; each view is made on its first request. */
function momentOf({ live, planned, nowMs, origin, seed, pace, feedItem }: MomentParts): CatalogMoment {
  const byFeed = new Map<FeedName, Listing[]>(FEED_NAMES.map((name) => [name, []]));
  for (const featured of [true, false]) {
    for (const listing of live) {
      if (listing.isFeatured === featured) for (const feed of feedsOf(listing)) byFeed.get(feed)?.push(listing);
    }
  }
  const listings = once(() => new Map(live.map((listing) => [listing.id, listing])));
  const owners = once(() => new Map(live.map((listing) => [listing.eventId, listing])));
  const events = once(() => planned.map((event) => eventOf(event, nowMs, origin)));
  const dealcasts = once(() => dealcastsAt(nowMs, seed, pace, origin));
  const polls = once(() => pollsAt(nowMs, seed, pace));
  const monkeychats = once(() => monkeychatsAt(nowMs, seed, pace));
  const feeds = memo((name: FeedName) => ({
    marketingName: MARKETING_NAMES[name] ?? name,
    items: (byFeed.get(name) ?? []).map(feedItem),
  }));
  const details = memo((listing: Listing): PortalOffer => portalOfferOf(listing, nowMs, origin));

  return {
    feed: feeds,
    offer(id) {
      const listing = listings().get(id);
      return listing && details(listing);
    },
    events,
    event(id): CatalogEvent | undefined {
      const shown = events().find((event) => event.Id === id);
      const listing = owners().get(id);
      return shown ?? (listing && eventOf(ownEvent(listing), nowMs, origin));
    },
    eventOffer(id) {
      const listing = listings().get(id);
      return listing && v2OfferOf(listing, nowMs, origin);
    },
    dealcasts,
    polls,
    monkeychats,
  };
}

/** Content that runs `speed` times as fast as real time from `startMs` on. */
export function atSpeed(content: CatalogContent, speed: number, startMs: number): CatalogContent {
  return { ...content, at: (nowMs, origin) => content.at(startMs + (nowMs - startMs) * speed, origin) };
}

/** Makes a small event for an offer that no shown event carries. It is found by its id only. */
function ownEvent(listing: Listing): PlannedEvent {
  const { key, eventId: id, category, startMs, endMs } = listing;
  return { key, id, type: 'DealPlus', sitePrefix: category.sitePrefix, startMs, endMs, listings: [listing] };
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

function memo<K, T>(make: (key: K) => T): (key: K) => T {
  const made = new Map<K, T>();
  return (key) => {
    const known = made.get(key);
    if (known !== undefined) return known;
    const value = make(key);
    made.set(key, value);
    return value;
  };
}
