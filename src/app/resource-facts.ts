import type { ResourceStatus } from '../announcements/poll/poller.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { remainingFor } from '../catalog/throttle/rate-budget.ts';
import { feedName, interfaceOf, isFeed, type ResourceKey } from '../deals/subscription.ts';
import type { HealthFacts } from './health.ts';

/**
 * When the first quota returns of which polling may spend nothing more, where something of that interface is followed:
 * epoch milliseconds; null where there is none. What is left then is for people's commands.
 */
export function resetOf(
  quotas: ReturnType<Catalog['quota']>,
  resources: readonly Pick<ResourceStatus, 'resource' | 'isFollowed'>[],
): number | null {
  const followed = new Set(resources.filter(({ isFollowed }) => isFollowed).map((one) => interfaceOf(one.resource)));
  const spent = [...followed]
    .map((name) => quotas[name])
    .filter((quota) => remainingFor('announcement', quota.spent, quota.limit) < 1);
  return spent.length === 0 ? null : Math.min(...spent.map(({ resetsAtMs }) => resetsAtMs));
}

/** How many times as late as planned a followed resource may be read, and how late it may be in any case. */
const LATE_TIMES = 3;
const LATE_MS = 180_000;

/** The followed resources that are late. One that was never read counts from the first attempt that failed. */
export function unreadOf(
  resources: readonly Pick<ResourceStatus, 'resource' | 'plan' | 'polledAtMs' | 'failure'>[],
  nowMs: number,
): HealthFacts['unread'] {
  return resources.flatMap(({ resource, plan, polledAtMs, failure }) => {
    const readAtMs = polledAtMs ?? failure?.sinceMs ?? null;
    const isLate = plan && readAtMs !== null && nowMs - readAtMs > Math.max(LATE_TIMES * plan.worstDelayMs, LATE_MS);
    return isLate ? [{ resource: nameOfResource(resource), readAtMs }] : [];
  });
}

/** The name by which people know a resource. */
export const nameOfResource = (resource: ResourceKey) => (isFeed(resource) ? feedName(resource) : resource);
