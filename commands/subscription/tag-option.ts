import type { AutocompleteInteraction } from 'discord.js';
import { knownTarget } from '../../src/bot/discord/permissions.ts';
import type { SubscriptionStore } from '../../src/bot/store/subscriptions.ts';

/** The tags of the forum that the other options name, whose names hold what has been typed. */
export function tagChoices(
  typed: string,
  interaction: AutocompleteInteraction,
  subscriptions: SubscriptionStore,
): { name: string; value: string }[] {
  const edited = subscriptions.get(interaction.options.getString('id') ?? '');
  const ownChannelId = edited?.guildId === interaction.guildId ? edited?.channelId : undefined;
  const given = interaction.options.get('channel')?.value;
  const channelId = typeof given === 'string' ? given : (ownChannelId ?? interaction.channelId);
  return (knownTarget(interaction, channelId)?.tags ?? [])
    .filter(({ name }) => name.toLowerCase().includes(typed.trim().toLowerCase()))
    .map(({ id, name }) => ({ name, value: id }));
}
