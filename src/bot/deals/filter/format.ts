import { TEXT } from './fields.ts';
import type { FilterNode, NumberTest, TermTest } from './filter.ts';
import { wordsOf } from './text.ts';

/** The one way to write what a filter means. Reading it again gives the same. */
export function canonicalOf(node: FilterNode): string {
  switch (node.kind) {
    case 'term':
      return `${node.term.isNegated ? '-' : ''}${formatTest(node.term)}`;
    case 'all':
      return node.of.map((child) => (child.kind === 'any' ? `(${canonicalOf(child)})` : canonicalOf(child))).join(' ');
    case 'any':
      // AND binds closer: parentheses would only make it deeper than what may be written.
      return node.of.map(canonicalOf).join(' OR ');
  }
}

function formatTest(test: TermTest): string {
  const head = test.field === TEXT ? '' : `${test.field.name}:`;
  switch (test.kind) {
    case 'words':
      return `${head}${quoteWhereNeeded(`${test.words.join(' ')}${test.isPrefix ? '*' : ''}`)}`;
    case 'regex':
      return `${head}${test.pattern}`;
    case 'path':
      // After "=", a sign of comparison is the path's own.
      if (!BARE_PATH.test(test.path)) return `${head}"${test.path}"`;
      return `${head}${/^[<>=]/.test(test.path) ? '=' : ''}${test.path}`;
    case 'flag':
      return `${head}${test.value}`;
    case 'number':
      return `${head}${formatSpan(test)}`;
  }
}

/** One that reads as no other form of value. */
const BARE_PATH = /^[^\s()"“”„[{/][^\s()]*$/;

function quoteWhereNeeded(words: string): string {
  return /\s|^(and|or|not)$/.test(words) ? `"${words}"` : words;
}

function formatSpan(test: NumberTest): string {
  const { field, minimum, maximum, includesMinimum, includesMaximum } = test;
  const [low, high] = [minimum, maximum].map((end) => formatAmount(field.takes, end));
  if (minimum === maximum && field.takes !== 'time') return `${low}`;
  if (minimum === Number.NEGATIVE_INFINITY) return `${includesMaximum ? '<=' : '<'}${high}`;
  if (maximum === Number.POSITIVE_INFINITY) return `${includesMinimum ? '>=' : '>'}${low}`;
  if (includesMinimum && includesMaximum) return `${low}..${high}`;
  return `${includesMinimum ? '[' : '{'}${low} TO ${high}${includesMaximum ? ']' : '}'}`;
}

/** Smallest first, in milliseconds. */
const UNITS = [
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
] as const;
/** More digits are refused. */
const MOST_UNITS = 999_999;

/** A number as a filter writes it: time in the largest unit that leaves no fraction, or the smallest that has room for it. */
function formatAmount(takes: NumberTest['field']['takes'], amount: number): string {
  if (takes !== 'time' || !Number.isFinite(amount)) return String(amount);
  const whole = UNITS.findLast(([, ms]) => amount % ms === 0 && amount / ms <= MOST_UNITS);
  const [name, ms] = whole ?? UNITS.find(([, unitMs]) => amount / unitMs < MOST_UNITS + 1) ?? UNITS[2];
  return `${Number((amount / ms).toFixed(2))}${name}`;
}

/** A filter in its simple form. */
export interface FilterOptions {
  /** What has to be there, or with `-` before it must not: words, prefixes with `*`, phrases in quotes. */
  words?: string | null;
  /** US dollars, the last that is taken. */
  maxPrice?: number | null;
  /** Percent, the first that is taken. */
  minDiscount?: number | null;
}

/** The same in the filter language, empty where nothing is asked. What can be wrong with it is only its size. */
export function filterFromOptions({ words, maxPrice, minDiscount }: FilterOptions): string {
  const terms = [...(words ?? '').matchAll(/(-?)(?:["“”„]([^"“”„]*)["“”„]|(\S+))/g)].map(
    ([, sign = '', phrase = '', word = '']) => {
      const folded = wordsOf(phrase || word).join(' ');
      return folded && `${sign}${quoteWhereNeeded(`${folded}${/[^*]\*$/.test(phrase || word) ? '*' : ''}`)}`;
    },
  );
  if (typeof maxPrice === 'number') terms.push(`price:<=${Number(clamp(maxPrice, 1e9 - 1).toFixed(2))}`);
  if (typeof minDiscount === 'number') terms.push(`off:>=${Math.ceil(clamp(minDiscount, 100))}`);
  return terms.filter(Boolean).join(' ');
}

function clamp(amount: number, most: number): number {
  return Math.min(Math.max(amount, 0), most);
}
