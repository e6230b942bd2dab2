import fc from 'fast-check';
import { expect, test } from 'vitest';
import { evaluate, parseFilter, parseTyped, subjectOfOffer } from '../../../src/deals/filter/index.ts';
import { anOffer } from '../../helpers/things.ts';

test.each<[text: string, code: string, found: string, expected: string[]]>([
  ['ssd price<', 'stray-comparison', 'price<', ['price:<50']],
  ['price<abc', 'stray-comparison', 'price<abc', ['price:<50']],
  ['off=', 'stray-comparison', 'off=', ['off:>=40']],
  ['<50', 'stray-comparison', '<50', ['price:<50']],
  ['ssd ≤', 'no-words', '≤', []],
  ['-kin?le', 'stray-wildcard', 'kin?le', ['kin*']],
  ['price:<20 price:>50', 'never-matches', 'price:>50', []],
  ['price:<20 ssd price:>=20', 'never-matches', 'price:>=20', []],
  ['price:50 price:60', 'never-matches', 'price:60', []],
  ['(price:<20 price:>50)', 'never-matches', 'price:>50', []],
  ['off:>100', 'never-matches', 'off:>100', []],
  ['price:<0', 'never-matches', 'price:<0', []],
  ['ssd -ssd', 'never-matches', 'ssd', []],
  ['-ssd ssd', 'never-matches', 'ssd', []],
  ['featured:true featured:no', 'never-matches', 'featured:no', []],
  ['featured:true -featured:yes', 'never-matches', 'featured:yes', []],
])('a filter %s is a mistake where somebody types it, and none where it is stored', (text, code, found, expected) => {
  expect(parseTyped(text)).toMatchObject({ ok: false, problem: { code, found, expected } });
  if (code !== 'no-words') expect(parseFilter(text).ok).toBe(true);
});

test.each([
  '',
  'what? ssd',
  'a=b',
  '"price<" ssd',
  '"kin?le"',
  '/kin?le/',
  'price:<=20 price:>=20',
  'price:<20 OR price:>50',
  'price:<20 (ssd OR price:>50)',
  'price:>20 -price:<50',
  'price:<50 price:<20',
  'off:>=100',
  'price:<=0',
  'low:ever low:90d',
  'featured:true -featured:false',
  'featured:true mobile:false',
  'ssd -hdd',
  'title:ssd -ssd',
])('a filter %s is none', (text) => {
  expect(parseTyped(text)).toEqual(parseFilter(text));
});

test('what is refused as a contradiction matches no offer', () => {
  const term = fc.constantFrom(
    'price:<20',
    'price:>=20',
    'price:20',
    'off:>50',
    'off:<30',
    'featured:true',
    'featured:no',
    'kettle',
  );
  const signed = fc.tuple(fc.constantFrom('', '-'), term).map((parts) => parts.join(''));
  const filters = fc.array(signed, { minLength: 1, maxLength: 4 }).map((terms) => terms.join(' '));
  const price = fc.constantFrom(5, 20, 30).map((dollars) => ({ minimum: dollars, maximum: dollars }));
  fc.assert(
    fc.property(filters, price, fc.boolean(), (text, salePrice, isFeatured) => {
      const [typed, parsed] = [parseTyped(text), parseFilter(text)];
      fc.pre(!typed.ok && parsed.ok);
      const offer = { ...anOffer(1), salePrice, listPrice: { minimum: 40, maximum: 40 }, isFeatured };
      if (parsed.ok) expect(evaluate(parsed.filter, subjectOfOffer(offer), 0)).toBe(false);
    }),
  );
});
