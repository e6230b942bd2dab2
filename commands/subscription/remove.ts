import { ApplicationCommandOptionType } from 'discord-api-types/v10';
import type { Subscription } from '../../src/deals/subscription.ts';
import type { Card } from '../../src/discord/cards/parts.ts';
import { removeCard, removedCard } from '../../src/discord/cards/subscription-card.ts';
import { described } from '../../src/discord/i18n/command-words.ts';
import { message } from '../../src/discord/i18n/translator.ts';
import { requirePostable } from '../../src/discord/permissions.ts';
import { UserError } from '../../src/shared/errors.ts';
import { RESTORABLE_MS } from '../../src/store/subscriptions.ts';
import { idOption, requireSubscription } from '../options.ts';
import type { CommandServices, ManagerRequest, Subcommand } from '../shared.ts';
import { outlookOf, panel, viewOf } from './panel.ts';
import { requireRoom, requireUnique } from './save.ts';

export const remove: Subcommand = {
  data: {
    type: ApplicationCommandOptionType.Subcommand,
    name: 'remove',
    ...described('command.subscription.remove'),
    options: [idOption(described('command.subscription.remove.id'))],
  },
  execute: async (request) => askToRemove(requireSubscription(request.options.getString('id', true), request), request),
};

export async function askToRemove(subscription: Subscription, request: ManagerRequest): Promise<Card> {
  return removeCard(await viewOf(subscription, request), request.cardContext);
}

/** Removes a subscription. The answer lists its settings, and can undo it. */
export async function removeNow(subscription: Subscription, request: ManagerRequest): Promise<Card> {
  const { cardContext: context, services } = request;
  await services.subscriptions.removeRestorably(subscription.id, context.nowMs);
  return removedCard(await viewOf(subscription, request), context.nowMs + RESTORABLE_MS, context);
}

/**
 * Undoes a removal. As after a pause, what came meanwhile is not posted; what still waits for a digest or the end of
 * quiet hours is, because the subscription has its id again.
 */
export async function undoRemove(id: string, request: ManagerRequest): Promise<Card> {
  const { guild, services, t } = request;
  const { subscriptions, clock } = services;
  const present = subscriptions.get(id);
  const found = present ?? (await subscriptions.restorable(id, clock.now()));
  if (found?.guildId !== request.server) throw new UserError(message('remove.notRestorable'));
  if (present) return panel(present, request, t('remove.undoneAlready'));
  if (found.pausedBy === null) await requirePostable(guild, found.channelId);
  await subscriptions.restore(id, clock.now(), () => {
    requireUnique(found, request);
    requireRoom(request);
  });
  const restored = requireRestored(id, services);
  const outlook = outlookOf(restored, request);
  return panel(restored, request, t('remove.undone', { outlook }));
}

/** @throws UserError where the time to restore it ran out meanwhile */
function requireRestored(id: string, { subscriptions }: CommandServices): Subscription {
  const restored = subscriptions.get(id);
  if (!restored) throw new UserError(message('remove.notRestorable'));
  return restored;
}
