import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type FilterNode, filterFromOptions, parseFilter, pointAt } from '../../../src/deals/filter/index.ts';
import { anyCharacter } from '../../helpers/any-character.ts';

function canonical(text: string): string {
  const parsed = parseFilter(text);
  if (!parsed.ok) throw new Error(parsed.problem.code);
  return parsed.filter.canonical;
}

function problemOf(text: string) {
  const parsed = parseFilter(text);
  if (parsed.ok) throw new Error(`"${text}" was taken as ${parsed.filter.canonical}`);
  return parsed.problem;
}

test.each([
  ['', ''],
  ['  \n ', ''],
  [
    'ssd -refurb price:<50 off:>=40 condition:new category:PC/Laptops ends:<24h featured:true',
    'ssd -refurb price:<50 off:>=40 condition:new category:pc/laptops ends:<1d featured:true',
  ],
  ['SSD', 'ssd'],
  ['text:ssd', 'ssd'],
  ['TITLE:Éclair', 'title:eclair'],
  ['1TB-SSD', '"1tb ssd"'],
  ['wire* "head* "', 'wire* head*'],
  ['"gaming lap*"', '"gaming lap*"'],
  ['“big tv” „klein”', '"big tv" klein'],
  ['"or" "ON"', '"or" on'],
  ['/a\\/b [c]/i', '/a\\/b [c]/i'],
  ['/a/ /b/', '/a/ /b/'],
  ['a b OR c', 'a b OR c'],
  ['a OR b c', 'a OR b c'],
  ['a or b and not c', 'a OR b -c'],
  ['(a OR (b c)) d', '(a OR b c) d'],
  ['(a OR b) c', '(a OR b) c'],
  ['(a (b (c)))', 'a b c'],
  ['a OR(b OR c)', 'a OR b OR c'],
  ['-(a b)', '-a OR -b'],
  ['NOT (a OR -b)', '-a b'],
  ['- a', '-a'],
  ['price:$49.99', 'price:49.99'],
  ['price:=5', 'price:5'],
  ['price:10..20', 'price:10..20'],
  ['price:[10 to 20]', 'price:10..20'],
  ['price:{10 TO 20]', 'price:{10 TO 20]'],
  ['price:..20 list:20..', 'price:<=20 list:>=20'],
  ['off:>40%', 'off:>40'],
  ['ends:>90m ends:1.5h..3d', 'ends:>90m ends:90m..3d'],
  ['ends:5h..5h', 'ends:5h..5h'],
  ['category:"Home/Bed & Bath/"', 'category:"home/bed & bath"'],
  ['mobile:no partner:YES soldout:false', 'mobile:false partner:true soldout:false'],
])('%j means %j', (text, meaning) => {
  expect(canonical(text)).toBe(meaning);
  expect(canonical(meaning)).toBe(meaning);
});

test.each([
  ['price:<abc', 'bad-number', 'abc', ['50', '49.99']],
  ['price:<49,99', 'bad-number', '49,99', ['50', '49.99']],
  ['price:-5', 'bad-number', '-5', ['50', '49.99']],
  ['price:..', 'bad-number', '..', ['10..20']],
  ['price:<10..20', 'bad-comparison', ':<', ['price:<50']],
  ['price:[10 20]', 'bad-number', '[10 20]', ['[10 TO 20]', '10..20']],
  ['price:[10', 'unclosed-range', '[10', ['10..20']],
  ['price:20..10', 'empty-range', '20..10', []],
  ['price:{5 TO 5]', 'empty-range', '{5 TO 5]', []],
  ['a price: <50', 'missing-value', 'price:', []],
  ['ssd pirce:<50', 'unknown-field', 'pirce', ['price']],
  ['cat:PC', 'unknown-field', 'cat', ['category']],
  ['ends:<24', 'bad-time', '24', ['30m', '24h', '3d']],
  ['ends:24h', 'bad-comparison', ':', ['ends:<24h']],
  ['title:>a', 'bad-comparison', ':>', ['title:"gaming laptop"']],
  ['featured:maybe', 'bad-flag', 'maybe', ['true', 'false']],
  ['category:PC/*', 'bad-path', 'PC/*', ['category:PC/Laptops']],
  ['ph*ne', 'bad-wildcard', 'ph*ne', ['head*']],
  ['a *', 'bad-wildcard', '*', ['head*']],
  ['a !!!', 'no-words', '!!!', []],
  ['a "b', 'unclosed-quote', '"b', ['"']],
  ['a /b', 'unclosed-regex', '/b', ['/']],
  ['/b/g', 'bad-regex-flag', 'g', ['i']],
  ['/(?=b)/', 'bad-regex', '(?=', []],
  ['/(b)\\1/', 'bad-regex', '\\1', []],
  ['/b/ /c{900}c{900}/', 'regex-too-large', '/c{900}c{900}/', []],
  ['"a"b', 'missing-space', 'b', [' ']],
  ['(a', 'unclosed-parenthesis', '(', [')']],
  ['a)', 'unexpected', ')', []],
  ['a ()', 'unexpected', ')', []],
  ['a OR AND b', 'unexpected', 'AND', []],
  ['or a', 'unexpected', 'or', []],
  ['NOT -a', 'unexpected', '-', []],
])('%j is answered with %s at %j', (text, code, found, expected) => {
  const problem = problemOf(text);
  expect(problem).toMatchObject({ code, found, expected });
  expect(text.slice(problem.at, problem.at + problem.length)).toBe(
    found === '[10' ? '[' : found.slice(0, problem.length),
  );
});

test('a filter that ends too early is answered with its end', () => {
  expect(problemOf('a OR ')).toMatchObject({ code: 'unexpected-end', at: 5 });
});

test('a mistake is shown with its place under it', () => {
  const text = 'ssd price:<abc off:>=40';
  expect(pointAt(text, problemOf(text))).toBe('ssd price:<abc off:>=40\n           ^^^');
});

test('of a long filter the part around the mistake is shown', () => {
  const text = `${'word '.repeat(20)}price:<abc ${'word '.repeat(20)}`;
  const [line = '', carets = ''] = pointAt(text, problemOf(text)).split('\n');
  expect(line.slice(carets.indexOf('^'), carets.lastIndexOf('^') + 1)).toBe('abc');
  expect(line).toMatch(/^….{63}…$/);
});

test.each([
  ['ten thousand terms', 'ssd '.repeat(10_000), 'too-long'],
  ['too many terms', 'a '.repeat(101), 'too-many-terms'],
  ['groups that are nested too deep', `${'('.repeat(11)}a${')'.repeat(11)}`, 'too-deep'],
])('%s are refused', (_, text, code) => {
  expect(problemOf(text).code).toBe(code);
});

test('groups within groups, side by side, take no time that grows without bound', () => {
  expect(canonical('((a) (b)) '.repeat(50))).toBe('a b '.repeat(50).trim());
});

const piece = fc.constantFrom(
  'a',
  'b*',
  '"c d"',
  '/e+/i',
  '-',
  '(',
  ')',
  'AND',
  'or',
  'NOT',
  ' ',
  ':',
  '"',
  '/',
  '[',
  '..',
  '*',
  'price:',
  '<',
  '>=',
  '5',
  'ends:',
  '2h',
  'off:',
  'category:',
  'PC/Laptops',
  'featured:',
  'true',
  'nofield:',
);
const written = fc.oneof(
  fc.string({ maxLength: 60 }),
  fc.string({ unit: anyCharacter, maxLength: 60 }),
  fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join('')),
  fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(' ')),
);

test('whatever is written is either taken, in one canonical form, or answered with a place in it', () => {
  fc.assert(
    fc.property(written, (text) => {
      const parsed = parseFilter(text);
      if (parsed.ok) {
        expect(canonical(parsed.filter.canonical)).toBe(parsed.filter.canonical);
      } else {
        const { at, length } = parsed.problem;
        expect(at).toBeGreaterThanOrEqual(0);
        expect(at).toBeLessThanOrEqual(text.length);
        expect(length).toBeGreaterThan(0);
        expect(pointAt(text, parsed.problem).split('\n')).toHaveLength(2);
      }
    }),
    { numRuns: 2_000 },
  );
});

/** The conditions of a filter, without their places and spelling. */
function meaningOf(node: FilterNode): unknown {
  if (node.kind !== 'term') return { kind: node.kind, of: node.of.map(meaningOf) };
  const { isNegated, test } = node;
  return { isNegated, test: test.kind === 'regex' ? { ...test, regex: test.regex.pattern() } : test };
}

function rootOf(text: string): FilterNode {
  const parsed = parseFilter(text);
  if (!parsed.ok) throw new Error(`${JSON.stringify(text)} was refused: ${parsed.problem.code}`);
  return parsed.filter.root;
}

/** A filter is refused when it is longer, and what it means may take more characters than it was written with. */
const MOST_CHARACTERS = 1_000;

/** Whether what a filter means reads back as the same; `null` for one that is refused. */
function readsBack(text: string): boolean | null {
  const parsed = parseFilter(text);
  if (!parsed.ok || parsed.filter.canonical.length > MOST_CHARACTERS) return null;
  const { canonical: meaning, root } = parsed.filter;
  expect(meaningOf(rootOf(meaning)), `${JSON.stringify(text)} as ${JSON.stringify(meaning)}`).toEqual(meaningOf(root));
  expect(canonical(meaning)).toBe(meaning);
  return true;
}

test.each([
  'category:"<x"',
  'category:"=x"',
  'category:==”',
  'category:=<”x',
  'category:">= x"',
  'category:"PC /"',
  'category:"PC / / "',
  'category:"/PC"',
  'category:"[x"',
  'category:PC"x',
  'category:"and"',
  'ends:<999999.99d',
  'ends:>999999.5h',
  'ends:0.01d..999999d',
  'ends:1h..60m',
  'price:{5 TO }',
  'price:{ TO 5}',
  'price:[5 TO 5]',
  'price:0..0.01',
  'or* "not" -"and"',
  '/a b\\/(c)\\\\/i -title:/[\\/]"x"/',
  'ΟΔΟΣ "ΑΣ β*" İX ẞ',
  `${'x (a b OR '.repeat(10)}c${')'.repeat(10)}`,
  `${'x OR (a '.repeat(10)}c${')'.repeat(10)}`,
])('what %s means reads back', (text) => {
  expect(readsBack(text)).toBe(true);
});

const anyText = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 12 }),
  fc.string({ unit: fc.constantFrom(...Array.from('aZ é<>=:-/\\\\"“”„()[]{}*.%$5ΣİAND ')), maxLength: 12 }),
);
const digits = fc.oneof(fc.nat(999_999), fc.constantFrom(0, 1, 100, 999_999));
const cents = fc.tuple(digits, fc.nat(99)).map(([whole, part]) => `${whole}.${part}`);
const amounts = {
  price: fc.oneof(digits.map(String), cents),
  off: fc.nat(999).map(String),
  ends: fc.tuple(fc.oneof(digits.map(String), cents), fc.constantFrom('m', 'h', 'd')).map((parts) => parts.join('')),
};
const numberTerm = fc.constantFrom('price' as const, 'off' as const, 'ends' as const).chain((field) => {
  const amount = amounts[field];
  return fc.oneof(
    fc.tuple(fc.constantFrom('<', '<=', '>', '>=', ''), amount).map(([sign, end]) => `${field}:${sign}${end}`),
    fc.tuple(amount, amount).map(([low, high]) => `${field}:${low}..${high}`),
    amount.chain((end) => fc.constantFrom(`${field}:${end}..`, `${field}:..${end}`)),
    fc
      .tuple(
        fc.constantFrom('[', '{'),
        fc.option(amount, { nil: '' }),
        fc.option(amount, { nil: '' }),
        fc.constantFrom(']', '}'),
      )
      .map(([open, low, high, close]) => `${field}:${open}${low} TO ${high}${close}`),
  );
});
const anyTerm = fc.oneof(
  numberTerm,
  anyText.map((text) => `category:"${text}"`),
  anyText.map((text) => `category:${text}`),
  fc
    .tuple(fc.constantFrom('', 'title:', 'text:', 'site:', 'CONDITION:'), anyText)
    .chain(([head, text]) =>
      fc.constantFrom(
        `${head}${text}`,
        `${head}"${text}"`,
        `${head}"${text}*"`,
        `${head}/${text}/`,
        `${head}/${text}/i`,
      ),
    ),
  fc.constantFrom('featured:YES', 'soldout:no'),
);
const { anyFilter } = fc.letrec<{ anyFilter: string; part: string }>((tie) => ({
  anyFilter: fc
    .array(fc.tuple(fc.constantFrom(' ', ' OR ', ' AND ', ' or '), fc.constantFrom('', '-', 'NOT '), tie('part')), {
      minLength: 1,
      maxLength: 3,
      depthIdentifier: 'anyFilter',
    })
    .map((parts) => parts.map(([join, not, inner], index) => `${index > 0 ? join : ''}${not}${inner}`).join('')),
  part: fc.oneof(
    { depthIdentifier: 'anyFilter', maxDepth: 10 },
    { weight: 3, arbitrary: anyTerm },
    { weight: 2, arbitrary: tie('anyFilter').map((inner) => `(${inner})`) },
  ),
}));

test('what any filter means reads back, whatever it holds and however deep', () => {
  let taken = 0;
  fc.assert(
    fc.property(fc.oneof(anyTerm, anyFilter), (text) => {
      if (readsBack(text)) taken += 1;
    }),
    { numRuns: 3_000 },
  );
  expect(taken).toBeGreaterThan(500);
});

test.each([
  [{}, ''],
  [{ words: null, maxPrice: null, minDiscount: null }, ''],
  [{ words: 'SSD -refurb* "open box" -"used, as is" C++ !!! or' }, 'ssd -refurb* "open box" -"used as is" c "or"'],
  [{ words: '1TB-SSD', maxPrice: 49.99, minDiscount: 40 }, '"1tb ssd" price:<=49.99 off:>=40'],
  [{ maxPrice: 0 }, 'price:<=0'],
])('the simple options %j write %j', (options, text) => {
  expect(filterFromOptions(options)).toBe(text);
  expect(canonical(text)).toBe(text);
});

test('whatever the simple options hold, they write a filter that can be read', () => {
  const options = fc.record({
    words: written,
    maxPrice: fc.option(fc.double({ noNaN: true })),
    minDiscount: fc.option(fc.double({ noNaN: true })),
  });
  fc.assert(
    fc.property(options, (some) => {
      expect(parseFilter(filterFromOptions(some))).toMatchObject({ ok: true });
    }),
  );
});
