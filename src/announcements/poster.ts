import type { Catalog, Lane } from '../catalog/catalog.ts';
import { CatalogError } from '../catalog/errors.ts';
import type { Clock } from '../clock.ts';
import type { Announcement } from '../deals/announcement.ts';
import { type ResourceKey, resourceOf } from '../deals/subscription.ts';
import type { Log } from '../log.ts';
import type { OfferBook } from '../offers/offer-book.ts';
import type { Delivery } from '../store/deliveries.ts';
import type { Store } from '../store/store.ts';
import type { Deliverer } from './delivery/deliverer.ts';
import { hasStarted, isLive } from './kinds/index.ts';
import { deliveriesOf, matchCatchUps, matchNews } from './match.ts';
import { pollIntervalMs } from './planner.ts';
import { interfaceOf, readResource } from './resource.ts';

/** Finds what is new in what the channels subscribed to, and hands it to the outbox. */
export interface Poster {
  /** Polls what is due. Errors are logged: what failed is due again later. */
  tick(): Promise<void>;
  /**
   * Polls one resource now, or makes do with an answer younger than the least time between two polls.
   * Rejects with a CatalogError where the catalog has no answer, with a StoreError where it can't be kept.
   */
  poll(resource: ResourceKey, lane: Lane): Promise<PollResult>;
  status(): PollStatus;
}

export interface PollResult {
  /** What went into the outbox. */
  enqueued: readonly Delivery[];
}

export interface PollStatus {
  /** When a poll last succeeded: epoch milliseconds. */
  lastPollMs: number | null;
  /** Since when every poll has failed; null while they succeed. */
  failingSinceMs: number | null;
}

export interface PosterParts {
  catalog: Catalog;
  offers: OfferBook;
  store: Pick<Store, 'subscriptions' | 'resources' | 'known' | 'deliveries'>;
  deliverer: Pick<Deliverer, 'kick' | 'refresh'>;
  minIntervalMs: number;
  clock: Clock;
  log: Log;
  /** Gives up the polls that are under way. */
  signal: AbortSignal;
}

export function createPoster(parts: PosterParts): Poster {
  const { catalog, offers, store, deliverer, minIntervalMs, clock, log, signal } = parts;
  const attemptedAtMs = new Map<ResourceKey, number>();
  const turns = new Map<ResourceKey, Promise<unknown>>();
  const polledBefore = store.resources.keys().map((resource) => store.resources.get(resource)?.polledAtMs ?? 0);
  let lastPollMs: number | null = polledBefore.length > 0 ? Math.max(...polledBefore) : null;
  let failingSinceMs: number | null = null;

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

  function subscribedTo(resource: ResourceKey) {
    return store.subscriptions.all().filter(({ source }) => resourceOf(source) === resource);
  }

  /** Nobody follows them any more: whoever does again starts afresh, without the news of the time between. */
  async function forgetUnwanted(): Promise<void> {
    for (const resource of store.resources.keys()) {
      await inTurn(resource, async () => {
        if (!wanted().has(resource)) await store.resources.forget(resource);
      });
    }
  }

  async function pollNow(resource: ResourceKey, lane: Lane): Promise<PollResult> {
    attemptedAtMs.set(resource, clock.now());
    const sighting = await readResource(resource, catalog, offers, { lane, maxAgeMs: minIntervalMs, signal });
    // An old answer tells nothing new; the last good state stands.
    if (sighting.isStale) {
      failingSinceMs ??= clock.now();
      return { enqueued: [] };
    }
    const nowMs = clock.now();
    const started = sighting.announcements.filter((announcement) => hasStarted(announcement, nowMs));
    const unseen = await withoutKnown(resource, started);
    const isFirstSight = store.resources.get(resource) === undefined;
    const news = isFirstSight ? [] : unseen.filter((announcement) => isLive(announcement, nowMs));

    const subscriptions = subscribedTo(resource);
    const catchingUp = subscriptions.filter(({ catchUp }) => catchUp > 0);
    const live = catchingUp.length > 0 ? started.filter((announcement) => isLive(announcement, nowMs)) : [];
    const deliveries = deliveriesOf([...matchNews(news, subscriptions), ...matchCatchUps(live, catchingUp)], nowMs);

    // The order makes the promise: what is to be posted is stored before anything counts as known.
    const added = await store.deliveries.add(deliveries);
    await store.known.add(
      resource,
      unseen.map(({ subject }) => subject),
      nowMs,
    );
    await store.resources.save(resource, {
      version: 1,
      firstSeenMs: store.resources.get(resource)?.firstSeenMs ?? nowMs,
      polledAtMs: sighting.fetchedAtMs,
    });
    for (const { id } of catchingUp) {
      await store.subscriptions.update(id, (subscription) => ({ ...subscription, catchUp: 0 }));
    }
    log.debug(
      { resource, seen: started.length, unseen: unseen.length, enqueued: added.length, isFirstSight },
      'polled',
    );
    lastPollMs = nowMs;
    failingSinceMs = null;
    return { enqueued: added };
  }

  async function withoutKnown(resource: ResourceKey, announcements: readonly Announcement[]): Promise<Announcement[]> {
    const known = await store.known.among(
      resource,
      announcements.map(({ subject }) => subject),
    );
    return announcements.filter(({ subject }) => !known.has(subject));
  }

  /** What is done with one resource is done in turn: a poll sees what the one before made known, or that it is forgotten. */
  function inTurn<T>(resource: ResourceKey, work: () => Promise<T>): Promise<T> {
    const done = (turns.get(resource) ?? Promise.resolve()).then(work);
    turns.set(
      resource,
      done.catch(() => undefined),
    );
    return done;
  }

  function poll(resource: ResourceKey, lane: Lane): Promise<PollResult> {
    return inTurn(resource, () => pollNow(resource, lane)).finally(() => deliverer.kick());
  }

  async function pollOrLog(resource: ResourceKey): Promise<void> {
    try {
      await poll(resource, 'announcement');
    } catch (error) {
      if (signal.aborted) return;
      failingSinceMs ??= clock.now();
      const level = error instanceof CatalogError ? 'warn' : 'error';
      log[level]({ err: error, resource }, 'a poll failed');
    }
  }

  return {
    async tick() {
      await forgetUnwanted();
      await Promise.all(due().map(pollOrLog));
      deliverer.kick();
    },
    poll,
    status: () => ({ lastPollMs, failingSinceMs }),
  };
}
