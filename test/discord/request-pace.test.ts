import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nextTurn } from '../../src/discord/request-pace.ts';

/** When requests leave that are asked for at these moments, each some time late. */
function turnsOf(asked: readonly number[]): number[] {
  const turns: number[] = [];
  for (const atMs of asked) turns.push(nextTurn(turns, Math.max(atMs, turns.at(-1) ?? 0)));
  return turns;
}

test('no second sees more than fifty, wherever it begins and though requests are up to 17 ms early or late', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 200 }), { minLength: 51, maxLength: 400 }), (gaps) => {
      let atMs = 0;
      const turns = turnsOf(gaps.map((gap) => (atMs += gap > 100 ? 0 : gap)));
      turns.forEach((turn, index) => {
        const later = turns[index + 50];
        if (later !== undefined) expect(later - turn).toBeGreaterThanOrEqual(1_034.99);
      });
    }),
  );
});

test('few leave at once; many leave one after another, at more than 95 % of what Discord takes', () => {
  expect(turnsOf(Array.from({ length: 25 }, () => 0))).toEqual(Array.from({ length: 25 }, () => 0));
  const many = turnsOf(Array.from({ length: 5_000 }, () => 0));
  const rate = (many.length - 25) / ((many.at(-1) ?? 0) / 1_000);
  expect(rate).toBeGreaterThan(47.5);
  const gaps = many.slice(100).map((turn, index) => turn - (many[index + 99] ?? 0));
  expect(Math.max(...gaps)).toBeLessThan(22);
});
