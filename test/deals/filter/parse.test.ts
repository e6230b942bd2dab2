import fc from 'fast-check';
import { expect, test } from 'vitest';
import { filterFromOptions, parseFilter, pointAt } from '../../../src/deals/filter/index.ts';

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
  ['a b OR c', '(a b) OR c'],
  ['a OR b c', 'a OR (b c)'],
  ['a or b and not c', 'a OR (b -c)'],
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
  fc.string({ unit: 'binary', maxLength: 60 }),
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
