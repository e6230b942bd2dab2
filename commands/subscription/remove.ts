import type { Interaction } from 'discord.js';
import { ApplicationCommandOptionType } from 'discord-api-types/v10';
import type { Subscription } from '../../src/bot/deals/subscription.ts';
import type { Card } from '../../src/bot/discord/cards/parts.ts';
import { removeCard, removedCard } from '../../src/bot/discord/cards/subscription-card.ts';
import { described } from '../../src/bot/discord/i18n/command-words.ts';
import { message, type Translator } from '../../src/bot/discord/i18n/translator.ts';
import { requirePostable, requireTarget } from '../../src/bot/discord/permissions.ts';
import { RESTORABLE_MS } from '../../src/bot/store/subscriptions.ts';
import { UserError } from '../../src/shared/errors.ts';
import type { CommandServices } from '../shared.ts';
import { idOption, requireSubscription } from './id-option.ts';
import { outlookOf } from './outlook.ts';
import { panel, viewOf } from './panel.ts';
import { requireRoom, requireUnique } from './save.ts';
import type { Subcommand } from './subcommand.ts';

export const remove: Subcommand = {
  data: {
    type: ApplicationCommandOptionType.Subcommand,
    name: 'remove',
    ...described('command.subscription.remove'),
    options: [idOption('command.subscription.remove.id')],
  },
  async execute(interaction, guildId, shared, translator) {
    const found = requireSubscription(interaction.options.getString('id', true), guildId, shared.subscriptions);
    return askToRemove(found, interaction, shared, translator);
  },
};

export async function askToRemove(
  subscription: Subscription,
  interaction: Interaction,
  shared: CommandServices,
  translator: Translator,
): Promise<Card> {
  return removeCard(await viewOf(subscription, interaction, shared), { translator, nowMs: shared.clock.now() });
}

/** Removes a subscription. The answer lists its settings, and can undo it. */
export async function removeNow(
  subscription: Subscription,
  interaction: Interaction,
  shared: CommandServices,
  translator: Translator,
): Promise<Card> {
  const nowMs = shared.clock.now();
  await shared.subscriptions.removeRestorably(subscription.id, nowMs);
  return removedCard(await viewOf(subscription, interaction, shared), nowMs + RESTORABLE_MS, { translator, nowMs });
}

/**
 * Undoes a removal. As after a pause, what came meanwhile is not posted; what still waits for a digest or the end of
 * quiet hours is, because the subscription has its id again.
 */
export async function undoRemove(
  id: string,
  guildId: string,
  interaction: Interaction,
  shared: CommandServices,
  translator: Translator,
): Promise<Card> {
  const { subscriptions, clock } = shared;
  const present = subscriptions.get(id);
  const found = present ?? (await subscriptions.restorable(id, clock.now()));
  if (!found || found.guildId !== guildId) throw new UserError(message('remove.notRestorable'));
  if (present) return panel(present, interaction, shared, translator, translator.t('remove.undoneAlready'));
  if (found.pausedBy === null) await requirePostable(interaction, await requireTarget(interaction, found.channelId));
  await subscriptions.restore(id, clock.now(), () => {
    requireUnique(found, subscriptions, translator);
    requireRoom(found, shared);
  });
  const restored = requireRestored(id, shared);
  const outlook = outlookOf(restored, translator, shared);
  return panel(restored, interaction, shared, translator, translator.t('remove.undone', { outlook }));
}

/** @throws UserError where the time to restore it ran out meanwhile */
function requireRestored(id: string, { subscriptions }: CommandServices): Subscription {
  const restored = subscriptions.get(id);
  if (!restored) throw new UserError(message('remove.notRestorable'));
  return restored;
}
