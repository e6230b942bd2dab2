/** The names of the feeds, as the service spells them. Names in requests match without regard to case. */
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

/** A feed before it is cut off and split into pages. */
export interface FeedContent {
  /** Display name of the category. */
  marketingName: string;
  /** Featured offers first. */
  items: readonly object[];
  /** The answer to a request without `page`, where it is not simply made from `items`. */
  asItStands?: object;
}

/**
 * Everything that the service can serve at one moment, as plain JSON in the form of the wire. An unchanged value should
 * be the same object again, because the service caches the bytes that it has sent for each object.
 */
export interface CatalogMoment {
  feed(name: FeedName): FeedContent;
  /** Portal: the offer in full; `undefined` when it is gone. */
  offer(id: string): object | undefined;
  /** v2: the events shown now. */
  events(): readonly object[];
  /** v2: one event, whether or not it is shown now. */
  event(id: string): object | undefined;
  /** v2: an offer in the form in which events carry it. */
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

/** Cached JSON by the object itself, so that services share a text only where they share the object. */
const texts = new WeakMap<object, string>();

/** The JSON of a value, made once for each object: an object must not be changed after it has been served. */
export function jsonText(value: object): string {
  const known = texts.get(value);
  if (known !== undefined) return known;
  const text = JSON.stringify(value);
  texts.set(value, text);
  return text;
}

/** Makes `jsonText` answer with exactly `text` for that value. */
export function keepText<T extends object>(value: T, text: string): T {
  texts.set(value, text);
  return value;
}
