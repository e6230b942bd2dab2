import type { EventOffer } from './event.ts';
import type { OfferDetail, ShippingMethod } from './offer.ts';

/** An offer with what v2 alone tells of it: how many of a variant one may buy, and what shipping costs. */
export function withEventOffer(offer: OfferDetail, { items, shippingMethods }: EventOffer): OfferDetail {
  const limits = new Map(items.map(({ id, purchaseLimit }) => [id, purchaseLimit]));
  return {
    ...offer,
    items: offer.items.map((item) => ({ ...item, purchaseLimit: item.purchaseLimit ?? limits.get(item.id) ?? null })),
    shippingMethods: withCosts(offer.shippingMethods, shippingMethods),
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
