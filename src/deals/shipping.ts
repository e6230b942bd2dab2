import type { ShippingMethod } from './offer.ts';

/**
 * What it costs to have one of it sent by the cheapest method, in US dollars; null where the catalog tells no amounts: v2
 * alone does (specification: "v2: ShippingMethod").
 */
export function shippingCost(methods: readonly ShippingMethod[]): number | null {
  const costs = methods.flatMap(({ perOrderAmount, perEventAmount, perItemAmount }) => {
    const amounts = [perOrderAmount, perEventAmount, perItemAmount];
    return amounts.every((amount) => amount === null)
      ? []
      : [amounts.reduce<number>((sum, one) => sum + (one ?? 0), 0)];
  });
  return costs.length > 0 ? Math.min(...costs) : null;
}

/** Where no method sends it to. */
export interface Unreached {
  /** Codes of states, as the catalog writes them. */
  states: string[];
  hasPOBoxes: boolean;
}

/** The places that all methods exclude; none where there is no method. */
export function unreachedBy([first, ...others]: readonly ShippingMethod[]): Unreached {
  if (!first) return { states: [], hasPOBoxes: false };
  return {
    states: first.excludedStates.filter((state) => others.every((method) => method.excludedStates.includes(state))),
    hasPOBoxes: [first, ...others].every(({ excludePOBox }) => excludePOBox),
  };
}
