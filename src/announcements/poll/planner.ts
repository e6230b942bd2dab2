import type { QuotaStatus } from '../../catalog/catalog.ts';
import { remainingFor } from '../../catalog/throttle/rate-budget.ts';
import { interfaceOf, type ResourceKey } from '../../deals/subscription.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../shared/time.ts';
import type { LearnedTimes } from '../../store/catalog-records.ts';
import { ArrivalCurve } from './arrivals.ts';

/** A resource to poll. */
export interface PollDemand {
  resource: ResourceKey;
  /** The weighted number of followers, as `weightOf` counts them. */
  subscribers: number;
  /** The last attempt, whether it succeeded or not; null where there was none. */
  lastPolledMs: number | null;
  /** True where somebody waits for the next poll: it is due as soon as the least interval has passed. */
  isUrgent: boolean;
  /** True where the last answer may have been wrong: the next poll is urgent, unless the day's requests are short. */
  isDoubtful: boolean;
  /** From its record, made by `learn`. */
  learned: LearnedTimes | undefined;
}

export type Quotas = Readonly<Record<'portal' | 'v2', QuotaStatus>>;

/** The plan for a resource until the day's quota resets. */
export interface ResourcePlan {
  /** null: not before the quota resets. */
  nextPollMs: number | null;
  /** The longest delay until a new entity is seen, also on later days, unless more is spent beside the plan than polling leaves. */
  worstDelayMs: number;
  /** The expected mean delay until a new entity is seen. */
  expectedDelayMs: number;
  /** The number of planned polls. */
  polls: number;
}

/** The plan for an interface until the day's quota resets. */
export interface InterfacePlan {
  /** The requests that polling will spend. */
  plannedPolls: number;
  /**
   * When the requests would run out if spending, people's included, continued at the day's average rate; null where
   * they last. Polling slows down before that.
   */
  projectedEndMs: number | null;
}

export interface Plan {
  resources: ReadonlyMap<ResourceKey, ResourcePlan>;
  interfaces: Readonly<Record<'portal' | 'v2', InterfacePlan>>;
}

/** A resource with what is expected of it. */
interface Paced extends PollDemand {
  curve: ArrivalCurve;
}

/** The requests that polling may spend. */
interface Budget {
  /** From now on. */
  requests: number;
  /** When the requests have to last until: epoch milliseconds. */
  untilMs: number;
  /** The requests of a whole day on which nothing else is spent. */
  requestsPerDay: number;
}

/**
 * Decides when a poll is due. A poll ends the waiting of all arrivals since the previous one; it is worth a request
 * once that waiting, in minutes summed over arrivals and subscribers, has reached the price. With even arrivals the
 * number of polls is then proportional to the square root of arrivals × subscribers, which is the split of a given
 * number of requests that minimises the mean delay; after a burst the price is reached at once.
 */
interface Pace {
  price: number;
  /** The longest interval between polls, however little is expected. */
  longestMs: number;
  /** The shortest interval between polls, however much is expected. */
  shortestMs: number;
  /** Whether so much was spent beside the plan that the longest interval is longer than on other days. */
  isShort: boolean;
}

/**
 * One in so many of the requests that polling may still spend is for unplanned ones: second looks at doubtful answers,
 * retries. It stays one in so many to the end of the day: such requests come at any time.
 */
const UNPLANNED_SHARE = 9;

/** One in so many of the unplanned requests may ask about offers in doubt, and as many about news before it is posted. */
const OFFER_SHARE = 2;

/**
 * The requests of a day that may ask about offers in doubt, and as many that may confirm news; 0 where nothing is left today
 * that polling may spend.
 */
export function requestsForOffers({ spent, limit }: Pick<QuotaStatus, 'spent' | 'limit'>): number {
  if (remainingFor('announcement', spent, limit) < 1) return 0;
  return Math.floor(remainingFor('announcement', 0, limit) / UNPLANNED_SHARE / OFFER_SHARE);
}

/**
 * Half of the requests guarantee the longest interval of every resource; the other half go where arrivals are expected.
 */
const LONGEST_IN_EVEN_SHARES = 2;

const INTERFACES = ['portal', 'v2'] as const;
type Interface = (typeof INTERFACES)[number];

/** Below this interval the learned minutes no longer matter, and polls are even. */
const EVEN_BELOW_MS = MINUTE_MS;

/**
 * The price is a power of two whose exponent is on this grid, so the resulting price does not depend on where the
 * search began.
 */
const STEPS = 16;
const LOWEST = -20 * STEPS;
const HIGHEST = 50 * STEPS;

/**
 * Divides each interface's daily requests among the followed resources, by the number of subscriptions and by the
 * learned times of change. Its decisions depend on its input only, so a restart changes nothing.
 */
export class Planner {
  readonly #minIntervalMs: number;
  // Caches only; they do not affect the decisions.
  readonly #curves = new WeakMap<LearnedTimes, ArrivalCurve>();
  readonly #unlearned = new ArrivalCurve(undefined);
  readonly #paces = new Map<Interface, { key: string; pace: Pace }>();

  /** @param minIntervalMs the least interval between two polls of a resource */
  constructor(minIntervalMs: number) {
    this.#minIntervalMs = minIntervalMs;
  }

  /** The resources to poll now, the most valuable first; never more than there are requests for. */
  due(demands: readonly PollDemand[], quotas: Quotas, nowMs: number): ResourceKey[] {
    return INTERFACES.flatMap((side) => {
      const { requests, all, pace } = this.#paced(side, demands, quotas[side], nowMs);
      if (!pace) return [];
      return (
        all
          .map((demand) => ({ ...demand, worth: worthOf(demand, pace, nowMs) }))
          .filter(({ worth }) => worth >= 1)
          // The difference of two infinite values is NaN, so subscribers decide.
          .sort((one, other) => other.worth - one.worth || other.subscribers - one.subscribers)
          .slice(0, requests)
          .map(({ resource }) => resource)
      );
    });
  }

  /** The plan for the remaining day, if nothing unexpected happens. */
  plan(demands: readonly PollDemand[], quotas: Quotas, nowMs: number): Plan {
    const resources = new Map<ResourceKey, ResourcePlan>();
    const planOf = (side: Interface): InterfacePlan => {
      const quota = quotas[side];
      const { all, pace } = this.#paced(side, demands, quota, nowMs);
      let plannedPolls = 0;
      for (const demand of all) {
        const plan = resourcePlan(demand, pace, nowMs, quota.resetsAtMs);
        resources.set(demand.resource, plan);
        plannedPolls += plan.polls;
      }
      return { plannedPolls, projectedEndMs: projectedEndMs(quota, nowMs) };
    };
    return { interfaces: { portal: planOf('portal'), v2: planOf('v2') }, resources };
  }

  /** The resources to poll on one interface, and their pace; null where nothing may be spent. */
  #paced(
    side: Interface,
    demands: readonly PollDemand[],
    quota: QuotaStatus,
    nowMs: number,
  ): { requests: number; all: Paced[]; pace: Pace | null } {
    const all = demands
      .filter(({ resource }) => interfaceOf(resource) === side)
      .map((demand) => ({ ...demand, curve: this.#curveOf(demand.learned) }));
    const budget = budgetOf(quota);
    const { requests } = budget;
    return { requests, all, pace: requests < 1 ? null : this.#paceOf(side, all, budget, nowMs) };
  }

  #curveOf(learned: LearnedTimes | undefined): ArrivalCurve {
    if (!learned) return this.#unlearned;
    const curve = this.#curves.get(learned) ?? new ArrivalCurve(learned);
    this.#curves.set(learned, curve);
    return curve;
  }

  /** The pace of an interface, cached for a minute unless its inputs change. */
  #paceOf(side: Interface, all: readonly Paced[], budget: Budget, nowMs: number): Pace {
    const minuteMs = Math.floor(nowMs / MINUTE_MS) * MINUTE_MS;
    const demands = all.map((one) => [
      one.resource,
      one.subscribers,
      one.lastPolledMs,
      one.isUrgent,
      one.isDoubtful,
      one.learned?.asOfMs,
    ]);
    const key = JSON.stringify([minuteMs, budget, demands]);
    const last = this.#paces.get(side);
    if (last?.key === key) return last.pace;
    const pace = paceFor(all, budget, this.#minIntervalMs, minuteMs, last?.pace.price);
    this.#paces.set(side, { key, pace });
    return pace;
  }
}

/** The requests that polling may plan with until the spent ones return. */
function budgetOf({ limit, spent, resetsAtMs }: QuotaStatus): Budget {
  return {
    requests: plannedOf(remainingFor('announcement', spent, limit)),
    untilMs: resetsAtMs,
    requestsPerDay: plannedOf(remainingFor('announcement', 0, limit)),
  };
}

/** The share that polling plans with, of the requests that it may spend. */
function plannedOf(requests: number): number {
  return requests - Math.floor(requests / UNPLANNED_SHARE);
}

function resourcePlan(paced: Paced, pace: Pace | null, nowMs: number, untilMs: number): ResourcePlan {
  const { curve } = paced;
  const firstMs = paced.lastPolledMs ?? nowMs;
  if (!pace) {
    const worstDelayMs = Math.max(0, untilMs - firstMs);
    return { nextPollMs: null, worstDelayMs, expectedDelayMs: worstDelayMs / 2, polls: 0 };
  }
  const polls = [...pollTimes(paced, pace, nowMs, untilMs)];
  let waitingMinutes = 0;
  let lastMs = firstMs;
  for (const atMs of [...polls, untilMs]) {
    waitingMinutes += curve.waitingMinutes(lastMs, atMs);
    lastMs = atMs;
  }
  const arrivals = curve.arrivals(firstMs, untilMs);
  return {
    nextPollMs: polls[0] ?? null,
    worstDelayMs: pace.longestMs,
    expectedDelayMs: arrivals > 0 ? (waitingMinutes / arrivals) * MINUTE_MS : 0,
    polls: polls.length,
  };
}

function projectedEndMs({ limit, spent, resetsAtMs }: QuotaStatus, nowMs: number): number | null {
  // The first polls of a day come all at once.
  const elapsedMs = Math.max(HOUR_MS, nowMs - (resetsAtMs - DAY_MS));
  const endMs = nowMs + (Math.max(0, limit - spent) * elapsedMs) / Math.max(1, spent);
  return endMs < resetsAtMs ? endMs : null;
}

/**
 * The value of a poll now, relative to the price: it is due from 1 on. 0 while the shortest interval has not passed.
 */
function worthOf(paced: Paced, pace: Pace, nowMs: number): number {
  const { curve, subscribers, lastPolledMs } = paced;
  if (lastPolledMs === null) return Infinity;
  const sinceMs = nowMs - lastPolledMs;
  if (sinceMs < pace.shortestMs) return 0;
  if (isWantedSoon(paced, pace)) return Infinity;
  const waiting = subscribers * curve.waitingMinutes(lastPolledMs, nowMs);
  return Math.max(sinceMs / pace.longestMs, waiting / pace.price);
}

/** With few requests left, second looks at doubtful answers would spend the last of them at once. */
function isWantedSoon({ isUrgent, isDoubtful }: Paced, { isShort }: Pace): boolean {
  return isUrgent || (isDoubtful && !isShort);
}

/** When the next poll is due, given the last one. */
function nextPollMs({ curve, subscribers }: Paced, pace: Pace, lastMs: number): number {
  const latestMs = lastMs + pace.longestMs;
  return Math.max(lastMs + pace.shortestMs, curve.waitedUntilMs(lastMs, pace.price / subscribers, latestMs));
}

/** The future polls of a resource until `untilMs`, in order: epoch milliseconds. */
function* pollTimes(paced: Paced, pace: Pace, nowMs: number, untilMs: number): Generator<number> {
  const { lastPolledMs } = paced;
  let atMs = nowMs;
  if (lastPolledMs !== null) {
    const isSoon = isWantedSoon(paced, pace);
    atMs = Math.max(nowMs, isSoon ? lastPolledMs + pace.shortestMs : nextPollMs(paced, pace, lastPolledMs));
  }
  for (; atMs < untilMs; atMs = nextPollMs(paced, pace, atMs)) yield atMs;
}

function priceAt(step: number): number {
  return 2 ** (step / STEPS);
}

/**
 * The pace at which the requests last: the one with the lowest possible price.
 * @param guess where the search begins, to save work; the result does not depend on it
 */
function paceFor(
  all: readonly Paced[],
  { requests, untilMs, requestsPerDay }: Budget,
  shortestMs: number,
  nowMs: number,
  guess: number | undefined,
): Pace {
  const evenMs = ((untilMs - nowMs) * all.length) / requests;
  if (evenMs <= Math.max(shortestMs, EVEN_BELOW_MS)) {
    return { price: priceAt(HIGHEST), longestMs: Math.max(evenMs, shortestMs), shortestMs, isShort: false };
  }
  // The longest interval is constant all day, so that it can be promised. It grows only when other requests have used
  // up so much that the budget would not last.
  const promisedMs = (LONGEST_IN_EVEN_SHARES * DAY_MS * all.length) / requestsPerDay;
  const longestMs = Math.max(evenMs, promisedMs);
  const isShort = evenMs > promisedMs;
  const paceAt = (step: number): Pace => ({ price: priceAt(step), longestMs, shortestMs, isShort });
  const lasts = (step: number) => {
    const pace = paceAt(step);
    let left = requests;
    for (const paced of all) {
      for (const _ of pollTimes(paced, pace, nowMs, untilMs)) {
        left -= 1;
        if (left < 0) return false;
      }
    }
    return true;
  };
  return paceAt(lowestThat(lasts, Math.round(Math.log2(guess ?? 1) * STEPS)));
}

/** The lowest step that passes, given that all above a passing one pass too; the highest where none does. */
function lowestThat(passes: (step: number) => boolean, guess: number): number {
  let failing = LOWEST - 1;
  let passing = HIGHEST;
  // Searches outwards from the guess with growing strides until the limit is enclosed, then bisects.
  for (let step = guess, stride = 1; failing < step && step < passing; stride *= 2) {
    if (passes(step)) {
      passing = step;
      step -= stride;
    } else {
      failing = step;
      step += stride;
    }
  }
  while (passing - failing > 1) {
    const middle = Math.floor((failing + passing) / 2);
    if (passes(middle)) passing = middle;
    else failing = middle;
  }
  return passing;
}
