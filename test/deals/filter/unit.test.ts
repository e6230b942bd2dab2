import { expect, test } from 'vitest';
import { evaluate, explain, parseFilter, subjectOfOffer } from '../../../src/deals/filter/index.ts';
import { aKnownOffer } from '../../helpers/things.ts';

const NOW_MS = 0;

function filterOf(text: string) {
  const parsed = parseFilter(text);
  if (!parsed.ok) throw new Error(`${text}: ${parsed.problem.code}`);
  return parsed.filter;
}

const subjectOf = (title: string, minimum: number, maximum = minimum) =>
  subjectOfOffer(aKnownOffer(1, { title, subtitle: null, salePrice: { minimum, maximum } }).offer);

const DRIVE = subjectOf('Seagate 4TB External Hard Drive', 63);

test.each<[string, boolean]>([
  ['unit:<16/TB', true],
  ['unit:<15.75/TB', false],
  ['unit:<=15.75/tb', true],
  ['unit:15..16/TB', true],
  ['unit:..15/TB', false],
  ['unit:>15/TB', true],
  ['unit:<100/each', false],
  ['-unit:<100/each', true],
])('%s: a drive of 4 TB for $63 matches: %s', (text, matches) => {
  expect(evaluate(filterOf(text), DRIVE, NOW_MS)).toBe(matches);
});

test('what is measured by another unit is converted, what measures something else never matches', () => {
  const coffee = subjectOf('Ground Coffee 32 oz', 16);
  expect(
    ['unit:<=8/lb', 'unit:<=0.5/oz', 'unit:<17.6/kg', 'unit:<17.7/kg', 'unit:<99/floz', 'unit:>0/TB'].map((text) =>
      evaluate(filterOf(text), coffee, NOW_MS),
    ),
  ).toEqual([true, true, false, true, false, false]);
});

test('variants of several prices have no price for a unit: each may hold another quantity', () => {
  expect(evaluate(filterOf('unit:>0/each'), subjectOf('Sponges, 24-pack', 10, 12), NOW_MS)).toBe(false);
});

test('the canonical form reads as the same', () => {
  const written = ['unit:<16/tb', 'unit:>=0.0125/EACH', 'unit:0.5..1/floz', 'unit:<$5/lb'];
  const canonical = written.map((text) => filterOf(text).canonical);
  expect(canonical).toEqual(['unit:<16/TB', 'unit:>=0.0125/each', 'unit:0.5..1/floz', 'unit:<5/lb']);
  expect(canonical.map((text) => filterOf(text).canonical)).toEqual(canonical);
});

test('what it found is told with its unit', () => {
  const [term] = explain(filterOf('unit:<10/TB'), DRIVE, NOW_MS).terms;
  expect(term).toMatchObject({ name: 'unit < 10/TB', holds: false, found: '$15.75/TB' });
});

test.each([
  ['unit:<16', 'bad-unit', '16'],
  ['unit:<16/parsec', 'bad-unit', '16/parsec'],
  ['unit:cheap/TB', 'bad-number', 'cheap'],
  ['unit:16..10/TB', 'empty-range', '16..10'],
  ['unit:[1 TO 2]', 'bad-unit', '[1 TO 2]'],
])('%s is a mistake: %s', (text, code, found) => {
  const parsed = parseFilter(text);
  expect(parsed.ok ? parsed : parsed.problem).toMatchObject({ code, found });
});
