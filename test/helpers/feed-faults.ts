/** How one answer of a feed can show less than there is. */
export const FEED_FAULTS = ['missing', 'malformed', 'empty'] as const;
export type FeedFault = (typeof FEED_FAULTS)[number];

/** A feed's items as one answer shows them. */
export interface SpoiltFeed<T extends object> {
  items: object[];
  /** The items that the answer does not show, or shows in a way that can't be read. */
  hidden: T[];
}

/** Most items that are missing or malformed at once. */
const MOST_HIDDEN = 3;

/** The items of a feed with a fault, in their order. Half of the malformed items keep their ids. */
export function spoilFeed<T extends object>(
  items: readonly T[],
  fault: FeedFault,
  random: () => number,
): SpoiltFeed<T> {
  if (fault === 'empty') return { items: [], hidden: [...items] };
  const upTo = (most: number) => Math.floor(random() * (most + 1));
  const hidden = new Set<T>();
  // The newest come last, and only what is new can be lost before it was announced.
  const newest = Math.min(items.length, 10);
  for (let count = upTo(MOST_HIDDEN - 1); count >= 0; count -= 1) {
    const back = random() < 0.5 ? upTo(newest - 1) : upTo(items.length - 1);
    const item = items[items.length - 1 - back];
    if (item) hidden.add(item);
  }
  const isMissing = fault === 'missing';
  return {
    items: items.flatMap((item) => (!hidden.has(item) ? [item] : isMissing ? [] : [broken(item, random() < 0.5)])),
    hidden: [...hidden],
  };
}

/** An item whose fields are of no kind that they should be. */
function broken(item: object, keepsId: boolean): object {
  const fields = Object.entries(item).map(([name, value]: [string, unknown]) => [
    name,
    keepsId && name === 'OfferId' ? value : { broken: true },
  ]);
  return Object.fromEntries(fields) as object;
}
