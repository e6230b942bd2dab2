import type { APIComponentInContainer } from 'discord-api-types/v10';
import { clamp } from '../limits.ts';
import { escapeLine } from '../markdown.ts';
import { ACCENT } from './accent.ts';
import type { AnnouncementContext, Happened } from './context.ts';
import {
  below,
  buttons,
  type Card,
  type CardButton,
  card,
  gallery,
  linesOf,
  linkedTitle,
  pictured,
  smallLine,
  text,
  withButton,
} from './parts.ts';

/** The most characters of the line above a card. */
const MOST_LINE = 200;

export const NO_PICTURE = { url: null, description: '' } as const;

/** The content of a card that announces something live. */
interface Announced {
  happened: Happened;
  /** Safe Markdown: title, price, badges and time. */
  lines: readonly (string | null)[];
  picture: { url: string | null; description: string };
  /** Further parts below the picture. */
  more?: readonly (APIComponentInContainer | null)[];
  /** Safe Markdown, below everything else. */
  smallPrint: readonly (string | null)[];
  buttons: readonly (CardButton | null)[];
}

/** The card of something live: what happened, then what it is, in the look of the channel. */
export function announced(
  { happened, lines, picture, more = [], smallPrint, buttons: row }: Announced,
  { style, line = null, accent = null }: AnnouncementContext,
): Card {
  const told = [happened.headline, ...lines];
  const small = smallPrint.some((part) => part !== null) ? smallLine(smallPrint) : null;
  const isLast = more.every((part) => part === null);
  const head =
    style === 'compact'
      ? [pictured(isLast ? [...told, small] : told, picture.url, picture.description)]
      : [text(linesOf(told)), gallery([{ url: picture.url ?? '' }], picture.description)];
  const end = small === null || (style === 'compact' && isLast) ? null : text(small);
  const shown = card(accent ?? happened.accent, [...head, ...more, end, buttons(row)]);
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
  /** A button for the step that is still possible. */
  more?: CardButton | null;
}

/**
 * The card of something that is over: small, with nothing to buy. Its first button stays, because the bot finds its posts by
 * it.
 */
export function overCard({ title, address, facts, button, more = null }: Over): Card {
  const fact = facts.filter((part) => part !== null).join(' · ');
  return card(ACCENT.over, [withButton([`**${linkedTitle(title, address, true)}**`, fact], button), buttons([more])]);
}
