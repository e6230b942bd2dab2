import { createDeliverer, type Deliverer } from '../../src/announcements/delivery/deliverer.ts';
import { createPoster, type Poster } from '../../src/announcements/poster.ts';
import type { Answer, Catalog, QuotaStatus } from '../../src/catalog/catalog.ts';
import { parseFeed } from '../../src/catalog/portal/feeds.ts';
import { parseDealcasts } from '../../src/catalog/v2/dealcasts.ts';
import { parseEvents } from '../../src/catalog/v2/events.ts';
import { parseMonkeychats } from '../../src/catalog/v2/monkeychats.ts';
import { parsePolls } from '../../src/catalog/v2/polls.ts';
import { type CatalogContent, FEED_NAMES, type FeedName } from '../../src/catalog-service/content.ts';
import type { Clock } from '../../src/clock.ts';
import type { KnownOffer } from '../../src/deals/known-offer.ts';
import type { Feed } from '../../src/deals/offer.ts';
import type { Courier } from '../../src/discord/courier.ts';
import { wordsFor } from '../../src/discord/words/words.ts';
import { createLog } from '../../src/log.ts';
import { createOfferBook } from '../../src/offers/offer-book.ts';
import { openStore, type Store } from '../../src/store/store.ts';

/** The half of the bot that announces, on its state: planner, poster, matching, store and deliverer as they are. */
export interface Bot {
  store: Store;
  poster: Poster;
  deliverer: Deliverer;
  stop(): Promise<void>;
}

const DAY_MS = 86_400_000;
const MIN_INTERVAL_MS = 60_000;
/** Where the portal cuts every feed off. */
const CUT_OFF = 5_000;

export async function openBot(parts: {
  stateUrl: string;
  catalog: Catalog;
  courier: Courier;
  clock: Clock;
}): Promise<Bot> {
  const { catalog, courier, clock } = parts;
  const log = createLog('error');
  const store = await openStore(parts.stateUrl, clock);
  const known: KnownOffer[] = [];
  for await (const record of store.offers.all()) known.push(record);
  const offers = createOfferBook(known, (feed) => store.resources.get(`feed:${feed}`));
  const deliverer = createDeliverer({
    store,
    courier,
    wordsOf: () => wordsFor('en-US'),
    current: (thing) => poster.current(thing),
    clock,
    log,
  });
  const signal = new AbortController().signal;
  const minIntervalMs = MIN_INTERVAL_MS;
  const poster = createPoster({ catalog, offers, store, deliverer, minIntervalMs, clock, log, signal });
  return {
    store,
    poster,
    deliverer,
    async stop() {
      await deliverer.stop();
      await store.close();
    },
  };
}

/** A catalog of the simulator, read as from the wire, which counts what is spent of each day. */
export function createSimulatedCatalog(parts: {
  content: CatalogContent;
  /** Requests a day, of each interface. */
  quota: () => number;
  clock: Clock;
  /** Told of each feed's answer. */
  onFeed?: (feed: FeedName, answer: Feed, nowMs: number) => void;
}): Catalog {
  const { content, quota, clock, onFeed } = parts;
  const spent = { portal: 0, v2: 0 };
  let day = 0;

  const today = () => Math.floor(clock.now() / DAY_MS);
  const now = () => content.at(clock.now(), 'https://catalog.example');
  function spending(side: 'portal' | 'v2'): QuotaStatus {
    if (today() !== day) Object.assign(spent, { portal: 0, v2: 0 });
    day = today();
    return { limit: quota(), spent: spent[side], resetsAtMs: (day + 1) * DAY_MS };
  }
  function answer<T>(side: 'portal' | 'v2', { value, unreadable }: Pick<Answer<T>, 'value' | 'unreadable'>): Answer<T> {
    spending(side);
    spent[side] += 1;
    return { value, unreadable, fetchedAtMs: clock.now(), isStale: false, malformed: 0 };
  }

  const catalog = {
    feeds: {
      async get(name) {
        const feed = FEED_NAMES.find((one) => one === name);
        if (!feed) throw new Error(`There is no feed ${name}.`);
        const { items, marketingName } = now().feed(feed);
        const found = answer(
          'portal',
          await parseFeed({ Items: items.slice(0, CUT_OFF), MarketingName: marketingName }),
        );
        onFeed?.(feed, found.value, clock.now());
        return found;
      },
    },
    events: { list: async () => answer('v2', parseEvents(now().events())) },
    dealcasts: { list: async () => answer('v2', parseDealcasts(now().dealcasts())) },
    polls: { list: async () => answer('v2', parsePolls(now().polls())) },
    monkeychats: { list: async () => answer('v2', parseMonkeychats(now().monkeychats())) },
    quota: () => ({ portal: spending('portal'), v2: spending('v2') }),
  } satisfies { [K in keyof Catalog]?: Partial<Catalog[K]> };
  // Nobody asks it for the details of anything.
  return catalog as unknown as Catalog;
}
