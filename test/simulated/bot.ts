import { setMaxListeners } from 'node:events';
import { type CatalogContent, FEED_NAMES, type FeedName } from '../../packages/catalog-service/src/index.ts';
import { CurrentState } from '../../src/announcements/current-state.ts';
import { Deliverer } from '../../src/announcements/deliver/deliverer.ts';
import { type Mentions, NO_MENTIONS } from '../../src/announcements/deliver/mentions.ts';
import { createPoller, type Poller } from '../../src/announcements/poll/poller.ts';
import type { Catalog, QuotaStatus } from '../../src/catalog/catalog.ts';
import { CatalogHttpError } from '../../src/catalog/errors.ts';
import { parseFeed } from '../../src/catalog/portal/feeds.ts';
import { createOffers } from '../../src/catalog/portal/offers.ts';
import { ResponseCache } from '../../src/catalog/response-cache.ts';
import { dayOf, RateBudget } from '../../src/catalog/throttle/rate-budget.ts';
import type { Transport } from '../../src/catalog/transport.ts';
import { createDealcasts } from '../../src/catalog/v2/dealcasts.ts';
import { createEvents } from '../../src/catalog/v2/events.ts';
import { createMonkeychats } from '../../src/catalog/v2/monkeychats.ts';
import { createPolls } from '../../src/catalog/v2/polls.ts';
import type { Offer } from '../../src/deals/offer.ts';
import type { Courier } from '../../src/discord/courier.ts';
import { FEATURES } from '../../src/features/index.ts';
import { createOfferBook, type OfferBook } from '../../src/offers/offer-book.ts';
import type { Clock } from '../../src/shared/clock.ts';
import { createLog, type Log } from '../../src/shared/log.ts';
import { type openRecords, openStore, type Store } from '../../src/store/store.ts';
import { announcingParts, recordsOf } from '../helpers/announcing-features.ts';
import type { SpoiltFeed } from '../helpers/feed-faults.ts';

/** The half of the bot that announces, on its state: planner, poster, matching, store and deliverer as they are. */
export interface Bot<S extends Records = Store> {
  store: S;
  offers: OfferBook;
  poller: Poller;
  deliverer: Deliverer;
  currentState: CurrentState;
  /** Forgets what is old, as the app does once a day. */
  sweep(): Promise<void>;
  stop(): Promise<void>;
}

type Records = Awaited<ReturnType<typeof openRecords>>;

const MIN_INTERVAL_MS = 60_000;
/** The number of items at which the portal cuts off every feed. */
const CUT_OFF = 5_000;

interface Surroundings {
  catalog: Catalog;
  courier: Courier;
  clock: Clock;
  /** The least time between two polls of a resource that the bot makes by itself; a minute where absent. */
  minIntervalMs?: number;
  /** The roles that posts mention; none where absent. */
  mentions?: Mentions;
}

export async function openBot({ stateUrl, ...around }: Surroundings & { stateUrl: string }): Promise<Bot> {
  const store = await openStore(stateUrl, around.clock, null, recordsOf(FEATURES));
  const bot = await assembleBot(store, around);
  return {
    ...bot,
    async stop() {
      await bot.stop();
      await store.close();
    },
  };
}

/** The same on records that are open already, and that its end leaves open. */
export async function assembleBot<S extends Records>(
  store: S,
  { catalog, courier, clock, minIntervalMs = MIN_INTERVAL_MS, mentions = NO_MENTIONS }: Surroundings,
  log: Log = createLog('error'),
): Promise<Bot<S>> {
  const offers = createOfferBook(await store.offers.all(), (feed) => store.resources.get(`feed:${feed}`));
  const stopping = new AbortController();
  // As in the app: 25 offers are asked for at once, and each waits for it.
  setMaxListeners(0, stopping.signal);
  const signal = stopping.signal;
  const { owedByOffers, ofDeliverer } = announcingParts(FEATURES, { store, offers, clock, signal });
  const currentState = new CurrentState(offers, store, ofDeliverer.kinds);
  const deliverer = new Deliverer({
    ...ofDeliverer,
    store,
    courier,
    currentState,
    mentions,
    requestsPerSecond: 50,
    successes: () => 0,
    clock,
    log,
  });
  const poller = createPoller({
    settings: [],
    catalog,
    offers,
    currentState,
    store,
    deliverer,
    owedByOffers,
    minIntervalMs,
    clock,
    log,
    signal,
  });
  return {
    store,
    offers,
    poller,
    deliverer,
    currentState,
    async sweep() {
      await poller.sweep();
      await deliverer.sweep();
      await store.sweep(clock.now());
    },
    async stop() {
      stopping.abort(new Error('The run ends.'));
      await deliverer.stop();
    },
  };
}

/** A feed's answer, and what its readable part does not show. */
export interface FeedAnswer {
  offers: readonly Offer[];
  /** Ids of items that stood in it, and could not be read. */
  unreadable: ReadonlySet<string>;
  /** How many items without an id stood in it. */
  nameless: number;
  /** Whether it is cut off, by how many items were served: what it does not show proves nothing. */
  isCutOff: boolean;
}

export interface SimulatedCatalog {
  catalog: Catalog;
  /** The most requests that one interface had on one of the catalog's days. */
  mostSpent: () => number;
}

/** A catalog of the simulator, read as from the wire. What is spent of a day is counted as the client does. */
export function createSimulatedCatalog(parts: {
  content: CatalogContent;
  /** Requests a day, of each interface. */
  quota: () => number;
  /** The bot's. */
  clock: Clock;
  /** The catalog's own time, by which its days are. */
  trueNow: () => number;
  /** Spoils what is served of a feed. */
  spoil?: (feed: FeedName, items: readonly object[]) => SpoiltFeed<object>;
  /** Called with each feed's answer. */
  onFeed?: (feed: FeedName, answer: FeedAnswer) => void;
  /** Called with what offers say of themselves on the wire, by id; undefined for one that is gone. */
  onAsked?: (answers: ReadonlyMap<string, object | undefined>) => void;
}): SimulatedCatalog {
  const { content, quota, clock, trueNow, spoil, onFeed, onAsked } = parts;
  const moment = () => ({ nowMs: clock.now(), monotonicMs: clock.monotonicMs() });
  const budgetOf = () => new RateBudget({ rate: 1, burst: 10, quota: quota() }, moment());
  const budgets = { portal: budgetOf(), v2: budgetOf() };
  /** The requests served, by the catalog's day and interface. */
  const served = new Map<string, number>();

  const now = () => content.at(trueNow(), 'https://catalog.example');
  function spending(side: 'portal' | 'v2'): QuotaStatus {
    budgets[side].advanceTo(moment());
    return { ...budgets[side].status(), limit: quota() };
  }
  function spend(side: 'portal' | 'v2'): void {
    budgets[side].advanceTo(moment());
    budgets[side].spend();
    budgets[side].settle();
    const day = `${dayOf(trueNow())} ${side}`;
    served.set(day, (served.get(day) ?? 0) + 1);
  }
  /** The one way in which offers themselves are asked for. */
  const portal = asTransport(async (path, body) => {
    spend('portal');
    const ids = body === undefined ? [path.replace('/offers/', '')] : (body as readonly string[]);
    const moment = now();
    const answers = new Map(ids.map((id) => [id, moment.offer(id)]));
    onAsked?.(answers);
    const found = [...answers.values()].filter((one) => one !== undefined);
    if (body !== undefined) return found;
    if (found.length === 0) throw new CatalogHttpError('There is no such offer.', 404);
    return found[0];
  });
  const v2 = asTransport(async (path) => {
    spend('v2');
    const list = (['events', 'dealcasts', 'polls', 'monkeychats'] as const).find((name) => path === `/2/${name}.json`);
    if (!list) throw new CatalogHttpError('There is no such path.', 404);
    return now()[list]();
  });
  const cache = new ResponseCache({ clock, log: createLog('silent') });

  const catalog = {
    feeds: {
      async get(name) {
        const feed = FEED_NAMES.find((one) => one === name);
        if (!feed) throw new Error(`There is no feed ${name}.`);
        const { items, marketingName } = now().feed(feed);
        const shown = spoil?.(feed, items) ?? { items };
        const sent = shown.items.slice(0, CUT_OFF);
        spend('portal');
        const { value, problems, unreadable } = await parseFeed({ Items: sent, MarketingName: marketingName });
        const { offers } = value;
        const readable = new Set(offers.map(({ id }) => id));
        const ids = sent.map(idOf);
        onFeed?.(feed, {
          offers,
          unreadable: new Set(ids.filter((id) => id !== null && !readable.has(id)) as string[]),
          nameless: ids.filter((id) => id === null).length,
          isCutOff: sent.length === CUT_OFF,
        });
        return { value, unreadable, fetchedAtMs: clock.now(), isStale: false, malformed: problems.length };
      },
    },
    offers: createOffers(portal, cache, clock),
    events: createEvents(v2, cache),
    dealcasts: createDealcasts(v2, cache),
    polls: createPolls(v2, cache),
    monkeychats: createMonkeychats(v2, cache),
    quota: () => ({ portal: spending('portal'), v2: spending('v2') }),
  } satisfies { [K in keyof Catalog]?: Partial<Catalog[K]> };
  // Nobody asks it for anything else.
  return { catalog: catalog as unknown as Catalog, mostSpent: () => Math.max(0, ...served.values()) };
}

/** A transport that answers by itself. The catalog's client calls no other method of it. */
export function asTransport(answer: (path: string, body?: unknown) => Promise<unknown>): Transport {
  const transport: Pick<Transport, 'request'> = {
    request: ({ path, body }) => answer(path, body),
  };
  return transport as Transport;
}

/** The id of an item on the wire, as the bot has it; null where it has none. */
export function idOf(item: object): string | null {
  return 'OfferId' in item && typeof item.OfferId === 'string' ? item.OfferId.toLowerCase() : null;
}
