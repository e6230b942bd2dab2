import { expect, test } from 'vitest';
import type { Preview } from '../../../src/deals/preview.ts';
import { bestOf, togetherIn } from '../../../src/features/hubs/week.ts';
import { DAY_MS } from '../../../src/shared/time.ts';
import { anOffer, aSubscription, NOW_MS, newOfferOf, uuid } from '../../helpers/things.ts';

const NO_PACE = { sellsOutAtMs: () => null };

const priced = (number: number, dollars: number) =>
  newOfferOf(
    anOffer(number, {
      salePrice: { minimum: dollars, maximum: dollars },
      listPrice: { minimum: 100, maximum: 100 },
      startDateMs: NOW_MS,
    }),
  );

/** A preview of two days. */
function previewOf(entries: readonly [number: number, atMs: number][], knownSinceMs: number | null = 0): Preview {
  const days = [NOW_MS - DAY_MS, NOW_MS].map((startMs) => ({ startMs, count: -1 }));
  return {
    subscription: aSubscription('s'),
    days,
    entries: entries.map(([number, atMs]) => ({ announcement: priced(number, 50), atMs, isNews: true, roleIds: [] })),
    knownSinceMs,
    lastReadMs: NOW_MS,
    isCutOff: false,
    onlyListed: false,
    isReadable: true,
  };
}

test('what two subscriptions would have posted counts once, on its day', () => {
  const both = [
    previewOf(
      [
        [1, NOW_MS],
        [2, NOW_MS - 1],
      ],
      NOW_MS,
    ),
    previewOf(
      [
        [3, NOW_MS + 1],
        [2, NOW_MS - 1],
      ],
      5,
    ),
  ];
  const together = togetherIn(both);
  expect(together?.entries.map(({ announcement }) => announcement.subject)).toEqual([uuid(3), uuid(1), uuid(2)]);
  expect(together?.days.map(({ count }) => count)).toEqual([1, 2]);
  expect(together?.knownSinceMs).toBe(5);
});

test('a single preview stays as it is, and none is none', () => {
  const only = previewOf([[1, NOW_MS]]);
  expect(togetherIn([only])).toBe(only);
  expect(togetherIn([])).toBeUndefined();
  expect(togetherIn([previewOf([], null), previewOf([], null)])?.knownSinceMs).toBeNull();
});

test('the best come first, each once, and no more than asked for', () => {
  const entries = [priced(1, 80), priced(2, 20), priced(3, 50), priced(2, 20)].map((announcement) => ({
    announcement,
    atMs: NOW_MS,
    isNews: true,
    roleIds: [],
  }));
  const best = bestOf({ entries }, 2, NO_PACE, NOW_MS);
  expect(best.map(({ subject }) => subject)).toEqual([uuid(2), uuid(3)]);
});
