import { FIELDS, type Field, fieldOf, fieldsNear, PER_UNIT, UNIT } from './fields.ts';
import { parseFilter } from './parse.ts';
import { type OpenTerm, openTermOf } from './scan.ts';
import type { FilterSubject } from './subject.ts';

/** Values of numbers that people ask for, smallest first. */
const USUAL = {
  dollars: ['10', '20', '25', '50', '75', '100', '200', '250', '500', '1000'],
  percent: ['10', '20', '25', '30', '40', '50', '60', '70', '75', '80', '90'],
  time: ['30m', '1h', '6h', '12h', '24h', '3d', '7d'],
} as const;
const COMPARISONS = ['<', '<=', '>', '>='];
const FLAGS = ['true', 'false'];

/** The fields; last those that take any words, which need no field in most cases. */
const OFFERED = FIELDS.toSorted((a, b) => Number(takesAnyWords(a)) - Number(takesAnyWords(b)));

function takesAnyWords({ takes, isListed }: Field): boolean {
  return takes === 'words' && !isListed;
}

/** The values of a field in the present offers, most frequent first. */
export type KnownValues = (field: Field) => readonly string[];

/**
 * Ways to continue a filter that is being typed: whole filters that begin as it does and go on with the next token, a
 * field, a comparison or a value. Whatever ends in a value can be parsed, if what stands before it can.
 */
export function completionsOf(typed: string, valuesOf: KnownValues): string[] {
  const open = openTermOf(typed);
  if (!open) return [];
  const before = typed.slice(0, open.at);
  const tokens = open.head === '' ? fieldTokens(open.value, before) : valueTokens(open, valuesOf);
  return [...new Set(tokens.map((token) => before + token))].filter((whole) => whole !== typed);
}

/** The beginnings of terms: the field, and the comparison that is most common with it. */
function fieldTokens(typed: string, before: string): string[] {
  const wanted = typed.toLowerCase();
  const begin = OFFERED.filter(({ name }) => name.startsWith(wanted));
  const near = wanted.length > 2 ? fieldsNear(wanted).flatMap((name) => fieldOf(name) ?? []) : [];
  const operators = wanted === '' && before.trim() !== '' && parseFilter(before).ok ? ['OR', '-'] : [];
  return [...(begin.length > 0 ? begin : near).map(headOf), ...operators];
}

/** `price:<` for `price:<50`. */
function headOf({ name, example }: Field): string {
  return /^\w+:[<>=]*/.exec(example)?.[0] ?? `${name}:`;
}

function valueTokens({ head, value }: OpenTerm, valuesOf: KnownValues): string[] {
  const name = head.slice(0, head.indexOf(':'));
  const field = fieldOf(name);
  if (!field) return fieldsNear(name).map((near) => `${near}${head.slice(name.length)}${value}`);
  if (field.usual && head.endsWith(':'))
    return field.usual.filter((usual) => usual.startsWith(value)).map((usual) => head + usual);
  if (field === UNIT) return perUnitTokens(head, value);
  switch (field.takes) {
    case 'dollars':
    case 'percent':
    case 'time': {
      const values = USUAL[field.takes].filter((usual) => usual.startsWith(value));
      if (!head.endsWith(':')) return values.map((usual) => head + usual);
      return [
        ...(value === '' ? COMPARISONS.map((comparison) => head + comparison) : []),
        ...values.map((usual) => `${headOf(field)}${usual}`),
      ];
    }
    case 'flag':
      return FLAGS.filter((flag) => flag.startsWith(value.toLowerCase())).map((flag) => head + flag);
    default:
      return matching(value, field.isListed ? valuesOf(field) : []).flatMap((known) => termWith(head, known) ?? []);
  }
}

/** `unit:<16/TB` for `unit:<16`. */
function perUnitTokens(head: string, value: string): string[] {
  const [, amount] = /^(\d+(?:\.\d{1,4})?)(?:\/|$)/.exec(value) ?? [];
  const values = amount === undefined ? [] : PER_UNIT.map(({ per }) => `${amount}/${per}`);
  return values.filter((whole) => whole.startsWith(value)).map((whole) => head + whole);
}

/** Values that begin with the text, then values that have it inside. */
function matching(typed: string, values: readonly string[]): string[] {
  const wanted = typed.toLowerCase();
  return values
    .filter((value) => value.toLowerCase().includes(wanted))
    .toSorted((a, b) => Number(b.toLowerCase().startsWith(wanted)) - Number(a.toLowerCase().startsWith(wanted)));
}

/**
 * The term with a value of the catalog; null where the language can't write the value.
 * @param head the field and comparison: `category:`
 */
export function termWith(head: string, value: string): string | null {
  const isBare = !/[\s()"“”„]/.test(value);
  const term = isBare ? `${head}${value}` : `${head}"${value}"`;
  return parseFilter(term).ok ? term : null;
}

/** The values of a field in these subjects, most frequent first. Values with characters that nobody sees are left out. */
export function valuesIn(subjects: readonly FilterSubject[], field: Field): string[] {
  const counts = new Map<string, number>();
  for (const subject of subjects) {
    for (const value of shownValues(subject, field)) counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return [...counts]
    .filter(([value]) => value !== '' && !/[\p{Cc}\p{Cf}]/u.test(value))
    .toSorted(([, a], [, b]) => b - a)
    .map(([value]) => value);
}

function shownValues(subject: FilterSubject, field: Field): readonly string[] {
  if (field.takes === 'path') return field.of(subject);
  return field.takes === 'words'
    ? (field
        .of(subject)
        ?.raw.split('\n')
        .map((value) => value.trim()) ?? [])
    : [];
}
