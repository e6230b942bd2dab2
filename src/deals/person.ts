import { DAY_MS, HOUR_MS } from '../shared/time.ts';

// People to whom the bot writes in private: each is a place, as a server is.

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
const RETRY_AFTER_MS = [1, 4, 16, 24].map((hours) => hours * HOUR_MS);
/** A retry further ahead than this was written by a wrong clock. */
const LONGEST_RETRY_MS = RETRY_AFTER_MS.reduce((a, b) => Math.max(a, b));
/** How long what waits for a person who takes no direct messages is kept. */
const KEPT_CLOSED_MS = 30 * DAY_MS;
/** How long the subscriptions of such a person are kept. */
const FORGOTTEN_CLOSED_MS = 180 * DAY_MS;

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

/** How long a person without subscriptions is remembered: as long as a message to them is edited, which needs their language. */
const FORGOTTEN_UNUSED_MS = 120 * DAY_MS;

/**
 * Decides how long a person's records stay. Deliveries to a person who takes no messages are dropped after a month, and the
 * subscriptions are removed after half a year. People who left, were deleted or have blocked the bot look the same to it.
 */
export function retentionOf(
  { closed, usedAtMs }: { closed: ClosedMessages | null; usedAtMs: number },
  hasSubscriptions: boolean,
  nowMs: number,
): 'kept' | 'paused' | 'forgotten' {
  if (!hasSubscriptions) return nowMs - usedAtMs > FORGOTTEN_UNUSED_MS ? 'forgotten' : 'kept';
  const closedForMs = closed === null ? 0 : nowMs - closed.sinceMs;
  if (closedForMs > FORGOTTEN_CLOSED_MS) return 'forgotten';
  return closedForMs > KEPT_CLOSED_MS ? 'paused' : 'kept';
}
