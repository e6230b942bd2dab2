import { isDeepStrictEqual } from 'node:util';
import type { FieldRules } from './belief.ts';
import { contentName } from './content-name.ts';
import { dateTimeMs } from './date-time.ts';

/** An exchange between two characters. The specification lists no fields, so the object is kept as received. */
export interface Monkeychat {
  raw: Record<string, unknown>;
}

/** Fields that identify an exchange, ids first, then links: all other fields may change. */
const NAMING = [/^(\w*id|key)$/i, /url$/i, /^(title|name|subject)$/i, /date$/i];

/** Identifies an exchange by a hash of its first identifying field: 16 characters of base64url. */
export function monkeychatSubject({ raw }: Monkeychat): string {
  for (const name of NAMING) {
    const found = namedBy(name, raw);
    if (found.length > 0) return contentName(JSON.stringify(found.toSorted(([a], [b]) => (a < b ? -1 : 1))));
  }
  return contentName(JSON.stringify(raw));
}

function namedBy(name: RegExp, raw: Monkeychat['raw']): [string, unknown][] {
  return Object.entries(raw).filter(([key, value]) => name.test(key) && isIdentifying(value));
}

/** Whether two answers may mean the same exchange although a field that identifies it differs: another such field is equal. */
export function mayBeSameMonkeychat(one: Monkeychat, other: Monkeychat): boolean {
  return comparedByName(one, other).includes(true);
}

/** Whether an exchange that shares such a field is another one: the first of those that both have differs. */
export function isOtherMonkeychat(was: Monkeychat, is: Monkeychat): boolean {
  return comparedByName(was, is)[0] === false;
}

/** For each kind of identifying field that both exchanges have, whether the fields are equal. */
function comparedByName(one: Monkeychat, other: Monkeychat): boolean[] {
  return NAMING.flatMap((name) => {
    const both = namedBy(name, one.raw).filter(([key]) => isIdentifying(other.raw[key]));
    return both.length > 0 ? [both.every(([key, value]) => other.raw[key] === value)] : [];
  });
}

/** What is believed of an exchange: only a change of what people see of it counts. */
export const MONKEYCHAT_RULES: FieldRules<Monkeychat> = {
  raw: {
    isSame: (one, other) => isDeepStrictEqual(monkeychatParts({ raw: one }), monkeychatParts({ raw: other })),
    isBelievedAtOnce: () => false,
  },
};

function isIdentifying(value: unknown): boolean {
  return (typeof value === 'string' && value !== '') || typeof value === 'number';
}

/** The displayable parts of a monkeychat; a part that is missing or has an unexpected form is null. */
export interface MonkeychatParts {
  title: string | null;
  /** May be HTML. */
  text: string | null;
  site: string | null;
  url: string | null;
  photo: string | null;
  startDateMs: number | null;
  /** The dialogue in order. */
  lines: { character: string | null; text: string }[];
}

const NAMES = {
  title: ['title', 'name', 'subject'],
  text: ['text', 'body', 'content', 'description'],
  url: ['url', 'discussionurl', 'link'],
  photo: ['photo', 'image', 'picture', 'thumbnail'],
  lines: ['lines', 'messages', 'exchanges', 'chat'],
  character: ['character', 'name', 'speaker', 'from'],
  start: ['startdate', 'date', 'postedon'],
} as const;

/** Extracts the parts of a monkeychat, by the field names that the catalog uses elsewhere. */
export function monkeychatParts({ raw }: Monkeychat): MonkeychatParts {
  const start = textAt(raw, NAMES.start);
  return {
    title: textAt(raw, NAMES.title),
    text: textAt(raw, NAMES.text),
    site: textAt(raw, ['site']),
    url: textAt(raw, NAMES.url),
    photo: textAt(raw, NAMES.photo) ?? textAt(recordOf(valueAt(raw, NAMES.photo)), NAMES.url),
    startDateMs: start === null ? null : dateTimeMs(start),
    lines: listOf(valueAt(raw, NAMES.lines)).flatMap((line) => {
      const text = typeof line === 'string' ? line : textAt(recordOf(line), NAMES.text);
      return text === null ? [] : [{ character: textAt(recordOf(line), NAMES.character), text }];
    }),
  };
}

function valueAt(raw: Record<string, unknown>, names: readonly string[]): unknown {
  const entries = Object.entries(raw).map(([name, value]): [string, unknown] => [name.toLowerCase(), value]);
  const found = names.flatMap((name) => entries.filter(([key, value]) => key === name && value !== null));
  return found[0]?.[1];
}

function textAt(raw: Record<string, unknown>, names: readonly string[]): string | null {
  const found = valueAt(raw, names);
  return typeof found === 'string' && found.trim() !== '' ? found : null;
}

function recordOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
