import { hash } from 'node:crypto';
import type { Announcement, EntityKey } from '../../deals/announcement.ts';
import { type Appearance, hasAttachments, USUAL_APPEARANCE } from '../../deals/appearance.ts';
import { personAt } from '../../deals/person.ts';
import { resourceOf, type Subscription } from '../../deals/subscription.ts';
import { openFrom } from '../../deals/timing.ts';
import type { PersonalReasons } from '../../discord/cards/announced.ts';
import {
  announcementCard,
  inRollUpOrder,
  namesInShort,
  plainCard,
  type RollUpContent,
  rollUpCard,
  rollUpTitle,
  titleOf,
} from '../../discord/cards/announcement-card.ts';
import { below, type Card } from '../../discord/cards/parts.ts';
import { describeSource } from '../../discord/i18n/describe-source.ts';
import type { Translator } from '../../discord/i18n/translator.ts';
import { LIMITS } from '../../discord/limits.ts';
import { escapeLine } from '../../discord/markdown.ts';
import type { Delivery, DeliveryMatch, RollUp } from '../../store/delivery.ts';
import type { KeptMarks } from '../../store/posts.ts';
import type { SubscriptionStore } from '../../store/subscriptions.ts';
import type { CurrentState } from '../current-state.ts';
import { isDealOver } from '../kinds/index.ts';
import { isKeptFor, type KeptPosts } from './kept.ts';
import { type Mentions, NO_MENTIONS } from './mentions.ts';
import type { DelivererParts, PostAttachment } from './parts.ts';
import { activeSubscriptions, type HourlyLimit } from './plan.ts';

/** The posting options of the subscriptions that want a delivery, merged. */
export interface PostingOptions {
  mentionRoleIds: string[];
  /** What of a roll-up concerns each of these roles, as safe Markdown. Empty where all of the message concerns all. */
  concerns: ReadonlyMap<string, string>;
  isPublished: boolean;
  tagIds: string[];
  appearance: Appearance;
}

/** The subscriptions that an announcement is shown for. */
interface Shown extends KeptMarks {
  deliveryId: string;
  guildId: string;
  channelId: string;
  matches: readonly DeliveryMatch[];
  /** Absent in posts from before it was stored. */
  look?: Appearance;
}

/** The characters for what of a roll-up concerns the roles that it mentions, and the fewest for one of them. */
const ROOM_OF_CONCERNS = 1_200;
const LEAST_ROOM = 40;

/** Makes the cards and titles of messages in the language of the target server, and decides how they are posted. */
export class Messages {
  readonly #parts: DelivererParts;

  constructor(parts: DelivererParts) {
    this.#parts = parts;
  }

  /**
   * Merges the options of all subscriptions. One that asks for publishing is enough. Each role that they have
   * mentioned is so once, if one of them still has it and the bot may ring it. Only the roles of subscriptions without quiet
   * hours now are mentioned: a post that two subscriptions want is made once, as soon as the first has no quiet hours.
   * One post has one appearance: that of the subscription that was made first. It is
   * silent only where all of them ask for that; those with quiet hours now make no sound either way.
   */
  options(guildId: string, matches: readonly DeliveryMatch[], nowMs: number): PostingOptions {
    const { store, courier, mentions } = this.#parts;
    const subscriptions = activeSubscriptions(matches, store.subscriptions);
    const open = openAt(subscriptions, nowMs);
    const [first] = subscriptions.toSorted(byCreation);
    const heard = open.length > 0 ? open : subscriptions;
    const isSilent = heard.length > 0 && heard.every((one) => this.#appearanceOf(guildId, one).isSilent);
    return {
      mentionRoleIds: mentionedBy(matches, open, mentions)
        .filter((roleId) => courier.mayRing(guildId, roleId))
        .slice(0, LIMITS.mentions),
      concerns: new Map(),
      isPublished: subscriptions.some(({ isPublished }) => isPublished),
      tagIds: [...new Set(subscriptions.flatMap(({ tagIds }) => tagIds))],
      appearance: { ...this.#appearanceOf(guildId, first), isSilent },
    };
  }

  /** Like `options`, for a roll-up: it says of each role which of its entries concern it, where there is room for that. */
  rollUpOptions({ guildId, members }: Pick<RollUp, 'guildId' | 'members'>, nowMs: number): PostingOptions {
    const { store, currentState, mentions, translatorOf } = this.#parts;
    const matches = members.flatMap((member) => member.matches);
    const options = this.options(guildId, matches, nowMs);
    const { mentionRoleIds } = options;
    const room = Math.floor(ROOM_OF_CONCERNS / Math.max(1, mentionRoleIds.length));
    if (room < LEAST_ROOM) return options;
    const open = openAt(activeSubscriptions(matches, store.subscriptions), nowMs);
    const rung = members.map((member) => ({ member, roleIds: new Set(mentionedBy(member.matches, open, mentions)) }));
    const concerns = mentionRoleIds.map((roleId) => {
      const own = rung.filter(({ roleIds }) => roleIds.has(roleId));
      const shown = own.map(({ member }) => currentState.of(member.announcement));
      return [roleId, namesInShort(shown, room, translatorOf(guildId))] as const;
    });
    return { ...options, concerns: new Map(concerns) };
  }

  /** @param updatedAtMs as for `KeptPosts.card` */
  card(announcement: Announcement, shown: Shown, nowMs: number, updatedAtMs: number | null = null): Card {
    return this.#card(announcement, shown, this.keeperOf(announcement, shown, nowMs), { nowMs, updatedAtMs });
  }

  /** The card of a post for one subscription alone, paused or not. It is no delivery. @param terms those that it matches */
  sample(announcement: Announcement, subscription: Subscription, terms: string[], nowMs: number): Card {
    const { id: subscriptionId, guildId, channelId } = subscription;
    const shown = {
      deliveryId: '',
      guildId,
      channelId,
      matches: [{ subscriptionId, terms }],
      look: this.#appearanceOf(guildId, subscription),
    };
    const keeper = this.keepers().find((one) => one.wants(announcement, subscription)) ?? null;
    return this.#card(announcement, shown, keeper, { nowMs, updatedAtMs: nowMs });
  }

  #card(
    announcement: Announcement,
    shown: Shown,
    keeper: KeptPosts | null,
    { nowMs, updatedAtMs }: { nowMs: number; updatedAtMs: number | null },
  ): Card {
    const { store, translatorOf, offerButtons = [], kinds = [], personal } = this.#parts;
    const translator = translatorOf(shown.guildId);
    const context = {
      deliveryId: shown.deliveryId,
      matched: matchedBy(shown.matches, shown, store.subscriptions, translator, personal),
      ...(personal && personAt(shown.guildId) !== null ? { reason: personal.reason } : {}),
      ...(shown.look ?? USUAL_APPEARANCE),
      translator,
      nowMs,
      offerButtons,
      kinds,
    };
    return keeper ? keeper.card(announcement, context, updatedAtMs) : announcementCard(announcement, context);
  }

  /** The keeper of a post: its subscriptions ask for that, until it is over. null for a usual post. */
  keeperOf(announcement: Announcement, shown: KeptMarks & Pick<Shown, 'matches'>, nowMs: number): KeptPosts | null {
    const { matches } = shown;
    const isOver = isDealOver(announcement, nowMs);
    const isIts = (keeper: KeptPosts) =>
      isOver
        ? shown[keeper.mark] === true
        : isKeptFor(keeper, { announcement, matches }, this.#parts.store.subscriptions);
    return this.keepers().find(isIts) ?? null;
  }

  /** Whether a delivery becomes a post of its own, whatever else waits. */
  isApart(delivery: { announcement: Announcement; matches: readonly DeliveryMatch[] }): boolean {
    return this.keepers().some((keeper) => isKeptFor(keeper, delivery, this.#parts.store.subscriptions));
  }

  /** The thing whose post in the channel is edited to show a delivery; null where it is posted. */
  continuedBy({ announcement, matches }: Pick<Delivery, 'announcement' | 'matches'>): EntityKey | null {
    const { store, continues } = this.#parts;
    if (!continues) return null;
    const wanting = activeSubscriptions(matches, store.subscriptions);
    const [key = null, ...others] = new Set(wanting.map((subscription) => continues(announcement, subscription)));
    return others.length === 0 ? key : null;
  }

  #appearanceOf(guildId: string, subscription: Subscription | undefined): Appearance {
    return this.#parts.appearanceOf?.(guildId, subscription) ?? USUAL_APPEARANCE;
  }

  keepers(): readonly KeptPosts[] {
    return this.#parts.kept?.() ?? [];
  }

  /**
   * What is attached to a post, or to its edit. It is no part of the card of which a hash is kept: another picture is no
   * reason for an edit.
   */
  async attachmentsOf(
    announcement: Announcement,
    { guildId, channelId, look }: Omit<Shown, 'matches'>,
  ): Promise<readonly PostAttachment[]> {
    const { attachmentsOf, clock } = this.#parts;
    if (!attachmentsOf || !look || !hasAttachments(look) || isDealOver(announcement, clock.now())) return [];
    return attachmentsOf(announcement, { guildId, channelId });
  }

  /** The card as it is sent: a kept post's says when that is, and a deal's has those attachments that are of what it shows. */
  whole(card: Card, attachments: readonly PostAttachment[], announcement: Announcement, shown: Shown): Card {
    const nowMs = this.#parts.clock.now();
    if (this.keeperOf(announcement, shown, nowMs)) return this.card(announcement, shown, nowMs, nowMs);
    return attachments.filter((one) => one.isOf(announcement)).reduce((before, one) => one.addTo(before), card);
  }

  /** A card with hardly more than a link, for where Discord refuses the full card. */
  plain(announcement: Announcement, refused: Card, guildId: string): Card {
    const { translatorOf, kinds = [] } = this.#parts;
    return plainCard(announcement, refused, { translator: translatorOf(guildId), kinds });
  }

  /** @param limit the hourly limit, where it is the reason for the roll-up */
  rollUp(rollUp: RollUp, limit: HourlyLimit | null, { line }: Pick<Appearance, 'line'>, nowMs: number): Card {
    const content = { ...this.#contentOf(rollUp), deliveryId: rollUp.id, limit };
    const { translatorOf, kinds = [] } = this.#parts;
    const card = rollUpCard(content, { translator: translatorOf(rollUp.guildId), nowMs, kinds });
    return line === '' ? card : below(escapeLine(line), card);
  }

  /** The title of a forum post; foreign text. */
  title(announcement: Announcement, guildId: string): string {
    return titleOf(announcement, this.#parts.translatorOf(guildId));
  }

  rollUpTitle(rollUp: RollUp): string {
    return rollUpTitle(this.#contentOf(rollUp), this.#parts.translatorOf(rollUp.guildId));
  }

  #contentOf(rollUp: RollUp): RollUpContent {
    return rollUpContent(rollUp, this.#parts.currentState, this.#parts.store.subscriptions);
  }
}

/** The subscriptions that have no quiet hours now. */
function openAt(subscriptions: readonly Subscription[], nowMs: number): Subscription[] {
  return subscriptions.filter(({ timing }) => openFrom(timing, nowMs) <= nowMs);
}

/** The roles that these matches mention, each once, of those that these subscriptions still have mentioned. */
function mentionedBy(
  matches: readonly DeliveryMatch[],
  subscriptions: readonly Subscription[],
  mentions: Pick<Mentions, 'has'> = NO_MENTIONS,
): string[] {
  const byId = new Map(subscriptions.map((subscription) => [subscription.id, subscription]));
  const mentioned = matches.flatMap(({ subscriptionId, roleIds = [] }) => {
    const subscription = byId.get(subscriptionId);
    return subscription ? roleIds.filter((roleId) => mentions.has(subscription, roleId)) : [];
  });
  return [...new Set(mentioned)];
}

/** The id decides between subscriptions of the same moment. */
function byCreation(one: Subscription, other: Subscription): number {
  return one.createdAtMs - other.createdAtMs || (one.id < other.id ? -1 : 1);
}

/**
 * The content of a roll-up, for its post and its list. The order depends only on the announcements as they were
 * detected, so that both have the same order. Each entity is shown as it is now.
 */
export function rollUpContent(
  { members, reason }: Pick<RollUp, 'members' | 'reason'>,
  currentState: CurrentState,
  subscriptions: SubscriptionStore,
): RollUpContent {
  const sources = members
    .flatMap(({ matches }) => matches)
    .map(({ subscriptionId }) => subscriptions.get(subscriptionId)?.source);
  const feeds = sources.flatMap((source) => (source?.kind === 'feed' ? [source.feed] : []));
  return {
    announcements: inRollUpOrder(members.map(({ announcement }) => announcement)).map((announcement) =>
      currentState.of(announcement),
    ),
    reason: reason ?? null,
    feeds: feeds.length === sources.length ? [...new Set(feeds)] : [],
  };
}

/**
 * The subscriptions and filter terms that a post is for, readable; empty where the channel has one subscription to its
 * source, which explains every post. Of a person's message, their subscriptions that it is for. Foreign text.
 */
function matchedBy(
  matches: readonly DeliveryMatch[],
  { guildId, channelId }: { guildId: string; channelId: string },
  subscriptions: SubscriptionStore,
  translator: Translator,
  personal?: PersonalReasons,
): string[] {
  if (personAt(guildId) !== null) {
    return matches.flatMap(({ subscriptionId }) => {
      const subscription = subscriptions.get(subscriptionId);
      return subscription && personal ? [personal.nameOf(subscription, translator)] : [];
    });
  }
  const resources = matches.flatMap(({ subscriptionId }) => {
    const source = subscriptions.get(subscriptionId)?.source;
    return source ? [resourceOf(source)] : [];
  });
  const alike = subscriptions
    .ofGuild(guildId)
    .filter((other) => other.channelId === channelId && resources.includes(resourceOf(other.source)));
  if (alike.length < 2) return [];
  return matches.flatMap(({ subscriptionId, terms }) => {
    const source = subscriptions.get(subscriptionId)?.source;
    return source ? [[describeSource(source, translator), ...terms].join(' · ')] : [];
  });
}

/** A hash of a card: cards that look the same have the same hash. */
export function cardHash(card: Card): string {
  return hash('sha256', JSON.stringify(card.components), 'base64url').slice(0, 22);
}
