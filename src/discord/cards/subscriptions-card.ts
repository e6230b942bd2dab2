import type { Setting } from '../../deals/settings.ts';
import type { Subscription } from '../../deals/subscription.ts';
import type { LocalizedText } from '../../shared/errors.ts';
import { sourceTitle } from '../i18n/describe-source.ts';
import { escapeLine } from '../markdown.ts';
import { ACCENT } from './accent.ts';
import { pagedCard } from './paged-card.ts';
import { type Card, type CardContext, factsOf, type Line, smallLine } from './parts.ts';
import { addedLine, settingsInShort, stateLine } from './subscription-lines.ts';

export interface SubscriptionsView {
  /** All settings that a subscription can have. */
  settings: readonly Setting[];
  subscriptions: readonly Subscription[];
  page: number;
  /** The channel's name where it is known; foreign text. */
  channelName: (channelId: string) => string | undefined;
  /** Why something of a subscription doesn't work now. */
  troublesOf: (subscription: Subscription) => readonly LocalizedText[];
}

/** A page of a server's subscriptions, with a menu that opens the settings of one. */
export function subscriptionsCard(
  { subscriptions, settings, page, channelName, troublesOf }: SubscriptionsView,
  context: CardContext,
): Card {
  const { translator } = context;
  return pagedCard(
    {
      accentColor: ACCENT.notice,
      title: translator.t('subscriptions.title'),
      things: subscriptions,
      page,
      count: translator.t('list.subscriptions', { count: subscriptions.length }),
      empty: translator.t('subscriptions.none'),
      age: null,
      entry: (subscription) => entryLines(subscription, { settings, troubles: troublesOf(subscription) }, context),
      pageAction: (to) => ({ do: 'subscriptions', page: to }),
      open: {
        button: translator.t('button.settings'),
        choice: ({ id, source, channelId, filter }) => ({
          label: `${sourceTitle(source, translator)} → #${channelName(channelId) ?? channelId}`,
          description: filter,
          action: { do: 'subscription', step: 'open', subscriptionId: id },
        }),
      },
    },
    context,
  );
}

function entryLines(
  subscription: Subscription,
  { settings, troubles }: { settings: readonly Setting[]; troubles: readonly LocalizedText[] },
  { translator }: CardContext,
): Line[] {
  const { source, channelId } = subscription;
  return [
    `**${escapeLine(sourceTitle(source, translator))}** → <#${channelId}>`,
    factsOf(settingsInShort({ subscription, settings }, translator)) || null,
    stateLine(subscription, translator),
    ...troubles.map((trouble) => `⚠ ${translator.translate(trouble)}`),
    smallLine([addedLine(subscription, translator)]),
  ];
}
