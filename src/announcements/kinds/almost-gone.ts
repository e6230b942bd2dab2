import type { AnnouncementOf } from '../../deals/announcement.ts';
import { ALMOST_GONE_PERCENT, asOffer, type DealEvent, isAlmostGone, isEventOf } from '../../deals/event.ts';
import { isOver } from '../../deals/life.ts';
import type { Offer } from '../../deals/offer.ts';
import { message } from '../../discord/i18n/translator.ts';
import type { PartKind } from './kind.ts';

declare module '../../deals/announcement.ts' {
  interface PayloadByKind {
    /** `offer` and `percentLeft` are as they were at detection. */
    'almost-gone': { item: DealEvent; offer: Offer; percentLeft: number };
  }
}

/**
 * An offer of an event that is almost sold out. Only events show the stock in an answer with many offers: feeds don't,
 * and requesting the details of each offer would use up the daily quota. Each offer is announced once: fluctuating
 * figures or a restock cause no second announcement.
 */
export const almostGone: PartKind<'almost-gone'> = {
  madeFrom: 'part',
  source: 'events',
  entity: 'event',
  entityId: ({ item }) => item.id,
  isDefault: false,
  accent: 0xb83280,
  badge: 'announced.almost-gone',
  symbol: '⚠️',
  announceParts: (event) =>
    event.offers.filter(isAlmostGone).map((offer) => ({
      kind: 'almost-gone',
      subject: offer.id,
      occurrence: '',
      item: event,
      offer: asOffer(offer, event),
      percentLeft: offer.percentageRemaining,
    })),
  unnoticed: message('unnoticed.almostGone', { percent: { percent: ALMOST_GONE_PERCENT } }),
  shown: (announcement) => ({ as: 'offer', item: offerNow(announcement) }),
  lead(announcement, translator) {
    if (offerNow(announcement).isSoldOut) return null;
    return translator.t('offer.almostGone', { percent: translator.percent(leftNow(announcement)) });
  },
  isLive: (announcement, nowMs) => !isOver(offerNow(announcement), nowMs),
  unsuited: ({ item }, { source }) =>
    source.kind === 'events' && !isEventOf(item, source) ? message('unsuited.otherEvents') : null,
  note: message('panel.almostGone', { percent: { percent: ALMOST_GONE_PERCENT } }),
};

/**
 * The offer in its event's current state. An event lists active offers: one that it no longer lists, with so little
 * left, is sold out.
 */
function offerNow({ item, offer }: AnnouncementOf<'almost-gone'>): Offer {
  const now = item.offers.find(({ id }) => id === offer.id);
  return now ? asOffer(now, item) : { ...offer, endDateMs: item.endDateMs, isSoldOut: true };
}

/** The lowest figure seen: a recount is not announced as more stock. */
function leftNow({ item, offer, percentLeft }: AnnouncementOf<'almost-gone'>): number {
  const now = item.offers.find(({ id }) => id === offer.id);
  return now && isAlmostGone(now) ? Math.min(percentLeft, now.percentageRemaining) : percentLeft;
}
