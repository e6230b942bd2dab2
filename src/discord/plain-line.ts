import { clamp } from './limits.ts';

/** White space, control characters, halves of characters, and what XML 1.0 has no place for. */
const GAP = /[\s\p{Cc}\p{Cs}\uFFFE\uFFFF]+/gu;

/** The catalog's text as one line of plain text, of so many characters at most. */
export function plainLine(text: string, most: number): string {
  return clamp(text.replace(GAP, ' ').trim(), most);
}
