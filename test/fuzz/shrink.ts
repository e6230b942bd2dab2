/**
 * A shorter list for which something still holds, by leaving parts out: halves first, then ever smaller parts, until
 * nothing can be left out any more (delta debugging).
 */
export async function shortest<T>(
  list: readonly T[],
  holds: (shorter: readonly T[]) => Promise<boolean>,
): Promise<readonly T[]> {
  let found = list;
  for (let size = Math.ceil(list.length / 2); size >= 1; ) {
    const before = found.length;
    for (let start = 0; start < found.length; ) {
      const shorter = [...found.slice(0, start), ...found.slice(start + size)];
      if (await holds(shorter)) found = shorter;
      else start += size;
    }
    if (size > 1) size = Math.ceil(size / 2);
    else if (found.length === before) break;
  }
  return found;
}

/** The same list with simpler entries, each taken where it still holds with it. */
export async function simplest<T>(
  list: readonly T[],
  simpler: (entry: T) => readonly T[],
  holds: (simplified: readonly T[]) => Promise<boolean>,
): Promise<readonly T[]> {
  let found = list;
  for (let index = 0; index < found.length; index += 1) {
    const entry = found[index] as T;
    for (const other of simpler(entry)) {
      const changed = found.with(index, other);
      if (!(await holds(changed))) continue;
      found = changed;
      break;
    }
  }
  return found;
}
