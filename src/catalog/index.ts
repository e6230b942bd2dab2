import type { Clock } from '../shared/clock.ts';
import type { Log } from '../shared/log.ts';
import { type Ask, askServer } from '../shared/reachability.ts';
import type { Catalog, SpendingStore } from './catalog.ts';
import { CatalogNetworkError } from './errors.ts';
import { createHttp, type Http } from './http.ts';
import { createFeeds } from './portal/feeds.ts';
import { createOffers } from './portal/offers.ts';
import { ResponseCache } from './response-cache.ts';
import { type InterfaceOptions, type OnReply, Transport } from './transport.ts';
import { createDealcasts } from './v2/dealcasts.ts';
import { createEvents } from './v2/events.ts';
import { createMonkeychats } from './v2/monkeychats.ts';
import { createPolls } from './v2/polls.ts';

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
  onReply?: OnReply;
}

/** The shared client of both interfaces. They share only the cache: a failure of one does not affect the other. */
export function createCatalog(options: CatalogOptions): Catalog {
  const { clock, log, spending, random = Math.random, http = createHttp(), onReply = () => undefined } = options;
  const secrets = [options.v2.key, options.portal.key];
  const shared = { secrets, http, clock, log, spending, random, onReply };
  const v2 = new Transport({ ...options.v2, ...shared, name: 'v2' });
  const portal = new Transport({ ...options.portal, ...shared, name: 'portal' });
  const cache = new ResponseCache({ clock, log });

  return {
    feeds: createFeeds(portal, cache),
    offers: createOffers(portal, cache, clock),
    events: createEvents(v2, cache),
    dealcasts: createDealcasts(v2, cache),
    polls: createPolls(v2, cache),
    monkeychats: createMonkeychats(v2, cache),
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

/** Asks both interfaces of the catalog for a sign of life, without a key: such requests count against no quota. */
export function askCatalog({ v2, portal }: Record<'v2' | 'portal', { url: string }>): Ask {
  return (signal) =>
    Promise.all([
      askServer(`${portal.url}/getoffers`, { method: 'OPTIONS', signal }),
      askServer(`${v2.url}/`, { method: 'OPTIONS', signal }),
    ]);
}
