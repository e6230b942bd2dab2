import type { AutocompleteRequest, Request } from '../../../commands/shared.ts';
import type { Subscription } from '../../deals/subscription.ts';
import { message } from '../../discord/i18n/translator.ts';
import { knownTarget } from '../../discord/permissions.ts';
import { UserError } from '../../shared/errors.ts';
import type { HubView, HubWeek } from './cards.ts';
import { type Hub, inOrder } from './records.ts';
import { bestOf, togetherIn } from './week.ts';

const MOST_BEST = 3;

type AnyRequest = Request | AutocompleteRequest;

/** The subscriptions of a hub's channel. */
export function subscriptionsOf({ guildId, channelId }: Hub, { services }: AnyRequest): Subscription[] {
  return services.subscriptions.ofGuild(guildId).filter((subscription) => subscription.channelId === channelId);
}

/** The hubs that other servers can follow: something is published there, as far as the bot sees. */
export function offeredHubs(request: AnyRequest): HubView[] {
  return inOrder(request.services.hubs).flatMap((hub) => viewOf(hub, request) ?? []);
}

/** @throws UserError where there is no such hub, or none to follow any more */
export function requireOffered(hubId: string, request: AnyRequest): { hub: Hub; view: HubView } {
  const hub = request.services.hubs.get(hubId);
  const view = hub && viewOf(hub, request);
  if (!hub || !view) throw new UserError(message('follow.gone'));
  return { hub, view };
}

/** What a hub would have posted in the last week. Rejects with a StoreError. */
export async function weekOf(hub: Hub, request: Request): Promise<HubWeek> {
  const { explainer, currentState } = request.services;
  const previews = await Promise.all(
    subscriptionsOf(hub, request)
      .filter(isPublishing)
      .map((subscription) => explainer.preview(subscription)),
  );
  const preview = togetherIn(previews);
  const best = preview ? bestOf(preview, MOST_BEST, currentState.stock, request.cardContext.nowMs) : [];
  return { preview, best };
}

/** Whether a subscription's posts reach those who follow its channel. */
function isPublishing({ isPublished, pausedBy }: Subscription): boolean {
  return isPublished && pausedBy === null;
}

function viewOf(hub: Hub, request: AnyRequest): HubView | null {
  const guild = request.client.guilds.cache.get(hub.guildId) ?? null;
  const where = knownTarget(guild, hub.channelId);
  const isOffered = where?.isPublishable === true && subscriptionsOf(hub, request).some(isPublishing);
  if (!guild || !isOffered) return null;
  const { channelId, description } = hub;
  return { channelId, name: where.channel.name, server: guild.name, description };
}
