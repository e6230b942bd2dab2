import { ACCENT } from './accent.ts';
import { type Card, card, text } from './parts.ts';

/** One plain sentence by the bot. Takes Markdown that is already safe. */
export function noticeCard(sentence: string): Card {
  return card(ACCENT.notice, [text(sentence)]);
}
