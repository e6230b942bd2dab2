import { clamp } from '../discord/limits.ts';

/** Control characters, halves of characters, and what XML 1.0 has no place for. */
const UNWRITABLE = /[\p{Cc}\p{Cs}\uFFFE\uFFFF]+/gu;

/** The catalog's text as one line of plain text, of so many characters at most. */
export function plainLine(text: string, most: number): string {
  return clamp(text.replace(UNWRITABLE, ' ').trim(), most);
}
