import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Answer, Unreadable } from './catalog.ts';
import type { Demand } from './demand.ts';
import { CatalogHttpError, CatalogSchemaError } from './errors.ts';
import { isUuid } from './fields.ts';
import { cutToLimits, LIMITS, type Problem, type Report } from './limits.ts';
import { isOtherSpelling, normaliseKeys } from './spellings.ts';
import { isObject, type Reader, readEach } from './table.ts';
import type { Transport } from './transport.ts';

/** What an answer holds, and why it does not hold more. */
export interface Parsed<T> extends Pick<Answer<T>, 'value' | 'unreadable' | 'unknownFields'> {
  problems: Problem[];
}

/** Collects what could not be read of a list: items, and fields of items that could be read otherwise. */
export class Losses<T> {
  readonly #ids: string[] = [];
  #nameless = 0;
  readonly #fields = new Map<T, readonly string[]>();

  /** @param json the malformed item */
  add(json: unknown): void {
    const id = idIn(json);
    if (id === null) this.#nameless += 1;
    else this.#ids.push(id);
  }

  /** Records the fields of an item that could not be read. */
  addFields(item: T, fields: readonly string[]): void {
    if (fields.length > 0) this.#fields.set(item, [...new Set(fields)]);
  }

  /** Records that the list has more items than were read. */
  addUnknown(): void {
    this.#nameless = Number.POSITIVE_INFINITY;
  }

  /**
   * What could not be read; undefined where everything was readable.
   * @param items those of the list that are kept
   * @param subjectOf identifies an item
   */
  unreadable(items: readonly T[], subjectOf: (item: T) => string): Unreadable | undefined {
    const fields = new Map<string, readonly string[]>();
    if (this.#fields.size > 0) {
      for (const item of items) {
        const unread = this.#fields.get(item);
        if (unread) fields.set(subjectOf(item), unread);
      }
    }
    if (this.#ids.length === 0 && this.#nameless === 0 && fields.size === 0) return undefined;
    return { ids: this.#ids, nameless: this.#nameless, ...(fields.size > 0 ? { fields } : {}) };
  }
}

/** The fields that hold an item's id: `Id` in v2 and in full offers, `OfferId` in feeds. */
const ID_FIELD = /^(offer)?id$/i;

/** The lower-case id of an item that may be malformed, whatever the case of its field; null where it has none. */
export function idIn(json: unknown): string | null {
  if (!isObject(json)) return null;
  for (const [name, value] of Object.entries(json)) {
    const id = ID_FIELD.test(name) && typeof value === 'string' ? value.trim().toLowerCase() : '';
    if (isUuid(id)) return id;
  }
  return null;
}

/** What is known of the items of a list. */
export interface ListShape<T> {
  subjectOf: (item: T) => string;
  /** Their fields in the catalog; absent where the specification shows none. */
  fields?: ReadonlySet<string>;
  /** Keeps one of the items that share a subject; all are kept where it is absent. */
  unique?: (items: readonly T[]) => T[];
}

/** How items that have ids are told apart. */
export const BY_ID = { subjectOf: ({ id }: { id: string }) => id, unique: uniqueById };

/**
 * Reads an answer that is a list, in the specification's spelling or another. Throws a CatalogSchemaError where it is
 * not a list.
 */
export function parseList<T>(json: unknown, what: string, read: Reader<T>, shape: ListShape<NoInfer<T>>): Parsed<T[]> {
  if (!Array.isArray(json)) throw new CatalogSchemaError(`The catalog's answer is no list of ${what}.`);
  const list = new ListReading(read, shape);
  const to = Math.min(json.length, LIMITS.entities);
  list.read(json, { from: 0, to });
  if (to < json.length) list.cut(`${json.length} ${what}, ${to} at most`);
  return list.parsed();
}

/** The items of an answer that is a list, and what could not be read of it. */
class ListReading<T> {
  readonly #read: Reader<T>;
  readonly #shape: ListShape<T>;
  readonly #items: T[] = [];
  readonly #losses = new Losses<T>();
  readonly #problems: Problem[];
  readonly #report: Report;
  /** The fields of the present item that could not be read. */
  #unread: string[] = [];
  readonly #unknownFields = new Set<string>();

  constructor(read: Reader<T>, shape: ListShape<T>) {
    this.#read = entering(read);
    this.#shape = shape;
    const { problems, report } = createReport();
    this.#problems = problems;
    this.#report = report;
  }

  read(json: readonly unknown[], slice: { from: number; to: number }): void {
    const unread = (field: string) => void this.#unread.push(field);
    readEach(json, slice, '', this.#read, this.#report, unread, (value, item) => this.#take(value, item));
  }

  /** Records that the list has more items than are read. */
  cut(reason: string): void {
    this.#losses.addUnknown();
    this.#report({ at: '', reason, isCut: true });
  }

  parsed(): Parsed<T[]> {
    const { subjectOf, unique = (items) => [...items] } = this.#shape;
    const value = unique(this.#items);
    return {
      value,
      problems: this.#problems,
      unreadable: this.#losses.unreadable(value, subjectOf),
      ...(this.#unknownFields.size > 0 ? { unknownFields: [...this.#unknownFields] } : {}),
    };
  }

  #take(value: T | null, item: unknown): void {
    if (value === null) this.#losses.add(item);
    else {
      this.#items.push(value);
      const place = this.#items.length;
      if (place <= ALL_LOOKED_AT || place % LOOKED_AT_EVERY === 0) this.#noteUnknownFields(item);
      if (this.#unread.length > 0) this.#losses.addFields(value, this.#unread);
    }
    if (this.#unread.length > 0) this.#unread = [];
  }

  #noteUnknownFields(item: unknown): void {
    const { fields } = this.#shape;
    if (!fields || typeof item !== 'object' || item === null) return;
    for (const name in item) {
      if (fields.has(name) || isOtherSpelling(name) || this.#unknownFields.size >= MOST_UNKNOWN_FIELDS) continue;
      this.#unknownFields.add(name.slice(0, LONGEST_FIELD_NAME).replace(/\W/g, '?'));
    }
  }
}

/** A field that the catalog adds is in most items, so fields that nobody knows are looked for in some of a long list. */
const ALL_LOOKED_AT = 100;
const LOOKED_AT_EVERY = 20;
/** A catalog that names fields by ids would fill the memory. */
const MOST_UNKNOWN_FIELDS = 20;
const LONGEST_FIELD_NAME = 40;

/** Collects the problems of an answer, up to the limit. */
function createReport(): { problems: Problem[]; report: Report } {
  const problems: Problem[] = [];
  return {
    problems,
    report(problem) {
      if (problems.length < LIMITS.problems) problems.push(problem);
    },
  };
}

/** The items that are read without a pause: about a millisecond for a feed's. */
const SLICE = 250;

/**
 * Reads a list that may have thousands of items: other work runs between slices of it. A short list is read at once.
 * Throws the signal's reason, all or nothing.
 */
export async function parseLongList<T>(
  json: readonly unknown[],
  read: Reader<T>,
  shape: ListShape<NoInfer<T>>,
  signal: AbortSignal | undefined,
): Promise<Parsed<T[]>> {
  const list = new ListReading(read, shape);
  const length = Math.min(json.length, LIMITS.feedItems);
  for (let from = 0; from < length; from += SLICE) {
    // Pauses before the first slice too, because the answer's text has just been parsed.
    if (length > SLICE) await nextTurn();
    signal?.throwIfAborted();
    list.read(json, { from, to: Math.min(length, from + SLICE) });
  }
  if (length < json.length) list.cut(`${json.length} items, ${length} at most`);
  return list.parsed();
}

/** Reads an answer that is one entity, in either spelling. Throws a CatalogSchemaError where it is malformed. */
export function parseOne<T extends { id: string }>(json: unknown, what: string, read: Reader<T>): Parsed<T> {
  const { problems, report } = createReport();
  const fields: string[] = [];
  const value = entering(read)(json, report, (field) => fields.push(field));
  if (value === null) {
    const [first] = problems;
    throw new CatalogSchemaError(`The catalog's answer is no ${what}: ${first?.reason ?? 'it is malformed'}.`);
  }
  const losses = new Losses<T>();
  losses.addFields(value, fields);
  return { value, problems, unreadable: losses.unreadable([value], BY_ID.subjectOf) };
}

/** Asks for one entity; null where the catalog has none at this path. */
export async function requestOne<T extends { id: string }>(
  transport: Transport,
  path: string,
  demand: Demand,
  what: string,
  read: Reader<T>,
): Promise<Parsed<T | null>> {
  try {
    return parseOne(await transport.request({ path }, demand), what, read);
  } catch (error) {
    if (error instanceof CatalogHttpError && error.status === 404) return { value: null, problems: [] };
    throw error;
  }
}

/** Wraps a reader so that it accepts other spellings, and cuts values to the limits. */
function entering<T>(read: Reader<T>): Reader<T> {
  return (json, report, unread) => {
    normaliseKeys(json);
    return read(cutToLimits(json, report), report, unread);
  };
}

/** Wraps a reader so that it leaves out, after a report, values longer than `most` as JSON. */
export function upTo<T>(most: number, read: Reader<T>): Reader<T> {
  return (json, report, unread) => {
    const value = read(json, report, unread);
    const length = value === null ? 0 : JSON.stringify(value).length;
    if (length <= most) return value;
    report({ at: '', reason: `${length} characters, ${most} at most`, isCut: true });
    return null;
  };
}

/** Keeps the first of the items that share an id. */
export function uniqueById<T extends { id: string }>(items: readonly T[]): T[] {
  const seen = new Set<string>();
  return items.filter(({ id }) => !seen.has(id) && seen.add(id));
}

/** An id in lower case. Throws a CatalogHttpError where it is malformed, before it costs a request. */
export function checkedId(id: string): string {
  if (isUuid(id)) return id.toLowerCase();
  throw new CatalogHttpError(`"${id.slice(0, 50)}" is no id: ids look like 01234567-89ab-cdef-….`, 400);
}
