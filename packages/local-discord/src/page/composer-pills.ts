import { readCommandText } from '../server/command-line/text.ts';

/** A part of the typed text, in order; all parts together are the text. */
export interface Piece {
  text: string;
  kind: 'plain' | 'name' | 'value';
}

/** Splits a typed command so that each option can be drawn as a pill: its name with the colon, and its value. */
export function pillsOf(text: string): Piece[] {
  if (!text.startsWith('/')) return [{ text, kind: 'plain' }];
  const pieces: Piece[] = [];
  let at = 0;
  const put = (end: number, kind: Piece['kind']) => {
    if (end > at) pieces.push({ text: text.slice(at, end), kind });
    at = Math.max(at, end);
  };
  for (const { start, valueStart, end } of readCommandText(text).options) {
    put(start, 'plain');
    put(valueStart, 'name');
    put(end, 'value');
  }
  put(text.length, 'plain');
  return pieces;
}
