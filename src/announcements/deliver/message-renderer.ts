import { hash } from 'node:crypto';
import type { Announcement } from '../../deals/announcement.ts';
import { type Look, USUAL_LOOK } from '../../deals/look.ts';
import { personAt } from '../../deals/watch.ts';
import {
  announcementCard,
  plainCard,
  rollUpCard,
  rollUpTitle,
  titleOf,
} from '../../discord/cards/announcement-card.ts';
import { below, type Card } from '../../discord/cards/parts.ts';
import type { Translator } from '../../discord/i18n/translator.ts';
import { escapeLine } from '../../discord/markdown.ts';
import type { DeliveryMatch, RollUp } from '../../store/delivery.ts';
import type { SubscriptionStore } from '../../store/subscriptions.ts';
import type { CurrentState } from '../current-state.ts';
import { matchedBy } from './matched-by.ts';
import type { HourlyLimit } from './plan.ts';
import { rollUpContent } from './roll-up-content.ts';

/** The announcement to render, with the subscriptions that it is posted for. */
interface Shown {
  deliveryId: string;
  guildId: string;
  channelId: string;
  matches: readonly DeliveryMatch[];
  /** Absent in posts from before there were looks. */
  look?: Look;
}

/** Renders messages in the language of the target server. */
export interface MessageRenderer {
  card(announcement: Announcement, shown: Shown, nowMs: number): Card;
  /** A card with hardly more than a link, for where Discord refuses the full card. */
  plain(announcement: Announcement, refused: Card, guildId: string): Card;
  /** @param limit the hourly limit, where it is the reason for the roll-up */
  rollUp(rollUp: RollUp, limit: HourlyLimit | null, look: Pick<Look, 'line'>, nowMs: number): Card;
  /** The title of a forum post; foreign text. */
  title(announcement: Announcement, guildId: string): string;
  rollUpTitle(rollUp: RollUp): string;
}

export function createMessageRenderer(
  translatorOf: (guildId: string) => Translator,
  subscriptions: Pick<SubscriptionStore, 'get' | 'ofGuild'>,
  currentState: Pick<CurrentState, 'of'>,
): MessageRenderer {
  return {
    card: (announcement, shown, nowMs) =>
      announcementCard(announcement, {
        deliveryId: shown.deliveryId,
        matched: matchedBy(shown.matches, shown, subscriptions, translatorOf(shown.guildId)),
        isWatch: personAt(shown.guildId) !== null,
        ...(shown.look ?? USUAL_LOOK),
        translator: translatorOf(shown.guildId),
        nowMs,
      }),
    plain: (announcement, refused, guildId) => plainCard(announcement, refused, translatorOf(guildId)),
    rollUp(rollUp, limit, { line }, nowMs) {
      const card = rollUpCard(
        { ...rollUpContent(rollUp, currentState, subscriptions), deliveryId: rollUp.id, limit },
        { translator: translatorOf(rollUp.guildId), nowMs },
      );
      return line === '' ? card : below(escapeLine(line), card);
    },
    title: (announcement, guildId) => titleOf(announcement, translatorOf(guildId)),
    rollUpTitle: (rollUp) =>
      rollUpTitle(rollUpContent(rollUp, currentState, subscriptions), translatorOf(rollUp.guildId)),
  };
}

/** A hash of a card: cards that look the same have the same hash. */
export function cardHash(card: Card): string {
  return hash('sha256', JSON.stringify(card.components), 'base64url').slice(0, 22);
}
