import type { Interaction } from 'discord.js';
import type { Subscription } from '../../src/deals/subscription.ts';
import type { Card } from '../../src/discord/cards/parts.ts';
import { type SubscriptionView, subscriptionCard } from '../../src/discord/cards/subscription-card.ts';
import { isCallable, knownTarget, lackOf } from '../../src/discord/permissions.ts';
import { say, type Words } from '../../src/discord/words/words.ts';
import type { Saying } from '../../src/errors.ts';
import type { Shared } from '../shared.ts';

/** The card of all of a subscription's settings. @param lead what was just done; '' for nothing */
export async function panel(
  subscription: Subscription,
  interaction: Interaction,
  { clock }: Shared,
  words: Words,
  lead = '',
): Promise<Card> {
  return subscriptionCard(await viewOf(subscription, interaction), lead, { words, nowMs: clock.now() });
}

/** The subscription with what the gateway has told of its channel, and what will not work there as it is. */
export async function viewOf(subscription: Subscription, interaction: Interaction): Promise<SubscriptionView> {
  const where = knownTarget(interaction, subscription.channelId);
  if (!where) return { subscription, tags: [], isPublishable: false, warnings: [] };
  const { mentionRoleId, tagIds, isPublished } = subscription;
  const role = mentionRoleId === null ? null : `<@&${mentionRoleId}>`;
  const hasTag = where.tags.some(({ id }) => tagIds.includes(id));
  const warnings: (Saying | null | false)[] = [
    // What the deliverer has noted is told already.
    subscription.problem === null && (await lackOf(interaction, where)),
    where.isTagRequired && !hasTag && say('panel.tagRequired'),
    isPublished && !where.isPublishable && say('panel.notPublishable'),
    mentionRoleId !== null &&
      role !== null &&
      !(await isCallable(interaction, mentionRoleId, where)) &&
      say('panel.notCallable', { role }),
  ];
  return {
    subscription,
    tags: where.tags,
    isPublishable: where.isPublishable,
    warnings: warnings.filter((warning) => typeof warning === 'object' && warning !== null),
  };
}
