import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RawRow } from './contract.ts';

/** Rows that are read at a time. */
export const PAGE_ROWS = 500;

/** Rows that the caller gets at a time. */
const SLICE_ROWS = 100;

/**
 * All rows of a table, in the order of keys, in lists. While the caller works on one page, the next one is read already:
 * after each list the event loop has a turn, without which no answer of a database and no step of a statement comes in.
 * @param read reads the page of at most `PAGE_ROWS` rows that come after a key
 */
export async function* rowsOfPages(
  read: (after: string) => Promise<readonly RawRow[]>,
): AsyncGenerator<readonly RawRow[], void> {
  let next = read('');
  for (;;) {
    const page = await next;
    const last = page.at(-1);
    if (!last) return;
    next = read(last.key);
    // A caller that ends early doesn't wait for it.
    next.catch(() => undefined);
    for (let at = 0; at < page.length; at += SLICE_ROWS) {
      yield page.slice(at, at + SLICE_ROWS);
      await nextTurn();
    }
  }
}
