import { setImmediate as nextTurn } from 'node:timers/promises';
import { z } from 'zod';
import { dateTimeMs } from '../deals/date-time.ts';
import type { Unreadable } from './catalog.ts';
import { CatalogHttpError, CatalogSchemaError } from './errors.ts';
import { cutToLimits, LIMITS, type Problem, type Report } from './limits.ts';
import { normaliseKeys } from './spellings.ts';

export interface Parsed<T> {
  value: T;
  problems: Problem[];
  /** Absent where everything was readable. */
  unreadable?: Unreadable | undefined;
}

/** Reads one value of an answer; null, after a report, where it is malformed. */
export type Reader<T> = (json: unknown, report: Report) => T | null;

/** Reads every item; a malformed one is reported and left out. A value that is not a list reads as an empty one. */
export function readList<T>(json: unknown, field: string, read: Reader<T>, report: Report): T[] {
  const items: T[] = [];
  if (Array.isArray(json)) readSlice(json, { from: 0, to: json.length }, field, read, report, items);
  return items;
}

function readSlice<T>(
  json: readonly unknown[],
  { from, to }: { from: number; to: number },
  field: string,
  read: Reader<T>,
  report: Report,
  items: T[],
  losses?: Losses,
): void {
  let index = from;
  const reportItem: Report = (problem) => {
    report({ ...problem, at: [field, index, problem.at].filter((part) => part !== '').join('.') });
  };
  for (; index < to; index += 1) {
    const value = read(json[index], reportItem);
    if (value === null) losses?.add(json[index]);
    else items.push(value);
  }
}

/** Collects the unreadable items of a list. */
export class Losses {
  readonly #ids: string[] = [];
  #hasNameless = false;

  /** @param json the malformed item */
  add(json: unknown): void {
    const id = idIn(json);
    if (id === null) this.#hasNameless = true;
    else this.#ids.push(id);
  }

  /** Records that the list has more items than were read. */
  addUnknown(): void {
    this.#hasNameless = true;
  }

  get unreadable(): Unreadable | undefined {
    const isWhole = this.#ids.length === 0 && !this.#hasNameless;
    return isWhole ? undefined : { ids: this.#ids, hasNameless: this.#hasNameless };
  }
}

/** The fields that hold an item's id: `Id` in v2 and in full offers, `OfferId` in feeds. */
const ID_FIELD = /^(offer)?id$/i;

/** The lower-case id of an item that may be malformed, whatever the case of its field; null where it has none. */
export function idIn(json: unknown): string | null {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return null;
  for (const [name, value] of Object.entries(json)) {
    const id = ID_FIELD.test(name) && typeof value === 'string' ? value.trim().toLowerCase() : '';
    if (isUuid(id)) return id;
  }
  return null;
}

/**
 * Reads an answer that is a list, in the specification's spelling or another. Throws a CatalogSchemaError where it is
 * not a list.
 */
export function parseList<T>(json: unknown, what: string, read: Reader<T>): Parsed<T[]> {
  if (!Array.isArray(json)) throw new CatalogSchemaError(`The catalog's answer is no list of ${what}.`);
  const { problems, report } = createReport();
  const value: T[] = [];
  const losses = new Losses();
  const to = Math.min(json.length, LIMITS.entities);
  readSlice(json, { from: 0, to }, '', entering(read), report, value, losses);
  if (to < json.length) {
    losses.addUnknown();
    report({ at: '', reason: `${json.length} ${what}, ${to} at most`, isCut: true });
  }
  return { value, problems, unreadable: losses.unreadable };
}

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
  signal: AbortSignal | undefined,
): Promise<Parsed<T[]>> {
  const { problems, report } = createReport();
  const value: T[] = [];
  const losses = new Losses();
  const length = Math.min(json.length, LIMITS.feedItems);
  for (let from = 0; from < length; from += SLICE) {
    // Pauses before the first slice too, because the answer's text has just been parsed.
    if (length > SLICE) await nextTurn();
    signal?.throwIfAborted();
    const slice = { from, to: Math.min(length, from + SLICE) };
    readSlice(json, slice, '', entering(read), report, value, losses);
  }
  if (length < json.length) {
    losses.addUnknown();
    report({ at: '', reason: `${json.length} items, ${length} at most`, isCut: true });
  }
  return { value, problems, unreadable: losses.unreadable };
}

/** Reads an answer that is one entity, in either spelling. Throws a CatalogSchemaError where it is malformed. */
export function parseOne<T>(json: unknown, what: string, read: Reader<T>): Parsed<T> {
  const { problems, report } = createReport();
  const value = entering(read)(json, report);
  if (value === null) {
    const [first] = problems;
    throw new CatalogSchemaError(`The catalog's answer is no ${what}: ${first?.reason ?? 'it is malformed'}.`);
  }
  return { value, problems };
}

/** Turns a 404 into the answer null. */
export function nullWhereGone(error: unknown): Parsed<null> {
  if (error instanceof CatalogHttpError && error.status === 404) return { value: null, problems: [] };
  throw error;
}

/** Wraps a reader so that it accepts other spellings, and cuts values to the limits. */
function entering<T>(read: Reader<T>): Reader<T> {
  return (json, report) => {
    normaliseKeys(json);
    return read(cutToLimits(json, report), report);
  };
}

/** Wraps a reader so that it leaves out, after a report, values longer than `most` as JSON. */
export function upTo<T>(most: number, read: Reader<T>): Reader<T> {
  return (json, report) => {
    const value = read(json, report);
    const length = value === null ? 0 : JSON.stringify(value).length;
    if (length <= most) return value;
    report({ at: '', reason: `${length} characters, ${most} at most`, isCut: true });
    return null;
  };
}

/** Parses a value with a schema; null, after a report, where it does not fit. */
export function check<S extends z.ZodType>(schema: S, json: unknown, report: Report): z.output<S> | null {
  const result = schema.safeParse(json);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const path = issue?.path.join('.') ?? '';
  report({ at: '', reason: path === '' ? (issue?.message ?? '') : `${path}: ${issue?.message ?? ''}` });
  return null;
}

/** Keeps the first of the items that share an id. */
export function uniqueById<T extends { id: string }>(items: readonly T[]): T[] {
  const seen = new Set<string>();
  return items.filter(({ id }) => !seen.has(id) && seen.add(id));
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** An id in lower case. Throws a CatalogHttpError where it is malformed, before it costs a request. */
export function checkedId(id: string): string {
  if (isUuid(id)) return id.toLowerCase();
  throw new CatalogHttpError(`"${id.slice(0, 50)}" is no id: ids look like 01234567-89ab-cdef-….`, 400);
}

/** Required: an identifier, in lower case so that equal ones are equal. */
export const uuid = z.string().regex(UUID, 'not a UUID').toLowerCase();

/** Required: a text that is not blank. */
export const title = z.string().regex(/\S/, 'empty');

/**
 * An object of which nothing is required. Schemas name only the required fields: a reader turns an invalid value of any
 * other one into null, because one odd field is no reason to lose an item.
 */
export const optionalFields = z.looseObject({});

/** Reads a text. Absent, null and "" mean the same (a live deployment sends all three). */
export function readText(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

export function readTexts(value: unknown): string[] {
  if (!Array.isArray(value)) return [];
  const isText = (item: unknown): item is string => typeof item === 'string' && item !== '';
  return value.every(isText) ? value : value.filter(isText);
}

export function readFlag(value: unknown): boolean {
  return value === true;
}

export function readFlagOrNull(value: unknown): boolean | null {
  return typeof value === 'boolean' ? value : null;
}

export function readFinite(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

/** A count or an amount of US dollars: never negative. */
export function readAmount(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null;
}

/** 0 to 100. */
export function readPercentage(value: unknown): number | null {
  const percentage = readAmount(value);
  return percentage === null ? null : Math.min(100, percentage);
}

/** A date as `dateTimeMs` reads it: epoch milliseconds. */
export function readDateTime(value: unknown): number | null {
  return typeof value === 'string' ? dateTimeMs(value) : null;
}

/** A duration `[d.]hh:mm:ss[.fffffff]`, such as `00:01:49.3990000`. */
export function readTimeSpan(value: unknown): number | null {
  const match = typeof value === 'string' ? /^(?:(\d+)\.)?(\d{1,2}):(\d\d):(\d\d(?:\.\d+)?)$/.exec(value) : null;
  if (!match) return null;
  const [, days = '0', hours, minutes, seconds] = match;
  return Math.round((((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000);
}

/** The form of most links; these need no parsing. */
const PLAIN_LINK = /^https?:\/\/(?:[a-z0-9-]+\.)+[a-z]+\/[\w./%~+:@!$&=?,;#-]*$/;

/**
 * A link that a browser may open: http or https, without user name or password. null for a relative link: it has no
 * base.
 */
export function readLink(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  if (PLAIN_LINK.test(value)) return value;
  const trimmed = value.trim();
  const absolute = trimmed.startsWith('//') ? `https:${trimmed}` : trimmed;
  if (!/^https?:\/\//i.test(absolute) || !URL.canParse(absolute)) return null;
  const url = new URL(absolute);
  return url.username === '' && url.password === '' ? url.href : null;
}
