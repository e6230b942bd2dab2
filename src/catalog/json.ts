import { LIMITS } from './limits.ts';

/** A longer answer may hold more items than are read: UTF-16 units. */
const LONG = 2 * 1024 * 1024;

/**
 * Parses an answer. Of a list of more items than are ever read, only one more is parsed: hundreds of thousands would hold up
 * everything else for seconds. Throws a SyntaxError.
 */
export function parseAnswer(text: string): unknown {
  const end = text.length > LONG ? endOfItems(text, LIMITS.feedItems + 1) : null;
  if (end === null) return JSON.parse(text);
  try {
    return JSON.parse(text.slice(0, end) + text.slice(text.lastIndexOf(']')));
  } catch {
    return JSON.parse(text);
  }
}

/** Where so many items of the answer's list end, the list being the answer or a field of it; null where it has no more. */
function endOfItems(text: string, most: number): number | null {
  const listDepth = text.trimStart().startsWith('[') ? 1 : 2;
  let depth = 0;
  let isInList = false;
  let items = 0;
  for (let place = 0; place < text.length; place += 1) {
    const character = text[place];
    if (character === '"') {
      place = endOfString(text, place);
    } else if (character === '[' || character === '{') {
      depth += 1;
      if (depth === listDepth) isInList = character === '[';
    } else if (character === ']' || character === '}') {
      depth -= 1;
    } else if (character === ',' && depth === listDepth && isInList) {
      items += 1;
      if (items === most) return place;
    }
  }
  return null;
}

/** The place of the quote that ends the string. */
function endOfString(text: string, start: number): number {
  for (let place = start + 1; place < text.length; place += 1) {
    if (text[place] === '\\') place += 1;
    else if (text[place] === '"') return place;
  }
  return text.length;
}
