import {
  asksForCondition,
  evaluate,
  FIELDS,
  type Filter,
  type FilterNode,
  type FilterSubject,
  isPrefix,
  type NumberField,
  type TermTest,
  wordsIn,
} from '../../deals/filter/index.ts';

/** A filter that matches, and all members whose filter means the same. */
interface Matching<T> {
  filter: Filter;
  members: readonly T[];
}

/** The members of a part whose filters mean the same: evaluated once for all of them. */
interface Group<T> extends Matching<T> {
  members: T[];
  /** The last search that visited the group, so that each search evaluates it once. */
  seenBy: number;
}

/**
 * An index over filters: the cost of a search depends on the number of candidate filters, not on the number of all
 * filters. It is divided into parts, such as `feed:Home`; a search names those that it wants.
 */
export class FilterIndex<T extends { id: string }> {
  readonly #parts = new Map<string, PartIndex<T>>();
  #searches = 0;

  /** Adds a member that is not there. The filter must not be changed in place afterwards. */
  add(member: T, part: string, filter: Filter): void {
    const index = this.#parts.get(part) ?? new PartIndex<T>();
    this.#parts.set(part, index);
    index.add(member, filter);
  }

  /** Removes the member with this id from where it stands by its part and filter, if it is there. */
  remove(member: T, part: string, filter: Filter): void {
    const index = this.#parts.get(part);
    index?.remove(member, filter);
    if (index?.isEmpty) this.#parts.delete(part);
  }

  /** The filters of a part, each with its members. */
  groupsIn(part: string): readonly Matching<T>[] {
    return [...(this.#parts.get(part)?.groups() ?? [])];
  }

  /** The members of these parts whose filters match the subject, each once, in no particular order. */
  match(parts: Iterable<string>, subject: FilterSubject, nowMs: number): Matching<T>[] {
    const entries = entriesOf(subject);
    const found: Matching<T>[] = [];
    for (const part of new Set(parts)) {
      this.#searches += 1;
      this.#parts.get(part)?.visit(entries, subject, nowMs, (group) => {
        if (group.seenBy === this.#searches) return;
        group.seenBy = this.#searches;
        if (evaluate(group.filter, subject, nowMs)) found.push(group);
      });
    }
    return found;
  }
}

/** The groups of a part, and the index that finds them. */
class PartIndex<T extends { id: string }> {
  readonly #groups = new Map<string, Group<T>>();
  readonly #entries = new Map<string, Group<T>[]>();
  readonly #bounds = new Bounds<Group<T>>();
  readonly #unindexed: Group<T>[] = [];

  get isEmpty(): boolean {
    return this.#groups.size === 0;
  }

  groups(): Iterable<Matching<T>> {
    return this.#groups.values();
  }

  /** Adds a member to the group of its filter, which is created where there is none. */
  add(member: T, filter: Filter): void {
    const known = this.#groups.get(filter.canonical);
    if (known) {
      known.members.push(member);
      return;
    }
    const keys = keysOf(filter.root);
    const group: Group<T> = { filter, members: [member], seenBy: 0 };
    this.#groups.set(filter.canonical, group);
    if (keys.length === 0) this.#unindexed.push(group);
    for (const key of keys) {
      if (key.kind === 'bound') this.#bounds.add(key, group);
      else addTo(this.#entries, key.entry, group);
    }
  }

  /** Removes a member from the group of its filter, and the group with its last member. */
  remove({ id }: T, filter: Filter): void {
    const group = this.#groups.get(filter.canonical);
    const index = group?.members.findIndex((member) => member.id === id) ?? -1;
    if (!group || index < 0) return;
    const last = group.members.pop();
    if (last && index < group.members.length) group.members[index] = last;
    if (group.members.length === 0) this.#removeGroup(group);
  }

  #removeGroup(group: Group<T>): void {
    this.#groups.delete(group.filter.canonical);
    const keys = keysOf(group.filter.root);
    if (keys.length === 0) removeFrom(this.#unindexed, group);
    for (const key of keys) {
      if (key.kind === 'bound') {
        this.#bounds.delete(key, group);
        continue;
      }
      const groups = this.#entries.get(key.entry);
      if (groups) removeFrom(groups, group);
      if (groups?.length === 0) this.#entries.delete(key.entry);
    }
  }

  /** Visits all candidate groups for a subject with these entries; some more than once. */
  visit(entries: ReadonlySet<string>, subject: FilterSubject, nowMs: number, visitor: (group: Group<T>) => void): void {
    for (const entry of entries) this.#entries.get(entry)?.forEach(visitor);
    this.#bounds.visit(subject, nowMs, visitor);
    this.#unindexed.forEach(visitor);
  }
}

function addTo<V>(lists: Map<string, V[]>, key: string, value: V): void {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}

function removeFrom<V>(list: V[], value: V): void {
  const index = list.indexOf(value);
  if (index >= 0) list.splice(index, 1);
}

type Bound = Extract<Key, { kind: 'bound' }>;

/** Values sorted by their bounds, so that a search never visits bounds that the number does not satisfy. */
class Bounds<V> {
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

/**
 * A condition that a subject must meet to pass a filter: an index entry (a word, the start of a word, a category, a
 * flag), or a number on the right side of a bound.
 */
type Key = { kind: 'entry'; entry: string } | { kind: 'bound'; side: Side; field: NumberField; bound: number };

type Side = 'at-most' | 'at-least';

/**
 * A filter node passes only subjects that have one of these keys. `share` estimates the fraction of subjects that have
 * one.
 */
interface IndexLookup {
  keys: readonly Key[];
  selectivity: number;
}

/**
 * The keys under which to index a filter: every subject that passes has at least one. None where the filter must be
 * evaluated for every subject.
 */
function keysOf(root: FilterNode): readonly Key[] {
  return rarest(accessesTo(root))?.keys ?? [];
}

/** All alternative lookups for a node; each alone is sufficient. */
function accessesTo(node: FilterNode): IndexLookup[] {
  switch (node.kind) {
    case 'term':
      return node.isNegated ? [] : accessesToTest(node.test);
    case 'all':
      return node.of.flatMap(accessesTo);
    case 'any': {
      const alternatives = node.of.map((child) => rarest(accessesTo(child)));
      return alternatives.every((access) => access !== null) && alternatives.length > 0 ? [together(alternatives)] : [];
    }
  }
}

function rarest(accesses: readonly IndexLookup[]): IndexLookup | null {
  return accesses.reduce<IndexLookup | null>(
    (best, access) => (best && best.selectivity <= access.selectivity ? best : access),
    null,
  );
}

function together(accesses: readonly IndexLookup[]): IndexLookup {
  return {
    keys: accesses.flatMap(({ keys }) => keys),
    selectivity: accesses.reduce((sum, { selectivity }) => sum + selectivity, 0),
  };
}

/**
 * Estimated fractions of subjects that are within a bound, have a flag, are in a category, or have a certain condition
 * or site.
 */
const SHARES = { bound: 0.5, flagTrue: 0.1, flagFalse: 0.9, path: 0.1, value: 0.25 };

function accessesToTest(test: TermTest): IndexLookup[] {
  const { field } = test;
  switch (test.kind) {
    case 'words': {
      // Any of several words may stand for it, or it is about what is not there.
      if (asksForCondition(test) || test.field.isExcluding) return [];
      const words = wordsIn(test);
      return words.map((word, index) => {
        const isOpen = isPrefix(test) && index === words.length - 1;
        return toEntry(
          isOpen ? prefixEntry(field.name, word) : wordEntry(field.name, word),
          shareOfWord(field.name, word),
        );
      });
    }
    case 'regex':
      return [];
    case 'path': {
      const steps = test.path.split('/');
      return [toEntry(pathEntry(field.name, steps), SHARES.path / steps.length)];
    }
    case 'flag':
      return [toEntry(flagEntry(field.name, test.value), test.value ? SHARES.flagTrue : SHARES.flagFalse)];
    case 'number':
      return [toBound('at-most', test.field, test.maximum), toBound('at-least', test.field, test.minimum)].filter(
        ({ keys: [key] }) => key?.kind === 'bound' && Number.isFinite(key.bound),
      );
  }
}

function toEntry(entry: string, selectivity: number): IndexLookup {
  return { keys: [{ kind: 'entry', entry }], selectivity };
}

function toBound(side: Side, field: NumberField, bound: number): IndexLookup {
  return { keys: [{ kind: 'bound', side, field, bound }], selectivity: SHARES.bound };
}

/** Long words are rare in a text; the other fields have few different words. */
function shareOfWord(field: string, word: string): number {
  return field === 'text' || field === 'title' ? 1 / (word.length + 1) ** 2 : SHARES.value;
}

/** The letters of a prefix that the index compares: enough to be rare, and a bound on the entries that a word makes. */
const MOST_LETTERS = 12;

/**
 * The levels of a category path that the index compares. The catalog's paths have two; the bound limits the entries of
 * deeper ones.
 */
const MOST_STEPS = 6;

/** The first letter is the kind of entry: a prefix is distinct from an equal word. */
const wordEntry = (field: string, word: string) => `w ${field} ${word}`;
const prefixEntry = (field: string, prefix: string) => `s ${field} ${prefix.slice(0, MOST_LETTERS)}`;
const pathEntry = (field: string, steps: readonly string[]) => `p ${field} ${steps.slice(0, MOST_STEPS).join('/')}`;
const flagEntry = (field: string, value: boolean) => `f ${field} ${value}`;

/** The distinct index entries of a subject. */
function entriesOf(subject: FilterSubject): Set<string> {
  const entries = new Set<string>();
  for (const field of FIELDS) {
    switch (field.takes) {
      case 'words':
        for (const word of field.of(subject)?.folded.split(' ') ?? []) {
          if (word === '' || entries.has(wordEntry(field.name, word))) continue;
          entries.add(wordEntry(field.name, word));
          for (let end = 1; end <= Math.min(word.length, MOST_LETTERS); end += 1)
            entries.add(prefixEntry(field.name, word.slice(0, end)));
        }
        break;
      case 'path':
        for (const path of field.of(subject)) {
          const steps = path.toLowerCase().split('/', MOST_STEPS);
          for (const [index] of steps.entries()) entries.add(pathEntry(field.name, steps.slice(0, index + 1)));
        }
        break;
      case 'flag': {
        const value = field.of(subject);
        if (value !== null) entries.add(flagEntry(field.name, value));
        break;
      }
      default:
    }
  }
  return entries;
}
