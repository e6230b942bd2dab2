import type { Subscription } from '../../deals/subscription.ts';
import type { Translator } from '../i18n/translator.ts';
import { clamp } from '../limits.ts';
import { escapeLine, safeUrl } from '../markdown.ts';
import { ACCENT } from './accent.ts';
import {
  below,
  buttons,
  type Card,
  type CardButton,
  type CardContext,
  card,
  gallery,
  linkedTitle,
  type Part,
  pictured,
  smallLine,
  withButton,
} from './parts.ts';

/** The additions of an announcement's kind to the entity's card. */
export interface Happened {
  /** 0xRRGGBB */
  accent: number;
  /** Safe Markdown: the card's first line. */
  headline: string;
  /** The kind's symbol and name, which the card keeps when its subject is over. */
  kind: string;
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
  /** Says of what matched that it is the reason, in a message to a person. Absent: as in channels. */
  reason?: PersonalReasons['reason'];
}

/** How messages to people say why they are sent. */
export interface PersonalReasons {
  /** Names a subscription of the person's to them. Foreign text. */
  nameOf: (subscription: Subscription, translator: Translator) => string;
  /** Says that these are the reason: safe Markdown, as `what` is. */
  reason: (what: string, translator: Translator) => string;
}

/** The most characters of the line above a card. */
const MOST_LINE = 200;

/** The content of a card that announces something live. */
interface Announced {
  happened: Happened;
  /** Safe Markdown: the title, beside the picture of a compact card. */
  lines: readonly (string | null)[];
  /** Safe Markdown in the card's whole width: price, badges and time. On a phone they have half of it beside a picture. */
  facts?: readonly (string | null)[];
  picture: { url: string | null; description: string };
  /** Further parts below the picture. */
  more?: readonly Part[];
  /** Safe Markdown, below everything else. */
  smallPrint: readonly (string | null)[];
  buttons: readonly (CardButton | null)[];
}

/** The card of something live: what happened, then what it is, as posts of the channel appear. */
export function announced(
  { happened, lines, facts = [], picture, more = [], smallPrint, buttons: row }: Announced,
  context: AnnouncementContext,
): Card {
  const { style, accent = null } = context;
  const title = [happened.headline, ...lines];
  const small = smallPrint.some((part) => part !== null) ? smallLine(smallPrint) : null;
  const isLast = !more.some(Boolean);
  const below = style === 'compact' && isLast ? [...facts, small] : facts;
  const { url, description } = picture;
  const head =
    style === 'compact' && safeUrl(url) !== null
      ? [pictured(title, url, description), below]
      : [[...title, ...below], style === 'large' ? gallery([{ url: url ?? '' }], description) : null];
  const end = style === 'compact' && isLast ? null : small;
  return withLine(card(accent ?? happened.accent, [...head, ...more, end, buttons(row)]), context);
}

/** The card of something live below the line that its posts have, if any. @public for features */
export function withLine(shown: Card, { line = null }: Pick<AnnouncementContext, 'line'>): Card {
  const above = escapeLine(clamp(line ?? '', MOST_LINE));
  return above === '' ? shown : below(above, shown);
}

/** The content of a card whose subject is over. */
interface Over {
  /** Foreign text. */
  title: string;
  address: string | null;
  /** Safe Markdown: how it ended, and what it was. */
  facts: readonly (string | null)[];
  /** It carries the delivery's id. */
  button: CardButton;
  /** Buttons for the steps that are still possible. */
  more?: readonly (CardButton | null)[];
}

/**
 * The card of something that is over: small, with nothing to buy. Its first button stays, because the bot finds its posts by
 * it.
 */
export function overCard({ title, address, facts, button, more = [] }: Over): Card {
  const fact = facts.filter((part) => part !== null).join(' · ');
  return card(ACCENT.over, [withButton([`**${linkedTitle(title, address, true)}**`, fact], button), buttons(more)]);
}

const MOST_TERMS = 6;
const MOST_TERM = 60;

/** `matches feed Home and ssd`: the reason for an announcement; null where `matched` is empty. */
export function matchedPart({ matched, reason, translator }: AnnouncementContext): string | null {
  const terms = [...new Set(matched)].slice(0, MOST_TERMS).map((term) => escapeLine(clamp(term, MOST_TERM)));
  if (terms.length === 0) return null;
  const what = translator.list(terms);
  return reason ? reason(what, translator) : translator.t('announcement.matched', { what });
}
