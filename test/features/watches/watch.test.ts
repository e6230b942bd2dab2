import { expect, test } from 'vitest';
import { nextTryMs, personAt, placeOfPerson, refusedAgain, retentionOf } from '../../../src/deals/person.ts';
import { DAY_MS, HOUR_MS } from '../../../src/shared/time.ts';
import { NOW_MS } from '../../helpers/things.ts';

test('a person’s place is none of a server', () => {
  expect(personAt(placeOfPerson('42'))).toBe('42');
  expect(personAt('42')).toBeNull();
});

test('closed messages are tried again after 1, 4, 16 and 24 hours, and once a day from then on', () => {
  let closed = null as ReturnType<typeof refusedAgain> | null;
  let nowMs = NOW_MS;
  const waits: number[] = [];
  for (let tries = 0; tries < 6; tries += 1) {
    closed = refusedAgain(closed, nowMs);
    waits.push((nextTryMs(closed, nowMs) - nowMs) / HOUR_MS);
    nowMs = closed.retryAtMs;
  }
  expect(waits).toEqual([1, 4, 16, 24, 24, 24]);
  expect(closed).toMatchObject({ sinceMs: NOW_MS, tries: 6 });
});

test('a try that a wrong clock put far ahead holds nothing back', () => {
  expect(nextTryMs(null, NOW_MS)).toBe(NOW_MS);
  const closed = { sinceMs: NOW_MS, tries: 1, retryAtMs: NOW_MS + DAY_MS };
  expect(nextTryMs(closed, NOW_MS)).toBe(NOW_MS + DAY_MS);
  expect(nextTryMs({ ...closed, retryAtMs: NOW_MS + DAY_MS + 1 }, NOW_MS)).toBe(NOW_MS);
  expect(refusedAgain({ ...closed, sinceMs: NOW_MS + 1 }, NOW_MS).sinceMs, 'and closes nobody in the future').toBe(
    NOW_MS,
  );
});

test.each([
  ['open', null, 0, true, 'kept'],
  ['closed for a month', 30 * DAY_MS, 0, true, 'kept'],
  ['closed for longer', 30 * DAY_MS + 1, 0, true, 'paused'],
  ['closed for half a year', 180 * DAY_MS, 0, true, 'paused'],
  ['closed for more than that', 180 * DAY_MS + 1, 0, true, 'forgotten'],
  ['without watches for 120 days', null, 120 * DAY_MS, false, 'kept'],
  ['without watches for longer', null, 120 * DAY_MS + 1, false, 'forgotten'],
] as const)('what becomes of who is %s', (_, closedForMs, unusedForMs, hasWatches, retention) => {
  const closed = closedForMs === null ? null : { sinceMs: NOW_MS - closedForMs, tries: 1, retryAtMs: 0 };
  expect(retentionOf({ closed, usedAtMs: NOW_MS - unusedForMs }, hasWatches, NOW_MS)).toBe(retention);
});
