import { z } from 'zod';
import { type Endpoint, endpoint } from '../endpoint.ts';
import { notFound } from '../refusal.ts';
import { eventTypeParameter, idParameter, key, selectParameter, siteParameter } from './parameters.ts';
import { dealcast, event, monkeychat, offer, poll } from './schemas.ts';
import { DEALCAST_SELECT, EVENT_SELECT, OFFER_SELECT, select } from './select.ts';

const noParams = z.strictObject({});

/** `select` may leave any field out, at every level. */
const orSelected = (what: z.ZodType) => what.describe('in full; with select only the selected fields');

/** Specification: "Endpoints", "v2 interface"; offers/{id}.json has been seen on a live deployment. */
export function v2Endpoints(siteDomain: string | undefined): Endpoint[] {
  const site = siteParameter(siteDomain);
  return [
    endpoint({
      family: 'v2',
      method: 'GET',
      path: '/2/events.json',
      summary: 'Events with their active offers',
      params: noParams,
      query: z.strictObject({ key, site, eventType: eventTypeParameter, select: selectParameter(EVENT_SELECT) }),
      answer: z.array(orSelected(event)),
      handle: ({ query }, moment) =>
        selected(ofTypes(ofSites(moment.events(), query.site), query.eventType), query.select),
    }),
    endpoint({
      family: 'v2',
      method: 'GET',
      path: '/2/events/:id.json',
      summary: 'One event',
      params: idParameter,
      query: z.strictObject({ key, select: selectParameter(EVENT_SELECT) }),
      answer: orSelected(event),
      handle: ({ params, query }, moment) => selected(found(moment.event(params.id.toLowerCase())), query.select),
    }),
    endpoint({
      family: 'v2',
      method: 'GET',
      path: '/2/offers/:id.json',
      summary: 'One offer in the form that events carry',
      params: idParameter,
      query: z.strictObject({ key, select: selectParameter(OFFER_SELECT) }),
      answer: orSelected(offer),
      handle: ({ params, query }, moment) => selected(found(moment.eventOffer(params.id.toLowerCase())), query.select),
    }),
    endpoint({
      family: 'v2',
      method: 'GET',
      path: '/2/dealcasts.json',
      summary: 'Featured videos',
      params: noParams,
      query: z.strictObject({ key, site, select: selectParameter(DEALCAST_SELECT) }),
      answer: z.array(orSelected(dealcast)),
      handle: ({ query }, moment) => selected(ofSites(moment.dealcasts(), query.site), query.select),
    }),
    endpoint({
      family: 'v2',
      method: 'GET',
      path: '/2/polls.json',
      summary: 'Community polls',
      params: noParams,
      query: z.strictObject({ key, site }),
      answer: z.array(poll),
      handle: ({ query }, moment) => ofSites(moment.polls(), query.site),
    }),
    endpoint({
      family: 'v2',
      method: 'GET',
      path: '/2/monkeychats.json',
      summary: 'Exchanges between two characters',
      params: noParams,
      query: z.strictObject({ key, site }),
      answer: z.array(monkeychat),
      handle: ({ query }, moment) => ofSites(moment.monkeychats(), query.site),
    }),
  ];
}

function found(value: object | undefined): object {
  if (!value) throw notFound();
  return value;
}

function selected(value: object, paths: readonly string[] | undefined): object {
  return paths ? select(value, paths) : value;
}

function ofSites(values: readonly object[], sites: readonly string[] | undefined): readonly object[] {
  if (!sites) return values;
  return values.filter((value) => 'Site' in value && sites.includes(String(value.Site).toLowerCase()));
}

/** Recordings may spell two of the event types differently. */
const OTHER_SPELLINGS: Readonly<Record<string, string>> = { wootoff: 'dealoff', wootplus: 'dealplus' };

function ofTypes(events: readonly object[], types: readonly string[] | undefined): readonly object[] {
  if (!types) return events;
  const wanted = types.map((type) => type.toLowerCase());
  return events.filter((event) => {
    const type = 'Type' in event ? String(event.Type).toLowerCase() : '';
    return wanted.includes(OTHER_SPELLINGS[type] ?? type);
  });
}
