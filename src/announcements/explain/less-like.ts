import type { EntityKey } from '../../deals/announcement.ts';
import { asOffer } from '../../deals/event.ts';
import { shownOffer } from '../../deals/known-offer.ts';
import { type LessLike, proposalsFor } from '../../deals/less-like.ts';
import type { Offer } from '../../deals/offer.ts';
import type { Subscription } from '../../deals/subscription.ts';
import type { OfferBook } from '../../offers/offer-book.ts';
import type { DeliveryStore } from '../../store/deliveries.ts';
import type { Post } from '../../store/posts.ts';
import type { Store } from '../../store/store.ts';
import { entityKey, shownOf, subjectOf } from '../kinds/index.ts';
import { filterOf, type PreviewParts, preview } from './dry-run.ts';

export interface LessLikeParts extends PreviewParts {
  store: PreviewParts['store'] & Pick<Store, 'posts'> & { deliveries: Pick<DeliveryStore, 'findRollUp'> };
  offers: Pick<OfferBook, 'all' | 'get'>;
}

/** For whom an offer was posted. */
export interface PostedFor {
  /** The server, or the person by `placeOfPerson`. */
  guildId: string;
  subscriptionIds: readonly string[];
}

/**
 * For whom the post or the roll-up with this id tells of a thing; null where it doesn't, or is not known any more. An offer
 * may be a part of an event. Rejects with a StoreError.
 */
export async function postedFor(thing: EntityKey, deliveryId: string, parts: LessLikeParts): Promise<PostedFor | null> {
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

/**
 * Proposes filters with which a subscription would announce less like an offer; null where the offer is not known any
 * more. Rejects with a StoreError.
 */
export async function lessLike(
  offerId: string,
  subscription: Subscription,
  parts: LessLikeParts,
): Promise<LessLike | null> {
  const offer = await offerKnown(offerId, subscription, parts);
  if (!offer) return null;
  const played = await preview(subscription, parts);
  const filter = filterOf(subscription);
  const past = played.entries.map((entry) => ({ ...entry, subject: subjectOf(entry.announcement) }));
  const found = filter
    ? proposalsFor(offer, filter, past, parts.clock.now())
    : { proposals: [], ofAll: [], isFull: false };
  return { offer, preview: played, ...found };
}

/** The offer as it is now, or as it was posted in the subscription's channel. */
async function offerKnown(
  offerId: string,
  { channelId }: Subscription,
  parts: LessLikeParts,
): Promise<Offer | undefined> {
  const known = parts.offers.get(offerId);
  if (known) return shownOffer(known);
  for (const event of eventsWith(offerId, parts)) {
    const offer = event.offers.find(({ id }) => id === offerId);
    if (offer) return asOffer(offer, event);
  }
  const posts = (await postsAbout(offerId, parts)).filter((post) => post.channelId === channelId);
  const [newest] = posts.toSorted((a, b) => b.postedAtMs - a.postedAtMs);
  return (newest && offerOf(newest.announcement)) ?? undefined;
}

/** All posts about the offer, also as a part of an event that still lists it. */
async function postsAbout(offerId: string, parts: LessLikeParts): Promise<Post[]> {
  const things: EntityKey[] = [
    `offer:${offerId}`,
    ...eventsWith(offerId, parts).map(({ id }) => `event:${id}` as const),
  ];
  const posts = [...(await parts.store.posts.about(things)).values()].flat();
  return posts.filter(({ announcement }) => offerOf(announcement)?.id === offerId);
}

/** The events of the last answer that list the offer. */
function eventsWith(offerId: string, { currentState }: LessLikeParts) {
  const announcements = currentState.seen('events')?.announcements ?? [];
  return announcements.flatMap((announcement) =>
    announcement.kind === 'event-started' && announcement.item.offers.some(({ id }) => id === offerId)
      ? [announcement.item]
      : [],
  );
}

function offerOf(announcement: Post['announcement']): Offer | null {
  const { as, item } = shownOf(announcement);
  return as === 'offer' ? item : null;
}
