import { z } from 'zod';
import type { Artist, DealEvent, EventOffer, KeyValuePair, OfferStats } from '../../deals/event.ts';
import type { Catalog, Unreadable } from '../catalog.ts';
import type { Demand } from '../demand.ts';
import { LIMITS, type Report } from '../limits.ts';
import { readItem, readPhoto, readShippingMethod } from '../parts.ts';
import type { ResponseCache } from '../response-cache.ts';
import type { Transport } from '../transport.ts';
import {
  check,
  checkedId,
  Losses,
  nullWhereGone,
  optionalFields,
  type Parsed,
  parseList,
  parseOne,
  type Reader,
  readAmount,
  readDateTime,
  readFinite,
  readFlag,
  readLink,
  readList,
  readPercentage,
  readText,
  readTimeSpan,
  title,
  uniqueById,
  uuid,
} from '../wire.ts';

/** The events' endpoints, and that of an offer in the form that events contain. */
export function createEvents(v2: Transport, cache: ResponseCache): Catalog['events'] {
  async function requestOne<T>(path: string, demand: Demand, what: string, read: Reader<T>) {
    try {
      return parseOne(await v2.request({ path }, demand), what, read);
    } catch (error) {
      return nullWhereGone(error);
    }
  }

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
        requestOne(`/2/events/${id}.json`, demand, 'event', readEvent),
      );
    },
    /** GET {base_url}/2/offers/{id}.json, which is not specified; a live deployment has it. */
    async offer(givenId, options) {
      const id = checkedId(givenId);
      return cache.get('eventOffer', id, options, (demand) =>
        requestOne(`/2/offers/${id}.json`, demand, 'offer', readEventOffer),
      );
    },
  };
}

/** Specification: "v2: Event (common fields)" and its subtypes. Unspecified types are accepted. */
const wireEvent = z.looseObject({
  Id: uuid,
  Type: title,
  Title: title,
});

/** Reads an event. Calls `onLost` with its unreadable or partly unreadable offers, where there are any. */
function readEvent(json: unknown, report: Report, onLost?: (id: string, lost: Unreadable) => void): DealEvent | null {
  const wire = check(wireEvent, json, report);
  if (wire === null) return null;
  const losses = new Losses();
  const readOffer: Reader<EventOffer> = (item, tell) => {
    let isWhole = true;
    const offer = readEventOffer(item, (problem) => {
      isWhole = false;
      tell(problem);
    });
    if (!isWhole) losses.add(item);
    return offer;
  };
  const offers = uniqueById(readList(wire['Offers'], 'Offers', readOffer, report));
  if (losses.unreadable) onLost?.(wire.Id, losses.unreadable);
  return withinLength(
    {
      id: wire.Id,
      type: wire.Type,
      title: wire.Title,
      site: readText(wire['Site']),
      startDateMs: readDateTime(wire['StartDate']),
      endDateMs: readDateTime(wire['EndDate']),
      offers,
      subtitle: readText(wire['Subtitle']),
      writeUp: readText(wire['WriteUp']),
      discussionUrl: readLink(wire['DiscussionUrl']),
      manufacturerText: readText(wire['ManufacturerText']),
      photos: readList(wire['Photos'], 'Photos', readPhoto, report),
      text: readText(wire['Text']),
      url: readLink(wire['Url']),
    },
    report,
  );
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
  const texts = { teaser: null, writeUp: null, features: null, specs: null, snippet: null };
  return { ...offer, ...texts, artist: null, stats: null, photos: offer.photos.slice(0, 1) };
}

export function parseEvents(json: unknown): Parsed<DealEvent[]> {
  const offers = new Map<string, Unreadable>();
  const { value, problems, unreadable } = parseList(json, 'events', (item, report) =>
    readEvent(item, report, (id, lost) => offers.set(id, lost)),
  );
  const lost = offers.size > 0 ? { ids: [], hasNameless: false, ...unreadable, offers } : unreadable;
  return { value: uniqueById(value), problems, unreadable: lost };
}

/** Specification: "v2: Offer (a collection of similar items)". */
const wireOffer = z.looseObject({
  Id: uuid,
  Title: title,
});

const readEventOffer: Reader<EventOffer> = (json, report) => {
  const wire = check(wireOffer, json, report);
  return (
    wire && {
      id: wire.Id,
      title: wire.Title,
      subtitle: readText(wire['Subtitle']),
      teaser: readText(wire['Teaser']),
      writeUp: readText(wire['WriteUp']),
      features: readText(wire['Features']),
      specs: readText(wire['Specs']),
      url: readLink(wire['Url']),
      discussionUrl: readLink(wire['DiscussionUrl']),
      items: readList(wire['Items'], 'Items', readItem, report),
      photos: readList(wire['Photos'], 'Photos', readPhoto, report),
      shippingMethods: readList(wire['ShippingMethods'], 'ShippingMethods', readShippingMethod, report),
      estimatedShipDate: readShipDate(wire['EstimatedShipDate']),
      percentageRemaining: readPercentage(wire['PercentageRemaining']),
      soldOut: readFlag(wire['SoldOut']),
      stats: readStats(wire['Stats']),
      artist: readArtist(wire['Artist']),
      snippet: readText(wire['Snippet']),
      rank: readAmount(wire['Rank']),
      originalStartDateMs: readDateTime(wire['OriginalStartDate']),
    }
  );
};

/** Specification: "v2: EstimatedShipDate"; its two parts form one sentence. */
function readShipDate(json: unknown): string | null {
  const { data } = optionalFields.safeParse(json);
  const halves = [data?.['MessagePrefix'], data?.['MessageBody']].map(readText).filter((half) => half !== null);
  return halves.length === 0 ? null : halves.join(' ');
}

/** The specification shows no fields; a live deployment sends these. "Blank if none." */
const wireArtist = z.looseObject({ Name: title });

function readArtist(json: unknown): Artist | null {
  const { data } = wireArtist.safeParse(json);
  return data ? { name: data.Name, avatar: readLink(data['Avatar']), biography: readText(data['Biography']) } : null;
}

/** Specification: "v2: OfferStats". null where there are none, as in every example of the specification. */
function readStats(json: unknown): OfferStats | null {
  const { data: wire } = optionalFields.safeParse(json);
  if (!wire) return null;
  return {
    firstSucker: readText(wire['FirstSucker']),
    lastPurchaseMs: readDateTime(wire['LastPurchase']),
    lastBuyerToDeal: readText(wire['LastBuyerToDeal']),
    overallOrderPace: readFinite(wire['OverallOrderPace']),
    overallDealsSold: readFinite(wire['OverallDealsSold']),
    siteOrderPace: readFinite(wire['SiteOrderPace']),
    siteDealsSold: readFinite(wire['SiteDealsSold']),
    percentageOfSalesPerDay: readPairs(wire['PercentageOfSalesPerDay']),
    percentageOfSalesPerHour: readPairs(wire['PercentageOfSalesPerHour']),
    purchaserExperience: readPairs(wire['PurchaserExperience']),
    purchaserSeniority: readPairs(wire['PurchaserSeniority']),
    quantityBreakdown: readPairs(wire['QuantityBreakdown']),
    speedToFirstDealMs: readTimeSpan(wire['SpeedToFirstDeal']),
    dealsByState: readPairs(wire['DealsByState']),
  };
}

/**
 * Reads a list of `{Key, Value}`, whose keys may repeat (the hours do), or an object. Specification: "KeyValuePair
 * element fields: not shown"; a live deployment sends these.
 */
function readPairs(json: unknown): KeyValuePair[] {
  if (typeof json !== 'object' || json === null) return [];
  const entries: [unknown, unknown][] = Array.isArray(json)
    ? json.map((pair: unknown) => {
        const { data } = optionalFields.safeParse(pair);
        return [data?.['Key'], data?.['Value']];
      })
    : Object.entries(json);
  return entries.flatMap(([key, value]) =>
    (typeof key === 'string' || typeof key === 'number') && typeof value === 'number' && Number.isFinite(value)
      ? [{ key: String(key), value }]
      : [],
  );
}
