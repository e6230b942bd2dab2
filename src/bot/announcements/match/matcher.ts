import { evaluate, type Filter, type FilterSubject } from '../../deals/filter/index.ts';
import { Bounds } from './bounds.ts';
import { entriesOf, type Key, keysOf } from './index-lookup.ts';

/** Something that wants the things of one resource that its filter takes. */
export interface Matchable {
  id: string;
  /** The resource, such as `feed:Home`. */
  key: string;
  filter: Filter;
}

export interface Matcher<T extends Matchable> {
  /** Takes it in, in place of what had its id. It must not be changed in place afterwards. */
  set(wish: T): void;
  /** Forgets what has that id, if anything has. */
  remove(id: string): void;
  /** All of these resources that take the thing, each once, in no order that means anything. */
  match(resourceKeys: Iterable<string>, subject: FilterSubject, nowMs: number): T[];
}

/** All of a resource whose filters mean the same: decided at once. */
interface Group<T> {
  filter: Filter;
  /** Where the index has it; nowhere if it has to be tried on everything. */
  keys: readonly Key[];
  members: T[];
  /** The last search that came across it, so that it decides once in each. */
  seenBy: number;
}

/** The groups of a resource, and the ways to find them. */
interface Room<T> {
  groups: Map<string, Group<T>>;
  entries: Map<string, Group<T>[]>;
  bounds: Bounds<Group<T>>;
  tried: Group<T>[];
}

/** Where a wish is. */
interface Seat<T> {
  group: Group<T>;
  index: number;
}

/** An index over filters: what a search costs depends on how many filters come into question, not on how many there are. */
export function createMatcher<T extends Matchable>(): Matcher<T> {
  const rooms = new Map<string, Room<T>>();
  const seats = new Map<string, Seat<T>>();
  let searches = 0;

  function set(wish: T): void {
    remove(wish.id);
    const room = rooms.get(wish.key) ?? addRoom(wish.key);
    const group = room.groups.get(wish.filter.canonical) ?? addGroup(room, wish.filter);
    seats.set(wish.id, { group, index: group.members.push(wish) - 1 });
  }

  function addRoom(key: string): Room<T> {
    const room: Room<T> = { groups: new Map(), entries: new Map(), bounds: new Bounds(), tried: [] };
    rooms.set(key, room);
    return room;
  }

  function addGroup(room: Room<T>, filter: Filter): Group<T> {
    const group: Group<T> = { filter, keys: keysOf(filter.root), members: [], seenBy: 0 };
    room.groups.set(filter.canonical, group);
    if (group.keys.length === 0) room.tried.push(group);
    for (const key of group.keys) {
      if (key.kind === 'bound') room.bounds.add(key, group);
      else addTo(room.entries, key.entry, group);
    }
    return group;
  }

  function remove(id: string): void {
    const seat = seats.get(id);
    if (!seat) return;
    const { group, index } = seat;
    seats.delete(id);
    const leaving = group.members[index];
    const last = group.members.pop();
    if (last && last !== leaving) {
      group.members[index] = last;
      seats.set(last.id, seat);
    }
    if (leaving && group.members.length === 0) removeGroup(leaving.key, group);
  }

  function removeGroup(roomKey: string, group: Group<T>): void {
    const room = rooms.get(roomKey);
    if (!room) return;
    room.groups.delete(group.filter.canonical);
    if (room.groups.size === 0) rooms.delete(roomKey);
    if (group.keys.length === 0) removeFrom(room.tried, group);
    for (const key of group.keys) {
      if (key.kind === 'bound') {
        room.bounds.delete(key, group);
        continue;
      }
      const groups = room.entries.get(key.entry);
      if (groups) removeFrom(groups, group);
      if (groups?.length === 0) room.entries.delete(key.entry);
    }
  }

  function match(resourceKeys: Iterable<string>, subject: FilterSubject, nowMs: number): T[] {
    const entries = entriesOf(subject);
    const found: T[] = [];
    for (const resourceKey of new Set(resourceKeys)) {
      const room = rooms.get(resourceKey);
      if (room) searchRoom(room, entries, subject, nowMs, found);
    }
    return found;
  }

  function searchRoom(
    room: Room<T>,
    entries: ReadonlySet<string>,
    subject: FilterSubject,
    nowMs: number,
    found: T[],
  ): void {
    searches += 1;
    const consider = (group: Group<T>): void => {
      if (group.seenBy === searches) return;
      group.seenBy = searches;
      if (!evaluate(group.filter, subject, nowMs)) return;
      for (const member of group.members) found.push(member);
    };
    for (const entry of entries) room.entries.get(entry)?.forEach(consider);
    room.bounds.visit(subject, nowMs, consider);
    room.tried.forEach(consider);
  }

  return { set, remove, match };
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
