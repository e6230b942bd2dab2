import { setImmediate as nextTurn } from 'node:timers/promises';
import Keyv from 'keyv';
import { z } from 'zod';
import type { Log } from '../../shared/log.ts';
import type { Backend } from './backend.ts';
import { LAST, PAGE_ROWS, type RawRow } from './database.ts';
import { orStoreError } from './failures.ts';

/** A kind of record, declared once: the name that its keys begin with, how its rows are read, how long they are kept. */
export interface Kind<T> {
  /** Letters and hyphens. The key of a row is this name, a colon and the record's own key. */
  readonly name: string;
  /** The record of a row; undefined where the row holds none. `row` is null where it is not JSON. */
  readonly read: (row: unknown) => T | undefined;
  /** Absent where records stay until something deletes them. */
  readonly kept?: {
    ms: number;
    /** Since when: epoch milliseconds. */
    since(record: T): number;
  };
}

/** What a kind's records are. */
export type RecordOf<K> = K extends Kind<infer T> ? T : never;

interface KindOptions<T> extends Pick<Kind<T>, 'kept'> {
  /** Makes the record of what a row holds: it adds what is newer than the row, or refuses it by undefined. */
  complete?: (stored: T) => T | undefined;
}

/**
 * Declares a kind whose rows are read where they have these fields, each of its form; others are kept as they are. Any other
 * row (damaged, or written by a program that knew other fields) reads as undefined, so that the problem stays confined to it.
 * @param shape all fields, from which the record's type follows; or those of a given type that readers rely on
 */
export function kind<Shape extends z.ZodRawShape>(
  name: string,
  shape: Shape,
  options?: KindOptions<z.output<z.ZodObject<Shape>>>,
): Kind<z.output<z.ZodObject<Shape>>>;
export function kind<T extends object>(
  name: string,
  shape: Partial<Record<keyof T & string, z.ZodType>>,
  options?: KindOptions<T>,
): Kind<T>;
export function kind<T>(
  name: string,
  shape: Readonly<Record<string, z.ZodType | undefined>>,
  { kept, complete = (stored) => stored }: KindOptions<T> = {},
): Kind<T> {
  const schema = z.looseObject(shape as z.ZodRawShape);
  const read = (row: unknown) => (schema.safeParse(row).success ? complete(row as T) : undefined);
  return { name, read, ...(kept && { kept }) };
}

/** Forms of fields whose own readers check what is in them. */
export const OBJECT = z.looseObject({});
export const LIST = z.array(z.unknown());

/** Receives the duration of each read and write, in seconds, whether or not it succeeded. */
export type OnOperation = (operation: 'read' | 'write', seconds: number) => void;

/** Rows that are read, serialized or shown before everybody else has a turn. */
const SLICE_ROWS = 200;
/** The most records of a commit that are shown in one turn: more than any answer of the catalog changes. */
export const SHOWN_AT_ONCE = 20_000;
/** Rows that are deleted at a time when old ones are swept. */
const SWEPT_ROWS = 500;

/** The changes of one commit: all of them are stored, or none. */
export class Changes {
  readonly #records = new Map<string, unknown>();
  readonly #effects: (() => void)[] = [];
  readonly #looked = new Set<string>();

  set<T>({ name }: Kind<T>, key: string, record: T): void {
    this.#records.set(`${name}:${key}`, record);
  }

  delete({ name }: { name: string }, key: string): void {
    this.#records.set(`${name}:${key}`, null);
  }

  /** The record that this commit sets; null where it deletes it, undefined where it leaves it alone. */
  get<T>({ name }: Kind<T>, key: string): T | null | undefined {
    const row = `${name}:${key}`;
    this.#looked.add(row);
    return this.#records.get(row) as T | null | undefined;
  }

  /** Calls `effect` once the changes are stored, in the same turn as all others of this commit. */
  afterwards(effect: () => void): void {
    this.#effects.push(effect);
  }

  /** The new records by the keys of their rows; null for those that are deleted. */
  get records(): ReadonlyMap<string, unknown> {
    return this.#records;
  }

  /** The keys of the rows that it changes, and of those that it has looked at. */
  get touched(): string[] {
    return [...this.#records.keys(), ...this.#looked];
  }

  takeEffect(): void {
    for (const effect of this.#effects) effect();
  }
}

type ChangeListener = (key: string, record: unknown) => void;

/** A commit that waits for its turn. */
interface Waiting {
  decide: (changes: Changes) => unknown;
  /** Whether it reads the state first, so that nothing else is written with it. */
  isAlone: boolean;
  resolve: (result: never) => void;
  reject: (error: unknown) => void;
}

/** One that is decided, and stored with others of its group. */
interface Decided {
  waiting: Waiting;
  changes: Changes;
  result: unknown;
}

/**
 * The one state: records of several kinds, in one table. Every failure rejects with a StoreError. A row that can't be
 * read is logged once, stays as it is, and counts as absent.
 */
export class State {
  readonly #backend: Backend;
  readonly #keyv: Keyv<unknown>;
  readonly #log: Log;
  readonly #onOperation: OnOperation | undefined;
  /** By the name of the kind that they hear of. */
  readonly #listeners = new Map<string, ChangeListener[]>();
  readonly #unreadable = new Set<string>();
  readonly #waiting: Waiting[] = [];
  #writing: Promise<void> | null = null;
  /** The keys of the rows that are read next. */
  readonly #asked = new Set<string>();
  #nextRead: Promise<ReadonlyMap<string, unknown>> | null = null;
  /** Settles when the rows that are being read are there. */
  #lastRead: Promise<unknown> = Promise.resolve();

  constructor(backend: Backend, { log, onOperation }: { log: Log; onOperation?: OnOperation | undefined }) {
    this.#backend = backend;
    this.#keyv = keyvOf(backend);
    this.#log = log;
    this.#onOperation = onOperation;
  }

  /**
   * Calls the listener for each record of a kind that a commit has stored, or deleted (undefined), before what is to happen
   * after that commit.
   */
  onChange<T>({ name }: Kind<T>, listener: (key: string, record: T | undefined) => void): void {
    this.#listeners.set(name, [...(this.#listeners.get(name) ?? []), listener as ChangeListener]);
  }

  async get<T>(kind: Kind<T>, key: string): Promise<T | undefined> {
    return (await this.among(kind, [key])).get(key);
  }

  /** The records with these keys that there are, by key, in the order of `keys`. */
  async among<T>(kind: Kind<T>, keys: readonly string[]): Promise<Map<string, T>> {
    const records = new Map<string, T>();
    const rowOf = (key: string) => `${kind.name}:${key}`;
    const values = keys.length === 0 ? records : await this.#rows(keys.map(rowOf));
    for (const key of keys) {
      const record = this.#recordOf(kind, rowOf(key), values.get(rowOf(key)));
      if (record !== undefined) records.set(key, record);
    }
    return records;
  }

  /**
   * The records of a kind whose keys begin with `prefix`, by key. Records that are written or deleted meanwhile may or
   * may not be included; every other one is.
   */
  async *entries<T>(kind: Kind<T>, prefix = ''): AsyncGenerator<[key: string, record: T], void> {
    const start = `${kind.name}:${prefix}`;
    let read = 0;
    for await (const rows of pagesOf(this.#backend, start)) {
      for (const { key, value } of rows) {
        const record = this.#recordOf(kind, key, recordIn(value));
        if (record !== undefined) yield [key.slice(kind.name.length + 1), record];
        read += 1;
        if (read % SLICE_ROWS === 0) await nextTurn();
      }
    }
  }

  /** The records of a kind whose keys begin with any of these, by key. */
  async under<T>(kind: Kind<T>, prefixes: readonly string[]): Promise<[key: string, record: T][]> {
    if (prefixes.length === 0) return [];
    const starts = [...new Set(prefixes)].map((prefix) => `${kind.name}:${prefix}`);
    const rows = await this.#timed('read', () => this.#backend.under(starts));
    return rows.flatMap(({ key, value }) => {
      const record = this.#recordOf(kind, key, recordIn(value));
      return record === undefined ? [] : [[key.slice(kind.name.length + 1), record] as [string, T]];
    });
  }

  /**
   * Stores what `decide` changes: all or nothing. Commits take effect in the order of calls. Those that come while one is
   * being written are written together with the next. One that changes a row that an earlier one of them changes, or
   * looks at it by `Changes.get`, is decided when that one is stored. So `decide` sees what is stored; it may run again,
   * and must change nothing by itself. Resolves with what `decide` returns; rejects with what it throws, and then nothing
   * is changed.
   */
  commit<R>(decide: (changes: Changes) => R): Promise<R> {
    return this.#add(decide, false);
  }

  /** Like `commit`, for what has to read the state to decide: nothing is written between the reading and the commit. */
  transact<R>(decide: (changes: Changes) => Promise<R>): Promise<R> {
    return this.#add(decide, true) as Promise<R>;
  }

  /**
   * Deletes the records for which `isOutdated` returns true, some at a time, so that nobody waits for long. A record that
   * is renewed meanwhile stays: each is read again when it is deleted.
   */
  async sweep<T>(kind: Kind<T>, isOutdated: (record: T, key: string) => boolean): Promise<void> {
    let keys: string[] = [];
    const deleteOutdated = (candidates: readonly string[]) =>
      this.transact(async (changes) => {
        for (const [key, record] of await this.among(kind, candidates)) {
          if (isOutdated(record, key)) changes.delete(kind, key);
        }
      });
    for await (const [key, record] of this.entries(kind)) {
      if (isOutdated(record, key)) keys.push(key);
      if (keys.length < SWEPT_ROWS) continue;
      await deleteOutdated(keys);
      keys = [];
    }
    if (keys.length > 0) await deleteOutdated(keys);
  }

  /** Deletes the records of a kind that have been kept for long enough. */
  async sweepOld<T>(kind: Kind<T>, nowMs: number): Promise<void> {
    const { kept } = kind;
    if (kept) await this.sweep(kind, (record) => nowMs - kept.since(record) > kept.ms);
  }

  /** Resolves when nothing waits to be written. */
  async settled(): Promise<void> {
    while (this.#writing) await this.#writing;
  }

  /** Rows that are asked for while others are being read are read together with the next. */
  #rows(keys: readonly string[]): Promise<ReadonlyMap<string, unknown>> {
    for (const key of keys) this.#asked.add(key);
    this.#nextRead ??= this.#lastRead.then(() => {
      const asked = [...this.#asked];
      this.#asked.clear();
      this.#nextRead = null;
      const reading = this.#timed('read', async () => {
        const values = await this.#keyv.getMany(asked);
        return new Map(asked.map((key, index) => [key, values[index]]));
      });
      this.#lastRead = reading.catch(() => undefined);
      return reading;
    });
    return this.#nextRead;
  }

  #add<R>(decide: (changes: Changes) => R, isAlone: boolean): Promise<R> {
    return new Promise<R>((resolve, reject) => {
      this.#waiting.push({ decide, isAlone, resolve, reject });
      this.#writing ??= this.#writeAll();
    });
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const group = await this.#nextGroup();
      try {
        const rows = new Map(group.flatMap(({ changes }) => [...changes.records]));
        if (rows.size > 0) await this.#timed('write', async () => this.#backend.write(await serialized(rows)));
      } catch (error) {
        for (const { waiting } of group) waiting.reject(error);
        continue;
      }
      for (const decided of group) await this.#conclude(decided);
    }
    // No other code runs between the last check and this, so a commit that comes later starts the writing again.
    this.#writing = null;
  }

  /** Decides what is written next: one that reads the state, or those up to the first that touches a changed row. */
  async #nextGroup(): Promise<Decided[]> {
    const group: Decided[] = [];
    const changed = new Set<string>();
    for (let waiting = this.#waiting[0]; waiting; waiting = this.#waiting[0]) {
      if (waiting.isAlone && group.length > 0) break;
      const changes = new Changes();
      try {
        const result = waiting.isAlone ? await waiting.decide(changes) : waiting.decide(changes);
        if (changes.touched.some((key) => changed.has(key))) break;
        for (const key of changes.records.keys()) changed.add(key);
        group.push({ waiting, changes, result });
      } catch (error) {
        waiting.reject(error);
      }
      this.#waiting.shift();
      if (waiting.isAlone) break;
    }
    return group;
  }

  /**
   * Shows what is stored, in one turn, or where that is very much, in their order and in turns. An effect that fails
   * concerns its own commit alone: those behind it go on.
   */
  async #conclude({ waiting, changes, result }: Decided): Promise<void> {
    try {
      const isInTurns = changes.records.size > SHOWN_AT_ONCE;
      let shown = 0;
      for (const [row, record] of changes.records) {
        shown += 1;
        if (isInTurns && shown % SLICE_ROWS === 0) await nextTurn();
        const colon = row.indexOf(':');
        const key = row.slice(colon + 1);
        for (const listener of this.#listeners.get(row.slice(0, colon)) ?? []) listener(key, record ?? undefined);
      }
      changes.takeEffect();
      waiting.resolve(result as never);
    } catch (error) {
      waiting.reject(error);
    }
  }

  async #timed<R>(operation: 'read' | 'write', run: () => Promise<R>): Promise<R> {
    const startedMs = performance.now();
    try {
      return await orStoreError(operation, this.#backend.label, run);
    } finally {
      this.#onOperation?.(operation, (performance.now() - startedMs) / 1000);
    }
  }

  #recordOf<T>({ read }: Kind<T>, key: string, row: unknown): T | undefined {
    if (row === undefined) return undefined;
    const record = read(row);
    if (record === undefined && !this.#unreadable.has(key)) {
      this.#unreadable.add(key);
      this.#log.error({ row: key }, 'skipped an unreadable row of the state');
    }
    return record;
  }
}

/** The rows whose keys begin with `start`, by key, in lists. */
export async function* pagesOf(backend: Pick<Backend, 'page'>, start: string): AsyncGenerator<readonly RawRow[], void> {
  let next = backend.page(start, start + LAST);
  for (;;) {
    const page = await next;
    const last = page.at(-1);
    if (!last || page.length < PAGE_ROWS) {
      if (last) yield page;
      return;
    }
    // While the caller works on one page, the next one is read already.
    next = backend.page(last.key, start + LAST);
    // A caller that ends early doesn't wait for it.
    next.catch(() => undefined);
    yield page;
  }
}

function keyvOf({ keyv: store }: Backend): Keyv<unknown> {
  // Without throwOnErrors a failing read would look like "there is no such row", which here means "never announced".
  const keyv = new Keyv<unknown>({ store, useKeyPrefix: false, throwOnErrors: true });
  keyv.deserialize = (text) => ({ value: recordIn(text) as never, expires: undefined });
  // Errors reach the caller as rejections; an "error" event without a listener would end the process.
  keyv.on('error', () => undefined);
  return keyv;
}

const { serialize, deserialize } = new Keyv();

/** A value that begins with a colon, which Keyv writes with another one. Only for these it looks at every value. */
const WITH_COLON = /[:[,]\s*":/;

/** The value in a stored row; null where the row is not JSON, or not as Keyv writes it. */
export function recordIn(text: string): unknown {
  try {
    const data: unknown = WITH_COLON.test(text) ? deserialize?.(text) : JSON.parse(text);
    if (typeof data === 'object' && data !== null && 'value' in data) return data.value;
  } catch {
    // The row was damaged by hand or by another program.
  }
  return null;
}

/** Rows as Keyv stores them. Serializing many gives everybody else a turn now and then. */
async function serialized(records: ReadonlyMap<string, unknown>): Promise<Map<string, string | null>> {
  const rows = new Map<string, string | null>();
  for (const [key, value] of records) {
    rows.set(key, value === null ? null : String(await serialize?.({ value })));
    if (rows.size % SLICE_ROWS === 0) await nextTurn();
  }
  return rows;
}
