/** So many combining marks may follow each other: more of them would be drawn over the lines above and below. */
export const MOST_MARKS = 3;

const TOO_MANY = new RegExp(`(\\p{M}{${MOST_MARKS}})\\p{M}+`, 'gu');

/** Removes combining marks that follow others, but for the first of each row. Linear in the text's length. */
export function withFewMarks(text: string): string {
  return text.replace(TOO_MANY, '$1');
}
