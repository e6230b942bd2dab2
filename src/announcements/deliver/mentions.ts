import type { Announcement } from '../../deals/announcement.ts';
import type { MentionOutcome } from '../../deals/decision.ts';
import type { Offer } from '../../deals/offer.ts';
import type { Subscription } from '../../deals/subscription.ts';
import type { Changes } from '../../store/table/state.ts';

/** A moment, and the fields of an announcement's subject that aren't known at it. */
export interface Sight {
  /** Epoch milliseconds. */
  nowMs: number;
  undecided?: readonly string[] | undefined;
}

/**
 * Returns the ids of the roles that a post of the announcement mentions for a subscription. All calls with one announcement
 * have the same sight.
 */
export type RolesOf = (subscription: Subscription, announcement: Announcement, sight: Sight) => readonly string[];

/** A change of an offer that was posted for a subscription, or waits to be. */
export interface MentionFacts {
  announcement: Announcement;
  /** The offer at the time of the change. */
  offer: Offer;
  atMs: number;
  /** When it was posted: epoch milliseconds; null where it waits. */
  postedAtMs: number | null;
  /** The roles that were decided for the subscription when it was enqueued. */
  decided: readonly string[];
  /** The roles that its post mentions; null where it has no post of its own, or none yet. */
  mentioned: readonly string[] | null;
}

/**
 * Roles that posts mention for subscriptions.
 * @example
 * mentions: {
 *   begin: () => ({ greeters = [] }, { kind }) => (kind === 'new-offer' ? greeters : []),
 *   asks: () => false,
 *   has: ({ greeters = [] }, roleId) => greeters.includes(roleId),
 *   explain: ({ greeters = [] }, { mentioned }) => greeters.map((roleId) => outcomeOf(roleId, mentioned)),
 * }
 */
export interface Mentions {
  /** Returns the function that decides the roles for announcements that are found together. */
  begin(): RolesOf;
  /** Whether fields decide which roles are mentioned for the subscription. */
  asks(subscription: Subscription, fields: readonly string[]): boolean;
  /** Whether posts for the subscription may still mention a role that was decided for it. */
  has(subscription: Subscription, roleId: string): boolean;
  /** Says what became of each role that the subscription may have mentioned. */
  explain(subscription: Subscription, facts: MentionFacts): MentionOutcome[];
  /** Adds to the commit of a post or a reply in a channel what it mentions. @param roleIds at least one */
  noteMentioned?(changes: Changes, channelId: string, roleIds: readonly string[]): void;
}

/** Joins the mentions of several features. @param all is called each time, because features start after this is made */
export function mentionsOf(all: () => readonly Mentions[]): Mentions {
  return {
    begin() {
      const deciders = all().map((one) => one.begin());
      return (...asked) => deciders.flatMap((decide) => decide(...asked));
    },
    asks: (...asked) => all().some((one) => one.asks(...asked)),
    has: (...asked) => all().some((one) => one.has(...asked)),
    explain: (...asked) => all().flatMap((one) => one.explain(...asked)),
    noteMentioned(changes, channelId, roleIds) {
      if (roleIds.length > 0) for (const one of all()) one.noteMentioned?.(changes, channelId, roleIds);
    },
  };
}

/** No post mentions anybody. */
export const NO_MENTIONS: Mentions = mentionsOf(() => []);
