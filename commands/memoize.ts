/** A cached value, valid until before `goodUntilMs` (epoch milliseconds). */
interface CacheEntry<T> {
  value: T;
  goodUntilMs: number;
}

/** With the time of creation: the value is not valid before it, because a clock may be set back. */
interface Dated<T> extends CacheEntry<T> {
  madeAtMs: number;
}

/**
 * Caches values derived from immutable objects, since many people view the same list. An object's values are dropped
 * when the object is garbage collected, or together once there are `most` of them.
 * @returns the value cached for `things` under `key`; made now where none is valid at `nowMs`
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
