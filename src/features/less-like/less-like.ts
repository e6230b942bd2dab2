import type { Explainer } from '../../announcements/explain/explain.ts';
import { eventsWith, offerOf, type PostedForParts, postsAbout } from '../../announcements/explain/posted-for.ts';
import { subjectOf } from '../../announcements/kinds/index.ts';
import { asOffer } from '../../deals/event.ts';
import { filterOf } from '../../deals/filter-of.ts';
import { shownOffer } from '../../deals/known-offer.ts';
import type { Offer } from '../../deals/offer.ts';
import type { Subscription } from '../../deals/subscription.ts';
import type { OfferBook } from '../../offers/offer-book.ts';
import type { Clock } from '../../shared/clock.ts';
import { type LessLike, proposalsFor } from './proposals.ts';

interface LessLikeParts extends PostedForParts {
  explainer: Explainer;
  offers: OfferBook;
  clock: Clock;
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
  const played = await parts.explainer.preview(subscription);
  // Proposals change the subscription's own filter.
  const filter = filterOf(subscription, []);
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
