import type { Announcement } from '../../deals/announcement.ts';
import type { MessagePlace } from '../../discord/outcome.ts';
import type { Delivery, DeliveryMatch, Ending, RollUp } from '../../store/delivery.ts';
import { activeSubscriptions, type DeliveryOptions } from './delivery-options.ts';
import { optionsAt, type PostingContext, paceOf } from './posting-context.ts';

/** What is to be recorded of a post. */
interface Posted {
  place: MessagePlace;
  /** As it is shown. */
  announcement: Announcement;
  /** null where nobody knows which card it is. */
  cardHash: string | null;
  options: DeliveryOptions;
}

/**
 * It stands there: known as a post, then queued to be published and edited where that is due, and only then ended. Cut off
 * anywhere between, it is found in the channel and recorded again.
 */
export async function recordPost(
  context: PostingContext,
  delivery: Delivery,
  { place, announcement, cardHash, options }: Posted,
): Promise<void> {
  const { store, editing, clock, openTries } = context;
  const { id, guildId, channelId, matches } = delivery;
  const post = {
    version: 1,
    deliveryId: id,
    guildId,
    channelId,
    messageChannelId: place.channelId,
    messageId: place.messageId,
    announcement,
    matches,
    mentionRoleIds: options.mentionRoleIds,
    isPublished: options.isPublished,
    face: cardHash,
    postedAtMs: clock.now(),
  } as const;
  await store.posts.save(post);
  await publish(context, channelId, place, options);
  await editing.check(post);
  await store.deliveries.end(delivery, posted(place, clock.now()));
  openTries.end(channelId, id);
}

/** As `recordPost`, for what was found in its channel. Its roles were those of the moment at which it was tried. */
export async function recordFound(
  context: PostingContext,
  delivery: Delivery,
  place: MessagePlace,
  announcement: Announcement,
): Promise<void> {
  const nowMs = context.clock.now();
  const times = context.store.paces.of(paceOf(delivery.channelId), nowMs);
  const triedAtMs = times.find(({ id }) => id === delivery.id)?.atMs ?? nowMs;
  const options = optionsAt(context, delivery.matches, triedAtMs);
  await recordPost(context, delivery, { place, announcement, cardHash: null, options });
}

/** @param over the ids of what it does not tell any more */
export async function recordRollUp(
  context: PostingContext,
  rollUp: RollUp,
  place: MessagePlace,
  over: ReadonlySet<string>,
): Promise<void> {
  const nowMs = context.clock.now();
  const matches = rollUp.members.flatMap((member) => member.matches);
  await publish(context, rollUp.channelId, place, optionsAt(context, matches, nowMs));
  await context.store.deliveries.endRollUp(rollUp, posted(place, nowMs), over);
  context.openTries.end(rollUp.channelId, rollUp.id);
}

/** It works again where it did not. There are few subscriptions to look through, and mostly none has a problem. */
export async function resolveProblems(
  { store, channelProblems }: PostingContext,
  place: Delivery | RollUp,
  matches: readonly DeliveryMatch[],
): Promise<void> {
  if (activeSubscriptions(matches, store.subscriptions).some(({ problem }) => problem !== null))
    await channelProblems.resolve(place);
}

async function publish(
  { store, clock }: PostingContext,
  channelId: string,
  { messageId }: MessagePlace,
  { isPublished }: DeliveryOptions,
): Promise<void> {
  if (isPublished) await store.publications.add([{ version: 1, channelId, messageId, queuedAtMs: clock.now() }]);
}

function posted({ channelId, messageId }: MessagePlace, endedAtMs: number): Ending {
  return { outcome: 'posted', messageChannelId: channelId, messageId, endedAtMs };
}

export function unposted(outcome: Exclude<Ending['outcome'], 'posted'>, endedAtMs: number): Ending {
  return { outcome, messageChannelId: null, messageId: null, endedAtMs };
}
