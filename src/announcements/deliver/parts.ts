import type { Announcement, EntityKey } from '../../deals/announcement.ts';
import type { Appearance } from '../../deals/appearance.ts';
import type { Subscription } from '../../deals/subscription.ts';
import type { PersonalReasons } from '../../discord/cards/announced.ts';
import type { Card, OfferButtons } from '../../discord/cards/parts.ts';
import type { Courier } from '../../discord/courier.ts';
import type { Translator } from '../../discord/i18n/translator.ts';
import type { Clock } from '../../shared/clock.ts';
import type { Log } from '../../shared/log.ts';
import type { Records } from '../../store/store.ts';
import type { CurrentState } from '../current-state.ts';
import type { FeatureKind } from '../kinds/kind.ts';
import type { KeptPosts } from './kept.ts';
import type { Mentions } from './mentions.ts';

/**
 * What a post shows besides its card, as a picture. The card without it decides whether a post is edited: so what it says
 * stays true.
 * @example
 * { isOf: ({ item }) => item.id === offerId, addTo: (card) => ({ ...card, files: [{ name: 'map.png', content }] }) }
 */
export interface PostAttachment {
  /** Whether it is true of the announcement as the card shows it: a change may have come while it was made. */
  isOf(announcement: Announcement): boolean;
  /** The card with it. */
  addTo(card: Card): Card;
}

/** @param subscription undefined for what a server has itself */
export type AppearanceOf = (guildId: string, subscription: Subscription | undefined) => Appearance;

/** The parts of the bot that delivering needs. */
export interface DelivererParts {
  /** Absent: no post mentions anybody. */
  mentions?: Mentions;
  store: Records;
  courier: Courier;
  /** The translator for a server's language. */
  translatorOf: (guildId: string) => Translator;
  currentState: CurrentState;
  /**
   * What is attached to a post in a channel, or to a person; nothing where the bot may not attach files. Never rejects.
   * Absent: nothing is.
   */
  attachmentsOf?: (
    announcement: Announcement,
    place: { guildId: string; channelId: string },
  ) => Promise<readonly PostAttachment[]>;
  /** The appearance of posts in a server, or for a subscription in it. Absent: all posts are as usual. */
  appearanceOf?: AppearanceOf;
  /** The buttons that features add to cards of an offer, in their order. Absent: none. */
  offerButtons?: readonly OfferButtons[];
  /** Features' kinds of announcement. Absent: none. */
  kinds?: readonly FeatureKind[];
  /** How messages to people say why they are sent. Absent: they don't. */
  personal?: PersonalReasons | undefined;
  /** Whether a channel's posts are of use only once they are published. Absent: no channel's are. */
  isPublishedOnly?: (channelId: string) => boolean;
  /** The thing whose post in the channel shows an announcement from now on, instead of a new one; null for none. Absent: always null. */
  continues?: (announcement: Announcement, subscription: Subscription) => EntityKey | null;
  /** The posts that features keep. Absent: there are none. */
  kept?: () => readonly KeptPosts[];
  /** How many requests Discord allows the bot in any second. */
  requestsPerSecond: number;
  /** How many requests Discord has answered well so far, whatever they were for. */
  successes: () => number;
  clock: Clock;
  log: Log;
  /**
   * Monotonic time from which on nothing that another process has sent can still arrive. Before it, only what a nonce
   * keeps from being posted twice is sent.
   */
  clearFromMs?: number;
}
