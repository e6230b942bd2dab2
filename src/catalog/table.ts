import { isNone, type Unread } from './fields.ts';
import type { Report } from './limits.ts';

// A kind of object has a table with a line for each of its fields. Its reader and the names that are known follow from it.

/**
 * Reads one value of an answer; null, after a report, where it is malformed. Fields that could not be read in a value
 * that could be read otherwise are noted.
 */
export type Reader<T> = (json: unknown, report: Report, unread: Unread) => T | null;

/** Reads a field. One that can't be read is noted, and null, false or an empty list stands in for it. */
export type FieldReader<T> = (value: unknown, field: string, unread: Unread, report: Report) => T;

/** Reads a field without which the object is malformed: undefined says that it is. */
export type RequiredReader<T> = FieldReader<T | undefined>;

/** How a field is read, and its name in the catalog where `nameInCatalog` gives another one. */
type Line<T> = RequiredReader<T> | { name: string; read: RequiredReader<T> };

/** The table of an object, by the names in parsed values. Optional fields need no line: the bot adds them later. */
export type Fields<T> = { readonly [Field in keyof T]: Line<T[Field]> };

/**
 * Parsed values name fields as the catalog does, with a lower-case first letter, and times with their unit. A field of a part
 * follows the part's, after a dot.
 */
export function nameInCatalog(field: string): string {
  return field.replaceAll(/(?<=^|\.)\w/g, (first) => first.toUpperCase()).replace(/Ms$/, '');
}

function linesOf<T>(fields: Fields<T>) {
  return Object.entries<Line<unknown>>(fields).map(([field, line]) =>
    typeof line === 'function' ? { field, name: nameInCatalog(field), read: line } : { field, ...line },
  );
}

/** The fields' names in the catalog, with the names of those that are known but not read. */
export function namesIn<T>(fields: Fields<T>, ...notRead: readonly string[]): ReadonlySet<string> {
  return new Set([...linesOf(fields).map(({ name }) => name), ...notRead]);
}

/** Makes the reader of an object: it reads field by field, up to one without which the object is malformed. */
export function readerOf<T>(fields: Fields<T>): Reader<T> {
  const lines = linesOf(fields);
  return (json, report, unread) => {
    if (!isObject(json)) {
      report({ at: '', reason: 'no object' });
      return null;
    }
    const object: Record<string, unknown> = {};
    for (const { field, name, read } of lines) {
      const value = read(json[name], field, unread, report);
      if (value === undefined) {
        report({ at: '', reason: `${name}: absent or malformed` });
        return null;
      }
      object[field] = value;
    }
    // The type of the table says that each line reads what its field holds.
    return object as T;
  };
}

export function isObject(json: unknown): json is Record<string, unknown> {
  return typeof json === 'object' && json !== null && !Array.isArray(json);
}

/** Reads a field without which the object is malformed. */
export function required<T>(read: FieldReader<T | null>): RequiredReader<T> {
  return (value, field, unread, report) => read(value, field, unread, report) ?? undefined;
}

/** Reads a field as `standIn` where there is none, and where it can't be read. */
export function orElse<T>(read: FieldReader<T | null>, standIn: T): FieldReader<T> {
  return (value, field, unread, report) => read(value, field, unread, report) ?? standIn;
}

/**
 * Reads a field that is a list of parts; a malformed part is reported and left out. A value that is not a list reads as an
 * empty one. The field is noted where it is not a list, and where a part has a field that could not be read.
 */
export function listOf<T>(read: Reader<T>): FieldReader<T[]> {
  return (value, field, unread, report) => {
    const parts: T[] = [];
    const unreadList = () => unread(field);
    if (Array.isArray(value)) {
      readEach(value, { from: 0, to: value.length }, nameInCatalog(field), read, report, unreadList, (part) => {
        if (part !== null) parts.push(part);
      });
    } else if (!isNone(value)) unreadList();
    return parts;
  };
}

/** Reads a field that is one part. It is noted where it is no object, and where the part has a field that could not be read. */
export function partOf<T>(read: Reader<T>): FieldReader<T | null> {
  return (value, field, unread, report) => {
    const unreadPart = () => unread(field);
    if (isObject(value)) return read(value, report, unreadPart);
    if (!isNone(value)) unreadPart();
    return null;
  };
}

/** Reads parts that have no identity, so that a report could not name the one that is lost. */
export function withoutReport<T>(read: Reader<T>): Reader<T> {
  return (json, _, unread) => read(json, () => undefined, unread);
}

/**
 * Reads some of the values of a list.
 * @param name that of the list's field in the catalog; empty for an answer that is a list
 * @param take gets each value as it was read, null where it is malformed, and as it came
 */
export function readEach<T>(
  json: readonly unknown[],
  { from, to }: { from: number; to: number },
  name: string,
  read: Reader<T>,
  report: Report,
  unread: Unread,
  take: (value: T | null, item: unknown) => void,
): void {
  let index = from;
  const reportItem: Report = (problem) => {
    report({ ...problem, at: [name, index, problem.at].filter((part) => part !== '').join('.') });
  };
  for (; index < to; index += 1) take(read(json[index], reportItem, unread), json[index]);
}
