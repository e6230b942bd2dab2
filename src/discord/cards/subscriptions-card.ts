import { describeSource, type Subscription } from '../../deals/subscription.ts';
import { timestamp } from '../format.ts';
import { clamp } from '../limits.ts';
import { escapeLine } from '../markdown.ts';
import { ACCENT, type Card, card, text } from './parts.ts';

const MOST_TEXT = 3500;

/** What a server has subscribed to. */
export function subscriptionsCard(subscriptions: readonly Subscription[]): Card {
  if (subscriptions.length === 0) {
    return card(ACCENT.notice, [text('This server has no subscriptions yet. `/subscription add` makes one.')]);
  }
  const lines = subscriptions.map((subscription) =>
    [
      `- **${escapeLine(describeSource(subscription.source))}** → <#${subscription.channelId}>`,
      `by <@${subscription.createdBy}> ${timestamp(subscription.createdAtMs, 'R')}`,
      subscription.problem && `⚠ ${escapeLine(subscription.problem)}`,
    ]
      .filter(Boolean)
      .join(' · '),
  );
  return card(ACCENT.notice, [
    text(`## Subscriptions (${subscriptions.length})`),
    text(clamp(lines.join('\n'), MOST_TEXT)),
  ]);
}
