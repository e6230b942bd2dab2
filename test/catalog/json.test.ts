import { expect, test } from 'vitest';
import { parseAnswer } from '../../src/catalog/json.ts';
import { LIMITS } from '../../src/catalog/limits.ts';

const MIB = 1024 * 1024;
/** Long enough for so many of them to be a long answer. */
const item = (number: number) => ({
  Id: number,
  Title: `"[{,\\${'x'.repeat(60)}`,
  Tags: ['a', 'b'],
  Price: { Minimum: 1 },
});
const MANY = 30_000;
const items = Array.from({ length: MANY }, (_, index) => item(index));
const READ = LIMITS.feedItems + 1;

test.each([
  ['a list', items, (json: unknown) => json],
  [
    'a field of an object, with what comes before and after it',
    { Before: { a: [1, 2, 3], b: {} }, Items: items, MarketingName: 'Home, {deals}', TotalPages: 1 },
    (json: unknown) => (json as { Items: unknown }).Items,
  ],
])('of a list of very many items as many are parsed as can be read, and one more: %s', (_, answer, listIn) => {
  const text = JSON.stringify(answer);
  expect(text.length).toBeGreaterThan(2 * MIB);
  const parsed = parseAnswer(text);
  expect(listIn(parsed)).toEqual(items.slice(0, READ));
  if (!Array.isArray(answer)) expect(parsed).toEqual({ ...answer, Items: items.slice(0, READ) });
});

test.each([
  ['ends within lists', { Items: items, More: { deep: [[1, 2]] } }],
  ['has no list of many items', { Text: 'x'.repeat(3 * MIB), Items: items.slice(0, 10) }],
  ['has its items deeper', { Pages: { Items: items } }],
])('a long answer that %s is parsed as a whole', (_, answer) => {
  expect(parseAnswer(JSON.stringify(answer))).toEqual(answer);
});

test.each(['', '[', `[${'{},'.repeat(5 * MIB)}`, `"${'x'.repeat(3 * MIB)}`])('what is no JSON is none (%#)', (text) => {
  expect(() => parseAnswer(text)).toThrow(SyntaxError);
});
