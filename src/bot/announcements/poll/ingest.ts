import type { Clock } from '../../../shared/clock.ts';
import type { Log } from '../../../shared/log.ts';
import type { Announcement, ThingKey } from '../../deals/announcement.ts';
import { shownOffer } from '../../deals/known-offer.ts';
import { isFeed } from '../../deals/resource.ts';
import type { ResourceKey, Subscription } from '../../deals/subscription.ts';
import type { WritableOfferBook } from '../../offers/offer-book.ts';
import type { Delivery } from '../../store/delivery.ts';
import type { ResourceRecord } from '../../store/resources.ts';
import type { Store } from '../../store/store.ts';
import type { Deliverer } from '../deliver/deliverer.ts';
import { createThingDetector } from '../detect/detect-entities.ts';
import { createOfferDetector } from '../detect/detect-offers.ts';
import type { Findings } from '../detect/detection-result.ts';
import { createAudience } from '../match/audience.ts';
import { deliveriesOf, followersOf } from '../match/match.ts';
import { learn } from './planner/learn.ts';
import type { Sighting } from './resource.ts';

/** Makes answers known, and what is news in them deliveries. One thing is done at a time: the feeds share their offers. */
export interface Digest {
  /** Resolves with what went into the outbox. Rejects with a StoreError; what was not kept is found again. */
  take(resource: ResourceKey, sighting: Sighting): Promise<Delivery[]>;
  /** Looks what time alone has done. Rejects with a StoreError. */
  byNow(): Promise<void>;
  /** Notes which resources nobody follows any more: whoever does again starts afresh. Rejects with a StoreError. */
  unfollow(): Promise<void>;
  /** Forgets what has long been over. Rejects with a StoreError. */
  sweep(): Promise<void>;
  /** A thing as it was last seen; undefined where that is not known. */
  current(thing: ThingKey): Announcement['item'] | undefined;
  /** What a resource that is no feed held at the last look; null where it was not looked at since the start. */
  seen(resource: ResourceKey): Seen | null;
}

export interface Seen {
  /** Each thing as the announcement it would make, in the catalog's order, then the events that are over since. */
  announcements: readonly Announcement[];
  /** When the answer was fetched: epoch milliseconds. */
  fetchedAtMs: number;
}

export interface DigestParts {
  offers: WritableOfferBook;
  store: Pick<Store, 'subscriptions' | 'resources' | 'known' | 'offers' | 'products' | 'deliveries' | 'posts'>;
  deliverer: Pick<Deliverer, 'refresh'>;
  clock: Clock;
  log: Log;
}

/** What is found after a gap this long between two looks is told together. */
const LATE_MS = 2 * 3_600_000;

/** So many more offers are known than after the last sweep, and there is one before its day: a catalog that lives fast fills the memory. */
const SWEEP_AFTER = 20_000;

export function createDigest({ offers, store, deliverer, clock, log }: DigestParts): Digest {
  const ofOffers = createOfferDetector({ store, book: offers });
  const ofThings = createThingDetector(store);
  const audience = createAudience(store.subscriptions, log);
  let turn: Promise<unknown> = Promise.resolve();
  let sizeAfterSweep = offers.size;

  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = turn.then(work);
    turn = done.catch(() => undefined);
    return done;
  }

  async function takeNow(resource: ResourceKey, sighting: Sighting): Promise<Delivery[]> {
    const nowMs = clock.now();
    const record = store.resources.get(resource);
    const followers = followersOf(store.subscriptions.all()).get(resource) ?? [];
    const isFollowed = followers.length > 0;
    // What came while nobody was following is no news to whoever comes then.
    const isFirstSight = !isFollowed || !record?.isFollowed;
    const findings = await find(resource, sighting, isFirstSight, nowMs);
    const catchingUp = followers.filter(({ catchUp }) => catchUp > 0);
    const isLate = record !== undefined && nowMs - record.polledAtMs > LATE_MS;
    const enqueued = await enqueue(findings, catchingUp, isLate, nowMs);
    const learned = isFollowed ? learnedFrom(record, findings, sighting, isFirstSight) : record?.learned;
    await store.resources.save(resource, {
      version: 2,
      firstSeenMs: record?.firstSeenMs ?? nowMs,
      polledAtMs: sighting.fetchedAtMs,
      isFollowed,
      isCutOff: 'offers' in sighting.value && sighting.value.isCutOff,
      isDoubtful: findings.isDoubtful ?? record?.isDoubtful ?? false,
      marketingName: 'offers' in sighting.value ? sighting.value.marketingName : null,
      ...(learned ? { learned } : {}),
    });
    for (const { id } of catchingUp) {
      await store.subscriptions.update(id, (subscription) => ({ ...subscription, catchUp: 0 }));
    }
    if (offers.size - sizeAfterSweep > SWEEP_AFTER) await sweepOffers(nowMs);
    const level = enqueued.length > 0 ? 'info' : 'debug';
    log[level]({ resource, new: findings.startedAtMs.length, enqueued: enqueued.length, isFirstSight }, 'polled');
    return enqueued;
  }

  async function sweepOffers(nowMs: number): Promise<void> {
    await ofOffers.sweep(nowMs);
    sizeAfterSweep = offers.size;
  }

  function find(resource: ResourceKey, sighting: Sighting, isFirstSight: boolean, nowMs: number): Promise<Findings> {
    const { value, unreadable } = sighting;
    if (isFeed(resource) && 'offers' in value) {
      return ofOffers.inFeed(resource, { value, unreadable }, isFirstSight, nowMs);
    }
    if (!isFeed(resource) && !('offers' in value)) {
      return ofThings.inResource(resource, { value, unreadable }, isFirstSight, nowMs);
    }
    throw new Error('Only a feed holds offers.');
  }

  /** The order makes the promise: what is to be posted, and to be changed, is stored before anything counts as known. */
  async function enqueue(
    findings: Findings,
    catchingUp: readonly Subscription[],
    isLate: boolean,
    nowMs: number,
  ): Promise<Delivery[]> {
    const catchUps = catchingUp.length > 0 ? audience.catchUps(findings.live(), catchingUp, nowMs) : [];
    const matches = [...audience.of(findings.news, nowMs), ...catchUps];
    const enqueued = await store.deliveries.add(deliveriesOf(matches, nowMs, isLate));
    if (findings.updates.length > 0) await deliverer.refresh(findings.updates);
    await findings.keep();
    return enqueued;
  }

  return {
    take: (resource, sighting) => inTurn(() => takeNow(resource, sighting)),
    byNow: () =>
      inTurn(async () => {
        const nowMs = clock.now();
        await enqueue(ofOffers.byNow(nowMs), [], false, nowMs);
        await enqueue(await ofThings.byNow(nowMs), [], false, nowMs);
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
    current(thing) {
      if (!thing.startsWith('offer:')) return ofThings.current(thing);
      const known = offers.get(thing.slice('offer:'.length));
      return known && shownOffer(known);
    },
    seen(resource) {
      const announcements = ofThings.seen(resource);
      const record = store.resources.get(resource);
      return announcements && record ? { announcements, fetchedAtMs: record.polledAtMs } : null;
    },
  };
}

/** The times of day at which it changes. A first sight tells when things started; a second one of the same tells nothing. */
function learnedFrom(
  record: ResourceRecord | undefined,
  { startedAtMs }: Findings,
  { fetchedAtMs }: Sighting,
  isFirstSight: boolean,
): ResourceRecord['learned'] {
  return learn(record?.learned, {
    polledAtMs: fetchedAtMs,
    previousPolledAtMs: isFirstSight ? null : (record?.polledAtMs ?? null),
    startedAtMs: isFirstSight && record?.learned ? [] : startedAtMs,
  });
}
