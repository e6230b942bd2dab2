import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../shared/time.ts';
import { TEXT } from './fields.ts';
import { type Filter, type FilterNode, isPrefix, type NumberTest, type TermTest } from './filter.ts';
import { wordsOf } from './subject.ts';

/** Writes a filter in its canonical form. Parsing that gives an equal filter. */
export function canonicalOf(node: FilterNode): string {
  switch (node.kind) {
    case 'term':
      return `${node.isNegated ? '-' : ''}${formatTest(node.test)}`;
    case 'all':
      return node.of.map((child) => (child.kind === 'any' ? `(${canonicalOf(child)})` : canonicalOf(child))).join(' ');
    case 'any':
      // AND binds closer than OR: parentheses would only add depth, which is limited.
      return node.of.map(canonicalOf).join(' OR ');
  }
}

/** Lists the parts that a filter joins by AND, each with the filter without it. None where it has one part. @public for features */
export function partsOf({ root }: Filter): { part: string; rest: string }[] {
  if (root.kind !== 'all' || root.of.length < 2) return [];
  return root.of.map((part) => ({
    part: canonicalOf(part),
    rest: canonicalOf({ kind: 'all', of: root.of.filter((other) => other !== part) }),
  }));
}

function formatTest(test: TermTest): string {
  const head = test.field.name === TEXT.name ? '' : `${test.field.name}:`;
  switch (test.kind) {
    case 'words': {
      const words = test.needle.trim();
      return `${head}${quoteWhereNeeded(isPrefix(test) ? `${words}*` : words)}`;
    }
    case 'regex':
      return `${head}${test.pattern}`;
    case 'path':
      // After "=", a leading comparison sign belongs to the path.
      if (!BARE_PATH.test(test.path)) return `${head}"${test.path}"`;
      return `${head}${/^[<>=]/.test(test.path) ? '=' : ''}${test.path}`;
    case 'flag':
      return `${head}${test.value}`;
    case 'number':
      return `${head}${formatSpan(test)}${test.field.per ? `/${test.field.per}` : ''}`;
  }
}

/** A path that can't be read as another form of value. */
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

/** Units of time in milliseconds, smallest first. */
const UNITS = [
  ['m', MINUTE_MS],
  ['h', HOUR_MS],
  ['d', DAY_MS],
] as const;
/** The parser refuses more digits. */
const MOST_UNITS = 999_999;

/**
 * Formats a number in filter notation: time in the largest unit that leaves no fraction, or else the smallest whose
 * number is not too long.
 */
function formatAmount(takes: NumberTest['field']['takes'], amount: number): string {
  if (takes !== 'time' || !Number.isFinite(amount)) return String(amount);
  const whole = UNITS.findLast(([, ms]) => amount % ms === 0 && amount / ms <= MOST_UNITS);
  const [name, ms] = whole ?? UNITS.find(([, unitMs]) => amount / unitMs < MOST_UNITS + 1) ?? UNITS[2];
  return `${Number((amount / ms).toFixed(2))}${name}`;
}

/** The simple filter options of a command. */
export interface FilterOptions {
  /** Required words, or excluded ones with a leading `-`; prefixes with `*`, phrases in quotes. */
  words?: string | null;
  /** The highest accepted price in US dollars, inclusive. */
  maxPrice?: number | null;
  /** The lowest accepted discount in percent, inclusive. */
  minDiscount?: number | null;
}

/**
 * Writes the options in the filter language; empty where none is set. The result parses unless it is too long or too
 * complex.
 */
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
