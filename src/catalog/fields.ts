import { dateTimeMs } from '../deals/date-time.ts';
import { withFewMarks } from '../shared/combining-marks.ts';
import { decodeEntities } from '../shared/entities.ts';

/** Notes a field that could not be read, by its name in the value that is read. */
export type Unread = (field: string) => void;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** An identifier, in lower case so that equal ones are equal. Always required, so that there is nothing to note. */
export function readUuid(value: unknown): string | null {
  return typeof value === 'string' && isUuid(value) ? value.toLowerCase() : null;
}

/** A short text with something to see in it. Always required, so that there is nothing to note. */
export function readTitle(value: unknown): string | null {
  const text = typeof value === 'string' ? readableText(value) : '';
  return /[^\s\p{C}]/u.test(text) ? text : null;
}

// Readers of the optional fields of a value. A field is a value, none, or unreadable; unreadable ones are noted, and
// read as none, because one odd field is no reason to lose an item. Absent, null and "" are none (a live deployment sends
// all three).

export function isNone(value: unknown): value is undefined | null | '' {
  return value === undefined || value === null || value === '';
}

/** A text as it is, which may be HTML. */
export function readHtml(value: unknown, field: string, unread: Unread): string | null {
  if (typeof value === 'string') return value === '' ? null : value;
  if (!isNone(value)) unread(field);
  return null;
}

/** A short text, with the characters that its entities stand for. */
export function readText(value: unknown, field: string, unread: Unread): string | null {
  const text = readHtml(value, field, unread);
  return text === null ? null : readableText(text);
}

/** The short texts of a list, without empty ones. */
export function readTexts(value: unknown, field: string, unread: Unread): string[] {
  if (Array.isArray(value)) {
    if (!value.every((item) => typeof item === 'string')) unread(field);
    return value.filter(isText).map(readableText);
  }
  if (!isNone(value)) unread(field);
  return [];
}

/** A short text as people read it. */
export function readableText(text: string): string {
  return withFewMarks(decodeEntities(text));
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/** A flag; absent means false. */
export function readFlag(value: unknown, field: string, unread: Unread): boolean {
  if (typeof value === 'boolean') return value;
  if (value !== undefined) unread(field);
  return false;
}

export function readFlagOrNull(value: unknown, field: string, unread: Unread): boolean | null {
  if (typeof value === 'boolean') return value;
  if (!isNone(value)) unread(field);
  return null;
}

/** A count or an amount: never negative. */
export function readAmount(value: unknown, field: string, unread: Unread): number | null {
  const amount = readFinite(value, field, unread);
  if (amount === null || amount >= 0) return amount;
  unread(field);
  return null;
}

export function readFinite(value: unknown, field: string, unread: Unread): number | null {
  if (isNone(value)) return null;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  unread(field);
  return null;
}

/** 0 to 100. */
export function readPercentage(value: unknown, field: string, unread: Unread): number | null {
  const percentage = readAmount(value, field, unread);
  return percentage === null ? null : Math.min(100, percentage);
}

/** The dates of a catalog that exists: one outside of them is a mistake, or stands for something else. */
const EARLIEST_MS = Date.UTC(1995, 0);
const LATEST_MS = Date.UTC(2100, 0);

/** A date as `dateTimeMs` reads it: epoch milliseconds. */
export function readDateTime(value: unknown, field: string, unread: Unread): number | null {
  if (isNone(value)) return null;
  const epochMs = typeof value === 'string' ? dateTimeMs(value) : null;
  if (epochMs !== null && epochMs >= EARLIEST_MS && epochMs < LATEST_MS) return epochMs;
  unread(field);
  return null;
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

/** A link that a browser may open. */
export function readLink(value: unknown, field: string, unread: Unread): string | null {
  if (isNone(value)) return null;
  const link = typeof value === 'string' ? linkIn(value) : null;
  if (link === null) unread(field);
  return link;
}

/** An http or https link without user name or password; null where the text is none. A relative link has no base. */
function linkIn(text: string): string | null {
  if (PLAIN_LINK.test(text)) return text;
  const trimmed = text.trim();
  const absolute = trimmed.startsWith('//') ? `https:${trimmed}` : trimmed;
  if (!/^https?:\/\//i.test(absolute) || !URL.canParse(absolute)) return null;
  const url = new URL(absolute);
  return url.username === '' && url.password === '' ? url.href : null;
}
