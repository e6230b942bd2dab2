/** The ways in which one answer of a feed can show less than there is. */
export const FEED_FAULTS = ['missing', 'malformed', 'empty'] as const;
export type FeedFault = (typeof FEED_FAULTS)[number];

/** A feed's items as one answer shows them. */
export interface SpoiltFeed<T extends object> {
  items: object[];
  /** The items that the answer does not show, or shows in a way that can't be read. */
  hidden: T[];
}

/** The items of a feed with a fault, in their order. @param isHit which of them are missing or malformed */
export function spoilFeed<T extends object>(
  items: readonly T[],
  fault: FeedFault,
  isHit: (item: T) => boolean,
): SpoiltFeed<T> {
  if (fault === 'empty') return { items: [], hidden: [...items] };
  const hidden = items.filter(isHit);
  const hit = new Set(hidden);
  if (fault === 'missing') return { items: items.filter((item) => !hit.has(item)), hidden };
  // Every other one keeps its id.
  const shown = items.map((item) => (hit.has(item) ? broken(item, hidden.indexOf(item) % 2 === 0) : item));
  return { items: shown, hidden };
}

/** An item whose fields are of no kind that they should be. */
function broken(item: object, keepsId: boolean): object {
  const fields = Object.entries(item).map(([name, value]: [string, unknown]) => [
    name,
    keepsId && name === 'OfferId' ? value : { broken: true },
  ]);
  return Object.fromEntries(fields) as object;
}
