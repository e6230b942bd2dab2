import { personAt } from '../../deals/watch.ts';
import { describeSource, describeWatch } from '../../discord/i18n/describe-source.ts';
import type { Translator } from '../../discord/i18n/translator.ts';
import type { DeliveryMatch } from '../../store/delivery.ts';
import type { SubscriptionStore } from '../../store/subscriptions.ts';

/**
 * The subscriptions and filter terms that a post is for, readable; empty where the channel has one subscription, which
 * explains every post. Of a person's message, the watches that it is for. Foreign text.
 */
export function matchedBy(
  matches: readonly DeliveryMatch[],
  { guildId, channelId }: { guildId: string; channelId: string },
  subscriptions: Pick<SubscriptionStore, 'get' | 'ofGuild'>,
  translator: Translator,
): string[] {
  if (personAt(guildId) !== null) {
    return matches.flatMap(({ subscriptionId }) => {
      const watch = subscriptions.get(subscriptionId);
      return watch ? [describeWatch(watch, translator)] : [];
    });
  }
  if (subscriptions.ofGuild(guildId).filter((other) => other.channelId === channelId).length < 2) return [];
  return matches.flatMap(({ subscriptionId, terms }) => {
    const source = subscriptions.get(subscriptionId)?.source;
    return source ? [[describeSource(source, translator), ...terms].join(' · ')] : [];
  });
}
