import type { Kind } from './kind.ts';
import type { Changes, State } from './state.ts';

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

  /** Reads all of them. @param listener hears of each record that is read, and of every change */
  static async load<T>(state: State, kind: Kind<T>, listener?: RecordListener<T>): Promise<Records<T>> {
    const records = new Records<T>(kind);
    if (listener) records.onChange(listener);
    for await (const [key, record] of state.entries(kind)) records.#put(key, record);
    return records;
  }

  onChange(listener: RecordListener<T>): void {
    this.#listeners.push(listener);
  }

  get(key: string): T | undefined {
    return this.#records.get(key);
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
