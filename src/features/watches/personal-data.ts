import { placeOfPerson } from '../../deals/person.ts';
import type { Subscription } from '../../deals/subscription.ts';
import type { PostedDelivery } from '../../store/deliveries.ts';
import type { Delivery } from '../../store/delivery.ts';
import type { Post } from '../../store/posts.ts';
import { postsIn } from '../../store/rate-log.ts';
import type { Person } from '../../store/server-records.ts';
import type { Records } from '../../store/store.ts';

/** All that the state holds of a person. */
export interface PersonalData {
  /** null for somebody who has never watched anything, or was forgotten. */
  person: Person | null;
  watches: readonly Subscription[];
  /** The deliveries that wait. */
  waiting: readonly Pick<Delivery, 'id' | 'announcement' | 'dueAtMs'>[];
  /** Messages that are still kept up to date. */
  messages: readonly Post[];
  /** All messages that the bot remembers having sent. */
  sent: readonly PostedDelivery[];
  /** When messages were sent in the past hour, by delivery id: epoch milliseconds. */
  paces: readonly { id: string; atMs: number }[];
  /** The subscriptions of servers that the person has made. */
  subscriptions: readonly Subscription[];
}

/** Reads the whole ledger and all posts. */
export async function personalDataOf(personId: string, store: Records): Promise<PersonalData> {
  const { people, subscriptions, deliveries, posts, rateLog } = store;
  const place = placeOfPerson(personId);
  const person = people.get(personId) ?? null;
  const channelId = person?.channelId ?? '';
  const pending = [...deliveries.pending(channelId), ...(deliveries.pendingRollUp(channelId)?.members ?? [])];
  return {
    person,
    watches: subscriptions.ofGuild(place),
    waiting: pending.map((delivery) => ({
      id: 'id' in delivery ? delivery.id : delivery.deliveryId,
      announcement: delivery.announcement,
      dueAtMs: 'dueAtMs' in delivery ? delivery.dueAtMs : 0,
    })),
    messages: await posts.inPlace(place),
    sent: (await deliveries.postedBetween(0n, LAST_ID)).get(channelId) ?? [],
    paces: rateLog.all(postsIn(channelId)),
    subscriptions: subscriptions.ofServers().filter(({ createdBy }) => createdBy === personId),
  };
}

/** Discord's ids have 64 bits. */
const LAST_ID = 1n << 64n;

/**
 * Forgets a person: nothing of them may be under way. What stays is in the ledger, without their channel and messages,
 * so that the same announcements are not sent again if they come back.
 */
export async function forgetPerson(personId: string, store: Records): Promise<void> {
  const { people, subscriptions, deliveries, posts, edits, removals, newestMessages, rateLog } = store;
  const place = placeOfPerson(personId);
  const channelId = people.get(personId)?.channelId;
  const messages = await posts.inPlace(place);
  const forgetChannel = channelId === undefined ? null : await deliveries.forgetChannel(channelId);
  await store.commit((changes) => {
    for (const { id } of subscriptions.ofGuild(place)) subscriptions.delete(changes, id);
    for (const post of messages) posts.forget(changes, post);
    store.forgetPlace(changes, place);
    if (channelId === undefined) return;
    // Where the work in channels has not begun yet, its end could not be awaited.
    deliveries.abandon(changes, channelId);
    for (const edit of edits.pending(channelId)) edits.end(changes, edit);
    for (const removal of removals.pending(channelId)) removals.end(changes, removal);
    forgetChannel?.(changes);
    newestMessages.forget(changes, channelId);
    rateLog.forgetPlace(changes, postsIn(channelId));
    people.delete(changes, personId);
  });
}
