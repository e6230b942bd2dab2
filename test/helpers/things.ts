import { newSubscription } from '../../src/announcements/kinds/of-source.ts';
import type { News } from '../../src/announcements/match/match.ts';
import type { Announcement } from '../../src/deals/announcement.ts';
import type { Dealcast } from '../../src/deals/dealcast.ts';
import type { DealEvent, EventOffer } from '../../src/deals/event.ts';
import type { KnownOffer } from '../../src/deals/known-offer.ts';
import type { Item, Offer, OfferDetail } from '../../src/deals/offer.ts';
import type { Subscription } from '../../src/deals/subscription.ts';
import { HOUR_MS } from '../../src/shared/time.ts';
import { type Delivery, idsOf, memberOf, type RollUp } from '../../src/store/delivery.ts';

/** The moment at which tests play, unless they say otherwise. */
export const NOW_MS = Date.UTC(2026, 9, 6, 12);

/** An id of the catalog's form that ends in `number`. */
export function uuid(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
}

export function anOffer(number: number, changes: Partial<Offer> = {}): Offer {
  return {
    id: uuid(number),
    title: `Kettle ${number}`,
    subtitle: null,
    condition: null,
    categories: ['HOME', 'HOME/Kitchen'],
    photo: `https://pictures.example/${number}.jpg`,
    url: `https://www.example.com/offers/kettle-${number}`,
    forumUrl: `https://forums.example.com/t/${number}`,
    startDateMs: NOW_MS - HOUR_MS,
    endDateMs: NOW_MS + 24 * HOUR_MS,
    salePrice: { minimum: 20, maximum: 20 },
    listPrice: { minimum: 40, maximum: 40 },
    isSoldOut: false,
    isDealOff: false,
    isFeatured: false,
    isFulfilledByPartner: false,
    isAvailableOnMobileAppOnly: false,
    site: 'Home',
    ...changes,
  };
}

/** An offer that the feed Home has held since the moment at which tests play. */
export function aKnownOffer(number: number, offer: Partial<Offer> = {}, changes: Partial<KnownOffer> = {}): KnownOffer {
  const shown = anOffer(number, offer);
  return {
    offer: shown,
    firstSeenMs: NOW_MS,
    feeds: { home: { firstSeenMs: NOW_MS, unseenSinceMs: null, goneSinceMs: null, isOld: false } },
    prices: [{ atMs: NOW_MS, salePrice: shown.salePrice }],
    soldOutAtMs: shown.isSoldOut ? NOW_MS : null,
    ...(shown.isSoldOut ? { stock: [{ atMs: NOW_MS, isSoldOut: true }] } : {}),
    endingSoonToldMs: null,
    before: null,
    overAtMs: shown.isSoldOut ? NOW_MS : null,
    ...changes,
  };
}

export function anEventOffer(number: number, changes: Partial<EventOffer> = {}): EventOffer {
  return {
    id: uuid(number),
    title: `Blender ${number}`,
    subtitle: null,
    teaser: null,
    writeUp: null,
    features: null,
    specs: null,
    url: `https://www.example.com/offers/blender-${number}`,
    discussionUrl: null,
    items: [
      {
        id: uuid(number + 1),
        title: null,
        asin: null,
        salePrice: 30,
        listPrice: 60,
        purchaseLimit: 3,
        attributes: [],
        photos: [],
      },
    ],
    photos: [],
    shippingMethods: [],
    estimatedShipDate: null,
    percentageRemaining: 50,
    soldOut: false,
    stats: null,
    artist: null,
    wineryDetails: null,
    qualityPosts: [],
    snippet: null,
    rank: null,
    originalStartDateMs: null,
    ...changes,
  };
}

export function anEvent(number: number, changes: Partial<DealEvent> = {}): DealEvent {
  return {
    id: uuid(number),
    type: 'Daily',
    title: `Event ${number}`,
    site: 'home.example.com',
    startDateMs: NOW_MS - HOUR_MS,
    endDateMs: NOW_MS + HOUR_MS,
    offers: [anEventOffer(number + 100)],
    subtitle: null,
    writeUp: null,
    discussionUrl: null,
    manufacturerText: null,
    photos: [],
    text: null,
    url: null,
    ...changes,
  };
}

export function aDealcast(number: number, changes: Partial<Dealcast> = {}): Dealcast {
  return {
    title: `Dealcast ${number}`,
    site: 'www.example.com',
    startDateMs: NOW_MS - HOUR_MS,
    teaser: '<p>What is it?</p>',
    text: null,
    blogUrl: `https://www.example.com/blog/${number}`,
    discussionUrl: null,
    mp4Url: null,
    youTubeUrl: `https://video.example.com/${number}`,
    thumbnail: null,
    views: null,
    ...changes,
  };
}

export function aSubscription(id: string, changes: Partial<Subscription> = {}): Subscription {
  return {
    ...newSubscription({
      id,
      guildId: '1',
      channelId: '10',
      source: { kind: 'feed', feed: 'Home' },
      createdBy: '100',
      createdAtMs: NOW_MS,
      catchUp: 0,
    }),
    ...changes,
  };
}

export function newOfferOf(offer: Offer): Announcement {
  return { kind: 'new-offer', subject: offer.id, occurrence: '', item: offer };
}

export function eventStartedOf(event: DealEvent): Announcement {
  return { kind: 'event-started', subject: event.id, occurrence: '', item: event };
}

/** News for the followers of the feed Home. */
export function newsOf(announcement: Announcement): News {
  return { announcements: [announcement], resources: ['feed:home'] };
}

/** An offer's details as the catalog sends them, with one item and no texts. */
export function anOfferDetail(number: number, changes: Partial<OfferDetail> = {}): OfferDetail {
  return {
    id: uuid(number),
    eventId: null,
    title: `Kettle ${number}`,
    fullTitle: null,
    subtitle: null,
    teaser: null,
    url: `https://www.example.com/offers/kettle-${number}`,
    features: null,
    specs: null,
    snippet: null,
    writeUpIntro: null,
    writeUpBody: null,
    extendedWarranty: null,
    purchaseLimit: null,
    percentageRemaining: null,
    isDealOff: false,
    isSoldOut: false,
    isOfferLiveNow: null,
    items: [anItem(1)],
    photos: [],
    shippingMethods: [],
    ...changes,
  };
}

export function anItem(number: number, changes: Partial<Item> = {}): Item {
  return {
    id: uuid(number),
    title: null,
    asin: null,
    salePrice: 20,
    listPrice: 40,
    purchaseLimit: null,
    attributes: [],
    photos: [],
    ...changes,
  };
}

/** A delivery that announces an entity of its own. */
export function aDelivery(id: string, changes: Partial<Delivery> = {}): Delivery {
  return {
    id,
    guildId: '1',
    channelId: '10',
    matches: [{ subscriptionId: 's', terms: [] }],
    announcement: { ...newOfferOf(anOffer(1)), subject: id },
    alsoTells: [],
    createdAtMs: NOW_MS,
    sequence: 0,
    dueAtMs: NOW_MS,
    isDigest: false,
    isLate: false,
    ...changes,
  };
}

/** A pending roll-up of deliveries of one channel. */
export function aRollUp(...deliveries: readonly [Delivery, ...Delivery[]]): RollUp {
  const [{ guildId, channelId }] = deliveries;
  return {
    id: 'roll-up',
    guildId,
    channelId,
    members: deliveries.map(memberOf),
    replaces: deliveries.flatMap(idsOf),
    createdAtMs: NOW_MS,
    reason: 'limit',
  };
}
