import { decodeHTMLStrict } from 'entities';

/**
 * A short foreign text with the characters that its entities stand for: `Salt &amp; pepper`. Twice at most, as some catalogs
 * encode what was encoded already: `Kids&amp;#39;`. Unknown entities stay. The time is linear in its length.
 */
export function decodeEntities(text: string): string {
  if (!text.includes('&')) return text;
  const once = decodeHTMLStrict(text);
  return once.includes('&') ? decodeHTMLStrict(once) : once;
}
