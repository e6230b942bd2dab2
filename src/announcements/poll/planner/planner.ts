import type { QuotaStatus } from '../../../catalog/catalog.ts';
import { remainingFor } from '../../../catalog/throttle/rate-budget.ts';
import { interfaceOf, type ResourceKey } from '../../../deals/subscription.ts';
import type { LearnedTimes } from '../../../store/catalog-records.ts';
import { type ArrivalCurve, arrivalCurve } from './arrival-curve.ts';
import { type Budget, forecast, type Pace, type Paced, paceFor, worthOf } from './pace.ts';

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

/**
 * Divides each interface's daily requests among the followed resources, by the number of subscriptions and by the
 * learned times of change. Its decisions depend on its input only, so a restart changes nothing.
 */
export interface Planner {
  /** The resources to poll now, the most valuable first; never more than there are requests for. */
  due(demands: readonly PollDemand[], quotas: Quotas, nowMs: number): ResourceKey[];
  /** The plan for the remaining day, if nothing unexpected happens. */
  plan(demands: readonly PollDemand[], quotas: Quotas, nowMs: number): Plan;
}

/**
 * One in so many of the requests that polling may still spend is for unplanned ones: second looks at doubtful answers,
 * retries. It stays one in so many to the end of the day: such requests come at any time.
 */
const UNPLANNED_SHARE = 9;

const INTERFACES = ['portal', 'v2'] as const;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** @param minIntervalMs the least interval between two polls of a resource */
export function createPlanner({ minIntervalMs }: { minIntervalMs: number }): Planner {
  // Caches only; they do not affect the decisions.
  const curves = new WeakMap<LearnedTimes, ArrivalCurve>();
  const unlearned = arrivalCurve(undefined);
  const paces = { portal: new LastPace(), v2: new LastPace() };

  function curveOf(learned: LearnedTimes | undefined): ArrivalCurve {
    if (!learned) return unlearned;
    const curve = curves.get(learned) ?? arrivalCurve(learned);
    curves.set(learned, curve);
    return curve;
  }

  /** The resources to poll on one interface, and its pace; null where nothing may be spent. */
  function paced(side: 'portal' | 'v2', demands: readonly PollDemand[], quota: QuotaStatus, nowMs: number) {
    const all = demands
      .filter(({ resource }) => interfaceOf(resource) === side)
      .map((demand) => ({ ...demand, curve: curveOf(demand.learned) }));
    const budget = budgetOf(quota);
    const { requests } = budget;
    return { all, requests, pace: requests < 1 ? null : paces[side].at(all, budget, minIntervalMs, nowMs) };
  }

  return {
    due(demands, quotas, nowMs) {
      return INTERFACES.flatMap((side) => {
        const { all, requests, pace } = paced(side, demands, quotas[side], nowMs);
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
    },

    plan(demands, quotas, nowMs) {
      const resources = new Map<ResourceKey, ResourcePlan>();
      const planOf = (side: 'portal' | 'v2'): InterfacePlan => {
        const quota = quotas[side];
        const { all, pace } = paced(side, demands, quota, nowMs);
        const plans = all.map((demand) => {
          const plan = resourcePlan(demand, pace, nowMs, quota.resetsAtMs);
          resources.set(demand.resource, plan);
          return plan;
        });
        return {
          plannedPolls: plans.reduce((sum, { polls }) => sum + polls, 0),
          projectedEndMs: projectedEndMs(quota, nowMs),
        };
      };
      return { interfaces: { portal: planOf('portal'), v2: planOf('v2') }, resources };
    },
  };
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
  const lastMs = paced.lastPolledMs ?? nowMs;
  if (!pace) {
    const worstDelayMs = Math.max(0, untilMs - lastMs);
    return { nextPollMs: null, worstDelayMs, expectedDelayMs: worstDelayMs / 2, polls: 0 };
  }
  const { polls, nextPollMs, waitingMinutes } = forecast(paced, pace, nowMs, untilMs);
  const arrivals = paced.curve.arrivals(lastMs, untilMs);
  return {
    nextPollMs,
    worstDelayMs: pace.longestMs,
    expectedDelayMs: arrivals > 0 ? (waitingMinutes / arrivals) * MINUTE_MS : 0,
    polls,
  };
}

function projectedEndMs({ limit, spent, resetsAtMs }: QuotaStatus, nowMs: number): number | null {
  // The first polls of a day come all at once.
  const elapsedMs = Math.max(HOUR_MS, nowMs - (resetsAtMs - DAY_MS));
  const endMs = nowMs + (Math.max(0, limit - spent) * elapsedMs) / Math.max(1, spent);
  return endMs < resetsAtMs ? endMs : null;
}

/** The pace of an interface, cached for a minute unless its inputs change. */
class LastPace {
  #last: { key: string; pace: Pace } | undefined;

  at(all: readonly (Paced & PollDemand)[], budget: Budget, minIntervalMs: number, nowMs: number): Pace {
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
    if (this.#last?.key !== key) {
      this.#last = { key, pace: paceFor(all, budget, minIntervalMs, minuteMs, this.#last?.pace.price) };
    }
    return this.#last.pace;
  }
}
