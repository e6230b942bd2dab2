/** Searchable text. Made once for an entity, however many filters search it. */
export interface Text {
  /** As the catalog sent it, one part per line; regular expressions search this. */
  raw: string;
  /**
   * The words in order, separated by single spaces, and by two spaces between parts: ` 1tb ssd  for laptops `. Words,
   * phrases (which never span two parts) and prefixes are each found by one substring search.
   */
  folded: string;
}

/** Splits a text into words: runs of letters and digits, in lower case, without accents. */
export function wordsOf(text: string): string[] {
  return (
    text
      .toLowerCase()
      .normalize('NFD')
      .replace(/\p{M}+/gu, '')
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}

/** Combines the known parts into one text; null where there are none. */
export function textOf(...parts: readonly (string | null)[]): Text | null {
  const known = parts.filter((part) => part !== null);
  if (known.length === 0) return null;
  return { raw: known.join('\n'), folded: known.map((part) => ` ${wordsOf(part).join(' ')} `).join('') };
}
