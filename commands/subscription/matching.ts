import { asNew, sampleOf } from '../../src/bot/announcements/explain/dry-run.ts';
import type { Announcement } from '../../src/bot/deals/announcement.ts';
import { resourceOf, type Source, type Subscription } from '../../src/bot/deals/subscription.ts';
import type { LiveMatches } from '../../src/bot/discord/cards/subscription-card.ts';
import type { CommandServices } from '../shared.ts';

type Known = Pick<CommandServices, 'offers' | 'currentState' | 'clock'>;

/** What is live in a source, as far as is known, and when that was read; null where it has not been read yet. */
export function liveIn(
  source: Source,
  { offers, currentState }: Pick<Known, 'offers' | 'currentState'>,
): { things: readonly Announcement[]; readAtMs: number } | null {
  if (source.kind === 'feed') {
    const state = offers.feedState(source.feed);
    return state && { things: offers.live(source.feed).map(asNew), readAtMs: state.polledAtMs };
  }
  const resource = resourceOf(source);
  const seen = currentState.seen(resource);
  return seen && { things: seen.announcements, readAtMs: seen.fetchedAtMs };
}

/** How much of a source is live and how much of that matches the subscription; makes no request. */
export function liveMatches(subscription: Subscription, known: Known): LiveMatches | null {
  const live = liveIn(subscription.source, known);
  if (!live) return null;
  const { matching, all } = sampleOf(subscription, live.things, known.clock.now());
  return { matching, all, readAtMs: live.readAtMs };
}
