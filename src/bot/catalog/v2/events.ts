import { z } from 'zod';
import { type DealEvent, type EventOffer, isEventOf } from '../../deals/event.ts';
import type { Query } from '../address.ts';
import type { EventFilter, Unreadable } from '../catalog.ts';
import type { Demand } from '../demand.ts';
import { CatalogHttpError } from '../errors.ts';
import { LIMITS } from '../limits.ts';
import { readPhoto } from '../parts.ts';
import type { Report } from '../problem.ts';
import { otherEventType } from '../spellings.ts';
import type { Transport } from '../transport.ts';
import {
  check,
  Losses,
  type Parsed,
  parseList,
  parseOne,
  type Reader,
  readDateTime,
  readLink,
  readList,
  readText,
  title,
  uniqueById,
  uuid,
} from '../wire.ts';
import { readEventOffer } from './event-offers.ts';
import { type Selection, selectQuery } from './select.ts';

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

/** The cache key of a filter: equal for filters that mean the same. */
export function filterKey({ sites = [], types = [] }: EventFilter): string {
  const sorted = (values: readonly string[]) => [...new Set(values.map((value) => value.toLowerCase()))].sort().join();
  return `${sorted(sites)} ${sorted(types)}`;
}

export function createEvents(v2: Transport) {
  let spell = (type: string) => type;

  function query({ sites = [], types = [] }: EventFilter, spelling: (type: string) => string): Query {
    // Site domains differ between deployments, so sites named by their prefix alone are filtered out of the answer.
    const isSendable = sites.length > 0 && sites.every((site) => site.includes('.'));
    return [
      ...(isSendable ? [['site', [...new Set(sites)].join()] as const] : []),
      ...(types.length > 0 ? [['eventType', [...new Set(types)].map(spelling).join()] as const] : []),
    ];
  }

  async function request(filter: EventFilter, selection: Selection, demand: Demand): Promise<unknown> {
    const path = '/2/events.json';
    const select = selectQuery(selection);
    try {
      return await v2.request({ path, query: [...query(filter, spell), ...select] }, demand);
    } catch (error) {
      const other = spell === otherEventType ? (type: string) => type : otherEventType;
      const isSpelling = (filter.types ?? []).some((type) => otherEventType(type) !== type);
      if (!isSpelling || !(error instanceof CatalogHttpError) || error.status !== 400) throw error;
      const json = await v2.request({ path, query: [...query(filter, other), ...select] }, demand);
      spell = other;
      return json;
    }
  }

  return {
    /** GET {base_url}/2/events.json */
    async list(filter: EventFilter, selection: Selection, demand: Demand): Promise<Parsed<DealEvent[]>> {
      const parsed = parseEvents(await request(filter, selection, demand));
      const isWanted = (event: DealEvent) => isEventOf(event, { sites: [], types: [], ...filter });
      return { ...parsed, value: parsed.value.filter(isWanted) };
    },
    /** GET {base_url}/2/events/{id}.json */
    async get(id: string, selection: Selection, demand: Demand): Promise<Parsed<DealEvent>> {
      const request = { path: `/2/events/${id}.json`, query: selectQuery(selection) };
      return parseOne(await v2.request(request, demand), 'event', (json, report) => readEvent(json, report));
    },
    /** GET {base_url}/2/offers/{id}.json, which is not specified; a live deployment has it. */
    async offer(id: string, selection: Selection, demand: Demand): Promise<Parsed<EventOffer>> {
      const request = { path: `/2/offers/${id}.json`, query: selectQuery(selection) };
      return parseOne(await v2.request(request, demand), 'offer', readEventOffer);
    },
  };
}
