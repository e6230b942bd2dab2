import type { Interaction } from 'discord.js';
import type { Subscription } from '../../src/bot/deals/subscription.ts';
import type { Card } from '../../src/bot/discord/cards/parts.ts';
import { type SubscriptionView, subscriptionCard } from '../../src/bot/discord/cards/subscription-card.ts';
import { message, type Translator } from '../../src/bot/discord/i18n/translator.ts';
import { hasRole, isCallable, knownTarget, lackOf, type TargetChannel } from '../../src/bot/discord/permissions.ts';
import type { LocalizedText } from '../../src/shared/errors.ts';
import type { CommandServices } from '../shared.ts';
import { countMatches } from './matching.ts';

/** The card of all settings of a subscription. @param lead the confirmation of the last change; '' for none */
export async function panel(
  subscription: Subscription,
  interaction: Interaction,
  shared: CommandServices,
  translator: Translator,
  lead = '',
): Promise<Card> {
  const view = await viewOf(subscription, interaction, shared);
  return subscriptionCard(view, lead, { translator, nowMs: shared.clock.now() });
}

/** The subscription with the cached state of its channel and role, and warnings about settings that will not work. */
export async function viewOf(
  subscription: Subscription,
  interaction: Interaction,
  shared: Pick<CommandServices, 'deliverer' | 'offers' | 'currentState' | 'clock'>,
): Promise<SubscriptionView> {
  const where = knownTarget(interaction, subscription.channelId);
  const roleId = subscription.mentionRoleId;
  const isRoleGone = roleId !== null && !hasRole(interaction, roleId);
  const warnings = where ? await warningsOf(subscription, where, interaction) : [];
  return {
    subscription,
    tags: where?.tags ?? [],
    isPublishable: where?.isPublishable ?? false,
    isRoleGone,
    warnings: isRoleGone ? [...warnings, message('panel.roleGone')] : warnings,
    limit: shared.deliverer.limitOf(subscription.channelId),
    matches: countMatches(subscription, shared),
  };
}

async function warningsOf(
  { problem, mentionRoleId, tagIds, isPublished }: Subscription,
  where: TargetChannel,
  interaction: Interaction,
): Promise<LocalizedText[]> {
  // A problem recorded by the deliverer is on the card already.
  const lack = problem === null ? await lackOf(interaction, where) : null;
  const hasTag = where.tags.some(({ id }) => tagIds.includes(id));
  const isCalled =
    mentionRoleId === null ||
    !hasRole(interaction, mentionRoleId) ||
    (await isCallable(interaction, mentionRoleId, where));
  return [
    ...(lack ? [lack] : []),
    ...(where.isTagRequired && !hasTag ? [message('panel.tagRequired')] : []),
    ...(isPublished && !where.isPublishable ? [message('panel.notPublishable')] : []),
    ...(isCalled ? [] : [message('panel.notCallable', { role: `<@&${mentionRoleId}>` })]),
  ];
}
