import { evaluate, type Filter, type FilterSubject } from '../../deals/filter/index.ts';
import { Bounds } from './bounds.ts';
import { entriesOf, keysOf } from './index-lookup.ts';

/** Members with the same filter on the entities of one resource. */
export interface Matchable<T> {
  members: readonly T[];
  /** The resource, such as `feed:Home`. */
  key: string;
  filter: Filter;
}

/** A filter that matches, and all whose filter means the same. */
export interface Matching<T> {
  filter: Filter;
  members: readonly T[];
}

export interface Matcher<T extends { id: string }> {
  /** Adds members that are not there. The filter must not be changed in place afterwards. */
  add(entry: Matchable<T>): void;
  /** Removes members with these ids from where they stand by the entry's key and filter, as far as they are there. */
  remove(entry: Matchable<T>): void;
  /** The members of these resources whose filters match the subject, each once, in no particular order. */
  match(resourceKeys: Iterable<string>, subject: FilterSubject, nowMs: number): Matching<T>[];
}

/** The members of a resource whose filters mean the same: evaluated once for all of them. */
interface Group<T> extends Matching<T> {
  members: T[];
  /** The last search that visited the group, so that each search evaluates it once. */
  seenBy: number;
}

/**
 * An index over filters: the cost of a search depends on the number of candidate filters, not on the number of all
 * filters.
 */
export function createMatcher<T extends { id: string }>(): Matcher<T> {
  const resources = new Map<string, ResourceIndex<T>>();
  let searches = 0;

  return {
    add({ members, key, filter }) {
      const resource = resources.get(key) ?? new ResourceIndex<T>();
      resources.set(key, resource);
      resource.add(members, filter);
    },
    remove({ members, key, filter }) {
      const resource = resources.get(key);
      for (const member of members) resource?.remove(member, filter);
      if (resource?.isEmpty) resources.delete(key);
    },
    match(resourceKeys, subject, nowMs) {
      const entries = entriesOf(subject);
      const found: Matching<T>[] = [];
      for (const key of new Set(resourceKeys)) {
        searches += 1;
        resources.get(key)?.visit(entries, subject, nowMs, (group) => {
          if (group.seenBy === searches) return;
          group.seenBy = searches;
          if (evaluate(group.filter, subject, nowMs)) found.push(group);
        });
      }
      return found;
    },
  };
}

/** The groups of a resource, and the index that finds them. */
class ResourceIndex<T extends { id: string }> {
  readonly #groups = new Map<string, Group<T>>();
  readonly #entries = new Map<string, Group<T>[]>();
  readonly #bounds = new Bounds<Group<T>>();
  readonly #unindexed: Group<T>[] = [];

  get isEmpty(): boolean {
    return this.#groups.size === 0;
  }

  /** Adds members to the group of their filter, which is created where there is none. */
  add(members: readonly T[], filter: Filter): void {
    const known = this.#groups.get(filter.canonical);
    if (known) {
      for (const member of members) known.members.push(member);
      return;
    }
    const keys = keysOf(filter.root);
    const group: Group<T> = { filter, members: [...members], seenBy: 0 };
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
