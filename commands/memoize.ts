/** What is kept, and until when it is right: epoch milliseconds. */
interface CacheEntry<T> {
  value: T;
  goodUntilMs: number;
}

/** With when it was made: it is right from then on only, for a clock may be set back. */
interface Dated<T> extends CacheEntry<T> {
  madeAtMs: number;
}

/**
 * Keeps what is made of things that never change, for whoever asks for the same again: many people look at one list. All
 * that is made of some things goes when nobody knows the things any more, or when it is more than `most`.
 * @returns what was made of `things` under `key`, made now where there is nothing that is right at `nowMs`
 */
export function memoize<T>(most: number) {
  const kept = new WeakMap<object, Map<string, Dated<T>>>();
  return (things: object, key: string, nowMs: number, make: () => CacheEntry<T>): T => {
    const values = kept.get(things) ?? new Map<string, Dated<T>>();
    kept.set(things, values);
    const before = values.get(key);
    if (before && before.madeAtMs <= nowMs && nowMs < before.goodUntilMs) return before.value;
    if (values.size >= most) values.clear();
    const made = make();
    values.set(key, { ...made, madeAtMs: nowMs });
    return made.value;
  };
}
