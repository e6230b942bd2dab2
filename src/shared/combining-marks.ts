/** So many combining marks may follow each other: more of them would be drawn over the lines above and below. */
export const MOST_MARKS = 3;

/** A mark, with the invisible characters after it: these separate marks for nobody who reads them. */
const MARK = '\\p{M}\\p{Cf}*';
const TOO_MANY = new RegExp(`((?:${MARK}){${MOST_MARKS}})(?:${MARK})+`, 'gu');

/** Removes combining marks that follow others, but for the first of each row. Linear in the text's length. */
export function withFewMarks(text: string): string {
  return text.replace(TOO_MANY, '$1');
}
