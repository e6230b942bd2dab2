import type { FilterSubject, NumberField } from '../../deals/filter/index.ts';
import type { Key, Side } from './index-lookup.ts';

type Bound = Extract<Key, { kind: 'bound' }>;

/** Values sorted by their bounds, so that a search never visits bounds that the number does not satisfy. */
export class Bounds<V> {
  readonly #lists = new Map<string, List<V>>();

  add({ side, field, bound }: Bound, value: V): void {
    const id = idOf(side, field);
    let list = this.#lists.get(id);
    if (!list) {
      list = { side, field, entries: [], isSorted: true };
      this.#lists.set(id, list);
    }
    list.entries.push({ bound, value });
    list.isSorted = false;
  }

  delete({ side, field }: Bound, value: V): void {
    const list = this.#lists.get(idOf(side, field));
    const index = list?.entries.findIndex((entry) => entry.value === value) ?? -1;
    if (index >= 0) list?.entries.splice(index, 1);
  }

  /** Visits all values whose bound the subject satisfies; a number equal to the bound does. */
  visit(subject: FilterSubject, nowMs: number, visitor: (value: V) => void): void {
    for (const list of this.#lists.values()) {
      const number = list.field.of(subject, nowMs);
      if (number === null) continue;
      const direction = list.side === 'at-least' ? 1 : -1;
      if (!list.isSorted) list.entries.sort((a, b) => (a.bound - b.bound) * direction);
      list.isSorted = true;
      for (const { bound, value } of list.entries) {
        if ((bound - number) * direction > 0) break;
        visitor(value);
      }
    }
  }
}

/** A field that takes two kinds of number has two lists. */
function idOf(side: Side, { name, takes }: NumberField): string {
  return `${side} ${name} ${takes}`;
}

/** The entries are sorted: the bounds that most numbers satisfy come first. */
interface List<V> {
  side: Side;
  field: NumberField;
  entries: { bound: number; value: V }[];
  isSorted: boolean;
}
