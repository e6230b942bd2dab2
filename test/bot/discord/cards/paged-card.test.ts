import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jumpTargets } from '../../../../src/bot/discord/cards/paged-card.ts';

test('a short list’s menu leads to every page', () => {
  expect(jumpTargets(2, 3)).toEqual([1, 2, 3]);
  expect(jumpTargets(1, 25)).toHaveLength(25);
});

test('a long one’s leads to the ends, and near to more pages than far', () => {
  expect(jumpTargets(1, 2455)).toEqual([1, 2, 3, 4, 6, 11, 21, 51, 101, 251, 501, 1001, 2455]);
  expect(jumpTargets(40, 90)).toEqual([1, 20, 30, 35, 37, 38, 39, 40, 41, 42, 43, 45, 50, 60, 90]);
});

test('whatever the list, the menu holds its pages, each once, in order, and the one that is shown', () => {
  const place = fc
    .integer({ min: 2, max: 100_000 })
    .chain((pages) => fc.tuple(fc.integer({ min: 1, max: pages }), fc.constant(pages)));
  fc.assert(
    fc.property(place, ([page, pages]) => {
      const targets = jumpTargets(page, pages);
      expect(targets.length).toBeLessThanOrEqual(25);
      expect(targets).toEqual([...new Set(targets)].toSorted((a, b) => a - b));
      expect(targets).toEqual(expect.arrayContaining([1, page, pages]));
      expect(targets.every((to) => to >= 1 && to <= pages)).toBe(true);
    }),
  );
});
