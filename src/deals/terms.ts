import type { OfferDetail, OfferTerms, ShippingMethod, VariantsBy } from './offer.ts';

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

const VARIANTS_BY: readonly [RegExp, VariantsBy][] = [
  [/^sizes?$/i, 'size'],
  [/^colou?rs?$/i, 'color'],
];

/** The one attribute in which each item differs from all others; null where that is another one, or several. */
function variantsBy(items: OfferDetail['items']): VariantsBy | null {
  const values = new Map<string, Set<string>>();
  for (const { key, value } of items.flatMap(({ attributes }) => attributes)) {
    values.set(key, (values.get(key) ?? new Set()).add(value));
  }
  const [differing, ...others] = [...values].filter(([, own]) => own.size > 1);
  if (!differing || others.length > 0 || differing[1].size < items.length) return null;
  return VARIANTS_BY.find(([pattern]) => pattern.test(differing[0].trim()))?.[1] ?? null;
}

/** The ASIN that all items of an offer have; undefined where one has none, or they are several products. */
function asinOf(items: OfferDetail['items']): string | undefined {
  const [asin = '', ...others] = new Set(items.map((item) => item.asin?.trim().toUpperCase() ?? ''));
  // Addresses and keys are made of it, so it has to be one.
  return others.length === 0 && /^[A-Z0-9]{10}$/.test(asin) ? asin : undefined;
}

/** What it takes to have one of it. Only places that all methods exclude are out of reach. */
export function termsOf(
  offer: Pick<OfferDetail, 'items' | 'shippingMethods'> & Partial<Pick<OfferDetail, 'purchaseLimit'>>,
): OfferTerms {
  const [first, ...others] = offer.shippingMethods;
  const by = variantsBy(offer.items);
  const asin = asinOf(offer.items);
  const [least, ...more] = new Set(offer.items.map(({ purchaseLimit }) => purchaseLimit ?? 0));
  return {
    shipping: shippingCost(offer.shippingMethods),
    notToStates: (first?.excludedStates ?? []).filter((state) =>
      others.every(({ excludedStates }) => excludedStates.includes(state)),
    ),
    notToPOBoxes: offer.shippingMethods.length > 0 && offer.shippingMethods.every(({ excludePOBox }) => excludePOBox),
    limit: offer.purchaseLimit || (more.length === 0 && least) || null,
    variants: offer.items.length,
    ...(by && { variantsBy: by }),
    ...(asin && { asin }),
  };
}
