import type { Announcement } from '../../deals/announcement.ts';
import type { MessagePlace } from '../../discord/outcome.ts';
import { asTried, type Delivery, type Ending, type RollUp, rolesOf } from '../../store/delivery.ts';
import type { Post } from '../../store/posts.ts';
import { postsIn } from '../../store/rate-log.ts';
import type { Changes } from '../../store/table/state.ts';
import type { Channel } from './channel.ts';
import type { Editing } from './editing.ts';
import { type KeptPosts, markedBy } from './kept.ts';
import type { Messages, PostingOptions } from './message.ts';
import type { DelivererParts } from './parts.ts';
import { addReply } from './replying.ts';

/** The facts to record of a post. */
interface Posted {
  place: MessagePlace;
  /** As posted. */
  announcement: Announcement;
  /** null where it is not known which card was posted. */
  cardHash: string | null;
  /** null for a usual post. */
  keeper: KeptPosts | null;
  options: PostingOptions;
}

/** The most deliveries for which a post stands besides its own: one that is continued again and again keeps the latest. */
const MOST_TOLD = 20;

/** Records how deliveries end. Each method adds its changes to a commit. */
export class Recording {
  readonly #parts: DelivererParts;
  readonly #messages: Messages;
  readonly #editing: Editing;

  constructor(parts: DelivererParts, messages: Messages, editing: Editing) {
    this.#parts = parts;
    this.#messages = messages;
    this.#editing = editing;
  }

  /**
   * Records a successful post: its publication and its edit, where due, are queued, and the delivery ends. Where the
   * commit is cut off, the post is found in the channel and recorded then.
   */
  post(changes: Changes, channel: Channel, delivery: Delivery, posted: Posted): void {
    const { store, clock } = this.#parts;
    const { place, announcement, cardHash, keeper, options } = posted;
    const { id, guildId, channelId, matches, alsoTells } = delivery;
    const unmarked = {
      deliveryId: id,
      guildId,
      channelId,
      messageChannelId: place.channelId,
      messageId: place.messageId,
      announcement,
      matches,
      mentionRoleIds: options.mentionRoleIds,
      isPublished: options.isPublished,
      look: options.appearance,
      alsoTells,
      face: cardHash,
      postedAtMs: clock.now(),
    };
    const post = markedBy(keeper, unmarked, this.#messages.keepers());
    keeper?.posted(changes, post);
    store.posts.save(changes, post);
    this.#parts.mentions?.noteMentioned?.(changes, channelId, options.mentionRoleIds);
    this.#replyToJoined(changes, post);
    this.#publish(changes, channelId, place, options);
    this.#editing.check(changes, post);
    store.deliveries.end(changes, delivery, postedAt(place, clock.now()));
    changes.afterwards(() => channel.endTry(id));
  }

  /** Owes a reply for the roles that joined the delivery while its post was on its way. */
  #replyToJoined(changes: Changes, post: Post): void {
    const { store, clock } = this.#parts;
    const waiting = store.deliveries.pending(post.channelId).find(({ id }) => id === post.deliveryId);
    const matches = waiting?.matches.filter(({ isUntried }) => isUntried) ?? [];
    if (rolesOf(matches).length === 0) return;
    const nowMs = clock.now();
    addReply(changes, store.replies, post, { matches, dueAtMs: nowMs }, nowMs);
  }

  /**
   * Has a post show a delivery from now on, in place of what it was about. Once its edit is made, that ends the delivery; where
   * the message doesn't exist any more, the delivery is posted.
   */
  continue(changes: Changes, post: Post, delivery: Delivery): void {
    const { store } = this.#parts;
    const { id: deliveryId, matches, announcement } = delivery;
    // The ledger finds what the message told before by the post that it has become.
    const alsoTells = [...delivery.alsoTells, post.deliveryId, ...post.alsoTells].slice(0, MOST_TOLD);
    const { repliedFor: _, ...kept } = post;
    const continued = { ...kept, deliveryId, announcement, matches, alsoTells, face: null };
    store.posts.forget(changes, post);
    store.posts.save(changes, continued);
    this.#editing.check(changes, continued);
  }

  /**
   * Like `post`, for a post that was found in its channel. Its roles are those of the moment of the attempt; what joined the
   * delivery since is not in it.
   */
  found(changes: Changes, channel: Channel, waiting: Delivery, place: MessagePlace, announcement: Announcement): void {
    const { store, clock } = this.#parts;
    const nowMs = clock.now();
    const delivery = asTried(waiting);
    const times = store.rateLog.recent(postsIn(channel.id), nowMs);
    const triedAtMs = times.find(({ id }) => id === delivery.id)?.atMs ?? nowMs;
    const options = this.#messages.options(delivery.guildId, delivery.matches, triedAtMs);
    const keeper = this.#messages.keeperOf(announcement, delivery, nowMs);
    this.post(changes, channel, delivery, { place, announcement, cardHash: null, keeper, options });
  }

  /** @param over the ids of the members that the roll-up no longer contains because they are over */
  rollUp(changes: Changes, channel: Channel, rollUp: RollUp, place: MessagePlace, over: ReadonlySet<string>): void {
    const { store, clock } = this.#parts;
    const nowMs = clock.now();
    const matches = rollUp.members.flatMap((member) => member.matches);
    const options = this.#messages.options(rollUp.guildId, matches, nowMs);
    this.#parts.mentions?.noteMentioned?.(changes, channel.id, options.mentionRoleIds);
    this.#publish(changes, channel.id, place, options);
    store.deliveries.endRollUp(changes, rollUp, postedAt(place, nowMs), over);
    changes.afterwards(() => channel.endTry(rollUp.id));
  }

  /**
   * Ends a delivery or a roll-up without a post.
   * @param over as for `rollUp`
   */
  unposted(
    changes: Changes,
    waiting: Delivery | RollUp,
    outcome: Exclude<Ending['outcome'], 'posted'>,
    over: ReadonlySet<string> = new Set(),
  ): void {
    const { store, clock } = this.#parts;
    const ending = { outcome, messageChannelId: null, messageId: null, endedAtMs: clock.now() };
    if ('members' in waiting) store.deliveries.endRollUp(changes, waiting, ending, over);
    else store.deliveries.end(changes, waiting, ending);
  }

  /**
   * Removes what ended without a post from the hourly count. Where an attempt of it may still arrive, that stays open: the
   * channel is read before it is posted again.
   */
  uncount(changes: Changes, { id, channelId }: Delivery | RollUp): void {
    this.#parts.store.rateLog.forget(changes, postsIn(channelId), id);
  }

  #publish(changes: Changes, channelId: string, { messageId }: MessagePlace, { isPublished }: PostingOptions): void {
    const { store, clock } = this.#parts;
    if (isPublished) store.publications.add(changes, [{ channelId, messageId, queuedAtMs: clock.now() }]);
  }
}

function postedAt({ channelId, messageId }: MessagePlace, endedAtMs: number): Ending {
  return { outcome: 'posted', messageChannelId: channelId, messageId, endedAtMs };
}
