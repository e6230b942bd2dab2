import type { AutocompleteInteraction } from 'discord.js';
import { type APIApplicationCommandStringOption, ApplicationCommandOptionType } from 'discord-api-types/v10';
import type { Subscription } from '../../src/bot/deals/subscription.ts';
import { described, type PlainKey } from '../../src/bot/discord/i18n/command-words.ts';
import { describeSource } from '../../src/bot/discord/i18n/describe-source.ts';
import { message, type Translator } from '../../src/bot/discord/i18n/translator.ts';
import type { SubscriptionStore } from '../../src/bot/store/subscriptions.ts';
import { UserError } from '../../src/shared/errors.ts';

/** The option that names one of the server's subscriptions. */
export function idOption(key: PlainKey): APIApplicationCommandStringOption & { required: true; autocomplete: true } {
  return {
    type: ApplicationCommandOptionType.String,
    name: 'id',
    ...described(key),
    required: true,
    autocomplete: true,
  };
}

/** The server's subscriptions whose names contain the input. */
export function idChoices(
  typed: string,
  guild: AutocompleteInteraction['guild'],
  subscriptions: SubscriptionStore,
  translator: Translator,
): { name: string; value: string }[] {
  if (!guild) return [];
  return subscriptions
    .ofGuild(guild.id)
    .map((entry) => ({
      name: choiceOf(entry, guild.channels.cache.get(entry.channelId)?.name, translator),
      value: entry.id,
    }))
    .filter((choice) => choice.name.toLowerCase().includes(typed.trim().toLowerCase()));
}

/**
 * Finds a subscription of this server. Another server's is treated as missing, so that its existence stays private.
 * @throws UserError where there is none
 */
export function requireSubscription(id: string, guildId: string, subscriptions: SubscriptionStore): Subscription {
  const found = subscriptions.get(id);
  if (!found || found.guildId !== guildId) throw new UserError(message('subscription.unknown'));
  return found;
}

function choiceOf({ source }: Subscription, channelName: string | undefined, translator: Translator): string {
  const values = { source: describeSource(source, translator) };
  if (channelName === undefined) return translator.t('subscription.choiceInDeleted', values);
  return translator.t('subscription.choice', { ...values, channel: channelName });
}
