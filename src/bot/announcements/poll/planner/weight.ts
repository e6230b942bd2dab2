import type { Subscription } from '../../../deals/subscription.ts';

/**
 * How much it weighs that these want a resource: 1 for a server with one subscription, and 1 more for each doubling. A
 * server with thousands of them weighs about as much as twelve others, and does not take their polls.
 */
export function weightOf(followers: readonly Pick<Subscription, 'guildId'>[]): number {
  const byServer = new Map<string, number>();
  for (const { guildId } of followers) byServer.set(guildId, (byServer.get(guildId) ?? 0) + 1);
  return [...byServer.values()].reduce((sum, count) => sum + 1 + Math.log2(count), 0);
}
