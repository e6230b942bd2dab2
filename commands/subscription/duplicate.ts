import { randomUUID } from 'node:crypto';
import type { Subscription } from '../../src/bot/deals/subscription.ts';
import type { Card } from '../../src/bot/discord/cards/parts.ts';
import { duplicateCard } from '../../src/bot/discord/cards/subscription-card.ts';
import type { ComponentInteraction } from '../../src/bot/discord/command.ts';
import { describeSource } from '../../src/bot/discord/i18n/describe-source.ts';
import { message, type Translator } from '../../src/bot/discord/i18n/translator.ts';
import { LIMITS } from '../../src/bot/discord/limits.ts';
import {
  ANNOUNCEABLE_CHANNELS,
  knownTarget,
  requireManager,
  requirePostable,
  requireTarget,
  type TargetChannel,
} from '../../src/bot/discord/permissions.ts';
import { UserError } from '../../src/shared/errors.ts';
import type { Command, CommandServices } from '../shared.ts';
import { requireSubscription } from './id-option.ts';
import { outlookOf } from './outlook.ts';
import { panel, viewOf } from './panel.ts';
import { requireRoom, requireUnique } from './save.ts';

/** Asks for the channel of the copy. */
export async function askForCopy(
  subscription: Subscription,
  interaction: ComponentInteraction,
  shared: CommandServices,
  translator: Translator,
): Promise<Card> {
  const view = await viewOf(subscription, interaction, shared);
  return duplicateCard(view, { channelTypes: ANNOUNCEABLE_CHANNELS }, { translator, nowMs: shared.clock.now() });
}

/** Copies the subscription to the chosen channel; asks for tags first where a forum requires one and has no equal one. */
export async function copyToChosen(
  subscription: Subscription,
  interaction: ComponentInteraction,
  shared: CommandServices,
  translator: Translator,
): Promise<Card> {
  const [channelId = ''] = interaction.isButton() ? [] : interaction.values;
  const where = await requireTarget(interaction, channelId);
  await requirePostable(interaction, where);
  const tagIds = sameTags(subscription, interaction, where);
  if (where.isTagRequired && tagIds.length === 0) {
    const view = await viewOf(subscription, interaction, shared);
    return duplicateCard(view, { channelId, tags: where.tags }, { translator, nowMs: shared.clock.now() });
  }
  return copyTo(subscription, where, tagIds, interaction, shared, translator);
}

export const duplicateActions = {
  'duplicate-tagged': {
    answer: 'update',
    async run({ subscriptionId, channelId }, interaction, shared, translator) {
      const { guildId } = requireManager(interaction);
      const found = requireSubscription(subscriptionId, guildId, shared.subscriptions);
      const where = await requireTarget(interaction, channelId);
      await requirePostable(interaction, where);
      const values: readonly string[] = interaction.isButton() ? [] : interaction.values;
      const tagIds = where.tags.map(({ id }) => id).filter((id) => values.includes(id));
      if (where.isTagRequired && tagIds.length === 0) throw new UserError(message('panel.tagRequired'));
      return copyTo(found, where, tagIds, interaction, shared, translator);
    },
  },
} satisfies Command['actions'];

async function copyTo(
  original: Subscription,
  { channel, target, isPublishable }: TargetChannel,
  tagIds: string[],
  interaction: ComponentInteraction,
  shared: CommandServices,
  translator: Translator,
): Promise<Card> {
  const { subscriptions, clock } = shared;
  const { changedAtMs: _, ...settings } = original;
  const nowMs = clock.now();
  const copy: Subscription = {
    ...settings,
    id: randomUUID(),
    channelId: channel.id,
    target,
    tagIds,
    isPublished: original.isPublished && isPublishable,
    createdBy: interaction.user.id,
    createdAtMs: nowMs,
    catchUp: 0,
    problem: null,
    // The copy of one whose channel is gone has a channel.
    pausedBy: original.pausedBy === 'gone' ? null : original.pausedBy,
  };
  await subscriptions.save(copy, () => {
    requireUnique(copy, subscriptions, translator);
    requireRoom(copy, shared);
  });
  const told = {
    source: describeSource(copy.source, translator),
    from: `<#${original.channelId}>`,
    to: `<#${channel.id}>`,
    outlook: outlookOf(copy, translator, shared),
  };
  return panel(copy, interaction, shared, translator, translator.t('duplicate.done', told));
}

/** The tags of the other forum with the names of the subscription's tags. */
function sameTags(
  { channelId, tagIds }: Subscription,
  interaction: ComponentInteraction,
  where: TargetChannel,
): string[] {
  const names = (knownTarget(interaction, channelId)?.tags ?? [])
    .filter(({ id }) => tagIds.includes(id))
    .map(({ name }) => name.toLowerCase());
  return where.tags
    .filter(({ name }) => names.includes(name.toLowerCase()))
    .map(({ id }) => id)
    .slice(0, LIMITS.appliedTags);
}
