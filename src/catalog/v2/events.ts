import { z } from 'zod';
import type { Artist, DealEvent, EventOffer, KeyValuePair, OfferStats } from '../../deals/event.ts';
import type { Catalog, Unreadable } from '../catalog.ts';
import type { Demand } from '../demand.ts';
import {
  optionalFields,
  readAmount,
  readDateTime,
  readFinite,
  readFlagOrNull,
  readLink,
  readPercentage,
  readText,
  readTimeSpan,
  title,
  type Unread,
  uuid,
} from '../fields.ts';
import { LIMITS, type Report } from '../limits.ts';
import { readItem, readPhoto, readShippingMethod } from '../parts.ts';
import type { ResponseCache } from '../response-cache.ts';
import type { Transport } from '../transport.ts';
import {
  BY_ID,
  check,
  checkedId,
  Losses,
  nullWhereGone,
  type Parsed,
  parseList,
  parseOne,
  type Reader,
  readList,
  readPart,
  uniqueById,
} from '../wire.ts';

/** The events' endpoints, and that of an offer in the form that events contain. */
export function createEvents(v2: Transport, cache: ResponseCache): Catalog['events'] {
  async function requestOne<T extends { id: string }>(path: string, demand: Demand, what: string, read: Reader<T>) {
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

/** Reads an event. Calls `onLost` with what could not be read of its offers, where there is any. */
function readEvent(
  json: unknown,
  report: Report,
  unread: Unread<keyof DealEvent>,
  onLost?: (id: string, lost: Unreadable) => void,
): DealEvent | null {
  const wire = check(wireEvent, json, report);
  if (wire === null) return null;
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
  const offers = uniqueById(readList(wire['Offers'], 'Offers', readOffer, report, unread));
  const lost = losses.unreadable(offers, BY_ID.subjectOf);
  if (lost) onLost?.(wire.Id, lost);
  return withinLength(
    {
      id: wire.Id,
      type: wire.Type,
      title: wire.Title,
      site: readText(wire['Site'], 'site', unread),
      startDateMs: readDateTime(wire['StartDate'], 'startDateMs', unread),
      endDateMs: readDateTime(wire['EndDate'], 'endDateMs', unread),
      offers,
      subtitle: readText(wire['Subtitle'], 'subtitle', unread),
      writeUp: readText(wire['WriteUp'], 'writeUp', unread),
      discussionUrl: readLink(wire['DiscussionUrl'], 'discussionUrl', unread),
      manufacturerText: readText(wire['ManufacturerText'], 'manufacturerText', unread),
      photos: readList(wire['Photos'], 'Photos', readPhoto, report, unread),
      text: readText(wire['Text'], 'text', unread),
      url: readLink(wire['Url'], 'url', unread),
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

const EVENTS = {
  ...BY_ID,
  fields: new Set([
    'Type',
    'Id',
    'Title',
    'Site',
    'StartDate',
    'EndDate',
    'Offers',
    'Subtitle',
    'WriteUp',
    'DiscussionUrl',
    'ManufacturerText',
    'Photos',
    'Text',
    'Url',
    'Stats',
  ]),
};

function parseEvents(json: unknown): Parsed<DealEvent[]> {
  const offers = new Map<string, Unreadable>();
  const read: Reader<DealEvent> = (item, report, unread) =>
    readEvent(item, report, unread, (id, lost) => offers.set(id, lost));
  const parsed = parseList(json, 'events', read, EVENTS);
  return offers.size > 0 ? { ...parsed, unreadable: { ids: [], nameless: 0, ...parsed.unreadable, offers } } : parsed;
}

/** Specification: "v2: Offer (a collection of similar items)". */
const wireOffer = z.looseObject({
  Id: uuid,
  Title: title,
});

const readEventOffer: Reader<EventOffer> = (json, report, unread) => {
  const wire = check(wireOffer, json, report);
  return (
    wire && {
      id: wire.Id,
      title: wire.Title,
      subtitle: readText(wire['Subtitle'], 'subtitle', unread),
      teaser: readText(wire['Teaser'], 'teaser', unread),
      writeUp: readText(wire['WriteUp'], 'writeUp', unread),
      features: readText(wire['Features'], 'features', unread),
      specs: readText(wire['Specs'], 'specs', unread),
      url: readLink(wire['Url'], 'url', unread),
      discussionUrl: readLink(wire['DiscussionUrl'], 'discussionUrl', unread),
      items: readList(wire['Items'], 'Items', readItem, report, unread),
      photos: readList(wire['Photos'], 'Photos', readPhoto, report, unread),
      shippingMethods: readList(wire['ShippingMethods'], 'ShippingMethods', readShippingMethod, report, unread),
      estimatedShipDate: readPart(wire['EstimatedShipDate'], 'estimatedShipDate', readShipDate, report, unread),
      percentageRemaining: readPercentage(wire['PercentageRemaining'], 'percentageRemaining', unread),
      soldOut: readFlagOrNull(wire['SoldOut'], 'soldOut', unread) ?? false,
      stats: readPart(wire['Stats'], 'stats', readStats, report, unread),
      artist: readPart(wire['Artist'], 'artist', readArtist, report, unread),
      snippet: readText(wire['Snippet'], 'snippet', unread),
      rank: readAmount(wire['Rank'], 'rank', unread),
      originalStartDateMs: readDateTime(wire['OriginalStartDate'], 'originalStartDateMs', unread),
    }
  );
};

/** Specification: "v2: EstimatedShipDate"; its two parts form one sentence. */
function readShipDate(json: unknown, _: Report, unread: Unread): string | null {
  const { data } = optionalFields.safeParse(json);
  const halves = [data?.['MessagePrefix'], data?.['MessageBody']]
    .map((half) => readText(half, 'estimatedShipDate', unread))
    .filter((half) => half !== null);
  return halves.length === 0 ? null : halves.join(' ');
}

/** The specification shows no fields; a live deployment sends these. "Blank if none." */
const wireArtist = z.looseObject({ Name: title });

const readArtist: Reader<Artist> = (json, _, unread) => {
  const { data } = wireArtist.safeParse(json);
  if (!data) return null;
  return {
    name: data.Name,
    avatar: readLink(data['Avatar'], 'avatar', unread),
    biography: readText(data['Biography'], 'biography', unread),
  };
};

/** Specification: "v2: OfferStats". null where there are none, as in every example of the specification. */
const readStats: Reader<OfferStats> = (json, _, unread) => {
  const { data: wire } = optionalFields.safeParse(json);
  if (!wire) return null;
  return {
    firstSucker: readText(wire['FirstSucker'], 'firstSucker', unread),
    lastPurchaseMs: readDateTime(wire['LastPurchase'], 'lastPurchaseMs', unread),
    lastBuyerToDeal: readText(wire['LastBuyerToDeal'], 'lastBuyerToDeal', unread),
    overallOrderPace: readFinite(wire['OverallOrderPace'], 'overallOrderPace', unread),
    overallDealsSold: readFinite(wire['OverallDealsSold'], 'overallDealsSold', unread),
    siteOrderPace: readFinite(wire['SiteOrderPace'], 'siteOrderPace', unread),
    siteDealsSold: readFinite(wire['SiteDealsSold'], 'siteDealsSold', unread),
    percentageOfSalesPerDay: readPairs(wire['PercentageOfSalesPerDay']),
    percentageOfSalesPerHour: readPairs(wire['PercentageOfSalesPerHour']),
    purchaserExperience: readPairs(wire['PurchaserExperience']),
    purchaserSeniority: readPairs(wire['PurchaserSeniority']),
    quantityBreakdown: readPairs(wire['QuantityBreakdown']),
    speedToFirstDealMs: readTimeSpan(wire['SpeedToFirstDeal']),
    dealsByState: readPairs(wire['DealsByState']),
  };
};

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
