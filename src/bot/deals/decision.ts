import type { Announcement, AnnouncementKind } from './announcement.ts';
import type { TermOutcome } from './filter/index.ts';
import type { Offer } from './offer.ts';
import type { Pause, Subscription } from './subscription.ts';

/** Why a subscription announced an offer or did not. */
export interface Decision {
  offerId: string;
  /** As it is now; null where the bot does not know it. */
  offer: Offer | null;
  subscription: Subscription;
  steps: DecisionStep[];
}

/** One thing that is known of the way of an offer to a channel. Times are epoch milliseconds. */
export type DecisionStep =
  /** A feed showed it first at a moment, and does no more since another where that is known. */
  | { step: 'seen'; feed: string; atMs: number; goneSinceMs: number | null }
  /** It was found to be over. */
  | { step: 'over'; because: 'sold-out' | 'ended' | 'left'; atMs: number }
  /** The subscription announces no offers at all. */
  | { step: 'no-offers' }
  /** Nothing that the subscription tells with this kind was seen of it. */
  | { step: 'unnoticed'; kind: AnnouncementKind }
  /** What the subscription follows has never shown it. */
  | { step: 'unseen'; lastReadMs: number | null }
  /** The catalog cuts off what it shows there: it may hold the offer all the same. */
  | { step: 'cut-off' }
  /** It can't be read since a moment. */
  | { step: 'failing'; sinceMs: number }
  /** The day's requests to the catalog that polling may spend are spent. */
  | { step: 'quota-spent'; resetsAtMs: number }
  /** It was changed, paused or resumed: what happened before is judged by its settings of today. */
  | { step: 'changed'; atMs: number }
  /** The subscription rests. */
  | { step: 'paused'; by: Pause }
  /** The bot can't post in the channel; the key of a sentence without its `problem.` */
  | { step: 'blocked'; problem: string }
  /** Something happened that can be announced. */
  | {
      step: 'happened';
      kind: AnnouncementKind;
      atMs: number;
      verdict: Verdict;
      /** How the filter's terms fared then. */
      terms: TermOutcome[];
    }
  /** It was posted in the channel because another subscription asked for it. */
  | { step: 'posted-for-others'; kind: AnnouncementKind; atMs: number; at: MessageLocation | null };

/** A message; `channelId` is where it is: of a post in a forum, its thread. */
export interface MessageLocation {
  channelId: string;
  messageId: string;
}

/** What became of something that happened. */
export type Verdict =
  /** `isTogether`: in one post with others. `at` is null where it is not known any more. */
  | { is: 'posted'; atMs: number; at: MessageLocation | null; isTogether: boolean }
  | { is: 'waiting'; for: 'digest' | 'quiet' | 'cap'; untilMs: number }
  | { is: 'waiting'; for: 'channel' | 'turn' }
  /** Over, or the channel gone, before it was posted; or Discord takes it from nobody. */
  | { is: 'dropped'; because: 'over' | 'gone' | 'refused'; atMs: number }
  /** The feed had it when it was looked at for the first time. */
  | { is: 'first-sight' }
  /** It came while nobody followed the feed. */
  | { is: 'unfollowed' }
  /** It came before the subscription was made. */
  | { is: 'before-subscription'; createdAtMs: number }
  | { is: 'over-when-seen'; because: 'sold-out' | 'ended' }
  | { is: 'kind-not-wanted' }
  /** The subscription asks for the kind, but not for such a one. */
  | { is: 'unsuited'; announcement: Announcement }
  | { is: 'filtered' }
  | { is: 'filter-unreadable' }
  /** Nothing is recorded that would have kept it back. */
  | { is: 'unrecorded' };
