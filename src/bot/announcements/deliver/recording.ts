import type { Announcement } from '../../deals/announcement.ts';
import type { MessagePlace } from '../../discord/outcome.ts';
import type { Delivery, Ending, RollUp } from '../../store/delivery.ts';
import type { DeliveryOptions } from './delivery-options.ts';
import { optionsAt, type PostingContext, paceOf } from './posting-context.ts';

/** The facts to record of a post. */
interface Posted {
  place: MessagePlace;
  /** As posted. */
  announcement: Announcement;
  /** null where it is not known which card was posted. */
  cardHash: string | null;
  options: DeliveryOptions;
}

/**
 * Records a successful post: stores the post, then queues its publication and edit where due, and only then ends the
 * delivery. After a crash in between, the post is found in the channel and recorded again.
 */
export async function recordPost(
  context: PostingContext,
  delivery: Delivery,
  { place, announcement, cardHash, options }: Posted,
): Promise<void> {
  const { store, editing, clock, openTries } = context;
  const { id, guildId, channelId, matches, alsoTells } = delivery;
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
    look: options.look,
    ...(alsoTells.length > 0 && { alsoTells }),
    face: cardHash,
    postedAtMs: clock.now(),
  } as const;
  await store.posts.save(post);
  await publish(context, channelId, place, options);
  await editing.check(post);
  await store.deliveries.end(delivery, posted(place, clock.now()));
  openTries.end(channelId, id);
}

/** Like `recordPost`, for a post that was found in its channel. Its roles are those of the moment of the attempt. */
export async function recordFound(
  context: PostingContext,
  delivery: Delivery,
  place: MessagePlace,
  announcement: Announcement,
): Promise<void> {
  const nowMs = context.clock.now();
  const times = context.store.paces.of(paceOf(delivery.channelId), nowMs);
  const triedAtMs = times.find(({ id }) => id === delivery.id)?.atMs ?? nowMs;
  const options = optionsAt(context, delivery.guildId, delivery.matches, triedAtMs);
  await recordPost(context, delivery, { place, announcement, cardHash: null, options });
}

/** @param over the ids of the members that the roll-up no longer contains because they are over */
export async function recordRollUp(
  context: PostingContext,
  rollUp: RollUp,
  place: MessagePlace,
  over: ReadonlySet<string>,
): Promise<void> {
  const nowMs = context.clock.now();
  const matches = rollUp.members.flatMap((member) => member.matches);
  await publish(context, rollUp.channelId, place, optionsAt(context, rollUp.guildId, matches, nowMs));
  await context.store.deliveries.endRollUp(rollUp, posted(place, nowMs), over);
  context.openTries.end(rollUp.channelId, rollUp.id);
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
