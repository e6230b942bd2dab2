import fc from 'fast-check';
import { expect, test } from 'vitest';
import { learn, type Observation } from '../../../../src/announcements/poll/planner/learn.ts';
import type { LearnedTimes } from '../../../../src/store/catalog-records.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** 2026-10-06T05:00:00Z */
const MOMENT_MS = Date.UTC(2026, 9, 6, 5);

function observed(polledAtMs: number, sinceMs: number | null, ...startedAtMs: (number | null)[]): Observation {
  return { polledAtMs, previousPolledAtMs: sinceMs === null ? null : polledAtMs - sinceMs, startedAtMs };
}

const total = ({ minutes, hours }: LearnedTimes) =>
  [...Object.values(minutes), ...hours].reduce((sum, weight) => sum + weight, 0);

test('what started since the last poll is remembered by its minute', () => {
  const learned = learn(undefined, observed(MOMENT_MS + 5 * MINUTE_MS, 20 * MINUTE_MS, MOMENT_MS, MOMENT_MS + 30_000));
  expect(Object.keys(learned.minutes)).toEqual(['300']);
  expect(learned.minutes['300']).toBeCloseTo(2, 2);
  expect(Math.max(...learned.hours)).toBe(0);
});

test('what shows later than it says, or does not say, came at any moment since the last poll', () => {
  const late = learn(undefined, observed(MOMENT_MS + 30 * MINUTE_MS, HOUR_MS, MOMENT_MS - DAY_MS, null));
  expect(late.minutes).toEqual({});
  expect(late.hours[4]).toBeCloseTo(1);
  expect(late.hours[5]).toBeCloseTo(1);
  const close = learn(undefined, observed(MOMENT_MS + MINUTE_MS, 2 * MINUTE_MS, null));
  expect(Object.keys(close.minutes)).toEqual(['300']);
});

test('two polls at most two minutes apart tell the minute, any further apart only the hour', () => {
  const close = learn(undefined, observed(MOMENT_MS + MINUTE_MS, 2 * MINUTE_MS, null));
  expect([Object.keys(close.minutes), Math.max(...close.hours)]).toEqual([['300'], 0]);
  const far = learn(undefined, observed(MOMENT_MS + MINUTE_MS, 2 * MINUTE_MS + 1, null));
  expect([Object.keys(far.minutes), far.hours.reduce((sum, weight) => sum + weight)]).toEqual([[], 1]);
});

test('a poll from the future counts as one of now: what is new came now, and nothing weighs less than it did', () => {
  const before = learn(undefined, observed(MOMENT_MS, HOUR_MS, MOMENT_MS));
  const nowMs = MOMENT_MS - 365 * DAY_MS + HOUR_MS;
  const setBack = learn(before, observed(nowMs, -365 * DAY_MS, null, nowMs - 366 * DAY_MS));
  expect(setBack).toEqual({ ...before, asOfMs: nowMs, minutes: { ...before.minutes, '360': 2 } });
});

test('a first sight tells of the weeks before, as far as things say when they started', () => {
  const starts = [null, MOMENT_MS, MOMENT_MS - DAY_MS, MOMENT_MS - 7 * DAY_MS, MOMENT_MS - 20 * DAY_MS];
  const learned = learn(undefined, observed(MOMENT_MS, null, ...starts));
  expect(Object.keys(learned.minutes)).toEqual(['300']);
  expect(learned.minutes['300']).toBeCloseTo(1 + 2 ** (-1 / 7) + 0.5);
  expect(learned.days).toBeGreaterThan(4);
  expect(learned.days).toBeLessThan(7);
  expect(total(learn(undefined, observed(MOMENT_MS, null)))).toBe(0);
});

test('what is older weighs less, and is forgotten in the end', () => {
  const before = learn(undefined, observed(MOMENT_MS, HOUR_MS, MOMENT_MS));
  const weekLater = learn(before, observed(MOMENT_MS + 7 * DAY_MS, HOUR_MS));
  expect(weekLater.minutes['300']).toBeCloseTo(0.5);
  const yearLater = learn(before, observed(MOMENT_MS + 365 * DAY_MS, HOUR_MS));
  expect(yearLater.minutes).toEqual({});
  expect(before.minutes['300']).toBe(1);
});

test('an answer from before the last one changes no weight', () => {
  const before = learn(undefined, observed(MOMENT_MS, HOUR_MS, MOMENT_MS));
  expect(learn(before, observed(MOMENT_MS - HOUR_MS, 0)).minutes).toEqual(before.minutes);
});

test('however much comes, the record stays small, and nothing that came is lost', () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(fc.option(fc.integer({ min: -HOUR_MS, max: 0 })), { maxLength: 500 }), { maxLength: 40 }),
      (polls) => {
        let learned: LearnedTimes | undefined;
        let came = 0;
        polls.forEach((ages, index) => {
          const polledAtMs = MOMENT_MS + index * HOUR_MS;
          const starts = ages.map((age) => age && polledAtMs + age);
          learned = learn(learned, observed(polledAtMs, HOUR_MS, ...starts));
          came += ages.length;
        });
        if (!learned) return;
        expect(JSON.stringify(learned).length).toBeLessThan(10_000);
        expect(JSON.parse(JSON.stringify(learned))).toEqual(learned);
        expect(total(learned)).toBeLessThanOrEqual(came + 1e-6);
        expect(total(learned)).toBeGreaterThanOrEqual(came * 0.8 - 1e-6);
      },
    ),
    { seed: 20261006, numRuns: 60 },
  );
});
