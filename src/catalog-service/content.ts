/** The feeds there are, in the spelling that the service uses. Names in requests match without regard to case. */
export const FEED_NAMES = [
  'All',
  'Clearance',
  'Computers',
  'Electronics',
  'Featured',
  'Home',
  'Gourmet',
  'Shirts',
  'Sports',
  'Tools',
  'DealOff',
] as const;
export type FeedName = (typeof FEED_NAMES)[number];

/** A feed before it is cut and paged. */
export interface FeedContent {
  /** Display name of the category. */
  marketingName: string;
  /** Featured offers first. */
  items: readonly object[];
  /** What answers a request without `page`, where that is not simply made from `items`. */
  asItStands?: object;
}

/**
 * Everything there is to serve at one moment. Values are plain JSON in the form of the wire. A value that has not
 * changed should be the same object again: the service keeps the bytes of what it has sent.
 */
export interface CatalogMoment {
  feed(name: FeedName): FeedContent;
  /** Portal: the offer in full; `undefined` when it is gone. */
  offer(id: string): object | undefined;
  /** v2: events on show. */
  events(): readonly object[];
  /** v2: one event, on show or not. */
  event(id: string): object | undefined;
  /** v2: an offer in the form that events carry it. */
  eventOffer(id: string): object | undefined;
  dealcasts(): readonly object[];
  polls(): readonly object[];
  monkeychats(): readonly object[];
}

/** Where the service gets its content from: the simulator or a folder. */
export interface CatalogContent {
  /** A site is `<prefix>.{siteDomain}`; without one any domain is taken (specification: "Site values (v2)"). */
  siteDomain?: string;
  /**
   * @param nowMs epoch milliseconds
   * @param origin of the service itself, for example `http://127.0.0.1:4100`, for links to pictures it serves
   */
  at(nowMs: number, origin: string): CatalogMoment;
  /** The SVG picture of that name; `undefined` when there is none. */
  picture?(name: string): string | undefined;
}

/** By the object itself, so that services share a text only where they share what it says. */
const texts = new WeakMap<object, string>();

/** The JSON of a value. It is made once for each object: what has been served must not be changed afterwards. */
export function jsonText(value: object): string {
  const known = texts.get(value);
  if (known !== undefined) return known;
  const text = JSON.stringify(value);
  texts.set(value, text);
  return text;
}

/** Has `jsonText` answer with `text` for that value, to the letter. */
export function keepText<T extends object>(value: T, text: string): T {
  texts.set(value, text);
  return value;
}
