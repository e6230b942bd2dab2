/** The condition of a watch: a price, being back in stock, the lowest price ever, an end that is near, or any new offer. */
export const WATCH_AIMS = ['price', 'stock', 'low', 'end', 'new'] as const;
export type WatchAim = (typeof WATCH_AIMS)[number];
/** The conditions that concern one offer. */
export type OfferAim = Exclude<WatchAim, 'new'>;

/** A watch is a subscription whose place is a person, to whom the bot writes in private. */
export interface Watch {
  aim: WatchAim;
  /** The one product that it watches; null where it watches for every new offer that its filter matches. */
  product: WatchedProduct | null;
  /** The most that the product may cost, in dollars; null where the watch doesn't wait for a price. */
  below: number | null;
  /** Absent where the aim was never reached, and in watches for new offers. */
  reach?: Reach;
}

/** How a watch of a product stands. All times are epoch milliseconds. */
export interface Reach {
  /** Since when the aim is reached, or was reached last. */
  sinceMs: number;
  /** Since when it isn't any more; null while it is. */
  endedAtMs: number | null;
  /** What the person was told last; null where nothing was, or where that doesn't count any more. */
  told: Told | null;
  /** How many messages the watch has made. */
  times: number;
}

export interface Told {
  /** The listing that the message was about. */
  offerId: string;
  atMs: number;
  /** The price that it told, in dollars, or the end; null where the aim is neither. */
  value: number | null;
}

export interface WatchedProduct {
  /** As `productKey` makes it: a product that comes back under another offer id is still watched. */
  key: string;
  /** Foreign text. */
  title: string;
  /** The offer that the person saw. */
  offerId: string;
}

/** The most watches that a person can have. */
export const MOST_WATCHES = 100;

const PEOPLE = '@me/';

/** The `guildId` of everything whose place is a person. Discord's own addresses call direct messages `@me`. */
export function placeOfPerson(personId: string): string {
  return PEOPLE + personId;
}

/** The id of the person whose place it is; null for a server. */
export function personAt(guildId: string): string | null {
  return guildId.startsWith(PEOPLE) ? guildId.slice(PEOPLE.length) : null;
}

/** How long after a refused direct message the next try comes; the last entry counts for all further tries. */
const RETRY_AFTER_MS = [1, 4, 16, 24].map((hours) => hours * 3_600_000);
/** A retry further ahead than this was written by a wrong clock. */
const LONGEST_RETRY_MS = RETRY_AFTER_MS.reduce((a, b) => Math.max(a, b));
/** How long what waits for a person who takes no direct messages is kept. */
const KEPT_CLOSED_MS = 30 * 86_400_000;
/** How long the watches of such a person are kept. */
const FORGOTTEN_CLOSED_MS = 180 * 86_400_000;

/** Since when a person takes no direct messages from the bot. All times are epoch milliseconds. */
export interface ClosedMessages {
  sinceMs: number;
  /** Refused messages in a row. */
  tries: number;
  retryAtMs: number;
}

/** The record after another refused message. */
export function refusedAgain(before: ClosedMessages | null, nowMs: number): ClosedMessages {
  const tries = (before?.tries ?? 0) + 1;
  const afterMs = RETRY_AFTER_MS[Math.min(tries, RETRY_AFTER_MS.length) - 1] ?? LONGEST_RETRY_MS;
  return { sinceMs: Math.min(before?.sinceMs ?? nowMs, nowMs), tries, retryAtMs: nowMs + afterMs };
}

/** When a message may be tried next: epoch milliseconds; in the past where nothing speaks against it. */
export function nextTryMs(closed: ClosedMessages | null, nowMs: number): number {
  return closed === null || closed.retryAtMs > nowMs + LONGEST_RETRY_MS ? nowMs : closed.retryAtMs;
}

/** How long a person without watches is remembered: as long as a message to them is edited, which needs their language. */
const FORGOTTEN_UNUSED_MS = 120 * 86_400_000;

/**
 * Decides how long a person's records stay. Deliveries to a person who takes no messages are dropped after a month, and the
 * watches are removed after half a year. People who left, were deleted or have blocked the bot look the same to it.
 */
export function retentionOf(
  { closed, usedAtMs }: { closed: ClosedMessages | null; usedAtMs: number },
  hasWatches: boolean,
  nowMs: number,
): 'kept' | 'paused' | 'forgotten' {
  if (!hasWatches) return nowMs - usedAtMs > FORGOTTEN_UNUSED_MS ? 'forgotten' : 'kept';
  const closedForMs = closed === null ? 0 : nowMs - closed.sinceMs;
  if (closedForMs > FORGOTTEN_CLOSED_MS) return 'forgotten';
  return closedForMs > KEPT_CLOSED_MS ? 'paused' : 'kept';
}
