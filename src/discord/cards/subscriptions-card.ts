import type { Subscription } from '../../deals/subscription.ts';
import { timestamp } from '../format.ts';
import { clamp } from '../limits.ts';
import { escapeLine } from '../markdown.ts';
import { describeSource } from '../words/describe-source.ts';
import { isWordKey, type Words } from '../words/words.ts';
import type { CardContext } from './context.ts';
import { ACCENT, type Card, card, text } from './parts.ts';

const MOST_TEXT = 3500;

/** What a server has subscribed to. */
export function subscriptionsCard(subscriptions: readonly Subscription[], { words }: CardContext): Card {
  if (subscriptions.length === 0) {
    return card(ACCENT.notice, [text(words.t('subscriptions.none'))]);
  }
  const lines = subscriptions.map((subscription) =>
    [
      `- **${escapeLine(describeSource(subscription.source, words))}** → <#${subscription.channelId}>`,
      words.t('subscriptions.by', {
        person: `<@${subscription.createdBy}>`,
        at: timestamp(subscription.createdAtMs, 'R'),
      }),
      subscription.problem && `⚠ ${problemOf(subscription.problem, words)}`,
    ]
      .filter(Boolean)
      .join(' · '),
  );
  return card(ACCENT.notice, [
    text(`## ${words.t('subscriptions.title', { count: subscriptions.length })}`),
    text(clamp(lines.join('\n'), MOST_TEXT)),
  ]);
}

/** The problem as the deliverer names it; older state holds whole sentences. */
export function problemOf(problem: string, words: Words): string {
  const key = `problem.${problem}`;
  return isWordKey(key) ? words.say({ key, values: {} }) : escapeLine(problem);
}
