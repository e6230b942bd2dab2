import type { OfferDetail, OfferTerms, ShippingMethod } from './offer.ts';

/**
 * What it costs to have one of it sent by the cheapest method, in US dollars; null where the catalog tells no amounts: v2
 * alone does (specification: "v2: ShippingMethod").
 */
function shippingCost(methods: readonly ShippingMethod[]): number | null {
  const costs = methods.flatMap(({ perOrderAmount, perEventAmount, perItemAmount }) => {
    const amounts = [perOrderAmount, perEventAmount, perItemAmount];
    return amounts.every((amount) => amount === null)
      ? []
      : [amounts.reduce<number>((sum, one) => sum + (one ?? 0), 0)];
  });
  return costs.length > 0 ? Math.min(...costs) : null;
}

/** What it takes to have one of it. Only places that all methods exclude are out of reach. */
export function termsOf(
  offer: Pick<OfferDetail, 'items' | 'shippingMethods'> & Partial<Pick<OfferDetail, 'purchaseLimit'>>,
): OfferTerms {
  const [first, ...others] = offer.shippingMethods;
  const [least, ...more] = new Set(offer.items.map(({ purchaseLimit }) => purchaseLimit ?? 0));
  return {
    shipping: shippingCost(offer.shippingMethods),
    notToStates: (first?.excludedStates ?? []).filter((state) =>
      others.every(({ excludedStates }) => excludedStates.includes(state)),
    ),
    notToPOBoxes: offer.shippingMethods.length > 0 && offer.shippingMethods.every(({ excludePOBox }) => excludePOBox),
    limit: offer.purchaseLimit || (more.length === 0 && least) || null,
    variants: offer.items.length,
  };
}
