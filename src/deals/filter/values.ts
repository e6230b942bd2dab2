import { RE2JS, RE2JSException } from 're2js';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../shared/time.ts';
import {
  CONDITION_TEXT,
  type Field,
  fieldOf,
  fieldsMeant,
  LOW,
  LOWEST_FOR,
  type NumberField,
  type PathField,
  PER_UNIT,
  SHIPS,
  TEXT,
  UNIT,
  type WordsField,
} from './fields.ts';
import type { FlagTest, NumberTest, PathTest, RegexTest, TermTest, WordsTest } from './filter.ts';
import { FilterMistake, type Place } from './problem.ts';
import type { RawValue } from './scan.ts';
import { isOfCondition, wordsOf } from './subject.ts';

/** A part of a term, as written. */
interface Part extends Place {
  text: string;
}

/** The field and comparison in front of a value. */
export interface TermHead {
  field: Part;
  comparison: Part;
}

/**
 * Parses a term's test; a bare word has no head.
 * @throws {FilterMistake} where the value does not suit the field
 */
export function readTest(head: TermHead | null, value: RawValue): TermTest {
  if (!head) return readText(TEXT, value);
  const field = namedField(head.field);
  if (field === LOW) return readLow(head.comparison, value);
  if (field === UNIT) return readPerUnit(head.comparison, value);
  if (field.takes === 'dollars' || field.takes === 'percent' || field.takes === 'time') {
    return readNumbers(field, head.comparison, value);
  }
  onlyEqual(head.comparison, field);
  if (field === SHIPS) return readPlace(value);
  switch (field.takes) {
    case 'words':
      return readText(field, value);
    case 'path':
      return readPath(field, value);
    case 'flag':
      return readFlag(field, value);
  }
}

function namedField({ text, ...place }: Part): Field {
  const field = fieldOf(text);
  if (field) return field;
  throw new FilterMistake('unknown-field', place, text, fieldsMeant(text));
}

function onlyEqual(comparison: Part, field: Field): void {
  if (comparison.text !== ':' && comparison.text !== ':=') {
    throw new FilterMistake('bad-comparison', comparison, comparison.text, [field.example]);
  }
}

/** The code of a state or territory, as the catalog writes it, or a PO box. */
function readPlace(value: RawValue): WordsTest {
  if (!/^(?:[a-z]{2}|pobox)$/i.test(value.text)) {
    throw new FilterMistake('bad-place', value, value.text, ['HI', 'PR', 'pobox']);
  }
  return { kind: 'words', field: SHIPS, needle: ` ${value.text.toLowerCase()} ` };
}

function readText(field: WordsField, value: RawValue): WordsTest | RegexTest {
  return value.form === 'regex' ? readRegex(field, value) : readWords(field, value);
}

function readWords(field: WordsField, value: RawValue): WordsTest {
  const text = value.form === 'quoted' ? value.text.slice(1, -1).trim() : value.text;
  const isPrefix = text.endsWith('*');
  const start = isPrefix ? text.slice(0, -1) : text;
  const words = wordsOf(start);
  if (start.includes('*') || (isPrefix && !/[\p{L}\p{N}\p{M}]$/u.test(start))) {
    throw new FilterMistake('bad-wildcard', value, value.text, ['head*']);
  }
  if (words.length === 0) throw new FilterMistake('no-words', value, value.text);
  const needle = ` ${words.join(' ')}${isPrefix ? '' : ' '}`;
  return { kind: 'words', field: field === TEXT && isOfCondition(needle) ? CONDITION_TEXT : field, needle };
}

/** RE2 matches in time linear in the text, whatever the expression. */
function readRegex(field: WordsField, value: RawValue): RegexTest {
  const end = value.text.lastIndexOf('/');
  const flags = value.text.slice(end + 1);
  if (flags !== '' && flags !== 'i') {
    throw new FilterMistake('bad-regex-flag', { at: value.at + end + 1, length: flags.length }, flags, ['i']);
  }
  const body = value.text.slice(1, end).replaceAll('\\/', '/');
  try {
    return {
      kind: 'regex',
      field,
      pattern: value.text,
      regex: RE2JS.compile(body, flags ? RE2JS.CASE_INSENSITIVE : 0),
    };
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    throw new FilterMistake('bad-regex', ...wrongPart(value, error));
  }
}

/** The part of an expression that the engine's error names, or the whole where it names none. */
function wrongPart(value: RawValue, error: RE2JSException): [Place, string] {
  const part = 'input' in error && typeof error.input === 'string' ? error.input : '';
  const at = part ? value.text.indexOf(part) : -1;
  return at > 0 ? [{ at: value.at + at, length: part.length }, part] : [value, value.text];
}

function readPath(field: PathField, value: RawValue): PathTest {
  const text = value.form === 'quoted' ? value.text.slice(1, -1) : value.text;
  const path = withoutEnd(text.trim()).toLowerCase();
  if (path === '' || value.form === 'regex' || value.form === 'range' || path.includes('*')) {
    throw new FilterMistake('bad-path', value, value.text, [field.example]);
  }
  return { kind: 'path', field, path };
}

/** Strips trailing slashes and spaces. A loop, because a regular expression would take quadratic time. */
function withoutEnd(path: string): string {
  let end = path.length;
  while (end > 0 && /[\s/]/.test(path.charAt(end - 1))) end -= 1;
  return path.slice(0, end);
}

function readFlag(field: FlagTest['field'], value: RawValue): FlagTest {
  switch (value.text.toLowerCase()) {
    case 'true':
    case 'yes':
      return { kind: 'flag', field, value: true };
    case 'false':
    case 'no':
      return { kind: 'flag', field, value: false };
    default:
      throw new FilterMistake('bad-flag', value, value.text, ['true', 'false']);
  }
}

const EVERYTHING = {
  minimum: Number.NEGATIVE_INFINITY,
  maximum: Number.POSITIVE_INFINITY,
  includesMinimum: true,
  includesMaximum: true,
};

function readNumbers(field: NumberField, comparison: Part, value: RawValue): NumberTest {
  const range = rangeIn(field, value);
  if (range) {
    onlyEqual(comparison, field);
    const { minimum, maximum, includesMinimum, includesMaximum } = range;
    if (minimum > maximum || (minimum === maximum && !(includesMinimum && includesMaximum))) {
      throw new FilterMistake('empty-range', value, value.text);
    }
    return { kind: 'number', field, ...range };
  }
  const number = readNumber(field, value.text, value);
  switch (comparison.text) {
    case ':<':
      return { kind: 'number', field, ...EVERYTHING, maximum: number, includesMaximum: false };
    case ':<=':
      return { kind: 'number', field, ...EVERYTHING, maximum: number };
    case ':>':
      return { kind: 'number', field, ...EVERYTHING, minimum: number, includesMinimum: false };
    case ':>=':
      return { kind: 'number', field, ...EVERYTHING, minimum: number };
    default:
      // A remaining time is never exactly 24 hours, so an equality test would never match.
      if (field.takes === 'time')
        throw new FilterMistake('bad-comparison', comparison, comparison.text, [field.example]);
      return { kind: 'number', field, ...EVERYTHING, minimum: number, maximum: number };
  }
}

/** `ever`, a number of days for which it was not cheaper, or percent above the lowest price. */
function readLow(comparison: Part, value: RawValue): NumberTest {
  const isEqual = comparison.text === ':' || comparison.text === ':=';
  if (isEqual && value.text.toLowerCase() === 'ever') return { kind: 'number', field: LOW, ...EVERYTHING, maximum: 0 };
  if ((isEqual || comparison.text === ':>=') && /^\d{1,4}d$/i.test(value.text)) {
    return { kind: 'number', field: LOWEST_FOR, ...EVERYTHING, minimum: readNumber(LOWEST_FOR, value.text, value) };
  }
  if (isEqual && value.form === 'bare' && !FORMS.percent.form.test(value.text) && !value.text.includes('..')) {
    throw new FilterMistake('bad-low', value, value.text, ['ever', '90d', '<=5%']);
  }
  return readNumbers(LOW, comparison, value);
}

/** Dollars and the unit that they are for: `<16/TB`, `10..16/TB`. */
function readPerUnit(comparison: Part, value: RawValue): NumberTest {
  const { text } = value;
  const slash = text.lastIndexOf('/');
  const field = PER_UNIT.find(({ per }) => per?.toLowerCase() === text.slice(slash + 1).toLowerCase());
  if (!field || slash < 0) throw new FilterMistake('bad-unit', value, text, ['0.25/each', '16/TB', '0.50/oz']);
  return readNumbers(field, comparison, { ...value, text: text.slice(0, slash), length: slash });
}

type Span = Pick<NumberTest, 'minimum' | 'maximum' | 'includesMinimum' | 'includesMaximum'>;

/**
 * Parses `10..20`, `10..`, `..20`, `[10 TO 20]` (inclusive) or `{10 TO 20}` (exclusive); null where the value is no
 * range.
 */
function rangeIn(field: NumberField, { form, text, at }: RawValue): Span | null {
  const ends =
    form === 'range' ? /^([[{])(.*?)(?<!\s)\s+TO\s+(.*?)([\]}])$/is.exec(text) : /^()(.*?)\.\.(.*)()$/s.exec(text);
  if (!ends) {
    if (form === 'range')
      throw new FilterMistake('bad-number', { at, length: text.length }, text, ['[10 TO 20]', '10..20']);
    return null;
  }
  const [, opening = '', low = '', high = '', closing = ''] = ends;
  const place = { at, length: text.length };
  if (low === '' && high === '') throw new FilterMistake('bad-number', place, text, ['10..20']);
  return {
    minimum: low ? readNumber(field, low, place) : EVERYTHING.minimum,
    maximum: high ? readNumber(field, high, place) : EVERYTHING.maximum,
    // An open end has no bound to exclude.
    includesMinimum: low === '' || opening !== '{',
    includesMaximum: high === '' || closing !== '}',
  };
}

/** How each kind of number is written, and the example that an error shows. */
const FORMS = {
  dollars: { form: /^\$?(\d{1,9}(?:\.\d{1,2})?)$/, code: 'bad-number', expected: ['50', '49.99'] },
  perUnit: { form: /^\$?(\d{1,9}(?:\.\d{1,4})?)$/, code: 'bad-number', expected: ['16/TB', '0.05/each'] },
  percent: { form: /^(\d{1,3})%?$/, code: 'bad-number', expected: ['40'] },
  time: { form: /^(\d{1,6}(?:\.\d{1,2})?)([mhd])$/i, code: 'bad-time', expected: ['30m', '24h', '3d'] },
} as const;

const UNITS_MS: Readonly<Record<string, number>> = { m: MINUTE_MS, h: HOUR_MS, d: DAY_MS };

function readNumber(field: NumberField, text: string, place: Place): number {
  const { form, code, expected } = FORMS[field.per ? 'perUnit' : field.takes];
  const [, digits, unit] = form.exec(text) ?? [];
  if (digits === undefined) throw new FilterMistake(code, place, text, expected);
  return unit ? Math.round(Number(digits) * (UNITS_MS[unit.toLowerCase()] ?? 1)) : Number(digits);
}
