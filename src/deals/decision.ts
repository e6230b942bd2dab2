import type { LocalizedText } from '../shared/errors.ts';
import type { AnnouncementKind } from './announcement.ts';
import type { TermOutcome } from './filter/index.ts';
import type { ChoosingSetting } from './filter-of.ts';
import type { Offer } from './offer.ts';
import type { PriceRange } from './price.ts';
import type { Pause, Subscription } from './subscription.ts';

/** Why a subscription did or did not announce an offer. */
export interface Decision {
  offerId: string;
  /** The offer's current state; null where the bot does not know it. */
  offer: Offer | null;
  subscription: Subscription;
  steps: DecisionStep[];
  /** The one of `steps` that answers the question; null where nothing is known. */
  reason: DecisionStep | null;
  /** Whether a person can have the offer's newest change posted now. */
  canPost: boolean;
}

/** One known fact about an offer's way to a channel. Times are epoch milliseconds. */
export type DecisionStep =
  /** A feed first listed the offer at `atMs`, and stopped at `goneSinceMs` where that is known. */
  | { step: 'seen'; feed: string; atMs: number; goneSinceMs: number | null }
  /** The offer was found to be over. */
  | { step: 'over'; because: 'sold-out' | 'ended' | 'left'; atMs: number }
  /** A feed says otherwise, which a second answer has to confirm. */
  | { step: 'doubted'; of: 'stock' | 'noPrice' | 'end' | 'other'; feed: string; atMs: number }
  | { step: 'doubted'; of: 'price'; price: PriceRange; feed: string; atMs: number }
  /** Feeds disagree, and the belief is younger than what this one says. */
  | { step: 'contradicted'; feed: string; atMs: number }
  /** The subscription does not announce offers. */
  | { step: 'no-offers' }
  /** The bot detected no change of this kind, which the subscription announces. */
  | { step: 'unnoticed'; kind: AnnouncementKind }
  /** The subscription's source has never listed the offer. */
  | { step: 'unseen'; lastReadMs: number | null }
  /** The catalog truncates the source, so that it may hold the offer all the same. */
  | { step: 'cut-off' }
  /** Polls of the source have failed since `sinceMs`. */
  | { step: 'failing'; sinceMs: number }
  /** The day's request quota for polling is spent. */
  | { step: 'quota-spent'; resetsAtMs: number }
  /** The subscription was changed, paused or resumed: earlier changes are judged by its current settings. */
  | { step: 'changed'; atMs: number }
  /** The subscription is paused. */
  | { step: 'paused'; by: Pause }
  /** The bot can't post in the channel; `problem` is the key of a message without its `problem.` prefix. */
  | { step: 'blocked'; problem: string }
  /** The post waits since `sinceMs` to be published to the servers that follow the channel; the next one is at `nextAtMs`. */
  | { step: 'unpublished'; because: PublishingHindrance; sinceMs: number; nextAtMs: number }
  /** After it had waited since `sinceMs`, it was left unpublished for good. */
  | { step: 'left-unpublished'; because: 'over' | 'too-late' | 'refused'; sinceMs: number; atMs: number }
  /** Discord keeps answering the post's edit with an error, and is asked again at `nextAtMs`. */
  | { step: 'unedited'; nextAtMs: number }
  /** A change was detected that can be announced. */
  | {
      step: 'happened';
      kind: AnnouncementKind;
      atMs: number;
      verdict: Verdict;
      /** How each term of the filter evaluated at that moment. */
      terms: TermOutcome[];
      /** Empty where it was not posted and doesn't wait for that. */
      mentions: MentionOutcome[];
    }
  /** The offer was posted in the channel for another subscription. */
  | { step: 'posted-for-others'; kind: AnnouncementKind; atMs: number; at: MessageLocation | null };

/** What keeps posts from being published: Discord's limit, a missing permission, or its silence. */
export type PublishingHindrance = 'limit' | 'permission' | 'silence';

/** What became, or becomes, of a role that a subscription may have its post mention. */
export interface MentionOutcome {
  roleId: string;
  /** Whether the post mentioned it, or will. */
  isMentioned: boolean;
  /** How, or why not. */
  because: LocalizedText;
  /** The terms of a filter that decided. */
  terms: TermOutcome[];
}

/** A message. `channelId` is its channel; for a forum post, its thread. */
export interface MessageLocation {
  channelId: string;
  messageId: string;
}

/** Why a subscription doesn't want an announcement, or not yet. */
export type Unwanted =
  /** It was detected before the subscription was made. */
  | { is: 'before-subscription'; createdAtMs: number }
  | { is: 'kind-not-wanted' }
  /** The subscription announces the kind, but its settings exclude this announcement. */
  | { is: 'unsuited'; because: LocalizedText }
  | { is: 'filter-unreadable' }
  /** Its filter asks about fields that are not known yet, by their names in the filter language: it is decided once they are. */
  | { is: 'undecided'; fields: readonly string[] };

/** The outcome of a detected change. */
export type Verdict =
  /** `isTogether`: in one post with others. `at` is null where the location is no longer recorded. */
  | { is: 'posted'; atMs: number; at: MessageLocation | null; isTogether: boolean }
  /** `error`: Discord keeps answering the post with an error. */
  | { is: 'waiting'; for: 'digest' | 'quiet' | 'cap' | 'error'; untilMs: number }
  /**
   * `pause`: the application's owner has paused all posting. `missing`: no feed shows it, or one answer alone calls it sold
   * out: it is posted if that proves wrong.
   */
  | { is: 'waiting'; for: 'channel' | 'turn' | 'pause' | 'missing' }
  /** It stood in the channel for another subscription before it was found for this one. `at` as above. */
  | { is: 'posted-for-others'; atMs: number; at: MessageLocation | null }
  /** Before it was posted, the offer was over or the channel gone; or Discord refuses such a message. */
  | { is: 'dropped'; because: 'over' | 'gone' | 'refused'; atMs: number }
  /** The feed's first poll already contained it. */
  | { is: 'first-sight' }
  /** Nobody followed the feed at that time. */
  | { is: 'unfollowed' }
  | { is: 'over-when-seen'; because: 'sold-out' | 'ended' }
  | Unwanted
  /** `by`: those of its filter and of its settings that choose which don't take it. */
  | { is: 'filtered'; by: readonly ChoosingSetting[] }
  /** No recorded reason explains why it was not posted. */
  | { is: 'unrecorded' };
