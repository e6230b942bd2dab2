import type { EntityKey } from '../../deals/announcement.ts';
import type { Offer } from '../../deals/offer.ts';
import type { Post } from '../../store/posts.ts';
import type { Records } from '../../store/store.ts';
import type { CurrentState } from '../current-state.ts';
import { entityKey, shownOf } from '../kinds/index.ts';

export interface PostedForParts {
  store: Records;
  currentState: Pick<CurrentState, 'seen'>;
}

/** For whom an offer was posted. */
export interface PostedFor {
  /** The server, or the person by `placeOfPerson`. */
  guildId: string;
  subscriptionIds: readonly string[];
}

/**
 * For whom the post or the roll-up with this id shows a thing; null where it doesn't, or is not known any more. An offer
 * may be a part of an event. Rejects with a StoreError.
 */
export async function postedFor(
  thing: EntityKey,
  deliveryId: string,
  parts: PostedForParts,
): Promise<PostedFor | null> {
  const offerId = thing.startsWith('offer:') ? thing.slice('offer:'.length) : null;
  const isTold = ({ announcement }: Pick<Post, 'announcement'>) =>
    offerId === null ? entityKey(announcement) === thing : offerOf(announcement)?.id === offerId;
  const posts =
    offerId === null ? [...(await parts.store.posts.about([thing])).values()].flat() : await postsAbout(offerId, parts);
  const post = posts.find((one) => one.deliveryId === deliveryId);
  const rollUp = post ? undefined : await parts.store.deliveries.findRollUp(deliveryId);
  const place = post ?? rollUp;
  const members = post ? [post] : (rollUp?.members.filter(isTold) ?? []);
  if (!place || members.length === 0) return null;
  const ids = members.flatMap(({ matches }) => matches.map(({ subscriptionId }) => subscriptionId));
  return { guildId: place.guildId, subscriptionIds: [...new Set(ids)] };
}

/** All posts about the offer, also as a part of an event that still lists it. */
export async function postsAbout(offerId: string, parts: PostedForParts): Promise<Post[]> {
  const things: EntityKey[] = [
    `offer:${offerId}`,
    ...eventsWith(offerId, parts).map(({ id }) => `event:${id}` as const),
  ];
  const posts = [...(await parts.store.posts.about(things)).values()].flat();
  return posts.filter(({ announcement }) => offerOf(announcement)?.id === offerId);
}

/** The events of the last answer that list the offer. */
export function eventsWith(offerId: string, { currentState }: PostedForParts) {
  const announcements = currentState.seen('events')?.announcements ?? [];
  return announcements.flatMap((announcement) =>
    announcement.kind === 'event-started' && announcement.item.offers.some(({ id }) => id === offerId)
      ? [announcement.item]
      : [],
  );
}

/** The offer that it shows; null where it shows something else. */
export function offerOf(announcement: Post['announcement']): Offer | null {
  const { as, item } = shownOf(announcement);
  return as === 'offer' ? item : null;
}
