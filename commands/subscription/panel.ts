import { sampleOf } from '../../src/announcements/explain/dry-run.ts';
import { hasSetting } from '../../src/announcements/kinds/of-source.ts';
import type { Subscription } from '../../src/deals/subscription.ts';
import { dueAt } from '../../src/deals/timing.ts';
import { actionsOf } from '../../src/discord/action-table.ts';
import type { Card } from '../../src/discord/cards/parts.ts';
import {
  type LiveMatches,
  type SubscriptionView,
  subscriptionCard,
} from '../../src/discord/cards/subscription-card.ts';
import { timestamp } from '../../src/discord/format.ts';
import { message } from '../../src/discord/i18n/translator.ts';
import { knownTarget, lackOf, type TargetChannel } from '../../src/discord/permissions.ts';
import type { LocalizedText } from '../../src/shared/errors.ts';
import type { Delivery } from '../../src/store/delivery.ts';
import { candidatesIn } from '../known.ts';
import type { CommandServices, ManagerRequest } from '../shared.ts';
import { flagTable, flagTroubles } from './flags.ts';

/** The card of all settings of a subscription. @param lead the confirmation of the last change; '' for none */
export async function panel(subscription: Subscription, request: ManagerRequest, lead = ''): Promise<Card> {
  return subscriptionCard(await viewOf(subscription, request), lead, request.cardContext);
}

/** The subscription with the cached state of its channel and roles, and warnings about settings that will not work. */
export async function viewOf(subscription: Subscription, request: ManagerRequest): Promise<SubscriptionView> {
  const { guild, services } = request;
  const where = knownTarget(guild, subscription.channelId);
  const troubles = await services.troublesOf(subscription, request);
  const warnings = where ? await warningsOf(subscription, where, services) : [];
  const matches = await countMatches(subscription, services);
  const nothing =
    matches?.matching === 0 && matches.all > 0 ? await services.noMatch.lines(subscription, matches.all, request) : [];
  return {
    subscription,
    settings: services.settings,
    flagButtons: flagButtons(subscription, services),
    tags: where?.tags ?? [],
    isPublishable: where?.isPublishable ?? false,
    menus: services.fields.flatMap((field) => field.menu?.(subscription, request) ?? []),
    warnings: [...nothing, ...warnings, ...flagTroubles(subscription, services), ...troubles],
    limit: services.deliverer.limitOf(subscription.channelId),
    matches,
    added: services.panelButtons,
  };
}

/** The buttons that turn flags off, or on where the subscription's source has them. */
function flagButtons(subscription: Subscription, { flags }: CommandServices): SubscriptionView['flagButtons'] {
  const act = actionsOf(flagTable(flags));
  return flags
    .filter((flag) => subscription[flag.field] === true || hasSetting(subscription.source.kind, flag))
    .map(({ field, on, off }) => (subscription[field] === true ? off : on))
    .map(({ step, label }) => ({
      label,
      action: act({ do: 'subscription', step, subscriptionId: subscription.id }),
    }));
}

async function warningsOf(
  subscription: Subscription,
  where: TargetChannel,
  { flags }: CommandServices,
): Promise<LocalizedText[]> {
  const { problem, tagIds, isPublished } = subscription;
  const ofFlags = await Promise.all(flags.map(async (flag) => (await flag.warnings?.(subscription, where)) ?? []));
  // A problem recorded by the deliverer is on the card already.
  const lack = problem === null ? await lackOf(where) : null;
  const hasTag = where.tags.some(({ id }) => tagIds.includes(id));
  return [
    ...(lack ? [lack] : []),
    ...(where.isTagRequired && !hasTag ? [message('panel.tagRequired')] : []),
    ...(isPublished && !where.isPublishable ? [message('panel.notPublishable')] : []),
    ...ofFlags.flat(),
  ];
}

/** How much of a source is live and how much of that matches; null where it has not been read yet. Makes no request. */
async function countMatches(subscription: Subscription, services: CommandServices): Promise<LiveMatches | null> {
  const { settings, clock } = services;
  const live = await candidatesIn(subscription.source, services);
  if (!live) return null;
  const { all, matching } = sampleOf(subscription, live.candidates, settings, clock.now());
  return { all, matching, readAtMs: live.readAtMs };
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
  const next = dueAt(timing, nowMs);
  const at = timestamp(next.dueAtMs, 'f');
  if (count === 0) {
    if (next.dueAtMs <= nowMs) return t('subscription.fromHereOn');
    return next.isDigest ? t('outlook.inDigest', { at }) : t('outlook.afterQuiet', { at });
  }
  // Where another subscription of the channel wants the same earlier, the post comes earlier.
  const dueAtMs = Math.min(...enqueued.map((delivery) => delivery.dueAtMs));
  if (dueAtMs > nowMs) return t('outlook.comesAfterQuiet', { count, at: timestamp(dueAtMs, 'f') });
  return next.isDigest ? t('outlook.comesInDigest', { count, at }) : t('subscription.comes', { count });
}
