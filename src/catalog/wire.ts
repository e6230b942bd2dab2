import { setImmediate as nextTurn } from 'node:timers/promises';
import { z } from 'zod';
import { dateTimeMs } from '../deals/date-time.ts';
import type { Demand } from './demand.ts';
import { CatalogSchemaError } from './errors.ts';
import { toSpecification } from './spellings.ts';

/** Why an item, or a part of one, was left out. Holds no text of the catalog's. */
export interface Problem {
  /** Where: `3`, `3.Offers.0`. */
  at: string;
  reason: string;
}

export interface Parsed<T> {
  value: T;
  problems: Problem[];
}

export type Report = (problem: Problem) => void;

/** Reads one thing off the wire; null, after a report, where it is malformed. */
export type Reader<T> = (json: unknown, report: Report) => T | null;

/** Reads every item; a malformed one is reported and left out, the rest goes on. What is no list is an empty one. */
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
): void {
  let index = from;
  const reportItem: Report = ({ at, reason }) => {
    report({ at: [field, index, at].filter((part) => part !== '').join('.'), reason });
  };
  for (; index < to; index += 1) {
    const value = read(json[index], reportItem);
    if (value !== null) items.push(value);
  }
}

/** Reads an answer that is a list, in the specification's spelling or another. Throws a CatalogSchemaError where it is none. */
export function parseList<T>(json: unknown, what: string, read: Reader<T>): Parsed<T[]> {
  if (!Array.isArray(json)) throw new CatalogSchemaError(`The catalog's answer is no list of ${what}.`);
  const problems: Problem[] = [];
  return { value: readList(json, '', spelt(read), (problem) => problems.push(problem)), problems };
}

/** Items that are read at a stretch: for a feed's, about a millisecond. */
const SLICE = 250;

/**
 * Reads a list of which thousands may come: everybody else gets a turn between slices of it. A short one is read at
 * once. Throws what the demand ends with, all or nothing.
 */
export async function parseLongList<T>(
  json: readonly unknown[],
  read: Reader<T>,
  demand: Pick<Demand, 'throwIfEnded'>,
): Promise<Parsed<T[]>> {
  const problems: Problem[] = [];
  const value: T[] = [];
  for (let from = 0; from < json.length; from += SLICE) {
    // Before the first one, too: its text has just been parsed.
    if (json.length > SLICE) await nextTurn();
    demand.throwIfEnded();
    const slice = { from, to: Math.min(json.length, from + SLICE) };
    readSlice(json, slice, '', spelt(read), (problem) => problems.push(problem), value);
  }
  return { value, problems };
}

/** Reads an answer that is one thing, spelt either way. Throws a CatalogSchemaError where that is malformed. */
export function parseOne<T>(json: unknown, what: string, read: Reader<T>): Parsed<T> {
  const problems: Problem[] = [];
  const value = spelt(read)(json, (problem) => problems.push(problem));
  if (value === null) {
    const [first] = problems;
    throw new CatalogSchemaError(`The catalog's answer is no ${what}: ${first?.reason ?? 'it is malformed'}.`);
  }
  return { value, problems };
}

/** A reader that knows other spellings, too. */
function spelt<T>(read: Reader<T>): Reader<T> {
  return (json, report) => {
    toSpecification(json);
    return read(json, report);
  };
}

/** What a schema makes of a value; null, after a report, where it does not fit. */
export function check<S extends z.ZodType>(schema: S, json: unknown, report: Report): z.output<S> | null {
  const result = schema.safeParse(json);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const path = issue?.path.join('.') ?? '';
  report({ at: '', reason: path === '' ? (issue?.message ?? '') : `${path}: ${issue?.message ?? ''}` });
  return null;
}

/** The first of those that share an id. */
export function uniqueById<T extends { id: string }>(items: readonly T[]): T[] {
  const seen = new Set<string>();
  return items.filter(({ id }) => !seen.has(id) && seen.add(id));
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** Required: an identifier, in lower case so that equal ones are equal. */
export const uuid = z.string().regex(UUID, 'not a UUID').toLowerCase();

/** Required: a text with something in it. */
export const title = z.string().regex(/\S/, 'empty');

/**
 * Optional: anything, absence included. What a mapper's readers can't make sense of becomes null: one odd field is no
 * reason to lose an item.
 */
export const anything = z.unknown().optional();

/** Absent, null and "" have one meaning (a live deployment sends all three). */
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

/** `[d.]hh:mm:ss[.fffffff]`, seen as `00:01:49.3990000`. */
export function readTimeSpan(value: unknown): number | null {
  const match = typeof value === 'string' ? /^(?:(\d+)\.)?(\d{1,2}):(\d\d):(\d\d(?:\.\d+)?)$/.exec(value) : null;
  if (!match) return null;
  const [, days = '0', hours, minutes, seconds] = match;
  return Math.round((((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000);
}

/** What most links look like; they need no parsing. */
const PLAIN_LINK = /^https?:\/\/(?:[a-z0-9-]+\.)+[a-z]+\/[\w./%~+:@!$&=?,;#-]*$/;

/** A link that a browser may follow: http or https, without a name or password. Relative ones have nothing to refer to. */
export function readLink(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  if (PLAIN_LINK.test(value)) return value;
  const trimmed = value.trim();
  const absolute = trimmed.startsWith('//') ? `https:${trimmed}` : trimmed;
  if (!/^https?:\/\//i.test(absolute) || !URL.canParse(absolute)) return null;
  const url = new URL(absolute);
  return url.username === '' && url.password === '' ? url.href : null;
}
