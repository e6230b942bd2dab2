import type { Translator } from '../i18n/translator.ts';

/** Whom a card is for, and when. */
export interface CardContext {
  translator: Translator;
  nowMs: number;
}

/** What a kind of announcement adds to the card of what it shows. */
export interface Happened {
  /** 0xRRGGBB */
  accent: number;
  badge: string;
  /** Safe Markdown; null for nothing. */
  lead: string | null;
}

/** What the card of an announcement is told beside the thing that it announces. */
export interface AnnouncementContext extends CardContext {
  /** Goes into a button, where a later look at the channel finds it. */
  deliveryId: string;
  /** Why the announcement came: the subscriptions and their terms, readable, and foreign: what people typed. */
  matched: readonly string[];
}
