import type { FeedPresence, KnownOffer } from './known-offer.ts';

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
