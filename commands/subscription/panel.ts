import { liveMatches } from '../../src/announcements/explain/dry-run.ts';
import type { Subscription } from '../../src/deals/subscription.ts';
import { dueAt } from '../../src/deals/timing.ts';
import type { Card } from '../../src/discord/cards/parts.ts';
import {
  type LiveMatches,
  type SubscriptionView,
  subscriptionCard,
} from '../../src/discord/cards/subscription-card.ts';
import { timestamp } from '../../src/discord/format.ts';
import { message } from '../../src/discord/i18n/translator.ts';
import {
  canPin,
  eachOnce,
  knownTarget,
  lackOf,
  roleTroubles,
  type TargetChannel,
} from '../../src/discord/permissions.ts';
import type { LocalizedText } from '../../src/shared/errors.ts';
import type { Delivery } from '../../src/store/delivery.ts';
import { candidatesIn } from '../known.ts';
import { shownTroubles } from '../pings/offered.ts';
import type { CommandServices, ManagerRequest } from '../shared.ts';

/** The card of all settings of a subscription. @param lead the confirmation of the last change; '' for none */
export async function panel(subscription: Subscription, request: ManagerRequest, lead = ''): Promise<Card> {
  return subscriptionCard(await viewOf(subscription, request), lead, request.cardContext);
}

/** The subscription with the cached state of its channel and roles, and warnings about settings that will not work. */
export async function viewOf(
  subscription: Subscription,
  { guild, services }: ManagerRequest,
): Promise<SubscriptionView> {
  const where = knownTarget(guild, subscription.channelId);
  const roleIds = subscription.pings.map(({ roleId }) => roleId);
  const troubles = [
    ...(await roleTroubles(guild, roleIds, where)).values(),
    ...shownTroubles(subscription, guild, services).values(),
  ];
  const warnings = where ? await warningsOf(subscription, where) : [];
  const trouble = subscription.isInCalendar ? services.calendar.troubleIn(subscription.guildId) : null;
  return {
    subscription,
    tags: where?.tags ?? [],
    isPublishable: where?.isPublishable ?? false,
    roleIds: roleIds.filter((roleId) => guild?.roles.cache.has(roleId)),
    warnings: [...warnings, ...(trouble ? [trouble] : []), ...eachOnce(troubles)],
    limit: services.deliverer.limitOf(subscription.channelId),
    matches: await countMatches(subscription, services),
  };
}

async function warningsOf(
  { problem, tagIds, isPublished, isBoard, boardDeletedAtMs }: Subscription,
  where: TargetChannel,
): Promise<LocalizedText[]> {
  // A problem recorded by the deliverer is on the card already.
  const lack = problem === null ? await lackOf(where) : null;
  const hasTag = where.tags.some(({ id }) => tagIds.includes(id));
  return [
    ...(lack ? [lack] : []),
    ...(where.isTagRequired && !hasTag ? [message('panel.tagRequired')] : []),
    ...(isPublished && !where.isPublishable ? [message('panel.notPublishable')] : []),
    ...(isBoard && !(await canPin(where)) ? [message('panel.boardNotPinned')] : []),
    ...(!isBoard && boardDeletedAtMs !== undefined
      ? [message('panel.boardDeleted', { at: timestamp(boardDeletedAtMs, 'R') })]
      : []),
  ];
}

/** How much of a source is live and how much of that matches; null where it has not been read yet. Makes no request. */
async function countMatches(subscription: Subscription, services: CommandServices): Promise<LiveMatches | null> {
  const live = await candidatesIn(subscription.source, services);
  if (!live) return null;
  const { all, matching } = liveMatches(subscription, live.candidates, services.clock.now());
  return { all: all.length, matching: matching.length, readAtMs: live.readAtMs };
}

/**
 * When a subscription posts next, in one sentence: at once, with the first digest, after its quiet hours, or once it or
 * all posting is resumed.
 * @param enqueued its deliveries from the poll that was just made
 */
export function outlookOf(
  { timing, pausedBy }: Subscription,
  { services, t }: ManagerRequest,
  enqueued: readonly Pick<Delivery, 'dueAtMs'>[] = [],
): string {
  if (pausedBy !== null) return t('outlook.paused');
  if (services.postingPause.sinceMs() !== null) return t('outlook.postingPaused');
  const nowMs = services.clock.now();
  const count = enqueued.length;
  // Where another subscription of the channel wants the same earlier, the post comes earlier.
  const dueAtMs = count > 0 ? Math.min(...enqueued.map((delivery) => delivery.dueAtMs)) : dueAt(timing, nowMs).dueAtMs;
  if (dueAtMs <= nowMs) {
    return count > 0 ? t('subscription.comes', { count }) : t('subscription.fromHereOn');
  }
  const at = timestamp(dueAtMs, 'f');
  if (timing.mode === 'at-once') {
    return count > 0 ? t('outlook.comesAfterQuiet', { count, at }) : t('outlook.afterQuiet', { at });
  }
  return count > 0 ? t('outlook.comesInDigest', { count, at }) : t('outlook.inDigest', { at });
}
