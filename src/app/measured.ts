import type { PollStatus } from '../announcements/poll/poller.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { remainingFor } from '../catalog/throttle/rate-budget.ts';
import { announcementDelayMs } from '../deals/announcement.ts';
import type { Subscription } from '../deals/subscription.ts';
import type { Courier } from '../discord/courier.ts';
import type { DeliveryStore } from '../store/deliveries.ts';
import type { MetricFacts, Metrics, SubscriptionState } from './metrics.ts';

/** Reports how deliveries end, and how long after its start an entity was announced. */
export function measureEndings(deliveries: DeliveryStore, metrics: Metrics): void {
  deliveries.onEnded((outcome, announcement, atMs) => {
    metrics.deliveries.inc({ outcome });
    const delayMs = outcome === 'posted' ? announcementDelayMs(announcement, atMs) : null;
    if (delayMs !== null) metrics.announcementDelay.observe({ kind: announcement.kind }, delayMs / 1000);
  });
}

/** Wraps the courier so that it counts pending deliveries that it finds in channels. */
export function measuredCourier(courier: Courier, deliveries: DeliveryStore, metrics: Metrics): Courier {
  return {
    ...courier,
    async findPosted(channelId, afterId, limits) {
      const outcome = await courier.findPosted(channelId, afterId, limits);
      if (outcome.kind === 'found') {
        metrics.reconciled.inc([...outcome.posted.keys()].filter((id) => deliveries.isPending(id)).length);
      }
      return outcome;
    },
  };
}

/** The facts about the catalog's interfaces for the metrics. */
export function interfaceFacts(catalog: Catalog): MetricFacts['interfaces'] {
  const quota = catalog.quota();
  const health = catalog.health();
  return (['portal', 'v2'] as const).map((name) => ({
    name,
    quotaLeft: Math.max(0, quota[name].limit - quota[name].spent),
    quotaLeftForPolls: remainingFor('announcement', quota[name].spent, quota[name].limit),
    isAway: health[name].isAway,
  }));
}

/** When each followed resource was last read, and the longest time that its plan leaves between two reads. */
export function readFacts(resources: PollStatus['resources']): MetricFacts['resources'] {
  return resources.flatMap(({ resource, plan, polledAtMs }) =>
    plan ? [{ resource, readAtMs: polledAtMs, longestIntervalMs: plan.worstDelayMs }] : [],
  );
}

/** The number of subscriptions in each state; a paused one with a problem counts as paused. */
export function subscriptionFacts(subscriptions: Iterable<Subscription>): Record<SubscriptionState, number> {
  const numbers = { active: 0, paused: 0, problem: 0 };
  for (const { pausedBy, problem } of subscriptions) {
    if (pausedBy !== null) numbers.paused += 1;
    else numbers[problem === null ? 'active' : 'problem'] += 1;
  }
  return numbers;
}
