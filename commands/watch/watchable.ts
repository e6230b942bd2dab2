import { asOffer } from '../../src/bot/deals/event.ts';
import { feedKey, isInFeed, type KnownOffer, productKey, shownOffer } from '../../src/bot/deals/known-offer.ts';
import type { Offer } from '../../src/bot/deals/offer.ts';
import type { Source } from '../../src/bot/deals/subscription.ts';
import type { WatchedProduct } from '../../src/bot/deals/watch.ts';
import { message } from '../../src/bot/discord/i18n/translator.ts';
import { UserError } from '../../src/shared/errors.ts';
import { knownEntities } from '../seen.ts';
import type { CommandServices } from '../shared.ts';

/** An offer that can be watched, and the feed that is polled for it. */
export interface Watchable {
  offer: Offer;
  product: WatchedProduct;
  source: Source;
}

/** @throws UserError where the bot does not know the offer, any more or yet */
export function requireWatchable(offerId: string, shared: CommandServices): Watchable {
  const known = shared.offers.get(offerId);
  const offer = known ? shownOffer(known) : offerOfEvent(offerId, shared);
  if (!offer) throw new UserError(message('watch.offerUnknown'));
  return {
    offer,
    product: { key: productKey(offer), title: offer.title, offerId: offer.id },
    source: { kind: 'feed', feed: feedFor(known, shared.feeds) },
  };
}

/** The feed that a watch follows where the person names none: the first, which has everything where it is "All". */
export function usualFeed([first = '']: readonly string[]): string {
  return first;
}

/** The first feed that lists the offer, or once did; people who watch the same offer share its polls. */
function feedFor(known: KnownOffer | undefined, feeds: readonly string[]): string {
  if (!known) return usualFeed(feeds);
  const listing = feeds.find((feed) => isInFeed(known, feedKey(feed)));
  return listing ?? feeds.find((feed) => feedKey(feed) in known.feeds) ?? usualFeed(feeds);
}

function offerOfEvent(offerId: string, { currentState }: CommandServices): Offer | undefined {
  const events = (knownEntities('events', currentState) ?? []).map(({ item }) => item);
  return events.flatMap((event) =>
    event.offers.filter(({ id }) => id === offerId).map((offer) => asOffer(offer, event)),
  )[0];
}
