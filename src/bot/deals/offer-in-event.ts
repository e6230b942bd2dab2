import type { DealEvent, EventOffer } from './event.ts';
import { mainPhoto, type Offer, type OfferDetail, type ShippingMethod } from './offer.ts';
import { priceRangeOf } from './price.ts';

/** Adds to an offer the fields that only v2 has: purchase limits of variants, and shipping costs. */
export function withEventOffer(offer: OfferDetail, { items, shippingMethods }: EventOffer): OfferDetail {
  const limits = new Map(items.map(({ id, purchaseLimit }) => [id, purchaseLimit]));
  return {
    ...offer,
    items: offer.items.map((item) => ({ ...item, purchaseLimit: item.purchaseLimit ?? limits.get(item.id) ?? null })),
    shippingMethods: withCosts(offer.shippingMethods, shippingMethods),
  };
}

/**
 * Converts an event's offer to the form of a feed; it lasts as long as the event. The price range covers the variants
 * whose price is known.
 */
export function asOffer(offer: EventOffer, event: DealEvent): Offer {
  return {
    id: offer.id,
    title: offer.title,
    subtitle: offer.subtitle,
    condition: null,
    categories: [],
    photo: mainPhoto(offer.photos),
    url: offer.url,
    forumUrl: offer.discussionUrl,
    startDateMs: event.startDateMs,
    endDateMs: event.endDateMs,
    salePrice: priceRangeOf(offer.items.map(({ salePrice }) => salePrice)),
    listPrice: priceRangeOf(offer.items.map(({ listPrice }) => listPrice)),
    isSoldOut: offer.soldOut,
    isDealOff: event.type === 'DealOff',
    isFeatured: false,
    isFulfilledByPartner: false,
    isAvailableOnMobileAppOnly: false,
    site: event.site,
  };
}

/** Merges shipping methods by name: the portal lists the excluded regions, v2 the costs. */
function withCosts(excluding: readonly ShippingMethod[], costing: readonly ShippingMethod[]): ShippingMethod[] {
  const costs = new Map(costing.map((method) => [method.name, method]));
  const named = new Set(excluding.map(({ name }) => name));
  return [
    ...excluding.map((method) => {
      const { perOrderAmount, perEventAmount, perItemAmount } = costs.get(method.name) ?? method;
      return { ...method, perOrderAmount, perEventAmount, perItemAmount };
    }),
    ...costing.filter(({ name }) => !named.has(name)),
  ];
}
