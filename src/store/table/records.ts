import type { Changes, Kind, State } from './state.ts';

/**
 * Hears of a change once it is stored.
 * @param record undefined where it was deleted
 * @param before as it was until then; undefined where it is new
 */
export type RecordListener<T> = (key: string, record: T | undefined, before: T | undefined) => void;

/** The records of one kind, each of which is read when somebody asks for it. */
export function stored<T>(state: State, kind: Kind<T>) {
  return {
    ...changing(state, kind),
    get: (key: string) => state.get(kind, key),
    /** As `State.among`. */
    among: (keys: readonly string[]) => state.among(kind, keys),
    /** Reads all. */
    async all(): Promise<T[]> {
      const records: T[] = [];
      for await (const [, record] of state.entries(kind)) records.push(record);
      return records;
    },
  };
}

/** All records of one kind, in memory, by their keys. A change shows once it is stored. */
export type InMemory<T, Key extends string = string> = Awaited<ReturnType<typeof inMemory<T, Key>>>;

/** @param isTaken for which of the stored records; the others stay in the state as they are */
export async function inMemory<T, Key extends string = string>(
  state: State,
  kind: Kind<T>,
  isTaken: (record: T) => boolean = () => true,
) {
  const records = new Map<Key, T>();
  const listeners: RecordListener<T>[] = [];
  // Each key that is written is one.
  for await (const [key, record] of state.entries(kind)) if (isTaken(record)) records.set(key as Key, record);
  state.onChange(kind, (key, record) => {
    const before = records.get(key as Key);
    if (record === undefined) records.delete(key as Key);
    else records.set(key as Key, record);
    for (const listener of listeners) listener(key, record, before);
  });
  const onChange = (listener: RecordListener<T>) => void listeners.push(listener);

  /** Changes a record if it still exists, also where the same commit has changed it already. */
  function change(changes: Changes, key: Key, next: (record: T) => T): void {
    const earlier = changes.get(kind, key);
    const record = earlier === undefined ? records.get(key) : (earlier ?? undefined);
    const changed = record && next(record);
    if (changed && changed !== record) changes.set(kind, key, changed);
  }

  return {
    ...changing<T, Key>(state, kind),
    change,
    /** As `change`, in a commit of its own. */
    update: (key: Key, next: (record: T) => T) => state.commit((changes) => change(changes, key, next)),
    get: (key: Key) => records.get(key),
    size: () => records.size,
    keys: () => [...records.keys()],
    all: () => [...records.values()],
    entries: () => [...records.entries()],
    /** Calls the listener after every later change. */
    onChange,
    /**
     * The records by a value of theirs, such as their channel, and then by key. It follows every change.
     * @param groupOf null for a record that belongs nowhere
     */
    groupedBy<Group extends string>(groupOf: (record: T) => Group | null): ReadonlyMap<Group, ReadonlyMap<string, T>> {
      const groups = new Map<Group, Map<string, T>>();
      const follow: RecordListener<T> = (key, record, before) => {
        const was = before === undefined ? null : groupOf(before);
        const is = record === undefined ? null : groupOf(record);
        const left = was === null || was === is ? undefined : groups.get(was);
        if (was !== null && left?.delete(key) && left.size === 0) groups.delete(was);
        if (record === undefined || is === null) return;
        const group = groups.get(is) ?? new Map<string, T>();
        groups.set(is, group.set(key, record));
      };
      for (const [key, record] of records) follow(key, record, undefined);
      onChange(follow);
      return groups;
    },
  };
}

/** What changes the records of a kind: `set` and `delete` as a part of a commit, `save` and `remove` in one of their own. */
function changing<T, Key extends string = string>(state: State, kind: Kind<T>) {
  const set = (changes: Changes, key: Key, record: T) => changes.set(kind, key, record);
  const remove = (changes: Changes, key: Key) => changes.delete(kind, key);
  return {
    set,
    delete: remove,
    save: (key: Key, record: T) => state.commit((changes) => set(changes, key, record)),
    remove: (key: Key) => state.commit((changes) => remove(changes, key)),
  };
}
