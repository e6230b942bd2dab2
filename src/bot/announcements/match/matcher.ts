import { evaluate, type Filter, type FilterSubject } from '../../deals/filter/index.ts';
import { Bounds } from './bounds.ts';
import { entriesOf, type Key, keysOf } from './index-lookup.ts';

/** A filter on the entities of one resource. */
export interface Matchable {
  id: string;
  /** The resource, such as `feed:Home`. */
  key: string;
  filter: Filter;
}

export interface Matcher<T extends Matchable> {
  /** Adds the entry, or replaces the one with its id. The entry must not be changed in place afterwards. */
  set(entry: T): void;
  /** Removes the entry with that id, if there is one. */
  remove(id: string): void;
  /** The entries of these resources that match the subject, each once, in no particular order. */
  match(resourceKeys: Iterable<string>, subject: FilterSubject, nowMs: number): T[];
}

/** The entries of a resource whose filters mean the same: evaluated once for all of them. */
interface Group<T> {
  filter: Filter;
  /** Its keys in the index; none if it has to be evaluated for every subject. */
  keys: readonly Key[];
  members: T[];
  /** The last search that visited the group, so that each search evaluates it once. */
  seenBy: number;
}

/** Where an entry is: its group, and its index there. */
interface Slot<T> {
  group: Group<T>;
  index: number;
}

/**
 * An index over filters: the cost of a search depends on the number of candidate filters, not on the number of all
 * filters.
 */
export function createMatcher<T extends Matchable>(): Matcher<T> {
  const resources = new Map<string, ResourceIndex<T>>();
  const slots = new Map<string, Slot<T>>();
  let searches = 0;

  function remove(id: string): void {
    const slot = slots.get(id);
    if (!slot) return;
    const { group, index } = slot;
    slots.delete(id);
    const leaving = group.members[index];
    const last = group.members.pop();
    if (last && last !== leaving) {
      group.members[index] = last;
      slots.set(last.id, slot);
    }
    if (!leaving || group.members.length > 0) return;
    const resource = resources.get(leaving.key);
    resource?.remove(group);
    if (resource?.isEmpty) resources.delete(leaving.key);
  }

  return {
    set(entry) {
      remove(entry.id);
      const resource = resources.get(entry.key) ?? new ResourceIndex<T>();
      resources.set(entry.key, resource);
      const group = resource.groupOf(entry.filter);
      slots.set(entry.id, { group, index: group.members.push(entry) - 1 });
    },
    remove,
    match(resourceKeys, subject, nowMs) {
      const entries = entriesOf(subject);
      const found: T[] = [];
      for (const key of new Set(resourceKeys)) {
        searches += 1;
        resources.get(key)?.visit(entries, subject, nowMs, (group) => {
          if (group.seenBy === searches) return;
          group.seenBy = searches;
          if (!evaluate(group.filter, subject, nowMs)) return;
          for (const member of group.members) found.push(member);
        });
      }
      return found;
    },
  };
}

/** The groups of a resource, and the index that finds them. */
class ResourceIndex<T> {
  readonly #groups = new Map<string, Group<T>>();
  readonly #entries = new Map<string, Group<T>[]>();
  readonly #bounds = new Bounds<Group<T>>();
  readonly #unindexed: Group<T>[] = [];

  get isEmpty(): boolean {
    return this.#groups.size === 0;
  }

  /** The group of a filter, created where there is none. */
  groupOf(filter: Filter): Group<T> {
    const known = this.#groups.get(filter.canonical);
    if (known) return known;
    const group: Group<T> = { filter, keys: keysOf(filter.root), members: [], seenBy: 0 };
    this.#groups.set(filter.canonical, group);
    if (group.keys.length === 0) this.#unindexed.push(group);
    for (const key of group.keys) {
      if (key.kind === 'bound') this.#bounds.add(key, group);
      else addTo(this.#entries, key.entry, group);
    }
    return group;
  }

  remove(group: Group<T>): void {
    this.#groups.delete(group.filter.canonical);
    if (group.keys.length === 0) removeFrom(this.#unindexed, group);
    for (const key of group.keys) {
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
