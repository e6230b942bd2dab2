import type { Artist, DealEvent, EventOffer, KeyValuePair, OfferStats, QualityPost } from '../../deals/event.ts';
import type { Catalog, Unreadable } from '../catalog.ts';
import {
  readAmount,
  readDateTime,
  readFinite,
  readFlagOrNull,
  readHtml,
  readLink,
  readPercentage,
  readText,
  readTimeSpan,
  readTitle,
  readUuid,
  type Unread,
} from '../fields.ts';
import { LIMITS, type Report } from '../limits.ts';
import { namedByLink, readItem, readPhoto, readShippingMethod } from '../parts.ts';
import type { ResponseCache } from '../response-cache.ts';
import {
  type Fields,
  isObject,
  listOf,
  namesIn,
  orElse,
  partOf,
  type Reader,
  readerOf,
  required,
  withoutReport,
} from '../table.ts';
import type { Transport } from '../transport.ts';
import { BY_ID, checkedId, Losses, type Parsed, parseList, requestOne, uniqueById } from '../wire.ts';

/** The events' endpoints, and that of an offer in the form that events contain. */
export function createEvents(v2: Transport, cache: ResponseCache): Catalog['events'] {
  return {
    /** GET {base_url}/2/events.json */
    list: (options) =>
      cache.get('events', '', options, async (demand) =>
        parseEvents(await v2.request({ path: '/2/events.json' }, demand)),
      ),
    /** GET {base_url}/2/events/{id}.json */
    async get(givenId, options) {
      const id = checkedId(givenId);
      return cache.get('event', id, options, (demand) =>
        requestOne(v2, `/2/events/${id}.json`, demand, 'event', readEvent),
      );
    },
    /** GET {base_url}/2/offers/{id}.json, which is not specified; a live deployment has it. */
    async offer(givenId, options) {
      const id = checkedId(givenId);
      return cache.get('eventOffer', id, options, (demand) =>
        requestOne(v2, `/2/offers/${id}.json`, demand, 'offer', readEventOffer),
      );
    },
  };
}

/** Specification: "v2: Event (common fields)" and its subtypes. Unspecified types are accepted. */
const EVENT: Fields<Omit<DealEvent, 'offers'> & { offers: unknown }> = {
  id: required(readUuid),
  type: required(readTitle),
  title: required(readTitle),
  site: readText,
  startDateMs: readDateTime,
  endDateMs: readDateTime,
  // Read apart, which tells what could not be read of each.
  offers: (value) => value ?? null,
  subtitle: readText,
  writeUp: readHtml,
  discussionUrl: readLink,
  manufacturerText: readHtml,
  photos: listOf(readPhoto),
  text: readHtml,
  url: readLink,
};

const EVENTS = { ...BY_ID, fields: namesIn(EVENT, 'Stats') };

const readFields = readerOf(EVENT);

/** Reads an event. Calls `onLost` with what could not be read of its offers, where there is any. */
function readEvent(
  json: unknown,
  report: Report,
  unread: Unread,
  onLost?: (id: string, lost: Unreadable) => void,
): DealEvent | null {
  const event = readFields(json, report, unread);
  if (event === null) return null;
  const losses = new Losses<EventOffer>();
  const readOffer: Reader<EventOffer> = (item, tell) => {
    let isWhole = true;
    const fields: string[] = [];
    const offer = readEventOffer(
      item,
      (problem) => {
        isWhole = false;
        tell(problem);
      },
      (field) => fields.push(field),
    );
    if (!isWhole) losses.add(item);
    if (offer) losses.addFields(offer, fields);
    return offer;
  };
  const offers = uniqueById(listOf(readOffer)(event.offers, 'offers', unread, report));
  const lost = losses.unreadable(offers, BY_ID.subjectOf);
  if (lost) onLost?.(event.id, lost);
  return withinLength({ ...event, offers }, report);
}

/** Limits an event's length: keeps as many offers as fit, and the texts of the first of them. */
function withinLength(event: DealEvent, report: Report): DealEvent {
  const length = JSON.stringify(event).length;
  if (length <= LIMITS.eventLength) return event;
  report({ at: '', reason: `${length} characters, ${LIMITS.eventLength} at most`, isCut: true });
  const frame = { ...event, photos: event.photos.slice(0, 10), offers: [] };
  const kept: EventOffer[] = [];
  let left = LIMITS.eventLength - JSON.stringify(frame).length;
  // Texts are dropped before offers: that an offer exists, and its price, matter more than a text.
  const bare = event.offers.map(withoutTexts);
  for (const offer of bare) {
    left -= JSON.stringify(offer).length + 1;
    if (left < 0) break;
    kept.push(offer);
  }
  for (const [place, offer] of event.offers.entries()) {
    left -= JSON.stringify(offer).length - JSON.stringify(bare[place]).length;
    if (left < 0 || place >= kept.length) break;
    kept[place] = offer;
  }
  return { ...frame, offers: kept };
}

function withoutTexts(offer: EventOffer): EventOffer {
  const texts = { teaser: null, writeUp: null, features: null, specs: null, snippet: null, wineryDetails: null };
  return { ...offer, ...texts, artist: null, qualityPosts: [], stats: null, photos: offer.photos.slice(0, 1) };
}

function parseEvents(json: unknown): Parsed<DealEvent[]> {
  const offers = new Map<string, Unreadable>();
  const read: Reader<DealEvent> = (item, report, unread) =>
    readEvent(item, report, unread, (id, lost) => offers.set(id, lost));
  const parsed = parseList(json, 'events', read, EVENTS);
  return offers.size > 0 ? { ...parsed, unreadable: { ids: [], nameless: 0, ...parsed.unreadable, offers } } : parsed;
}

/** Its two parts form one sentence (specification: "v2: EstimatedShipDate"). */
const readHalves = readerOf({ messagePrefix: readText, messageBody: readText });

const readShipDate: Reader<string> = (json, report, unread) => {
  const halves = readHalves(json, report, unread);
  const texts = [halves?.messagePrefix, halves?.messageBody].filter((half) => typeof half === 'string');
  return texts.length === 0 ? null : texts.join(' ');
};

/** The specification shows no fields; a live deployment sends these. "Blank if none." */
const readArtist = withoutReport(
  readerOf<Artist>({ name: required(readTitle), avatar: readLink, biography: readText }),
);

/** Specification: "v2: QualityPost". */
const readQualityPost = withoutReport(
  readerOf<QualityPost>({
    username: readText,
    text: readText,
    formattedBody: readHtml,
    postedOnMs: readDateTime,
  }),
);

/** Specification: "v2: OfferStats". null where there are none, as in every example of the specification. */
const readStats = readerOf<OfferStats>({
  firstSucker: readText,
  lastPurchaseMs: readDateTime,
  lastBuyerToDeal: readText,
  overallOrderPace: readFinite,
  overallDealsSold: readFinite,
  siteOrderPace: readFinite,
  siteDealsSold: readFinite,
  percentageOfSalesPerDay: readPairs,
  percentageOfSalesPerHour: readPairs,
  purchaserExperience: readPairs,
  purchaserSeniority: readPairs,
  quantityBreakdown: readPairs,
  speedToFirstDealMs: readTimeSpan,
  dealsByState: readPairs,
});

/**
 * Reads a list of `{Key, Value}`, whose keys may repeat (the hours do), or an object. Specification: "KeyValuePair
 * element fields: not shown"; a live deployment sends these.
 */
function readPairs(json: unknown): KeyValuePair[] {
  if (typeof json !== 'object' || json === null) return [];
  const entries: [unknown, unknown][] = Array.isArray(json)
    ? json.map((pair: unknown) => (isObject(pair) ? [pair['Key'], pair['Value']] : [null, null]))
    : Object.entries(json);
  return entries.flatMap(([key, value]) =>
    (typeof key === 'string' || typeof key === 'number') && typeof value === 'number' && Number.isFinite(value)
      ? [{ key: String(key), value }]
      : [],
  );
}

/** Specification: "v2: Offer (a collection of similar items)". */
const readEventOffer = namedByLink(
  readerOf<EventOffer>({
    id: required(readUuid),
    title: required(readTitle),
    subtitle: readText,
    teaser: readHtml,
    writeUp: readHtml,
    features: readHtml,
    specs: readHtml,
    url: readLink,
    discussionUrl: readLink,
    items: listOf(readItem),
    photos: listOf(readPhoto),
    shippingMethods: listOf(readShippingMethod),
    estimatedShipDate: partOf(readShipDate),
    percentageRemaining: readPercentage,
    soldOut: orElse(readFlagOrNull, false),
    stats: partOf(readStats),
    artist: partOf(readArtist),
    wineryDetails: readHtml,
    qualityPosts: listOf(readQualityPost),
    snippet: readHtml,
    rank: readAmount,
    originalStartDateMs: readDateTime,
  }),
);
