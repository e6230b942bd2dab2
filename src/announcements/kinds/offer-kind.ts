import type { AnnouncementKind, AnnouncementOf } from '../../deals/announcement.ts';
import { isOver } from '../../deals/life.ts';
import type { Offer } from '../../deals/offer.ts';
import type { OfferKind } from './kind.ts';

type KindOfOffer = { [K in AnnouncementKind]: AnnouncementOf<K> extends { item: Offer } ? K : never }[AnnouncementKind];
type Shared = 'tells' | 'source' | 'entity' | 'shown' | 'isLive';

/** A kind of announcement about an offer of a feed, which is live as long as the offer can be bought. */
export function offerKind<K extends KindOfOffer>(
  own: Omit<OfferKind<K>, Shared> & Partial<Pick<OfferKind<K>, 'isLive'>>,
): OfferKind<K> {
  return {
    tells: 'change',
    source: 'feed',
    entity: 'offer',
    shown: ({ item }) => ({ as: 'offer', item }),
    isLive: ({ item }, nowMs) => !isOver(item, nowMs),
    ...own,
  };
}
