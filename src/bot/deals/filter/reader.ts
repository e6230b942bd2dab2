import type { Filter } from './filter.ts';
import { type ParsedFilter, parseFilter } from './parse.ts';

/**
 * Reads filters that many have in common, each text once: whoever asks for the same gets the same object, for as long
 * as somebody holds it.
 */
export function createFilterReader(): (text: string) => ParsedFilter {
  const known = new Map<string, WeakRef<Filter>>();
  const forgotten = new FinalizationRegistry<string>((text) => {
    if (!known.get(text)?.deref()) known.delete(text);
  });
  return (text) => {
    const filter = known.get(text)?.deref();
    if (filter) return { ok: true, filter };
    const parsed = parseFilter(text);
    if (parsed.ok) {
      known.set(text, new WeakRef(parsed.filter));
      forgotten.register(parsed.filter, text);
    }
    return parsed;
  };
}
