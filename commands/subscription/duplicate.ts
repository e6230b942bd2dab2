import { randomUUID } from 'node:crypto';
import type { Subscription } from '../../src/deals/subscription.ts';
import type { Card } from '../../src/discord/cards/parts.ts';
import { duplicateCard } from '../../src/discord/cards/subscription-card.ts';
import { describeSource } from '../../src/discord/i18n/describe-source.ts';
import { message } from '../../src/discord/i18n/translator.ts';
import { LIMITS } from '../../src/discord/limits.ts';
import {
  ANNOUNCEABLE_CHANNELS,
  knownTarget,
  requirePostable,
  type TargetChannel,
} from '../../src/discord/permissions.ts';
import { UserError } from '../../src/shared/errors.ts';
import { requireSubscription } from '../options.ts';
import type { Command, ManagerRequest } from '../shared.ts';
import { outlookOf, panel, viewOf } from './panel.ts';
import { requireRoom, requireUnique } from './save.ts';

/** Asks for the channel of the copy. */
export async function askForCopy(subscription: Subscription, request: ManagerRequest): Promise<Card> {
  const view = await viewOf(subscription, request);
  return duplicateCard(view, { channelTypes: ANNOUNCEABLE_CHANNELS }, request.cardContext);
}

/** Copies the subscription to the chosen channel; asks for tags first where a forum requires one and has no equal one. */
export async function copyToChosen(
  subscription: Subscription,
  channelId: string,
  request: ManagerRequest,
): Promise<Card> {
  const where = await requirePostable(request.guild, channelId);
  const tagIds = sameTags(subscription, request, where);
  if (where.isTagRequired && tagIds.length === 0) {
    const view = await viewOf(subscription, request);
    return duplicateCard(view, { channelId, tags: where.tags }, request.cardContext);
  }
  return copyTo(subscription, where, tagIds, request);
}

export const duplicateActions = {
  'duplicate-tagged': {
    answer: 'update',
    async run({ subscriptionId, channelId }, request) {
      const manager = request.asManager();
      const found = requireSubscription(subscriptionId, manager);
      const where = await requirePostable(request.guild, channelId);
      const tagIds = where.tags.map(({ id }) => id).filter((id) => request.values.includes(id));
      if (where.isTagRequired && tagIds.length === 0) throw new UserError(message('panel.tagRequired'));
      return copyTo(found, where, tagIds, manager);
    },
  },
} satisfies Command['actions'];

async function copyTo(
  original: Subscription,
  { channel, target, isPublishable }: TargetChannel,
  tagIds: string[],
  request: ManagerRequest,
): Promise<Card> {
  const { subscriptions, clock } = request.services;
  const { changedAtMs: _, resumedAtMs: __, ...settings } = original;
  const nowMs = clock.now();
  const copy: Subscription = {
    ...settings,
    id: randomUUID(),
    channelId: channel.id,
    target,
    tagIds,
    isPublished: original.isPublished && isPublishable,
    createdBy: request.person.id,
    createdAtMs: nowMs,
    catchUp: 0,
    problem: null,
    // The copy of one whose channel is gone has a channel.
    pausedBy: original.pausedBy === 'gone' ? null : original.pausedBy,
  };
  await subscriptions.save(copy, () => {
    requireUnique(copy, request);
    requireRoom(request);
  });
  const values = {
    source: describeSource(copy.source, request.translator),
    from: `<#${original.channelId}>`,
    to: `<#${channel.id}>`,
    outlook: outlookOf(copy, request),
  };
  return panel(copy, request, request.t('duplicate.done', values));
}

/** The tags of the other forum with the names of the subscription's tags. */
function sameTags({ channelId, tagIds }: Subscription, { guild }: ManagerRequest, where: TargetChannel): string[] {
  const names = (knownTarget(guild, channelId)?.tags ?? [])
    .filter(({ id }) => tagIds.includes(id))
    .map(({ name }) => name.toLowerCase());
  return where.tags
    .filter(({ name }) => names.includes(name.toLowerCase()))
    .map(({ id }) => id)
    .slice(0, LIMITS.appliedTags);
}
