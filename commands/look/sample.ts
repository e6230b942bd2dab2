import { asNew, sampleOf } from '../../src/bot/announcements/explain/dry-run.ts';
import type { Announcement } from '../../src/bot/deals/announcement.ts';
import { isOver, newestFirst } from '../../src/bot/deals/life.ts';
import { lookOf } from '../../src/bot/deals/look.ts';
import type { Subscription } from '../../src/bot/deals/subscription.ts';
import { announcementCard } from '../../src/bot/discord/cards/announcement-card.ts';
import type { LookView } from '../../src/bot/discord/cards/look-card.ts';
import type { Card } from '../../src/bot/discord/cards/parts.ts';
import { translatorFor } from '../../src/bot/discord/i18n/translator.ts';
import { knownEntities } from '../seen.ts';
import type { CommandServices } from '../shared.ts';

/**
 * A post of a deal that is live now, in the language and the look in which it would be posted; null where no deal is
 * known. Makes no request.
 */
export function samplePost(
  { subscription, server }: Omit<LookView, 'sample'>,
  guildLocale: string | null | undefined,
  shared: CommandServices,
): Card | null {
  const nowMs = shared.clock.now();
  const announcement = subscription ? matching(subscription, shared) : newest(shared);
  if (!announcement) return null;
  const { style, accent, line } = lookOf(server, subscription?.look);
  // A sample has no delivery.
  return announcementCard(announcement, {
    deliveryId: '',
    matched: [],
    translator: translatorFor(guildLocale),
    nowMs,
    style,
    accent,
    line,
  });
}

function matching(subscription: Subscription, shared: CommandServices): Announcement | null {
  const { source } = subscription;
  const things =
    source.kind === 'feed'
      ? shared.offers.live(source.feed).map(asNew)
      : (knownEntities(source.kind, shared.currentState) ?? []);
  return sampleOf(subscription, things, shared.clock.now()).newest?.announcement ?? newest(shared);
}

function newest({ offers, clock }: CommandServices): Announcement | null {
  const live = offers.live().filter(({ offer }) => !isOver(offer, clock.now()));
  const [first] = newestFirst(live.map(({ offer }) => offer));
  const known = first && offers.get(first.id);
  return known ? asNew(known) : null;
}
