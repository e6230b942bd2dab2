import PQueue from 'p-queue';
import type { CallOptions, Catalog } from '../../catalog/catalog.ts';
import type { DoubtCounts } from '../../catalog/doubt-counts.ts';
import { Drift } from '../../catalog/drift.ts';
import { UNCONFIRMED } from '../../deals/arrival.ts';
import { type Feed, isSameOffer, type OfferTerms } from '../../deals/offer.ts';
import { namelessAfter } from '../../deals/presence.ts';
import type { Setting } from '../../deals/settings.ts';
import { isFeed, type ResourceKey, type Subscription } from '../../deals/subscription.ts';
import type { WritableOfferBook } from '../../offers/offer-book.ts';
import type { Clock } from '../../shared/clock.ts';
import type { Log } from '../../shared/log.ts';
import { HOUR_MS } from '../../shared/time.ts';
import type { ResourceRecord } from '../../store/catalog-records.ts';
import type { Delivery } from '../../store/delivery.ts';
import type { Records } from '../../store/store.ts';
import type { Changes } from '../../store/table/state.ts';
import type { CurrentState } from '../current-state.ts';
import type { Deliverer } from '../deliver/deliverer.ts';
import { createEntityDetector, type EntityDetector } from '../detect/detect-entities.ts';
import { createOfferDetector, type OfferDetector } from '../detect/detect-offers.ts';
import type { DetectionResult } from '../detect/detection-result.ts';
import { Audience } from '../match/match.ts';
import { enqueue, type Match, type OutboxParts } from '../outbox/enqueue.ts';
import { learn } from './arrivals.ts';
import type { OwedByOffers, OwedPosts } from './owed-posts.ts';
import { type PollResponse, readResource } from './resource.ts';

/** All parts of a poll. */
export interface PollParts {
  catalog: Catalog;
  offers: WritableOfferBook;
  currentState: CurrentState;
  store: Records;
  deliverer: Pick<Deliverer, 'refresh' | 'isApart' | 'mentions'>;
  /** All settings that a subscription can have. */
  settings: readonly Setting[];
  /** Posts that features owe to channels. Absent: none. */
  owed?: () => readonly OwedPosts[];
  /** Announcements that features make of offers. Absent: none. */
  owedByOffers?: () => readonly OwedByOffers[];
  doubtCounts: DoubtCounts;
  clock: Clock;
  log: Log;
  /** Cancels what is running, before its commit. */
  signal: AbortSignal;
}

/** The parts that detection and matching need. */
export interface Context extends PollParts {
  ofOffers: OfferDetector;
  ofEntities: EntityDetector;
  audience: Audience;
  /** Runs one thing at a time, because the feeds share their offers. */
  alone: <R>(work: () => Promise<R>) => Promise<R>;
  /** Counts how the catalog's answers drift from its specification. */
  drift: Drift;
}

/** Announcements that are detected after a longer gap between two polls are posted together. */
const LATE_MS = 2 * HOUR_MS;

export function contextOf(parts: PollParts): Context {
  const { offers, currentState, store, deliverer, settings, doubtCounts, clock, log } = parts;
  const operations = new PQueue({ concurrency: 1 });
  return {
    ...parts,
    ofOffers: createOfferDetector({ ...parts, book: offers, items: () => itemsInEvents(currentState) }),
    ofEntities: createEntityDetector(store, currentState, doubtCounts),
    audience: new Audience(store.subscriptions, settings, log, deliverer.mentions),
    alone: (work) => operations.add(work),
    drift: new Drift(clock),
  };
}

/** The ids of the items of each offer in the events of the last poll, by the offer's id. */
function itemsInEvents(currentState: CurrentState): Map<string, string[]> {
  const events = (currentState.seen('events')?.announcements ?? []).map(({ item }) => item);
  const offers = events.flatMap((event) => ('offers' in event ? event.offers : []));
  return new Map(
    offers.filter(({ items }) => items.length > 0).map(({ id, items }) => [id, items.map((item) => item.id)]),
  );
}

/** What a poll has brought. */
export interface PollResult {
  /** The deliveries that are new in the outbox, or were joined. */
  enqueued: readonly Delivery[];
  /** The ids of offers whose news is held, as one answer alone has shown the price that claims would be made of. */
  held: readonly string[];
  fetchedAtMs: number;
  /** True where no fresh answer was available: the older answer is no news, and the known state stays. */
  isStale: boolean;
}

/**
 * Polls a resource: ask → believe → match → owe → commit. One commit stores all that follows, so that the poll happened or
 * did not: after a crash before it, the next poll finds the same.
 * Rejects with a CatalogError where the catalog has no answer, with a StoreError where it can't be stored.
 * @param askTerms asks offers themselves what it takes to have them, as far as requests are left
 */
export async function pollOnce(
  resource: ResourceKey,
  options: CallOptions,
  context: Context,
  askTerms: (ids: readonly string[]) => Promise<Told>,
): Promise<PollResult> {
  const { catalog, currentState, store, alone, drift, clock, log } = context;

  // Ask. The answer is dated when it was asked for: the machine may have slept while it was on its way.
  const askedAtMs = clock.now();
  const response = await readResource(resource, catalog, options);
  const { value, isStale } = response;
  const fetchedAtMs = Math.min(response.fetchedAtMs, askedAtMs);
  if (isStale) return { enqueued: [], held: [], fetchedAtMs, isStale };
  drift.note(resource, response, 'offers' in value ? value.offers.length : value.length);

  const told = await askTerms('offers' in value ? untoldIn(value, resource, context) : []);

  return alone(async () => {
    const nowMs = clock.now();
    const before = store.resources.get(resource);
    const followers = store.subscriptions.followers.of(resource);
    const isFollowed = followers !== undefined;
    // What appeared while nobody followed the resource is not news to a new follower.
    const isFirstSight = !isFollowed || !before?.isFollowed;

    // Believe: the answer is one witness. What is believed after it may have changed.
    const found = await detect(context, resource, response, { isFirstSight, told, nowMs });

    const learned = isFollowed ? learnedFrom(before, found, fetchedAtMs, isFirstSight) : before?.learned;
    const polled: ResourceRecord = {
      firstSeenMs: before?.firstSeenMs ?? nowMs,
      polledAtMs: fetchedAtMs,
      isFollowed,
      isCutOff: 'offers' in value && value.isCutOff,
      isDoubtful: found.isDoubtful ?? before?.isDoubtful ?? false,
      marketingName: 'offers' in value ? value.marketingName : null,
      ...unreadIn(resource, response, isFirstSight ? null : (before ?? {})),
      ...(learned ? { learned } : {}),
    };

    // Match, owe and commit. Whoever asks in the background has the time to ask for the offers before they are posted.
    const held = options.lane === 'announcement' ? unconfirmedIn(found) : [];
    const enqueued = await commitFound(context, found, {
      nowMs,
      resource,
      catchingUp: followers?.catchingUp() ?? [],
      isLate: before !== undefined && nowMs - before.polledAtMs > LATE_MS,
      save(changes) {
        store.resources.set(changes, resource, polled);
        changes.afterwards(() => currentState.hold(held));
      },
    });
    const level = enqueued.length > 0 ? 'info' : 'debug';
    log[level]({ resource, new: found.startedAtMs.length, enqueued: enqueued.length, isFirstSight }, 'polled');
    return { enqueued, held, fetchedAtMs, isStale };
  });
}

/** The terms that offers have told, by the offers' ids. */
export type Told = ReadonlyMap<string, OfferTerms>;

/** The ids of the offers that may be news, and don't tell what it takes to have them, where what is announced depends on that. */
function untoldIn({ offers }: Feed, resource: ResourceKey, { audience, store, offers: book }: Context): string[] {
  if (!audience.needsTold(resource) || !store.resources.get(resource)?.isFollowed) return [];
  const untold = offers.filter((offer) => {
    const known = book.get(offer.id);
    return !known || (known.terms === undefined && !isSameOffer(known.offer, offer));
  });
  return untold.map(({ id }) => id);
}

/** The ids of the offers in the news whose price one answer alone has shown, and of whose product other prices are known. */
function unconfirmedIn({ news }: DetectionResult): string[] {
  return news
    .filter(({ undecided }) => undecided?.includes(UNCONFIRMED))
    .map(({ announcements: [{ subject }] }) => subject);
}

/** The circumstances in which changes were found. */
interface Occasion {
  nowMs: number;
  /** The subscriptions that this poll shows the newest of what is live. */
  catchingUp?: readonly Subscription[];
  /** Whether its news was detected after a long gap between two polls. */
  isLate?: boolean;
  /** What was polled; null where it was only time that passed, or offers were asked for. */
  resource?: ResourceKey | null;
  /** Records the poll itself. */
  save?: (changes: Changes) => void;
}

/**
 * Finds out who wants what was found, and stores all that follows at once. Resolves with the deliveries that are new in the
 * outbox or were joined. Between the turns that the matching takes, nothing else is stored, so that no subscription changes.
 */
export function commitFound(
  context: Context,
  result: DetectionResult,
  { nowMs, catchingUp = [], isLate = false, resource = null, save }: Occasion,
): Promise<Delivery[]> {
  const { store, deliverer, audience, clock, signal } = context;
  return store.transact(async (changes) => {
    // Match. Subscriptions are as they are by now: people may have changed them while the answer was read.
    const owed = catchingUp.flatMap(({ id }) => store.subscriptions.get(id) ?? []).filter(isCatchingUp);
    const catchUps = owed.length > 0 ? audience.catchUps(result.live(), owed, nowMs) : [];
    const heard = await audience.of(result.news, nowMs, { clock, signal });
    const matches = [...heard, ...catchUps, ...(await owedPosts(context, changes, { result, resource, nowMs }))];

    // Owe: deliveries, and edits of older posts.
    const { deliveries, subscriptions } = store;
    const isApart: OutboxParts['isApart'] = (...asked) => deliverer.isApart(...asked);
    const outbox = { deliveries, subscriptions, replied: store, isApart, mentions: deliverer.mentions };
    const enqueued = await enqueue(outbox, changes, matches, { nowMs, isLate, clock, signal });
    await deliverer.refresh(changes, result.updates);

    // Commit, with what is believed from now on.
    result.save(changes);
    save?.(changes);
    for (const { id } of owed) {
      store.subscriptions.change(changes, id, (subscription) => ({ ...subscription, catchUp: 0 }));
    }
    return enqueued;
  });
}

/** Whether the next answer owes a subscription the newest of what is live. */
const isCatchingUp = ({ catchUp }: Subscription) => catchUp > 0;

/** The posts that features owe of all that is live, and those that they make of offers. */
async function owedPosts(
  { owed, owedByOffers, audience }: Context,
  changes: Changes,
  { result, resource, nowMs }: { result: DetectionResult; resource: ResourceKey | null; nowMs: number },
): Promise<Match[]> {
  const matches: Match[] = [];
  for (const one of owed?.() ?? []) {
    if (one.resource !== resource) continue;
    matches.push(...(await one.of(result.live(), (...asked) => audience.allOf(...asked, nowMs), changes)));
  }
  for (const one of owedByOffers?.() ?? []) matches.push(...(await one.owedIn(changes, result.offers, nowMs)));
  return matches;
}

function detect(
  { ofOffers, ofEntities }: Context,
  resource: ResourceKey,
  { value, unreadable }: PollResponse,
  { isFirstSight, told, nowMs }: { isFirstSight: boolean; told: Told; nowMs: number },
): Promise<DetectionResult> {
  if (isFeed(resource) && 'offers' in value) {
    return ofOffers.inFeed(resource, { value, unreadable }, isFirstSight, nowMs, told);
  }
  if (!isFeed(resource) && !('offers' in value)) {
    return ofEntities.inResource(resource, { value, unreadable }, isFirstSight, nowMs);
  }
  throw new Error('Only a feed holds offers.');
}

/**
 * What no answer of a feed has shown readably since the first one.
 * @param before as of the last answer; null at first sight
 */
function unreadIn(
  resource: ResourceKey,
  { unreadable }: PollResponse,
  before: Pick<ResourceRecord, 'unread' | 'namelessAtFirst'> | null,
): Pick<ResourceRecord, 'unread' | 'namelessAtFirst'> {
  const { ids, nameless } = (isFeed(resource) ? unreadable : undefined) ?? { ids: [], nameless: 0 };
  const unread = before === null ? ids : (before.unread ?? []).filter((id) => ids.includes(id));
  const isLeft = before === null || before.namelessAtFirst !== undefined;
  const left = isLeft ? namelessAfter(before?.namelessAtFirst, nameless) : null;
  return { ...(unread.length > 0 ? { unread } : {}), ...(left ? { namelessAtFirst: left } : {}) };
}

/**
 * The updated times of day at which the resource changes. A first sight counts the stated starts; a second poll of the
 * same answer adds nothing.
 */
function learnedFrom(
  record: ResourceRecord | undefined,
  { startedAtMs }: DetectionResult,
  fetchedAtMs: number,
  isFirstSight: boolean,
): ResourceRecord['learned'] {
  return learn(record?.learned, {
    polledAtMs: fetchedAtMs,
    previousPolledAtMs: isFirstSight ? null : (record?.polledAtMs ?? null),
    startedAtMs: isFirstSight && record?.learned ? [] : startedAtMs,
  });
}
