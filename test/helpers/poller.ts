import { onTestFinished } from 'vitest';
import { CurrentState } from '../../src/announcements/current-state.ts';
import { KINDS_OF } from '../../src/announcements/kinds/of-source.ts';
import { createPoller } from '../../src/announcements/poll/poller.ts';
import type { Feature } from '../../src/app/feature.ts';
import type { Answer, CallOptions, Catalog, Unreadable } from '../../src/catalog/catalog.ts';
import { CatalogHttpError } from '../../src/catalog/errors.ts';
import type { EntityUpdate } from '../../src/deals/announcement.ts';
import type { DealEvent } from '../../src/deals/event.ts';
import type { Feed, Offer, OfferDetail } from '../../src/deals/offer.ts';
import type { Poll } from '../../src/deals/poll.ts';
import { createOfferBook } from '../../src/offers/offer-book.ts';
import { StoreError } from '../../src/shared/errors.ts';
import { createLog } from '../../src/shared/log.ts';
import { openStore, type Store } from '../../src/store/store.ts';
import { announcingParts, recordsOf } from './announcing-features.ts';
import { ManualClock } from './manual-clock.ts';
import { MENTIONED } from './mentioned.ts';
import { temporaryState } from './temporary-folder.ts';
import { aSubscription } from './things.ts';

/** A poller on a real store, whose next commit can be made to fail, as a full disk would make it. */
export async function aPoller({
  stateUrl = temporaryState(),
  clock = new ManualClock('2026-10-06T12:00:00Z'),
  minIntervalMs = 60_000,
  features = [],
}: {
  stateUrl?: string;
  clock?: ManualClock;
  minIntervalMs?: number;
  /** Those that make announcements of offers themselves. */
  features?: readonly Feature[];
} = {}) {
  const store = await openStore(stateUrl, undefined, null, recordsOf(features));
  onTestFinished(() => store.close());
  let isFailing = false;
  let beforeForgetting = async () => {};
  function orFail<T>(write: () => Promise<T>): Promise<T> {
    if (!isFailing) return write();
    isFailing = false;
    return Promise.reject(new StoreError('The disk is full.'));
  }
  const faulty: Store = {
    ...store,
    transact: (decide) => orFail(() => store.transact(decide)),
    commit: (decide) => beforeForgetting().then(() => store.commit(decide)),
  };
  const feeds = new Map<string, Feed>([['Home', { marketingName: 'Home deals', offers: [], isCutOff: false }]]);
  const polls: Poll[] = [];
  const events: DealEvent[] = [];
  const asked: CallOptions[] = [];
  const details = new Map<string, OfferDetail | null>();
  const detailsAsked: string[] = [];
  let beforeDetails = async () => {};
  const running = new AbortController();
  let kicks = 0;
  let broken: Error | null = null;
  let isStale = false;
  let onTheWay = async () => {};
  let unreadable: Unreadable | undefined;
  const answer = <T>(value: T): Answer<T> => ({ value, fetchedAtMs: clock.now(), isStale, malformed: 0, unreadable });
  const quota = { limit: 1000, spent: 0, resetsAtMs: clock.now() + 3_600_000 };
  // Each answer is a new one, as one from the catalog is.
  const catalog: Partial<Catalog> = {
    feeds: {
      async get(name, options) {
        asked.push(options);
        if (broken) throw broken;
        const feed = feeds.get(name);
        if (!feed) throw new CatalogHttpError(`There is no feed ${name}.`, 400);
        const sent = structuredClone(feed);
        await onTheWay();
        return answer(sent);
      },
    },
    events: { list: async () => answer([...events]), get: async () => answer(null), offer: async () => answer(null) },
    polls: { list: async () => answer([...polls]) },
    offers: {
      async get(id) {
        detailsAsked.push(id);
        await beforeDetails();
        const detail = details.get(id);
        if (detail === undefined) throw new CatalogHttpError('The catalog is busy.', 503);
        return answer(detail);
      },
    },
    quota: () => ({ v2: quota, portal: quota }),
  };
  const updates: EntityUpdate[] = [];
  const stored = await store.offers.all();
  const book = createOfferBook(stored, (feed) => store.resources.get(`feed:${feed}`));
  const { owedByOffers, ofDeliverer } = announcingParts(features, {
    store,
    offers: book,
    clock,
    signal: running.signal,
  });
  const currentState = new CurrentState(book, store, ofDeliverer.kinds);
  /** Here nothing is posted before it is known. */
  const isKnown = ({ key }: EntityUpdate) => currentState.entity(key) !== undefined;
  const poller = createPoller({
    settings: [],
    catalog: catalog as Catalog,
    offers: book,
    currentState,
    store: faulty,
    deliverer: {
      kick: () => {
        kicks += 1;
      },
      async refresh(changes, some) {
        const known = some.filter(isKnown);
        changes.afterwards(() => void updates.push(...known));
      },
      isApart: () => false,
      mentions: MENTIONED,
      keepPosts: async () => undefined,
    },
    owedByOffers,
    minIntervalMs,
    clock,
    log: createLog('silent'),
    signal: running.signal,
  });
  await store.subscriptions.save(aSubscription('s', { kinds: [...KINDS_OF.feed.all] }));
  /** The deliveries that are to be posted in a channel. */
  const enqueued = (channelId = '10') => store.deliveries.pending(channelId).map(({ announcement }) => announcement);
  return {
    poller,
    currentState,
    store,
    clock,
    book,
    feeds,
    polls,
    events,
    quota,
    updates,
    /** Puts offers in a feed, in place of those with the same ids. */
    put: (offers: Offer[], feed = 'Home') => {
      const others = (feeds.get(feed)?.offers ?? []).filter(({ id }) => !offers.some((offer) => offer.id === id));
      feeds.set(feed, { marketingName: `${feed} deals`, isCutOff: false, offers: [...others, ...offers] });
    },
    look: (feed = 'Home') => poller.poll(`feed:${feed}`, 'announcement'),
    failNext: () => {
      isFailing = true;
    },
    meanwhile: (what: typeof beforeForgetting) => {
      beforeForgetting = what;
    },
    /** So little is left of the day that polls are minutes apart. */
    scarce: () => {
      quota.spent = 850;
    },
    /** Empties a feed. */
    clear: (feed = 'Home') => feeds.set(feed, { marketingName: `${feed} deals`, offers: [], isCutOff: false }),
    /** The unreadable items that the next answers hold. */
    lose: (what: Unreadable | undefined) => {
      unreadable = what;
    },
    /** Runs between the making of an answer about a feed and its arrival. */
    onTheWay: (what: typeof onTheWay) => {
      onTheWay = what;
    },
    answerStale: (stale: boolean) => {
      isStale = stale;
    },
    enqueued,
    /** The options of the requests for feeds. */
    asked,
    /** What offers say of themselves, by id; null for one that no longer exists. Of others nothing can be had. */
    details,
    /** The offers that were asked for, by id. */
    detailsAsked,
    /** Runs between a request for an offer and its answer. */
    beforeDetails: (what: typeof beforeDetails) => {
      beforeDetails = what;
    },
    kicks: () => kicks,
    abort: () => running.abort(),
    /** Makes every request for a feed fail in an unforeseen way. */
    breakWith: (error: Error | null) => {
      broken = error;
    },
    kinds: (channelId?: string) => enqueued(channelId).map(({ kind }) => kind),
    subjects: () => enqueued().map(({ subject }) => subject),
  };
}
