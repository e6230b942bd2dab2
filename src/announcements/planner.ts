import type { QuotaStatus } from '../catalog/catalog.ts';

/** The share of a day's requests that polling leaves to people's commands and to whatever comes up. */
const LEFT_TO_OTHERS = 0.2;

/**
 * How long to wait between two polls of each of `count` resources, so that what is left of the day's requests lasts
 * until they return. Infinity where nothing is left for polling.
 */
export function pollIntervalMs(count: number, quota: QuotaStatus, minIntervalMs: number, nowMs: number): number {
  const left = quota.limit * (1 - LEFT_TO_OTHERS) - quota.spent;
  if (left < 1) return Infinity;
  return Math.max(minIntervalMs, ((quota.resetsAtMs - nowMs) * count) / left);
}
