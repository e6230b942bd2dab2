import type { DealEvent, EventOffer } from './event.ts';
import { mainPhoto, type Offer, type OfferDetail, type ShippingMethod } from './offer.ts';
import { priceRangeOf } from './price.ts';

/** An offer with what v2 alone tells of it: how many of a variant one may buy, and what shipping costs. */
export function withEventOffer(offer: OfferDetail, { items, shippingMethods }: EventOffer): OfferDetail {
  const limits = new Map(items.map(({ id, purchaseLimit }) => [id, purchaseLimit]));
  return {
    ...offer,
    items: offer.items.map((item) => ({ ...item, purchaseLimit: item.purchaseLimit ?? limits.get(item.id) ?? null })),
    shippingMethods: withCosts(offer.shippingMethods, shippingMethods),
  };
}

/** An event's offer as a feed would carry it: it lasts as long as the event. A price that is not known for all is that of the others. */
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

/** Those that both interfaces name are one: the portal tells whom it does not reach, v2 what it costs. */
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
