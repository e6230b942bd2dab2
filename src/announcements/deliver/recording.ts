import type { Announcement } from '../../deals/announcement.ts';
import type { MessagePlace } from '../../discord/outcome.ts';
import type { Delivery, Ending, RollUp } from '../../store/delivery.ts';
import type { Changes } from '../../store/table/state.ts';
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
 * Records a successful post: its publication and its edit, where due, are queued, and the delivery ends. Where the commit
 * is cut off, the post is found in the channel and recorded then.
 */
export function recordPost(
  context: PostingContext,
  changes: Changes,
  delivery: Delivery,
  { place, announcement, cardHash, options }: Posted,
): void {
  const { store, editing, clock, channels } = context;
  const { id, guildId, channelId, matches, alsoTells } = delivery;
  const post = {
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
    alsoTells,
    face: cardHash,
    postedAtMs: clock.now(),
  };
  store.posts.save(changes, post);
  publish(context, changes, channelId, place, options);
  editing.check(changes, post);
  store.deliveries.end(changes, delivery, posted(place, clock.now()));
  changes.afterwards(() => channels.get(channelId).endTry(id));
}

/** Like `recordPost`, for a post that was found in its channel. Its roles are those of the moment of the attempt. */
export function recordFound(
  context: PostingContext,
  changes: Changes,
  delivery: Delivery,
  place: MessagePlace,
  announcement: Announcement,
): void {
  const nowMs = context.clock.now();
  const times = context.store.paces.of(paceOf(delivery.channelId), nowMs);
  const triedAtMs = times.find(({ id }) => id === delivery.id)?.atMs ?? nowMs;
  const options = optionsAt(context, delivery.guildId, delivery.matches, triedAtMs);
  recordPost(context, changes, delivery, { place, announcement, cardHash: null, options });
}

/** @param over the ids of the members that the roll-up no longer contains because they are over */
export function recordRollUp(
  context: PostingContext,
  changes: Changes,
  rollUp: RollUp,
  place: MessagePlace,
  over: ReadonlySet<string>,
): void {
  const nowMs = context.clock.now();
  const matches = rollUp.members.flatMap((member) => member.matches);
  publish(context, changes, rollUp.channelId, place, optionsAt(context, rollUp.guildId, matches, nowMs));
  context.store.deliveries.endRollUp(changes, rollUp, posted(place, nowMs), over);
  changes.afterwards(() => context.channels.get(rollUp.channelId).endTry(rollUp.id));
}

function publish(
  { store, clock }: PostingContext,
  changes: Changes,
  channelId: string,
  { messageId }: MessagePlace,
  { isPublished }: DeliveryOptions,
): void {
  if (isPublished) store.publications.add(changes, [{ channelId, messageId, queuedAtMs: clock.now() }]);
}

function posted({ channelId, messageId }: MessagePlace, endedAtMs: number): Ending {
  return { outcome: 'posted', messageChannelId: channelId, messageId, endedAtMs };
}

export function unposted(outcome: Exclude<Ending['outcome'], 'posted'>, endedAtMs: number): Ending {
  return { outcome, messageChannelId: null, messageId: null, endedAtMs };
}
