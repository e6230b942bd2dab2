import type { Clock } from '../../../shared/clock.ts';
import type { Log } from '../../../shared/log.ts';
import { isFeed } from '../../deals/resource.ts';
import type { ResourceKey, Subscription } from '../../deals/subscription.ts';
import type { WritableOfferBook } from '../../offers/offer-book.ts';
import type { Delivery } from '../../store/delivery.ts';
import type { ResourceRecord } from '../../store/resources.ts';
import type { Store } from '../../store/store.ts';
import type { CurrentState } from '../current-state.ts';
import type { Deliverer } from '../deliver/deliverer.ts';
import { createEntityDetector, type EntityDetector } from '../detect/detect-entities.ts';
import { createOfferDetector, type OfferDetector } from '../detect/detect-offers.ts';
import type { DetectionResult } from '../detect/detection-result.ts';
import { type Audience, createAudience } from '../match/audience.ts';
import { followersOf } from '../match/match.ts';
import { enqueue } from '../outbox/enqueue.ts';
import { learn } from './planner/learn.ts';
import type { PollResponse } from './resource.ts';

/** Makes answers known, and what is news in them deliveries. One thing is done at a time: the feeds share their offers. */
export interface Ingest {
  /** Resolves with what went into the outbox. Rejects with a StoreError; what was not kept is found again. */
  answer(resource: ResourceKey, response: PollResponse): Promise<Delivery[]>;
  /** Looks what time alone has done. Rejects with a StoreError. */
  byNow(): Promise<void>;
  /** Notes which resources nobody follows any more: whoever does again starts afresh. Rejects with a StoreError. */
  unfollow(): Promise<void>;
  /** Forgets what has long been over. Rejects with a StoreError. */
  sweep(): Promise<void>;
}

export interface IngestParts {
  offers: WritableOfferBook;
  currentState: CurrentState;
  store: Pick<Store, 'subscriptions' | 'resources' | 'known' | 'offers' | 'products' | 'deliveries'>;
  deliverer: Pick<Deliverer, 'refresh'>;
  clock: Clock;
  log: Log;
}

/** What it takes to detect and to match. */
interface Context extends IngestParts {
  ofOffers: OfferDetector;
  ofThings: EntityDetector;
  audience: Audience;
}

/** What is found after a gap this long between two looks is told together. */
const LATE_MS = 2 * 3_600_000;

/** So many more offers are known than after the last sweep, and there is one before its day: a catalog that lives fast fills the memory. */
const SWEEP_AFTER = 20_000;

export function createIngest(parts: IngestParts): Ingest {
  const { offers, currentState, store, clock, log } = parts;
  const ofOffers = createOfferDetector({ store, book: offers });
  const ofThings = createEntityDetector(store.known, currentState);
  const context: Context = { ...parts, ofOffers, ofThings, audience: createAudience(store.subscriptions, log) };
  let turn: Promise<unknown> = Promise.resolve();
  let sizeAfterSweep = offers.size;

  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = turn.then(work);
    turn = done.catch(() => undefined);
    return done;
  }

  async function sweepOffers(nowMs: number): Promise<void> {
    await ofOffers.sweep(nowMs);
    sizeAfterSweep = offers.size;
  }

  return {
    answer: (resource, response) =>
      inTurn(async () => {
        const enqueued = await answer(context, resource, response);
        if (offers.size - sizeAfterSweep > SWEEP_AFTER) await sweepOffers(clock.now());
        return enqueued;
      }),
    byNow: () =>
      inTurn(async () => {
        const nowMs = clock.now();
        await commit(context, ofOffers.byNow(nowMs), [], false, nowMs);
        await commit(context, await ofThings.byNow(nowMs), [], false, nowMs);
      }),
    async unfollow() {
      for (const resource of store.resources.keys()) {
        await inTurn(async () => {
          const record = store.resources.get(resource);
          const followed = followersOf(store.subscriptions.all());
          if (record?.isFollowed && !followed.has(resource)) {
            await store.resources.save(resource, { ...record, isFollowed: false });
          }
        });
      }
    },
    sweep: () =>
      inTurn(async () => {
        await sweepOffers(clock.now());
        await ofThings.sweep(clock.now());
      }),
  };
}

async function answer(context: Context, resource: ResourceKey, response: PollResponse): Promise<Delivery[]> {
  const { store, clock, log } = context;
  const nowMs = clock.now();
  const record = store.resources.get(resource);
  const followers = followersOf(store.subscriptions.all()).get(resource) ?? [];
  const isFollowed = followers.length > 0;
  // What came while nobody was following is no news to whoever comes then.
  const isFirstSight = !isFollowed || !record?.isFollowed;
  const result = await detect(context, resource, response, isFirstSight, nowMs);
  const catchingUp = followers.filter(({ catchUp }) => catchUp > 0);
  const isLate = record !== undefined && nowMs - record.polledAtMs > LATE_MS;
  const enqueued = await commit(context, result, catchingUp, isLate, nowMs);
  const learned = isFollowed ? learnedFrom(record, result, response, isFirstSight) : record?.learned;
  await store.resources.save(resource, {
    version: 2,
    firstSeenMs: record?.firstSeenMs ?? nowMs,
    polledAtMs: response.fetchedAtMs,
    isFollowed,
    isCutOff: 'offers' in response.value && response.value.isCutOff,
    isDoubtful: result.isDoubtful ?? record?.isDoubtful ?? false,
    marketingName: 'offers' in response.value ? response.value.marketingName : null,
    ...(learned ? { learned } : {}),
  });
  for (const { id } of catchingUp) {
    await store.subscriptions.update(id, (subscription) => ({ ...subscription, catchUp: 0 }));
  }
  const level = enqueued.length > 0 ? 'info' : 'debug';
  log[level]({ resource, new: result.startedAtMs.length, found: enqueued.length, isFirstSight }, 'polled');
  return enqueued;
}

function detect(
  { ofOffers, ofThings }: Context,
  resource: ResourceKey,
  { value, unreadable }: PollResponse,
  isFirstSight: boolean,
  nowMs: number,
): Promise<DetectionResult> {
  if (isFeed(resource) && 'offers' in value) {
    return ofOffers.inFeed(resource, { value, unreadable }, isFirstSight, nowMs);
  }
  if (!isFeed(resource) && !('offers' in value)) {
    return ofThings.inResource(resource, { value, unreadable }, isFirstSight, nowMs);
  }
  throw new Error('Only a feed holds offers.');
}

/** The order makes the promise: what is to be posted, and to be changed, is stored before anything is committed. */
function commit(
  { currentState, store, deliverer, audience }: Context,
  result: DetectionResult,
  catchingUp: readonly Subscription[],
  isLate: boolean,
  nowMs: number,
): Promise<Delivery[]> {
  return currentState.whileUncommitted(result, async () => {
    const catchUps = catchingUp.length > 0 ? audience.catchUps(result.live(), catchingUp, nowMs) : [];
    const matches = [...audience.of(result.news, nowMs), ...catchUps];
    const enqueued = await enqueue(store.deliveries, matches, nowMs, isLate);
    if (result.updates.length > 0) await deliverer.refresh(result.updates);
    await result.commit();
    return enqueued;
  });
}

/** The times of day at which it changes. A first sight tells when things started; a second one of the same tells nothing. */
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
