import type { Catalog, Lane } from '../catalog/catalog.ts';
import { CatalogError } from '../catalog/errors.ts';
import type { Clock } from '../clock.ts';
import type { Announcement, ThingKey } from '../deals/announcement.ts';
import { shownOffer } from '../deals/known-offer.ts';
import { type ResourceKey, resourceOf, type Subscription } from '../deals/subscription.ts';
import { AppError } from '../errors.ts';
import type { Log } from '../log.ts';
import type { WritableOfferBook } from '../offers/offer-book.ts';
import type { Delivery } from '../store/deliveries.ts';
import type { Store } from '../store/store.ts';
import type { Deliverer } from './delivery.ts';
import { createOfferDetector } from './detect-offers.ts';
import { createThingDetector } from './detect-things.ts';
import type { Findings } from './findings.ts';
import { deliveriesOf, matchCatchUps, matchNews } from './match.ts';
import { pollIntervalMs } from './planner.ts';
import { interfaceOf, isFeed, readResource, type Sighting } from './resource.ts';

/** Finds what is new in what the channels subscribed to, and hands it to the outbox. */
export interface Poster {
  /** Polls what is due and looks what time has done. Errors are logged: what failed is due again later. */
  tick(): Promise<void>;
  /**
   * Polls one resource now, or makes do with an answer that is young enough. Where nobody follows it, what it holds
   * becomes known and nothing is announced.
   * Rejects with a CatalogError where the catalog has no answer, with a StoreError where it can't be kept.
   */
  poll(resource: ResourceKey, lane: Lane): Promise<PollResult>;
  /** A thing as it was last seen; undefined where that is not known. */
  current(thing: ThingKey): Announcement['item'] | undefined;
  /** Forgets what has long been over. Rejects with a StoreError. */
  sweep(): Promise<void>;
  status(): PollStatus;
}

export interface PollResult {
  /** What went into the outbox. */
  enqueued: readonly Delivery[];
  fetchedAtMs: number;
  /** True where a fresh answer could not be had: it tells nothing new, and what was known before stands. */
  isStale: boolean;
}

export interface PollStatus {
  /** When a poll last succeeded: epoch milliseconds. */
  lastPollMs: number | null;
  /** Since when every poll has failed; null while they succeed. */
  failingSinceMs: number | null;
  /** Everything that somebody follows, and what else has been read. */
  resources: ResourceStatus[];
}

export interface ResourceStatus {
  resource: ResourceKey;
  isFollowed: boolean;
  /** When the last good answer was fetched; null before the first. */
  polledAtMs: number | null;
  isCutOff: boolean;
  /** How many live offers of it are known; null where it is no feed. */
  offers: number | null;
  /** Why the last try failed, in a plain sentence, and since when every try has; null where it succeeded. */
  failure: { sinceMs: number; reason: string } | null;
}

export interface PosterParts {
  catalog: Catalog;
  offers: WritableOfferBook;
  store: Pick<Store, 'subscriptions' | 'resources' | 'known' | 'offers' | 'products' | 'deliveries'>;
  deliverer: Pick<Deliverer, 'kick' | 'refresh'>;
  minIntervalMs: number;
  clock: Clock;
  log: Log;
  /** Gives up the polls that are under way. */
  signal: AbortSignal;
}

/** People are shown nothing older where the catalog answers. */
const PEOPLE_WAIT_FOR_MS = 60_000;
/** What is found after a gap this long between two looks is told together. */
const LATE_MS = 2 * 3_600_000;

export function createPoster(parts: PosterParts): Poster {
  const { catalog, offers, store, deliverer, minIntervalMs, clock, log, signal } = parts;
  const ofOffers = createOfferDetector({ store, book: offers });
  const ofThings = createThingDetector(store);
  const attemptedAtMs = new Map<ResourceKey, number>();
  const failures = new Map<ResourceKey, { sinceMs: number; reason: string }>();
  const polledBefore = store.resources.keys().map((resource) => store.resources.get(resource)?.polledAtMs ?? 0);
  let lastPollMs: number | null = polledBefore.length > 0 ? Math.max(...polledBefore) : null;
  let failingSinceMs: number | null = null;
  let turn: Promise<unknown> = Promise.resolve();

  function wanted(): Set<ResourceKey> {
    return new Set(store.subscriptions.all().map(({ source }) => resourceOf(source)));
  }

  function due(): ResourceKey[] {
    const nowMs = clock.now();
    const resources = [...wanted()];
    const quotas = catalog.quota();
    return resources.filter((resource) => {
      const lastMs = Math.max(
        attemptedAtMs.get(resource) ?? -Infinity,
        store.resources.get(resource)?.polledAtMs ?? -Infinity,
      );
      const side = interfaceOf(resource);
      const count = resources.filter((other) => interfaceOf(other) === side).length;
      const hasCatchUp = subscribedTo(resource).some(({ catchUp }) => catchUp > 0);
      const intervalMs = hasCatchUp ? minIntervalMs : pollIntervalMs(count, quotas[side], minIntervalMs, nowMs);
      return nowMs - lastMs >= intervalMs;
    });
  }

  function subscribedTo(resource: ResourceKey): Subscription[] {
    return store.subscriptions.all().filter(({ source }) => resourceOf(source) === resource);
  }

  /** Nobody follows them any more: whoever does again starts afresh, without the news of the time between. */
  async function unfollow(): Promise<void> {
    for (const resource of store.resources.keys()) {
      await inTurn(async () => {
        const record = store.resources.get(resource);
        if (record?.isFollowed && !wanted().has(resource)) {
          await store.resources.save(resource, { ...record, isFollowed: false });
        }
      });
    }
  }

  /** What is found in an answer becomes known before the next one is looked at: the feeds share their offers. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = turn.then(work);
    turn = done.catch(() => undefined);
    return done;
  }

  async function digest(resource: ResourceKey, sighting: Sighting): Promise<Delivery[]> {
    const nowMs = clock.now();
    const record = store.resources.get(resource);
    const subscriptions = subscribedTo(resource);
    const isFollowed = subscriptions.length > 0;
    // What came while nobody was following is no news to whoever comes then.
    const isFirstSight = !record?.isFollowed || !isFollowed;
    const findings = await findingsOf(resource, sighting, isFirstSight, nowMs);
    const catchingUp = subscriptions.filter(({ catchUp }) => catchUp > 0);
    const isLate = record !== undefined && nowMs - record.polledAtMs > LATE_MS;
    const enqueued = await enqueue(findings, catchingUp, isLate, nowMs);
    await store.resources.save(resource, {
      version: 2,
      firstSeenMs: record?.firstSeenMs ?? nowMs,
      polledAtMs: sighting.fetchedAtMs,
      isFollowed,
      ...('offers' in sighting.value
        ? { isCutOff: sighting.value.isCutOff, marketingName: sighting.value.marketingName }
        : { isCutOff: false, marketingName: null }),
    });
    for (const { id } of catchingUp) {
      await store.subscriptions.update(id, (subscription) => ({ ...subscription, catchUp: 0 }));
    }
    log.debug({ resource, new: findings.startedAtMs.length, enqueued: enqueued.length, isFirstSight }, 'polled');
    return enqueued;
  }

  function findingsOf(
    resource: ResourceKey,
    { value }: Sighting,
    isFirstSight: boolean,
    nowMs: number,
  ): Promise<Findings> {
    if (isFeed(resource) && 'offers' in value) return ofOffers.inFeed(resource, value, isFirstSight, nowMs);
    if (!isFeed(resource) && !('offers' in value)) return ofThings.inResource(resource, value, isFirstSight, nowMs);
    throw new Error('Only a feed holds offers.');
  }

  /** The order makes the promise: what is to be posted, and to be changed, is stored before anything counts as known. */
  async function enqueue(
    { news, live, updates, keep }: Findings,
    catchingUp: readonly Subscription[],
    isLate: boolean,
    nowMs: number,
  ): Promise<Delivery[]> {
    const matches = [...matchNews(news, store.subscriptions.all()), ...matchCatchUps(live, catchingUp)];
    const enqueued = await store.deliveries.add(deliveriesOf(matches, nowMs, isLate));
    if (updates.length > 0) await deliverer.refresh(updates);
    await keep();
    return enqueued;
  }

  async function poll(resource: ResourceKey, lane: Lane): Promise<PollResult> {
    attemptedAtMs.set(resource, clock.now());
    const maxAgeMs = lane === 'interactive' ? Math.min(minIntervalMs, PEOPLE_WAIT_FOR_MS) : minIntervalMs;
    try {
      const sighting = await readResource(resource, catalog, { lane, maxAgeMs, signal });
      const { fetchedAtMs, isStale } = sighting;
      // An old answer tells nothing new; the last good state stands.
      if (isStale) {
        failed(resource, 'The catalog had no fresh answer.');
        return { enqueued: [], fetchedAtMs, isStale };
      }
      const enqueued = await inTurn(() => digest(resource, sighting));
      lastPollMs = clock.now();
      failingSinceMs = null;
      failures.delete(resource);
      return { enqueued, fetchedAtMs, isStale };
    } catch (error) {
      if (!signal.aborted)
        failed(resource, error instanceof AppError ? error.message : 'Something unexpected went wrong.');
      throw error;
    } finally {
      deliverer.kick();
    }
  }

  function failed(resource: ResourceKey, reason: string): void {
    const sinceMs = failures.get(resource)?.sinceMs ?? clock.now();
    failures.set(resource, { sinceMs, reason });
    failingSinceMs ??= clock.now();
  }

  /** Does something that is made up for at the next tick where it fails. */
  async function orLog(what: Record<string, unknown>, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (signal.aborted) return;
      const level = error instanceof CatalogError ? 'warn' : 'error';
      log[level]({ err: error, ...what }, 'a poll failed');
    }
  }

  function statusOf(resource: ResourceKey, isFollowed: boolean): ResourceStatus {
    const record = store.resources.get(resource);
    return {
      resource,
      isFollowed,
      polledAtMs: record?.polledAtMs ?? null,
      isCutOff: record?.isCutOff ?? false,
      offers: isFeed(resource) ? offers.live(resource.slice('feed:'.length)).length : null,
      failure: failures.get(resource) ?? null,
    };
  }

  return {
    async tick() {
      await orLog({}, unfollow);
      await Promise.all(due().map((resource) => orLog({ resource }, () => poll(resource, 'announcement'))));
      await orLog({}, () =>
        inTurn(async () => {
          const nowMs = clock.now();
          await enqueue(ofOffers.byNow(nowMs), [], false, nowMs);
          await enqueue(ofThings.byNow(nowMs), [], false, nowMs);
        }),
      );
      deliverer.kick();
    },
    poll,
    current(thing) {
      const [kind, id] = [thing.slice(0, thing.indexOf(':')), thing.slice(thing.indexOf(':') + 1)];
      if (kind !== 'offer') return ofThings.current(thing);
      const known = offers.get(id);
      return known && shownOffer(known);
    },
    sweep: () =>
      inTurn(async () => {
        await ofOffers.sweep(clock.now());
        await ofThings.sweep(clock.now());
      }),
    status() {
      const followed = wanted();
      const all = new Set([...followed, ...store.resources.keys()]);
      return {
        lastPollMs,
        failingSinceMs,
        resources: [...all].map((resource) => statusOf(resource, followed.has(resource))),
      };
    },
  };
}
