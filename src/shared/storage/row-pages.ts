import type { RawRow } from './contract.ts';

/** Rows that are read at a time. */
export const PAGE_ROWS = 500;

/**
 * All rows of a table, in the order of keys. While the caller works on one page, the next one is read already.
 * @param read reads the page of at most `PAGE_ROWS` rows that come after a key
 */
export async function* rowsOfPages(
  read: (after: string) => Promise<readonly RawRow[]>,
): AsyncGenerator<[key: string, value: string], void> {
  let next = read('');
  for (;;) {
    const page = await next;
    const last = page.at(-1);
    if (!last) return;
    next = read(last.key);
    // A caller that ends early doesn't wait for it.
    next.catch(() => undefined);
    for (const { key, value } of page) yield [key, value];
  }
}
