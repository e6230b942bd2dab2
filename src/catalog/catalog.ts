import type { Dealcast } from '../deals/dealcast.ts';
import type { DealEvent, EventOffer } from '../deals/event.ts';
import type { Monkeychat } from '../deals/monkeychat.ts';
import type { Feed, OfferDetail } from '../deals/offer.ts';
import type { Poll } from '../deals/poll.ts';
import type { CatalogError } from './errors.ts';

/** The priority classes of calls, the most urgent first. Only the first may spend the reserve. */
export const LANES = ['interactive', 'announcement', 'background'] as const;
export type Lane = (typeof LANES)[number];

export interface CallOptions {
  lane: Lane;
  /** The oldest acceptable answer; the resource's own default where absent. 0 forces a new request, and no older answer stands in for it. */
  maxAgeMs?: number;
  /** Takes the call out of the queue, or cancels its request, when it aborts. */
  signal?: AbortSignal;
  /**
   * Called before a request is made for this call, but not where a cached or pending answer serves it; an error that it
   * throws rejects the call.
   */
  beforeRequest?: () => void;
}

export interface Answer<T> {
  value: T;
  /** Epoch milliseconds. */
  fetchedAtMs: number;
  /** True where no fresh answer was available and this older one is used instead. */
  isStale: boolean;
  /** The number of malformed items that were left out. */
  malformed: number;
  /** Absent where everything was readable. */
  unreadable?: Unreadable | undefined;
  /** The names of fields that neither the specification nor the table of other spellings has; absent where there are none. */
  unknownFields?: readonly string[] | undefined;
}

/** What could not be read of a list. It is not missing: its known state has not changed. */
export interface Unreadable {
  /** The lower-case ids of malformed items, where an id was readable. */
  ids: readonly string[];
  /**
   * The number of malformed items without a readable id. Each may be any item, so that many missing items are not proven
   * to be gone. Infinity where the list was cut at a limit of ours.
   */
  nameless: number;
  /**
   * By an item's id, or its subject where it has none: its fields that could not be read although the rest of it could,
   * as the item names them. Their values are null, false or empty, which says nothing about them. Absent where there are
   * none.
   */
  fields?: ReadonlyMap<string, readonly string[]>;
  /** What could not be read of the offers of each readable event, by the event's id. */
  offers?: ReadonlyMap<string, Omit<Unreadable, 'offers'>>;
}

/**
 * The shared client. Every call goes through its interface's throttle. Calls reject with a CatalogError, or with the
 * reason of an aborted signal, and with nothing else.
 */
export interface Catalog {
  feeds: {
    /** A whole feed in one request. Rejects with a CatalogHttpError of status 400 where the feed does not exist. */
    get(name: string, options: CallOptions): Promise<Answer<Feed>>;
  };
  offers: {
    /** One offer with all details, or null where it no longer exists. */
    get(id: string, options: CallOptions): Promise<Answer<OfferDetail | null>>;
  };
  events: {
    list(options: CallOptions): Promise<Answer<DealEvent[]>>;
    /** One event, or null where no event has this id. */
    get(id: string, options: CallOptions): Promise<Answer<DealEvent | null>>;
    /** One offer in the form that events contain, or null where no offer has this id. */
    offer(id: string, options: CallOptions): Promise<Answer<EventOffer | null>>;
  };
  dealcasts: { list(options: CallOptions): Promise<Answer<Dealcast[]>> };
  polls: { list(options: CallOptions): Promise<Answer<Poll[]>> };
  monkeychats: { list(options: CallOptions): Promise<Answer<Monkeychat[]>> };
  /** The remaining daily quota of both interfaces. Makes no request. */
  quota(): { v2: QuotaStatus; portal: QuotaStatus };
  /** The health of both interfaces. Makes no request. */
  health(): { v2: InterfaceHealth; portal: InterfaceHealth };
  /** Rejects waiting calls and closes the connections. */
  close(): Promise<void>;
}

export interface QuotaStatus {
  limit: number;
  spent: number;
  /**
   * When the spent requests return: epoch milliseconds of the next 00:00 UTC; another time only on the day on which the
   * clock was set.
   */
  resetsAtMs: number;
}

/** The health of one of the catalog's interfaces since the start. */
export interface InterfaceHealth {
  /** When it last answered: epoch milliseconds; null where it has not. */
  answeredAtMs: number | null;
  /** The last attempt without an answer, and its error; null where every attempt got one. */
  failure: { atMs: number; error: CatalogError } | null;
  /** Until when the open circuit blocks requests: epoch milliseconds; null where it is not open. */
  circuitOpenUntilMs: number | null;
  /** Whether the circuit has opened, and no attempt has got an answer since. */
  isAway: boolean;
}

/** The state of an interface's throttle that is kept across restarts. */
export interface SpentRecord {
  /** The UTC day by the wall clock of that moment, `2026-11-21`. */
  day: string;
  spent: number;
  /** Tokens in the bucket at `tokensAtMs`. */
  tokens: number;
  /** Epoch milliseconds, by the wall clock of that moment. */
  tokensAtMs: number;
  /**
   * The day by the wall clock as it was before it was set, and the epoch milliseconds of its end by the wall clock of
   * that moment. Absent where the clock was not set in it.
   */
  formerDay?: { spent: number; endsAtMs: number };
}

/** Stores the spending. `save` resolves before the request that it counts is sent. */
export interface SpendingStore {
  load(name: 'v2' | 'portal'): Promise<SpentRecord | null>;
  save(name: 'v2' | 'portal', record: SpentRecord): Promise<void>;
}
