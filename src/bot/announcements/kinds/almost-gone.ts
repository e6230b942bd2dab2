import type { AnnouncementOf } from '../../deals/announcement.ts';
import { type DealEvent, type EventOffer, isEventOf } from '../../deals/event.ts';
import { isOver } from '../../deals/life.ts';
import type { Offer } from '../../deals/offer.ts';
import { asOffer } from '../../deals/offer-in-event.ts';
import { message } from '../../discord/i18n/translator.ts';
import type { PartKind } from './kind.ts';

/** Percent of its stock that an offer has left at most. */
const MOST_LEFT_PERCENT = 10;

declare module '../../deals/announcement.ts' {
  interface PayloadByKind {
    /** `offer` and `percentLeft` are as they were when it was found. */
    'almost-gone': { item: DealEvent; offer: Offer; percentLeft: number };
  }
}

/**
 * An offer of which hardly anything is left. Only events tell of stock in what is read as a whole: feeds do not, and to ask for
 * the details of every offer of a feed would take the day's requests. What was almost gone once stays so: a figure that goes
 * back and forth, or a restock, tells nothing twice.
 */
export const almostGone: PartKind<'almost-gone'> = {
  tells: 'part',
  source: 'events',
  entity: 'event',
  entityId: ({ item }) => item.id,
  isDefault: false,
  accent: 0xb83280,
  badge: 'announced.almost-gone',
  announceParts: (event) =>
    event.offers.filter(isAlmostGone).map((offer) => ({
      kind: 'almost-gone',
      subject: offer.id,
      occurrence: '',
      item: event,
      offer: asOffer(offer, event),
      percentLeft: offer.percentageRemaining,
    })),
  unnoticed: message('why.notAlmostGone', { percent: { percent: MOST_LEFT_PERCENT } }),
  shown: (announcement) => ({ as: 'offer', item: offerNow(announcement) }),
  lead(announcement, translator) {
    if (offerNow(announcement).isSoldOut) return null;
    return `**${translator.t('offer.almostGone', { percent: translator.percent(leftNow(announcement)) })}**`;
  },
  isLive: (announcement, nowMs) => !isOver(offerNow(announcement), nowMs),
  unsuited: ({ item }, { source }) =>
    source.kind === 'events' && !isEventOf(item, source) ? message('why.otherEvents') : null,
  setting: (_, translator) => translator.t('panel.almostGone', { percent: translator.percent(MOST_LEFT_PERCENT) }),
};

/** Nothing left at all is sold out, whatever else the catalog says of it. */
function isAlmostGone(offer: EventOffer): offer is EventOffer & { percentageRemaining: number } {
  const { percentageRemaining: left, soldOut } = offer;
  return !soldOut && left !== null && left > 0 && left <= MOST_LEFT_PERCENT;
}

/** The offer as its event has it now. An event lists what is active: what it has lost, with so little left, is sold out. */
function offerNow({ item, offer }: AnnouncementOf<'almost-gone'>): Offer {
  const now = item.offers.find(({ id }) => id === offer.id);
  return now ? asOffer(now, item) : { ...offer, endDateMs: item.endDateMs, isSoldOut: true };
}

/** The least that was seen: what is left may be counted anew, but is not announced as more. */
function leftNow({ item, offer, percentLeft }: AnnouncementOf<'almost-gone'>): number {
  const now = item.offers.find(({ id }) => id === offer.id);
  return now && isAlmostGone(now) ? Math.min(percentLeft, now.percentageRemaining) : percentLeft;
}
