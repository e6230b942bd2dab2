import type { Translator } from '../i18n/translator.ts';

/** The reader and the time of a card. */
export interface CardContext {
  translator: Translator;
  nowMs: number;
}

/** The additions of an announcement's kind to the entity's card. */
export interface Happened {
  /** 0xRRGGBB */
  accent: number;
  /** Safe Markdown: the card's first line. */
  headline: string;
}

/** `compact` shows the picture beside the text, `large` below it in the card's whole width. */
export type CardStyle = 'compact' | 'large';

/** The context of an announcement's card. */
export interface AnnouncementContext extends CardContext {
  style: CardStyle;
  /** Foreign text above the card, as long as what it shows is live. */
  line?: string | null;
  /** The stripe at the card's side in place of the kind's, as long as what it shows is live: 0xRRGGBB. */
  accent?: number | null;
  /** Is part of a button, by which the bot finds the message in the channel later. */
  deliveryId: string;
  /**
   * The subscriptions and filter terms that matched, readable; empty where the channel has one subscription. Foreign
   * text, because people typed the terms.
   */
  matched: readonly string[];
  /** Whether the card goes to a person, and `matched` are their watches. */
  isWatch?: boolean;
}
