import type { Lane } from '../../catalog/catalog.ts';
import { DoubtCounts } from '../../catalog/doubt-counts.ts';
import type { ResourceDrift } from '../../catalog/drift.ts';
import { CatalogError, CatalogHttpError } from '../../catalog/errors.ts';
import type { AskedOffer } from '../../deals/asking.ts';
import { feedName, isFeed, type ResourceKey } from '../../deals/subscription.ts';
import { ageMs, type Clock, wallMsOf } from '../../shared/clock.ts';
import { StoreError } from '../../shared/errors.ts';
import { HOUR_MS, MINUTE_MS } from '../../shared/time.ts';
import type { ResourceStore } from '../../store/catalog-records.ts';
import type { CurrentState } from '../current-state.ts';
import type { Deliverer } from '../deliver/deliverer.ts';
import { sweepPrices } from '../detect/detect-offers.ts';
import { isLive } from '../kinds/index.ts';
import { SALE_TIMES } from './arrivals.ts';
import { askedIn, confirmNews, settleAnswers, settleDoubts, termsAskedOf } from './asking.ts';
import { type DoubtFigures, doubtFigures } from './doubt-figures.ts';
import { Doubts } from './doubts.ts';
import { type Plan, Planner, type PollDemand, type ResourcePlan } from './planner.ts';
import { type Context, commitFound, contextOf, type PollParts, type PollResult, pollOnce } from './poll-once.ts';

/** Polls the resources that channels subscribed to, and enqueues deliveries for the news. */
export interface Poller {
  /**
   * Polls what is due and detects changes that time alone brings. Errors are logged, and failed work is due again
   * later.
   */
  tick(): Promise<void>;
  /**
   * Polls one resource now, or uses a recent enough answer. Where nobody follows the resource, its contents are
   * recorded and nothing is announced.
   * Rejects with a CatalogError where the catalog has no answer, with a StoreError where it can't be stored.
   */
  poll(resource: ResourceKey, lane: Lane): Promise<PollResult>;
  /**
   * Asks what an offer says of itself, for a person, and settles it as for a doubt of the bot's own. Resolves with that: null
   * where the offer no longer exists.
   * Rejects with a CatalogError where the catalog has no answer now, with a StoreError, and with what `beforeRequest` throws.
   */
  ask(offerId: string, beforeRequest: () => void): Promise<AskedOffer | null>;
  /** Forgets entities that ended long ago. Rejects with a StoreError. */
  sweep(): Promise<void>;
  status(): PollStatus;
  /** The last attempt to poll a resource, by whomever; null where none is known. */
  lastAttempt(resource: ResourceKey): { atMs: number; hasFailed: boolean } | null;
  /** What the bot can't read of the resources' last answers. */
  drift(): ReadonlyMap<string, ResourceDrift>;
  /** What single answers claim and is not believed at once, and what feeds disagree about. */
  doubts(): DoubtFigures;
}

export interface PollStatus {
  /** When a poll last succeeded: epoch milliseconds. */
  lastPollMs: number | null;
  /**
   * Since when every poll has failed, apart from polls that people cause: epoch milliseconds; null while they succeed.
   */
  failingSinceMs: number | null;
  /** The reason of the last failure, as in `Failure`; null while polls succeed. */
  failingBecause: string | null;
  interfaces: Plan['interfaces'];
  /** All followed resources, and the others that have been read. */
  resources: ResourceStatus[];
}

export interface ResourceStatus {
  resource: ResourceKey;
  isFollowed: boolean;
  /** When the last good answer was fetched; null before the first. */
  polledAtMs: number | null;
  isCutOff: boolean;
  /** The number of known live offers; null where the resource is not a feed. */
  offers: number | null;
  /** null where the last attempt succeeded. */
  failure: Failure | null;
  /** null where nobody follows it. */
  plan: ResourcePlan | null;
  /** What the bot has not been able to read of its answers for an hour. */
  drift: ResourceDrift;
}

export interface Failure {
  /** Since when every attempt has failed: epoch milliseconds. */
  sinceMs: number;
  /** The reason of the last failure, in a plain sentence that names no file and no key. */
  reason: string;
  /** Whether the catalog said that it doesn't have what was asked for. */
  isUnknown: boolean;
}

export interface PollerParts extends Omit<PollParts, 'doubtCounts'> {
  deliverer: PollParts['deliverer'] & Pick<Deliverer, 'kick' | 'keepPosts'>;
  minIntervalMs: number;
}

/** The oldest answer that people are shown while the catalog answers. */
const PEOPLE_WAIT_FOR_MS = MINUTE_MS;

/** A single odd answer is no drift of the catalog's format. */
const DRIFT_TOLD_AFTER_MS = HOUR_MS;

/**
 * An early sweep runs when so many more offers are known than after the last one: frequent changes would fill the
 * memory before the daily sweep.
 */
export const SWEEP_AFTER = 20_000;

export function createPoller(parts: PollerParts): Poller {
  const { catalog, offers, store, deliverer, minIntervalMs, clock, log, signal } = parts;
  const doubtCounts = new DoubtCounts(clock);
  const context = contextOf({ ...parts, doubtCounts });
  const { alone, drift, ofOffers } = context;
  const planner = new Planner(minIntervalMs);
  const history = new PollHistory(store.resources, clock);
  const doubts = new Doubts(clock);
  let sizeAfterSweep = offers.size;

  const demands = () => demandsOf(parts, history);

  async function poll(resource: ResourceKey, lane: Lane): Promise<PollResult> {
    const maxAgeMs = lane === 'interactive' ? Math.min(minIntervalMs, PEOPLE_WAIT_FOR_MS) : minIntervalMs;
    try {
      // The response cache keeps no feeds, and the offer book does: people who subscribe within a minute cost one request.
      const last = lane === 'interactive' && isFeed(resource) ? await catchUp(context, resource, maxAgeMs) : null;
      if (last) return last;
      history.begin(resource);
      const polled = await pollOnce(resource, { lane, maxAgeMs, signal }, context, (ids) =>
        termsAskedOf(lane === 'announcement' ? ids : [], context, doubts),
      );
      await confirmNews(context, doubts, polled);
      if (offers.size - sizeAfterSweep > SWEEP_AFTER) await sweepOffers();
      await deliverer.keepPosts(resource);
      // A stale answer changes nothing: the last good state stays.
      if (polled.isStale) failed(resource, lane, { reason: 'The catalog had no fresh answer.', isUnknown: false });
      else history.succeeded(resource);
      return polled;
    } catch (error) {
      if (!signal.aborted) failed(resource, lane, failureBy(error));
      throw error;
    } finally {
      deliverer.kick();
    }
  }

  function failed(resource: ResourceKey, lane: Lane, failure: Omit<Failure, 'sinceMs'>): void {
    history.failed(resource, failure);
    // People see the error themselves, and may have asked for a resource that does not exist. Where nobody follows
    // anything, no later poll would clear the failure.
    if (lane !== 'interactive') history.failedAsWhole(failure);
  }

  const sweepOffers = () =>
    alone(async () => {
      await ofOffers.sweep(clock.now());
      sizeAfterSweep = offers.size;
    });

  /** Logs a failure of work that the next tick repeats. */
  async function orLog(what: Record<string, unknown>, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (signal.aborted) return;
      history.failedAsWhole(failureBy(error));
      const level = error instanceof CatalogError ? 'warn' : 'error';
      log[level]({ err: error, ...what }, 'a poll failed');
    }
  }

  return {
    async tick() {
      await orLog({}, () => unfollow(context));
      const due = planner.due(demands(), catalog.quota(), clock.now());
      await Promise.all(due.map((resource) => orLog({ resource }, () => poll(resource, 'announcement'))));
      await orLog({}, () => byNow(context));
      await orLog({}, () => deliverer.keepPosts());
      deliverer.kick();
      // The last of all: where the catalog fails, its retries take long.
      await orLog({}, async () => {
        if (await settleDoubts(context, doubts)) deliverer.kick();
      });
    },
    poll,
    async ask(offerId, beforeRequest) {
      const asked = askedIn(
        offerId,
        await catalog.offers.get(offerId, { lane: 'interactive', maxAgeMs: 0, beforeRequest, signal }),
      );
      await settleAnswers(context, new Map([[offerId, asked]]));
      deliverer.kick();
      return asked;
    },
    async sweep() {
      await sweepOffers();
      await sweepPrices(store.prices, clock.now());
    },
    lastAttempt(resource) {
      const atMs = history.lastTriedMs(resource);
      return atMs === null ? null : { atMs, hasFailed: history.failureOf(resource) !== null };
    },
    drift: () => new Map(Array.from(drift.resources(), (resource) => [resource, drift.of(resource)])),
    doubts: () => doubtFigures(doubtCounts, { offers, resources: store.resources, currentState: parts.currentState }),
    status() {
      const wanted = demands();
      const plan = planner.plan(wanted, catalog.quota(), clock.now());
      const failing = history.failing();
      const resources = new Set([...wanted.map(({ resource }) => resource), ...store.resources.keys()]);
      return {
        lastPollMs: history.lastPollMs(),
        failingSinceMs: failing?.sinceMs ?? null,
        failingBecause: failing?.reason ?? null,
        interfaces: plan.interfaces,
        resources: [...resources].map((resource) => ({
          ...resourceStatus(resource, plan, parts, history),
          drift: drift.of(resource, DRIFT_TOLD_AFTER_MS),
        })),
      };
    },
  };
}

/**
 * Enqueues what a feed's last answer holds for subscriptions that still catch up; null where that answer is `maxAgeMs` old,
 * or nobody has followed the feed since. Rejects with a StoreError.
 */
function catchUp(context: Context, resource: `feed:${string}`, maxAgeMs: number): Promise<PollResult | null> {
  const { store, ofOffers, alone, clock } = context;
  return alone(async () => {
    const nowMs = clock.now();
    const last = store.resources.get(resource);
    if (!last?.isFollowed || ageMs(last.polledAtMs, nowMs) >= maxAgeMs) return null;
    const catchingUp = store.subscriptions.followers.of(resource)?.catchingUp() ?? [];
    const enqueued = await commitFound(context, ofOffers.lastShown(resource, nowMs), { catchingUp, nowMs });
    return { enqueued, held: [], fetchedAtMs: last.polledAtMs, isStale: false };
  });
}

/** Detects changes that time alone brings. Rejects with a StoreError. */
function byNow(context: Context): Promise<void> {
  const { ofOffers, ofEntities, alone, clock } = context;
  return alone(async () => {
    const nowMs = clock.now();
    await commitFound(context, ofOffers.byNow(nowMs), { nowMs });
    await commitFound(context, await ofEntities.byNow(nowMs), { nowMs, resource: 'events' });
  });
}

/** Records the resources that nobody follows any more: a new follower starts afresh. Rejects with a StoreError. */
function unfollow({ store, alone }: Context): Promise<void> {
  const { resources, subscriptions } = store;
  return alone(() =>
    store.commit((changes) => {
      for (const resource of resources.keys()) {
        const record = resources.get(resource);
        if (!record?.isFollowed || subscriptions.followers.of(resource)) continue;
        resources.set(changes, resource, { ...record, isFollowed: false });
      }
    }),
  );
}

/** All followed resources. */
function demandsOf({ store, currentState, clock }: PollerParts, history: PollHistory): PollDemand[] {
  const { subscriptions, resources } = store;
  const isSale = isSaleOn(currentState, clock.now());
  return [...subscriptions.followers.all()].map(([resource, followers]) => {
    const record = resources.get(resource);
    // Followed again: entities that appear before the next poll will count as known from before.
    const isBack = record?.isFollowed === false;
    // A poll that failed is no more urgent than any other: it would be repeated at every tick.
    const hasFailed = history.failureOf(resource) !== null;
    return {
      resource,
      subscribers: followers.weight(),
      lastPolledMs: history.lastTriedMs(resource),
      isUrgent: (isBack && !hasFailed) || followers.catchingUp().length > 0,
      isDoubtful: record?.isDoubtful === true && !hasFailed,
      learned: resource === 'events' && isSale ? SALE_TIMES : record?.learned,
    };
  });
}

/** Whether an event runs in which one offer follows another. */
function isSaleOn(currentState: CurrentState, nowMs: number): boolean {
  const running = currentState.seen('events')?.announcements ?? [];
  return running.some((one) => one.kind === 'event-started' && one.item.type === 'DealOff' && isLive(one, nowMs));
}

function resourceStatus(
  resource: ResourceKey,
  plan: Plan,
  { offers, store }: PollerParts,
  history: PollHistory,
): Omit<ResourceStatus, 'drift'> {
  const record = store.resources.get(resource);
  const planned = plan.resources.get(resource);
  return {
    resource,
    isFollowed: planned !== undefined,
    polledAtMs: record?.polledAtMs ?? null,
    isCutOff: record?.isCutOff ?? false,
    offers: isFeed(resource) ? offers.live(feedName(resource)).length : null,
    failure: history.failureOf(resource),
    plan: planned ?? null,
  };
}

function failureBy(error: unknown): Omit<Failure, 'sinceMs'> {
  return { reason: reasonOf(error), isUnknown: error instanceof CatalogHttpError && error.isUnknown };
}

function reasonOf(error: unknown): string {
  if (error instanceof CatalogError) return error.message;
  // The error's own message would name the path of the state.
  if (error instanceof StoreError) return "The bot's state could not be read or written.";
  return 'Something unexpected went wrong.';
}

/** Like `Failure`, but monotonic: setting the wall clock makes it neither longer nor shorter. */
interface FailingSince extends Omit<Failure, 'sinceMs'> {
  sinceMonotonicMs: number;
}

/** When the resources were polled, and with which result. */
class PollHistory {
  readonly #clock: Clock;
  /** When each resource was last tried: monotonic milliseconds. */
  readonly #attempts = new Map<ResourceKey, number>();
  readonly #failures = new Map<ResourceKey, FailingSince>();
  /** Why polling as a whole fails; null while it succeeds. */
  #failing: FailingSince | null = null;
  /** Monotonic milliseconds. */
  #lastPollMs: number | null;

  constructor(resources: ResourceStore, clock: Clock) {
    this.#clock = clock;
    // The records are all that is known of former runs.
    for (const resource of resources.keys()) {
      const polledAtMs = resources.get(resource)?.polledAtMs ?? clock.now();
      this.#attempts.set(resource, clock.monotonicMs() - ageMs(polledAtMs, clock.now()));
    }
    this.#lastPollMs = this.#attempts.size === 0 ? null : Math.max(...this.#attempts.values());
  }

  begin(resource: ResourceKey): void {
    this.#attempts.set(resource, this.#clock.monotonicMs());
  }

  succeeded(resource: ResourceKey): void {
    this.#lastPollMs = this.#clock.monotonicMs();
    this.#failing = null;
    this.#failures.delete(resource);
  }

  failed(resource: ResourceKey, failure: Omit<Failure, 'sinceMs'>): void {
    this.#failures.set(resource, this.#failingOn(this.#failures.get(resource), failure));
  }

  /** Records that polling as a whole failed. */
  failedAsWhole(failure: Omit<Failure, 'sinceMs'>): void {
    this.#failing = this.#failingOn(this.#failing, failure);
  }

  /** The failure since which every attempt has failed; null where the last one succeeded. */
  failureOf(resource: ResourceKey): Failure | null {
    return this.#dated(this.#failures.get(resource));
  }

  /** The failure since which every poll has failed, apart from polls that people cause; null while they succeed. */
  failing(): Failure | null {
    return this.#dated(this.#failing);
  }

  /** When a poll last succeeded: epoch milliseconds. */
  lastPollMs(): number | null {
    return this.#lastPollMs === null ? null : wallMsOf(this.#lastPollMs, this.#clock);
  }

  /** When a resource was last tried: epoch milliseconds, by the wall clock as it is now; null for never. */
  lastTriedMs(resource: ResourceKey): number | null {
    const triedMs = this.#attempts.get(resource);
    return triedMs === undefined ? null : wallMsOf(triedMs, this.#clock);
  }

  #failingOn(before: FailingSince | null | undefined, failure: Omit<Failure, 'sinceMs'>): FailingSince {
    return { ...failure, sinceMonotonicMs: before?.sinceMonotonicMs ?? this.#clock.monotonicMs() };
  }

  #dated(failing: FailingSince | null | undefined): Failure | null {
    if (!failing) return null;
    const { sinceMonotonicMs, ...failure } = failing;
    return { ...failure, sinceMs: wallMsOf(sinceMonotonicMs, this.#clock) };
  }
}
