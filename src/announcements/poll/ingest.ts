import PQueue from 'p-queue';
import type { DoubtCounts } from '../../catalog/doubt-counts.ts';
import type { AskedOffer } from '../../deals/change.ts';
import { namelessAfter } from '../../deals/presence.ts';
import type { Setting } from '../../deals/settings.ts';
import { isFeed, type ResourceKey, type Subscription } from '../../deals/subscription.ts';
import type { WritableOfferBook } from '../../offers/offer-book.ts';
import { ageMs, type Clock } from '../../shared/clock.ts';
import type { Log } from '../../shared/log.ts';
import { HOUR_MS } from '../../shared/time.ts';
import { inTurns } from '../../shared/turns.ts';
import type { ResourceRecord } from '../../store/catalog-records.ts';
import type { Delivery } from '../../store/delivery.ts';
import type { Records } from '../../store/store.ts';
import type { Changes } from '../../store/table/state.ts';
import type { CurrentState } from '../current-state.ts';
import type { Deliverer } from '../deliver/deliverer.ts';
import { createEntityDetector, type EntityDetector } from '../detect/detect-entities.ts';
import { createOfferDetector, type OfferDetector, sweepPrices } from '../detect/detect-offers.ts';
import type { DetectionResult } from '../detect/detection-result.ts';
import { Audience } from '../match/match.ts';
import { enqueue, type Match, type OutboxParts } from '../outbox/enqueue.ts';
import { learn } from './arrivals.ts';
import type { OwedByOffers, OwedPosts } from './owed-posts.ts';
import type { PollResponse } from './resource.ts';

/**
 * Ingests answers: detects changes, and commits them together with the deliveries and edits that they bring. Its
 * operations run one at a time, because the feeds share their offers.
 */
export interface Ingest {
  /**
   * Resolves with the deliveries that are new in the outbox or were joined. Rejects with a StoreError; uncommitted changes
   * are detected again.
   */
  answer(resource: ResourceKey, response: PollResponse): Promise<Delivery[]>;
  /**
   * Enqueues what a feed's last answer holds for subscriptions that still catch up; null where that answer is `maxAgeMs`
   * old, or nobody has followed the feed since. Otherwise like `answer`.
   */
  catchUp(resource: `feed:${string}`, maxAgeMs: number): Promise<{ enqueued: Delivery[]; fetchedAtMs: number } | null>;
  /** Settles doubts by what offers say of themselves, by id; null for one that no longer exists. Rejects with a StoreError. */
  settle(answers: ReadonlyMap<string, AskedOffer | null>): Promise<void>;
  /** Detects changes that time alone brings. Rejects with a StoreError. */
  byNow(): Promise<void>;
  /** Records the resources that nobody follows any more: a new follower starts afresh. Rejects with a StoreError. */
  unfollow(): Promise<void>;
  /** Forgets entities that ended long ago. Rejects with a StoreError. */
  sweep(): Promise<void>;
}

export interface IngestParts {
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

/** All parts that detection and matching need. */
interface Context extends IngestParts {
  ofOffers: OfferDetector;
  ofEntities: EntityDetector;
  audience: Audience;
}

/** Announcements that are detected after a longer gap between two polls are posted together. */
const LATE_MS = 2 * HOUR_MS;

/**
 * An early sweep runs when so many more offers are known than after the last one: frequent changes would fill the
 * memory before the daily sweep.
 */
const SWEEP_AFTER = 20_000;

export function createIngest(parts: IngestParts): Ingest {
  const { offers, currentState, store, clock, log } = parts;
  const ofOffers = createOfferDetector({ ...parts, book: offers, items: () => itemsInEvents(currentState) });
  const ofEntities = createEntityDetector(store, currentState, parts.doubtCounts);
  const audience = new Audience(store.subscriptions, parts.settings, log);
  const context: Context = { ...parts, ofOffers, ofEntities, audience };
  const operations = new PQueue({ concurrency: 1 });
  let sizeAfterSweep = offers.size;

  async function sweepOffers(nowMs: number): Promise<void> {
    await ofOffers.sweep(nowMs);
    sizeAfterSweep = offers.size;
  }

  return {
    answer: (resource, response) =>
      operations.add(async () => {
        const enqueued = await answer(context, resource, response);
        if (offers.size - sizeAfterSweep > SWEEP_AFTER) await sweepOffers(clock.now());
        return enqueued;
      }),
    catchUp: (resource, maxAgeMs) =>
      operations.add(async () => {
        const nowMs = clock.now();
        const last = store.resources.get(resource);
        if (!last?.isFollowed || ageMs(last.polledAtMs, nowMs) >= maxAgeMs) return null;
        const catchingUp = store.subscriptions.followers.of(resource)?.catchingUp() ?? [];
        const enqueued = await commit(context, ofOffers.lastShown(resource, nowMs), { catchingUp, nowMs });
        return { enqueued, fetchedAtMs: last.polledAtMs };
      }),
    settle: (answers) =>
      operations.add(async () => {
        const nowMs = clock.now();
        await commit(context, await ofOffers.asked(answers, nowMs), { nowMs });
      }),
    byNow: () =>
      operations.add(async () => {
        const nowMs = clock.now();
        await commit(context, ofOffers.byNow(nowMs), { nowMs });
        await commit(context, await ofEntities.byNow(nowMs), { nowMs, resource: 'events' });
      }),
    unfollow: () =>
      operations.add(() =>
        store.commit((changes) => {
          for (const resource of store.resources.keys()) {
            const record = store.resources.get(resource);
            if (!record?.isFollowed || store.subscriptions.followers.of(resource)) continue;
            store.resources.save(changes, resource, { ...record, isFollowed: false });
          }
        }),
      ),
    async sweep() {
      await operations.add(async () => {
        await sweepOffers(clock.now());
      });
      await sweepPrices(store.prices, clock.now());
    },
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

async function answer(context: Context, resource: ResourceKey, response: PollResponse): Promise<Delivery[]> {
  const { store, clock, log } = context;
  const nowMs = clock.now();
  const record = store.resources.get(resource);
  const followers = store.subscriptions.followers.of(resource);
  const isFollowed = followers !== undefined;
  const catchingUp = followers?.catchingUp() ?? [];
  // Entities that appeared while nobody followed the resource are not news to a new follower.
  const isFirstSight = !isFollowed || !record?.isFollowed;
  const result = await detect(context, resource, response, isFirstSight, nowMs);
  const isLate = record !== undefined && nowMs - record.polledAtMs > LATE_MS;
  const learned = isFollowed ? learnedFrom(record, result, response, isFirstSight) : record?.learned;
  const polled: ResourceRecord = {
    firstSeenMs: record?.firstSeenMs ?? nowMs,
    polledAtMs: response.fetchedAtMs,
    isFollowed,
    isCutOff: 'offers' in response.value && response.value.isCutOff,
    isDoubtful: result.isDoubtful ?? record?.isDoubtful ?? false,
    marketingName: 'offers' in response.value ? response.value.marketingName : null,
    ...unreadIn(resource, response, isFirstSight ? null : (record ?? {})),
    ...(learned ? { learned } : {}),
  };
  const save = (changes: Changes) => store.resources.save(changes, resource, polled);
  const enqueued = await commit(context, result, { catchingUp, isLate, resource, nowMs, save });
  const level = enqueued.length > 0 ? 'info' : 'debug';
  log[level]({ resource, new: result.startedAtMs.length, enqueued: enqueued.length, isFirstSight }, 'polled');
  return enqueued;
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

/** Whether the next answer owes a subscription the newest of what is live. */
const isCatchingUp = ({ catchUp }: Subscription) => catchUp > 0;

function detect(
  { ofOffers, ofEntities }: Context,
  resource: ResourceKey,
  { value, unreadable }: PollResponse,
  isFirstSight: boolean,
  nowMs: number,
): Promise<DetectionResult> {
  if (isFeed(resource) && 'offers' in value) {
    return ofOffers.inFeed(resource, { value, unreadable }, isFirstSight, nowMs);
  }
  if (!isFeed(resource) && !('offers' in value)) {
    return ofEntities.inResource(resource, { value, unreadable }, isFirstSight, nowMs);
  }
  throw new Error('Only a feed holds offers.');
}

/** The circumstances of a poll, besides what it found. */
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
 * Stores all that a poll brings at once, so that it happened or did not. Resolves with the enqueued deliveries. Between
 * the turns that the matching takes, nothing else is stored, so that no subscription changes.
 */
function commit(
  context: Context,
  result: DetectionResult,
  { nowMs, catchingUp = [], isLate = false, resource = null, save }: Occasion,
): Promise<Delivery[]> {
  const { store, deliverer, audience, clock, signal } = context;
  return store.transact(async (changes) => {
    // As they are by now: people may have changed or removed them while the answer was read.
    const owed = catchingUp.flatMap(({ id }) => store.subscriptions.get(id) ?? []).filter(isCatchingUp);
    const catchUps = owed.length > 0 ? audience.catchUps(result.live(), owed, nowMs) : [];
    const heard = await inTurns(audience.of(result.news, nowMs), { clock, signal });
    const matches = [...heard, ...catchUps, ...(await owedPosts(context, changes, { result, resource, nowMs }))];
    const { deliveries, subscriptions } = store;
    const isApart: OutboxParts['isApart'] = (...asked) => deliverer.isApart(...asked);
    const outbox = { deliveries, subscriptions, isApart, mentions: deliverer.mentions };
    const enqueued = await enqueue(outbox, changes, matches, { nowMs, isLate, clock, signal });
    await deliverer.refresh(changes, result.updates);
    result.save(changes);
    save?.(changes);
    for (const { id } of owed) {
      store.subscriptions.change(changes, id, (subscription) => ({ ...subscription, catchUp: 0 }));
    }
    return enqueued;
  });
}

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

/**
 * The updated times of day at which the resource changes. A first sight counts the stated starts; a second poll of the
 * same answer adds nothing.
 */
function learnedFrom(
  record: ResourceRecord | undefined,
  { startedAtMs }: DetectionResult,
  { fetchedAtMs }: PollResponse,
  isFirstSight: boolean,
): ResourceRecord['learned'] {
  return learn(record?.learned, {
    polledAtMs: fetchedAtMs,
    previousPolledAtMs: isFirstSight ? null : (record?.polledAtMs ?? null),
    startedAtMs: isFirstSight && record?.learned ? [] : startedAtMs,
  });
}
