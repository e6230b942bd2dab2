import { z } from 'zod';
import { type DealEvent, type EventOffer, isEventOf } from '../../deals/event.ts';
import type { Query } from '../address.ts';
import type { EventFilter } from '../catalog.ts';
import type { Demand } from '../demand.ts';
import { CatalogHttpError } from '../errors.ts';
import { readPhoto } from '../parts.ts';
import { otherEventType } from '../spellings.ts';
import type { Transport } from '../transport.ts';
import {
  anything,
  check,
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

/** Specification: "v2: Event (common fields)" and its subtypes. A type that is not in the specification passes. */
const wireEvent = z.object({
  Id: uuid,
  Type: title,
  Title: title,
  Site: anything,
  StartDate: anything,
  EndDate: anything,
  Offers: anything,
  Subtitle: anything,
  WriteUp: anything,
  DiscussionUrl: anything,
  ManufacturerText: anything,
  Photos: anything,
  Text: anything,
  Url: anything,
});

const readEvent: Reader<DealEvent> = (json, report) => {
  const wire = check(wireEvent, json, report);
  return (
    wire && {
      id: wire.Id,
      type: wire.Type,
      title: wire.Title,
      site: readText(wire.Site),
      startDateMs: readDateTime(wire.StartDate),
      endDateMs: readDateTime(wire.EndDate),
      offers: uniqueById(readList(wire.Offers, 'Offers', readEventOffer, report)),
      subtitle: readText(wire.Subtitle),
      writeUp: readText(wire.WriteUp),
      discussionUrl: readLink(wire.DiscussionUrl),
      manufacturerText: readText(wire.ManufacturerText),
      photos: readList(wire.Photos, 'Photos', readPhoto, report),
      text: readText(wire.Text),
      url: readLink(wire.Url),
    }
  );
};

export function parseEvents(json: unknown): Parsed<DealEvent[]> {
  const { value, problems } = parseList(json, 'events', readEvent);
  return { value: uniqueById(value), problems };
}

/** What an equal filter has in common: the key under which its answer is kept. */
export function filterKey({ sites = [], types = [] }: EventFilter): string {
  const sorted = (values: readonly string[]) => [...new Set(values.map((value) => value.toLowerCase()))].sort().join();
  return `${sorted(sites)} ${sorted(types)}`;
}

export function createEvents(v2: Transport) {
  let spell = (type: string) => type;

  function query({ sites = [], types = [] }: EventFilter, spelling: (type: string) => string): Query {
    // A site's domain is the deployment's own: sites that are named by their prefix alone are picked out of the answer.
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
      const { value, problems } = parseEvents(await request(filter, selection, demand));
      return { value: value.filter((event) => isEventOf(event, { sites: [], types: [], ...filter })), problems };
    },
    /** GET {base_url}/2/events/{id}.json */
    async get(id: string, selection: Selection, demand: Demand): Promise<Parsed<DealEvent>> {
      const request = { path: `/2/events/${id}.json`, query: selectQuery(selection) };
      return parseOne(await v2.request(request, demand), 'event', readEvent);
    },
    /** GET {base_url}/2/offers/{id}.json, which a live deployment has beside what is specified. */
    async offer(id: string, selection: Selection, demand: Demand): Promise<Parsed<EventOffer>> {
      const request = { path: `/2/offers/${id}.json`, query: selectQuery(selection) };
      return parseOne(await v2.request(request, demand), 'offer', readEventOffer);
    },
  };
}
