import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nextPlace, nextTurn } from '../../src/discord/rest.ts';

const AT_ONCE = { atMs: 0, lateMs: 0 };

/** The moments at which requests leave that were asked for at these moments, each so much later than it might. */
function turnsOf(asked: readonly { atMs: number; lateMs: number }[]): number[] {
  const turns: number[] = [];
  let placeMs = -Infinity;
  for (const { atMs, lateMs } of asked) {
    const context = nextTurn(turns, placeMs, Math.max(atMs, turns.at(-1) ?? 0)) + lateMs;
    placeMs = nextPlace(turns, placeMs, context);
    turns.push(context);
  }
  return turns;
}

test('no second sees more than fifty, wherever it begins, however they are asked for and however late they leave', () => {
  const request = fc.record({
    gap: fc.integer({ min: -300, max: 100 }),
    lateMs: fc.integer({ min: -500, max: 300 }).map((ms) => Math.max(0, ms)),
  });
  fc.assert(
    fc.property(fc.array(request, { minLength: 51, maxLength: 400 }), (requests) => {
      let atMs = 0;
      const turns = turnsOf(
        requests.map(({ gap, lateMs }) => {
          atMs += Math.max(0, gap);
          return { atMs, lateMs };
        }),
      );
      turns.forEach((context, index) => {
        const later = turns[index + 50];
        if (later !== undefined) expect(later - context).toBeGreaterThanOrEqual(1_034.99);
      });
    }),
  );
});

test('what a busy machine is late by is made up for', () => {
  const asked = Array.from({ length: 2_000 }, (_, index) => ({ atMs: 0, lateMs: index % 20 === 0 ? 60 : 0 }));
  const turns = turnsOf(asked);
  expect(turns.length / ((turns.at(-1) ?? 0) / 1_000)).toBeGreaterThan(45);
});

test('few leave at once; many leave one after another, at more than 95 % of what Discord takes', () => {
  expect(turnsOf(Array.from({ length: 25 }, () => AT_ONCE))).toEqual(Array.from({ length: 25 }, () => 0));
  const many = turnsOf(Array.from({ length: 5_000 }, () => AT_ONCE));
  const rate = (many.length - 25) / ((many.at(-1) ?? 0) / 1_000);
  expect(rate).toBeGreaterThan(47.5);
  const gaps = many.slice(100).map((context, index) => context - (many[index + 99] ?? 0));
  expect(Math.max(...gaps)).toBeLessThan(22);
});
