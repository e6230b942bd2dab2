import type { Dealcast } from '../deals/dealcast.ts';
import type { DealEvent, EventOffer, EventType } from '../deals/event.ts';
import type { Monkeychat } from '../deals/monkeychat.ts';
import type { Feed, OfferDetail } from '../deals/offer.ts';
import type { Poll } from '../deals/poll.ts';
import type { InterfaceHealth } from './health.ts';
import type { DealcastSelect, EventSelect, OfferSelect } from './v2/select.ts';

/** Who waits for an answer. A lane goes before all that come after it, and only the first may spend the reserve. */
export const LANES = ['interactive', 'announcement', 'background'] as const;
export type Lane = (typeof LANES)[number];

export interface CallOptions {
  lane: Lane;
  /** An answer at most this old is good enough; the resource's own default where it is left out, 0 asks anew. */
  maxAgeMs?: number;
  /** Leaves the queue or drops the request when it aborts. */
  signal?: AbortSignal;
  /** Told before a request is made for this call, and not where an answer is at hand or on its way; what it throws rejects the call. */
  beforeRequest?: () => void;
}

/**
 * A call that may ask for some fields alone (specification: "v2 interface", common rule 2). Without `select` they all come;
 * with it the id, type and title always do, and all of a parent that is selected.
 *
 * What was not selected reads as what the catalog does not have: null, an empty list, `soldOut: false`. So an answer
 * with `select` is compared with others of the same `select` only, and in the selected fields only. Artist, snippet,
 * quality posts, rank, original start date and winery details can't be selected at all, and of an event's own fields
 * neither its subtitle, texts nor links.
 */
export interface SelectOptions<Value extends string> extends CallOptions {
  select?: readonly Value[];
}

export interface Answer<T> {
  value: T;
  /** Epoch milliseconds. */
  fetchedAtMs: number;
  /** True where a fresh answer could not be had and this older one stands in. */
  isStale: boolean;
  /** How many malformed items were left out. */
  malformed: number;
  /** Absent where everything could be read. */
  unreadable?: Unreadable | undefined;
}

/** What a list held that could not be read. It is not missing: nothing that was known of it has changed. */
export interface Unreadable {
  /** The ids of malformed items, in lower case, where those can be read. */
  ids: readonly string[];
  /** Whether there were others, which may be anything: then no item that is missing proves to be gone. */
  hasNameless: boolean;
  /** By the id of an event that could be read: which of its offers could not, or not wholly. */
  offers?: ReadonlyMap<string, Omit<Unreadable, 'offers'>>;
}

export interface EventFilter {
  /** `computers` or a full site value. */
  sites?: readonly string[];
  types?: readonly EventType[];
}

/**
 * The shared client. Every call goes through one throttle per interface.
 * Calls reject with a CatalogError; nothing else escapes but the reason of an aborted signal.
 */
export interface Catalog {
  feeds: {
    /** A whole feed in one request. Rejects with a CatalogHttpError of status 400 where there is no such feed. */
    get(name: string, options: CallOptions): Promise<Answer<Feed>>;
  };
  offers: {
    /** One offer in full, or null where it is gone. */
    get(id: string, options: CallOptions): Promise<Answer<OfferDetail | null>>;
  };
  events: {
    list(filter: EventFilter, options: SelectOptions<EventSelect>): Promise<Answer<DealEvent[]>>;
    /** One event, or null where there is none with this id. */
    get(id: string, options: SelectOptions<EventSelect>): Promise<Answer<DealEvent | null>>;
    /** One offer in the form that events carry, or null where there is none with this id. */
    offer(id: string, options: SelectOptions<OfferSelect>): Promise<Answer<EventOffer | null>>;
  };
  dealcasts: { list(options: SelectOptions<DealcastSelect>): Promise<Answer<Dealcast[]>> };
  polls: { list(options: CallOptions): Promise<Answer<Poll[]>> };
  monkeychats: { list(options: CallOptions): Promise<Answer<Monkeychat[]>> };
  /** What is left of the portal's and v2's day. Reading it spends nothing. */
  quota(): { v2: QuotaStatus; portal: QuotaStatus };
  /** How the interfaces have been doing. Reading it spends nothing. */
  health(): { v2: InterfaceHealth; portal: InterfaceHealth };
  /** Rejects what waits and closes the connections. */
  close(): Promise<void>;
}

export interface QuotaStatus {
  limit: number;
  spent: number;
  /** When what is spent returns: epoch milliseconds of the next 00:00 UTC, another time only after the clock has jumped. */
  resetsAtMs: number;
}

/** What an interface's throttle has to remember across restarts. */
export interface SpentRecord {
  /** The UTC day, `2026-11-21`. */
  day: string;
  spent: number;
  /** Tokens in the bucket at `tokensAtMs`. */
  tokens: number;
  /** Epoch milliseconds, as the wall clock had it. */
  tokensAtMs: number;
  /** What other settings of the wall clock showed then, and what was spent of their days. Absent where it has not jumped. */
  otherClocks?: { atMs: number; spent: number }[];
}

/** Where spending is remembered. `save` has resolved before the request that it counts leaves. */
export interface SpendingStore {
  load(name: 'v2' | 'portal'): Promise<SpentRecord | null>;
  save(name: 'v2' | 'portal', record: SpentRecord): Promise<void>;
}
