import { DAY_MS } from '../shared/time.ts';
import { isApart } from './belief.ts';
import { type FeedPresence, isGone, isInFeed, type KnownOffer } from './known-offer.ts';

/** From so many live offers on, half of a feed that is missing at once astonishes. */
export const MANY_OFFERS = 20;
/** An offer that is missing for so long has left its feed, even where nobody could ask for it. */
export const LONGEST_MISSING_MS = DAY_MS;

/** Whether the feed's last answer has shown the offer. */
export function isShown({ unseenSinceMs, goneSinceMs, hiddenTimes }: FeedPresence): boolean {
  return unseenSinceMs === null && goneSinceMs === null && hiddenTimes === undefined;
}

/** Whether another feed shows the offer, be it for the first time since it dropped it. */
export function isElsewhere({ feeds }: KnownOffer, feed: string): boolean {
  return Object.entries(feeds).some(
    ([other, presence]) => other !== feed && (isShown(presence) || presence.backSinceMs !== undefined),
  );
}

/** A feed that has dropped the offer lists it again once a second answer shows it, or while another feed does. */
export function shownAgain(
  presence: FeedPresence | undefined,
  { isOld, isElsewhere, nowMs }: { isOld: boolean; isElsewhere: boolean; nowMs: number },
): FeedPresence {
  const isBack = !presence || presence.goneSinceMs === null || presence.backSinceMs !== undefined || isElsewhere;
  if (!isBack) return { ...presence, backSinceMs: nowMs };
  return { firstSeenMs: presence?.firstSeenMs ?? nowMs, unseenSinceMs: null, goneSinceMs: null, isOld };
}

/** The feeds, of which each that has dropped the offer and shown it once since lists it again: another one has shown it, too. */
export function withReturns(feeds: KnownOffer['feeds']): KnownOffer['feeds'] {
  const isReturning = Object.values(feeds).some(({ backSinceMs }) => backSinceMs !== undefined);
  if (!isReturning) return feeds;
  const returned = ({ firstSeenMs, isOld }: FeedPresence) => ({
    firstSeenMs,
    unseenSinceMs: null,
    goneSinceMs: null,
    isOld,
  });
  return Object.fromEntries(
    Object.entries(feeds).map(([feed, presence]) => [
      feed,
      presence.backSinceMs === undefined ? presence : returned(presence),
    ]),
  );
}

/** Whether the feed's last complete response lacked the offer. */
export function isMissedIn(presence: FeedPresence | undefined): boolean {
  return presence !== undefined && (presence.goneSinceMs !== null || presence.missedAtMs !== undefined);
}

/** Whether the last complete response of each of its feeds lacked the offer. */
export function isMissed({ feeds }: KnownOffer): boolean {
  const all = Object.values(feeds);
  return all.length > 0 && all.every(isMissedIn);
}

/**
 * Whether so much of a feed is missing at once that its answers may be wrong, however often it repeats them: then none of the
 * missing offers is over before some of them were asked for.
 */
export function isAstonishing({ missing, live }: { missing: number; live: number }): boolean {
  return missing > 0 && (missing === live || (live >= MANY_OFFERS && missing * 2 >= live));
}

/** Whether the feed's last complete answers lack an offer that counts as being there, for a minute at least. */
export function isMissingLong(known: KnownOffer, feed: string, nowMs: number): boolean {
  const missedAtMs = known.feeds[feed]?.missedAtMs;
  return isInFeed(known, feed) && missedAtMs !== undefined && isApart(missedAtMs, nowMs);
}

/** The feeds of which so much is missing that it has to be asked for. */
export function astonishingFeeds(all: Iterable<KnownOffer>, nowMs: number): ReadonlySet<string> {
  const counts = new Map<string, { missing: number; live: number }>();
  for (const known of all) {
    if (isGone(known, nowMs)) continue;
    for (const [feed, { goneSinceMs, missedAtMs }] of Object.entries(known.feeds)) {
      if (goneSinceMs !== null) continue;
      const { missing, live } = counts.get(feed) ?? { missing: 0, live: 0 };
      counts.set(feed, { missing: missing + (missedAtMs === undefined ? 0 : 1), live: live + 1 });
    }
  }
  return new Set([...counts].filter(([, count]) => isAstonishing(count)).map(([feed]) => feed));
}
