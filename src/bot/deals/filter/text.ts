/** Text that is looked through. Made once for a thing, however many filters look through it. */
export interface Text {
  /** As the catalog sent it, its parts on lines of their own: what regular expressions see. */
  raw: string;
  /**
   * The words in order, each between single spaces and the parts apart by two: ` 1tb ssd  for laptops `. So a word, a
   * phrase (which never reaches over two parts) and a prefix are each found by looking for one string.
   */
  folded: string;
}

/** The words of a text: runs of letters and digits, in lower case, without accents. */
export function wordsOf(text: string): string[] {
  return text
    .toLowerCase()
    .normalize('NFD')
    .replace(/\p{M}+/gu, '')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}

/** The parts that are known, as one text; null where none is. */
export function textOf(...parts: readonly (string | null)[]): Text | null {
  const known = parts.filter((part) => part !== null);
  if (known.length === 0) return null;
  return { raw: known.join('\n'), folded: known.map((part) => ` ${wordsOf(part).join(' ')} `).join('') };
}
