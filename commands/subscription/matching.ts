import { liveMatches } from '../../src/bot/announcements/explain/dry-run.ts';
import type { Subscription } from '../../src/bot/deals/subscription.ts';
import type { LiveMatches } from '../../src/bot/discord/cards/subscription-card.ts';
import { candidatesIn } from '../live-candidates.ts';
import type { CommandServices } from '../shared.ts';

/** How much of a source is live and how much of that matches; null where it has not been read yet. Makes no request. */
export function countMatches(
  subscription: Subscription,
  known: Pick<CommandServices, 'offers' | 'currentState' | 'clock'>,
): LiveMatches | null {
  const live = candidatesIn(subscription.source, known);
  if (!live) return null;
  const { all, matching } = liveMatches(subscription, live.candidates, known.clock.now());
  return { all: all.length, matching: matching.length, readAtMs: live.readAtMs };
}
