import { ACCENT } from '../../discord/cards/accent.ts';
import { buttons, type Card, type CardContext, card, settingsButton, together } from '../../discord/cards/parts.ts';
import { headLines, type SubscriptionView } from '../../discord/cards/subscription-card.ts';
import { stateLine } from '../../discord/cards/subscription-lines.ts';

/**
 * A sample post of the subscription, and the problems that would prevent it. `sample` is the card of the post; null for
 * none.
 */
export function testCard(
  { subscription, warnings }: SubscriptionView,
  { sample, matching, all }: { sample: Card | null; matching: number; all: number },
  { translator }: CardContext,
): Card {
  const channel = `<#${subscription.channelId}>`;
  const isFit = warnings.length === 0 && stateLine(subscription, translator) === null;
  const counts = { count: matching, all };
  const report = card(ACCENT.notice, [
    headLines(subscription, warnings, translator),
    [
      isFit && `✅ ${translator.t('test.fit', { channel })}`,
      sample ? translator.t('test.matching', counts) : translator.t('test.nothing', { all }),
    ],
    buttons([settingsButton(subscription.id, translator)]),
  ]);
  return sample ? together(report, sample) : report;
}
