import { ageMs, wallMsOf } from '../../../shared/clock.ts';
import { StoreError } from '../../../shared/errors.ts';
import type { Catalog, Lane } from '../../catalog/catalog.ts';
import { CatalogError } from '../../catalog/errors.ts';
import { feedName, isFeed } from '../../deals/resource.ts';
import type { ResourceKey } from '../../deals/subscription.ts';
import type { Delivery } from '../../store/delivery.ts';
import type { Deliverer } from '../deliver/deliverer.ts';
import { followersOf } from '../match/match.ts';
import { createDigest, type Digest, type DigestParts } from './ingest.ts';
import { createPlanner, type Plan, type PollDemand, type ResourcePlan } from './planner/planner.ts';
import { weightOf } from './planner/weight.ts';
import { readResource } from './resource.ts';

/** Finds what is new in what the channels subscribed to, and hands it to the outbox. */
export interface Poster extends Pick<Digest, 'current' | 'seen' | 'sweep'> {
  /** Polls what is due and looks what time has done. Errors are logged: what failed is due again later. */
  tick(): Promise<void>;
  /**
   * Polls one resource now, or makes do with an answer that is young enough. Where nobody follows it, what it holds
   * becomes known and nothing is announced.
   * Rejects with a CatalogError where the catalog has no answer, with a StoreError where it can't be kept.
   */
  poll(resource: ResourceKey, lane: Lane): Promise<PollResult>;
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
  /** Since when every poll has failed, those that people cause left out; null while they succeed. */
  failingSinceMs: number | null;
  /** Why the last one failed, as in `Failure`; null while they succeed. */
  failingBecause: string | null;
  interfaces: Plan['interfaces'];
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
  /** null where the last try succeeded. */
  failure: Failure | null;
  /** null where nobody follows it. */
  plan: ResourcePlan | null;
}

export interface Failure {
  /** Since when every try has failed: epoch milliseconds. */
  sinceMs: number;
  /** Why the last one did, in a plain sentence that names no file and no key. */
  reason: string;
}

export interface PosterParts extends DigestParts {
  catalog: Catalog;
  deliverer: Pick<Deliverer, 'kick' | 'refresh'>;
  minIntervalMs: number;
  /** Gives up the polls that are under way. */
  signal: AbortSignal;
}

/** When a resource was last tried: epoch milliseconds, and on the monotonic clock. */
interface Attempt {
  atMs: number;
  monotonicMs: number;
}

/** As a `Failure`, on the monotonic clock: a wall clock that is set makes it neither longer nor shorter. */
interface FailingSince {
  sinceMonotonicMs: number;
  reason: string;
}

/** People are shown nothing older where the catalog answers. */
const PEOPLE_WAIT_FOR_MS = 60_000;

export function createPoster(parts: PosterParts): Poster {
  const { catalog, offers, store, deliverer, minIntervalMs, clock, log, signal } = parts;
  const digest = createDigest({ offers, store, deliverer, clock, log });
  const planner = createPlanner({ minIntervalMs });
  const attempts = new Map<ResourceKey, Attempt>();
  const failures = new Map<ResourceKey, FailingSince>();
  /** On the monotonic clock. */
  let lastPollMs: number | null = lastPollBeforeStart();
  let failing: FailingSince | null = null;

  /** null where none is known: one from the future was dated by a wrong clock. */
  function lastPollBeforeStart(): number | null {
    const nowMs = clock.now();
    const ages = store.resources
      .keys()
      .map((resource) => ageMs(store.resources.get(resource)?.polledAtMs ?? Infinity, nowMs));
    const youngestMs = Math.min(...ages);
    return youngestMs === Infinity ? null : clock.monotonicMs() - youngestMs;
  }

  /**
   * When a resource was last tried, as the wall clock has it now; null where it never was, as far as anybody knows. A wall
   * clock that is ahead of the monotonic one may have been set, or the machine may have slept: then much may have come.
   */
  function lastPolledMs(resource: ResourceKey): number | null {
    const nowMs = clock.now();
    const attempt = attempts.get(resource);
    const wallAgeMs = attempt ? ageMs(attempt.atMs, nowMs) : Infinity;
    const passedMs = attempt ? clock.monotonicMs() - attempt.monotonicMs : Infinity;
    const attemptAgeMs = wallAgeMs === Infinity ? passedMs : Math.max(wallAgeMs, passedMs);
    const youngestMs = Math.min(attemptAgeMs, ageMs(store.resources.get(resource)?.polledAtMs ?? Infinity, nowMs));
    return youngestMs === Infinity ? null : Math.round(nowMs - youngestMs);
  }

  function demands(): PollDemand[] {
    return [...followersOf(store.subscriptions.all())].map(([resource, followers]) => {
      const record = store.resources.get(resource);
      // A second look that failed is no more urgent than any other: it would be tried at every tick.
      const isDoubtful = record?.isDoubtful === true && !failures.has(resource);
      return {
        resource,
        subscribers: weightOf(followers),
        lastPolledMs: lastPolledMs(resource),
        isUrgent: isDoubtful || followers.some(({ catchUp }) => catchUp > 0),
        learned: record?.learned,
      };
    });
  }

  async function poll(resource: ResourceKey, lane: Lane): Promise<PollResult> {
    attempts.set(resource, { atMs: clock.now(), monotonicMs: clock.monotonicMs() });
    const maxAgeMs = lane === 'interactive' ? Math.min(minIntervalMs, PEOPLE_WAIT_FOR_MS) : minIntervalMs;
    try {
      const sighting = await readResource(resource, catalog, { lane, maxAgeMs, signal });
      const { fetchedAtMs, isStale } = sighting;
      // An old answer tells nothing new; the last good state stands.
      if (isStale) {
        failed(resource, lane, 'The catalog had no fresh answer.');
        return { enqueued: [], fetchedAtMs, isStale };
      }
      const enqueued = await digest.take(resource, sighting);
      lastPollMs = clock.monotonicMs();
      failing = null;
      failures.delete(resource);
      return { enqueued, fetchedAtMs, isStale };
    } catch (error) {
      if (!signal.aborted) failed(resource, lane, reasonOf(error));
      throw error;
    } finally {
      deliverer.kick();
    }
  }

  function failed(resource: ResourceKey, lane: Lane, reason: string): void {
    failures.set(resource, failingOn(failures.get(resource), reason));
    // People are told themselves, and may have asked for what there is not; where nobody follows anything, nothing would
    // ever say that it is well again.
    if (lane !== 'interactive') fails(reason);
  }

  function fails(reason: string): void {
    failing = failingOn(failing, reason);
  }

  function failingOn(before: FailingSince | null | undefined, reason: string): FailingSince {
    return { sinceMonotonicMs: before?.sinceMonotonicMs ?? clock.monotonicMs(), reason };
  }

  function failureOf({ sinceMonotonicMs, reason }: FailingSince): Failure {
    return { sinceMs: wallMsOf(sinceMonotonicMs, clock), reason };
  }

  /** Does what is made up for at the next tick where it fails. */
  async function orLog(what: Record<string, unknown>, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (signal.aborted) return;
      fails(reasonOf(error));
      const level = error instanceof CatalogError ? 'warn' : 'error';
      log[level]({ err: error, ...what }, 'a poll failed');
    }
  }

  return {
    async tick() {
      await orLog({}, () => digest.unfollow());
      const due = planner.due(demands(), catalog.quota(), clock.now());
      await Promise.all(due.map((resource) => orLog({ resource }, () => poll(resource, 'announcement'))));
      await orLog({}, () => digest.byNow());
      deliverer.kick();
    },
    poll,
    current: (thing) => digest.current(thing),
    seen: (resource) => digest.seen(resource),
    sweep: () => digest.sweep(),
    status() {
      const wanted = demands();
      const plan = planner.plan(wanted, catalog.quota(), clock.now());
      const followed = new Set(wanted.map(({ resource }) => resource));
      const resources = [...new Set([...followed, ...store.resources.keys()])].map((resource) => {
        const record = store.resources.get(resource);
        const failure = failures.get(resource);
        return {
          resource,
          isFollowed: followed.has(resource),
          polledAtMs: record?.polledAtMs ?? null,
          isCutOff: record?.isCutOff ?? false,
          offers: isFeed(resource) ? offers.live(feedName(resource)).length : null,
          failure: failure ? failureOf(failure) : null,
          plan: plan.resources.get(resource) ?? null,
        };
      });
      return {
        lastPollMs: lastPollMs === null ? null : wallMsOf(lastPollMs, clock),
        failingSinceMs: failing ? failureOf(failing).sinceMs : null,
        failingBecause: failing?.reason ?? null,
        interfaces: plan.interfaces,
        resources,
      };
    },
  };
}

function reasonOf(error: unknown): string {
  if (error instanceof CatalogError) return error.message;
  // Its message tells where the state lies.
  if (error instanceof StoreError) return "The bot's state could not be read or written.";
  return 'Something unexpected went wrong.';
}
