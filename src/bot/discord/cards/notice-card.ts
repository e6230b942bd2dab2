import { ACCENT } from './accent.ts';
import { type Card, card, text } from './parts.ts';

/** A plain sentence of our own. Takes Markdown that is already safe. */
export function noticeCard(sentence: string): Card {
  return card(ACCENT.notice, [text(sentence)]);
}
