import type { Clock } from '../../shared/clock.ts';
import type { Log } from '../../shared/log.ts';
import type { Catalog, SpendingStore } from './catalog.ts';
import { CatalogHttpError, CatalogNetworkError } from './errors.ts';
import { createHttp, type Http } from './http.ts';
import { fetchFeed } from './portal/feeds.ts';
import { createOfferBatches, nullWhereGone } from './portal/offer-batches.ts';
import { createResponseCache } from './response-cache.ts';
import { createTransport, type InterfaceOptions } from './transport.ts';
import { createDealcasts } from './v2/dealcasts.ts';
import { createEvents, filterKey } from './v2/events.ts';
import { fetchMonkeychats } from './v2/monkeychats.ts';
import { fetchPolls } from './v2/polls.ts';
import { selectDealcasts, selectEvents, selectOffer } from './v2/select.ts';
import { isUuid } from './wire.ts';

export interface CatalogOptions {
  v2: InterfaceOptions;
  portal: InterfaceOptions;
  clock: Clock;
  log: Log;
  spending: SpendingStore;
  /** A random number from 0 to 1, which spreads retries. */
  random?: () => number;
  /** How requests are sent; by default over connections of the client's own. Closed with the client. */
  http?: Http;
}

/** The shared client of both interfaces. They share only the cache: a failure of one does not affect the other. */
export function createCatalog(options: CatalogOptions): Catalog {
  const { clock, log, spending, random = Math.random, http = createHttp(), ...interfaces } = options;
  const secrets = [interfaces.v2.key, interfaces.portal.key];
  const shared = { secrets, http, clock, log, spending, random };
  const v2 = createTransport({ ...interfaces.v2, ...shared, name: 'v2' });
  const portal = createTransport({ ...interfaces.portal, ...shared, name: 'portal' });
  const cache = createResponseCache({ clock, log });
  const events = createEvents(v2);
  const dealcasts = createDealcasts(v2);
  const batches = createOfferBatches(portal, clock);

  return {
    feeds: {
      // "Names are matched without regard to case."
      get: (name, options) =>
        cache.get('feed', name.toLowerCase(), options, (demand) => fetchFeed(portal, name, demand)),
    },
    offers: {
      async get(givenId, options) {
        const id = checkedId(givenId);
        return cache.get('offer', id, options, (demand) => batches.get(id, demand));
      },
    },
    events: {
      list(filter, options) {
        const isBySite = options.select && (filter.sites ?? []).length > 0;
        const selection = selectEvents(isBySite ? [...(options.select ?? []), 'Site'] : options.select);
        const key = `${filterKey(filter)} ${selection}`;
        return cache.get('events', key, options, (demand) => events.list(filter, selection, demand));
      },
      async get(givenId, options) {
        const id = checkedId(givenId);
        const selection = selectEvents(options.select);
        return cache.get('event', `${id} ${selection}`, options, (demand) =>
          events.get(id, selection, demand).catch(nullWhereGone),
        );
      },
      async offer(givenId, options) {
        const id = checkedId(givenId);
        const selection = selectOffer(options.select);
        return cache.get('eventOffer', `${id} ${selection}`, options, (demand) =>
          events.offer(id, selection, demand).catch(nullWhereGone),
        );
      },
    },
    dealcasts: {
      list(options) {
        const selection = selectDealcasts(options.select);
        return cache.get('dealcasts', selection, options, (demand) => dealcasts.list(selection, demand));
      },
    },
    polls: { list: (options) => cache.get('polls', '', options, (demand) => fetchPolls(v2, demand)) },
    monkeychats: {
      list: (options) => cache.get('monkeychats', '', options, (demand) => fetchMonkeychats(v2, demand)),
    },
    quota: () => ({ v2: v2.quota(), portal: portal.quota() }),
    health: () => ({ v2: v2.health(), portal: portal.health() }),
    async close() {
      const error = new CatalogNetworkError('The catalog client is closed.');
      cache.close(error);
      await Promise.all([v2.close(error), portal.close(error)]);
      await http.close();
    },
  };
}

/** Rejects a malformed id before it costs a request. */
function checkedId(id: string): string {
  if (!isUuid(id))
    throw new CatalogHttpError(`"${id.slice(0, 50)}" is no id: ids look like 01234567-89ab-cdef-….`, 400);
  return id.toLowerCase();
}
