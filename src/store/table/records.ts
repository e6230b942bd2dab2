import type { Changes, Kind, State } from './state.ts';

/**
 * Hears of a change once it is stored.
 * @param record undefined where it was deleted
 * @param before as it was until then; undefined where it is new
 */
export type RecordListener<T> = (key: string, record: T | undefined, before: T | undefined) => void;

/** All records of one kind, in memory. A change shows once it is stored. */
export class Records<T> {
  readonly kind: Kind<T>;
  readonly #records = new Map<string, T>();
  readonly #listeners: RecordListener<T>[] = [];

  private constructor(kind: Kind<T>) {
    this.kind = kind;
  }

  /** @param isTaken for which records; the others stay in the state as they are */
  static async load<T>(state: State, kind: Kind<T>, isTaken: (record: T) => boolean = () => true): Promise<Records<T>> {
    const records = new Records<T>(kind);
    for await (const [key, record] of state.entries(kind)) if (isTaken(record)) records.#put(key, record);
    return records;
  }

  onChange(listener: RecordListener<T>): void {
    this.#listeners.push(listener);
  }

  get size(): number {
    return this.#records.size;
  }

  get(key: string): T | undefined {
    return this.#records.get(key);
  }

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
    for (const [key, record] of this.#records) follow(key, record, undefined);
    this.onChange(follow);
    return groups;
  }

  keys(): IterableIterator<string> {
    return this.#records.keys();
  }

  values(): IterableIterator<T> {
    return this.#records.values();
  }

  entries(): IterableIterator<[string, T]> {
    return this.#records.entries();
  }

  set(changes: Changes, key: string, record: T): void {
    changes.set(this.kind, key, record);
    changes.afterwards(() => this.#put(key, record));
  }

  delete(changes: Changes, key: string): void {
    changes.delete(this.kind, key);
    changes.afterwards(() => this.#put(key, undefined));
  }

  /** Changes a record if it still exists, also where the same commit has changed it already. */
  update(changes: Changes, key: string, change: (record: T) => T): void {
    const earlier = changes.get(this.kind, key);
    const record = earlier === undefined ? this.get(key) : (earlier ?? undefined);
    const changed = record && change(record);
    if (changed && changed !== record) this.set(changes, key, changed);
  }

  #put(key: string, record: T | undefined): void {
    const before = this.#records.get(key);
    if (record === undefined) this.#records.delete(key);
    else this.#records.set(key, record);
    for (const listener of this.#listeners) listener(key, record, before);
  }
}
