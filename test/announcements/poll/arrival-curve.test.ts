import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ArrivalCurve } from '../../../src/announcements/poll/arrivals.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/shared/time.ts';
import type { LearnedTimes } from '../../../src/store/catalog-records.ts';

const MIDNIGHT_MS = Date.UTC(2026, 9, 6);

const weights = fc.double({ min: 0.02, max: 5_000, noNaN: true });
const learnedTimes: fc.Arbitrary<LearnedTimes> = fc.record({
  asOfMs: fc.constant(MIDNIGHT_MS),
  days: fc.double({ min: 0, max: 10, noNaN: true }),
  minutes: fc.dictionary(fc.integer({ min: 0, max: 1439 }).map(String), weights, { maxKeys: 40 }),
  hours: fc.array(weights, { minLength: 24, maxLength: 24 }),
});
const moments = fc.integer({ min: MIDNIGHT_MS, max: MIDNIGHT_MS + 2 * DAY_MS });

test('where nothing was learned, one thing a day is expected, at any time alike', () => {
  const curve = new ArrivalCurve(undefined);
  expect(curve.arrivals(MIDNIGHT_MS, MIDNIGHT_MS + DAY_MS)).toBeCloseTo(1);
  expect(curve.arrivals(MIDNIGHT_MS - HOUR_MS, MIDNIGHT_MS + 5 * HOUR_MS)).toBeCloseTo(0.25);
  expect(curve.waitingMinutes(MIDNIGHT_MS, MIDNIGHT_MS + DAY_MS)).toBeCloseTo(720);
});

test('what came in a minute is expected in it again, and most of it soon', () => {
  const curve = new ArrivalCurve({
    asOfMs: MIDNIGHT_MS,
    days: 2,
    minutes: { 300: 800 },
    hours: Array.from({ length: 24 }, () => 0),
  });
  const momentMs = MIDNIGHT_MS + 5 * HOUR_MS;
  expect(curve.arrivals(MIDNIGHT_MS, MIDNIGHT_MS + DAY_MS)).toBeCloseTo(401);
  expect(curve.arrivals(momentMs, momentMs + MINUTE_MS)).toBeGreaterThan(400 * 0.6);
  expect(curve.arrivals(momentMs + MINUTE_MS, momentMs + 3 * MINUTE_MS)).toBeGreaterThan(400 * 0.15);
  expect(curve.arrivals(momentMs - MINUTE_MS, momentMs)).toBeLessThan(5);
});

test('as much is expected in a day as came in one, whenever the day is taken to begin', () => {
  fc.assert(
    fc.property(learnedTimes, moments, (learned, fromMs) => {
      const came = [...Object.values(learned.minutes), ...learned.hours].reduce((sum, weight) => sum + weight, 0);
      const expected = 1 + came / Math.max(1, learned.days);
      expect(new ArrivalCurve(learned).arrivals(fromMs, fromMs + DAY_MS) / expected).toBeCloseTo(1, 6);
    }),
    { seed: 20261006, numRuns: 100 },
  );
});

test('waiting is what each arrival waits, added up', () => {
  fc.assert(
    fc.property(learnedTimes, moments, fc.integer({ min: 1, max: 300 }), (learned, fromMs, minutes) => {
      const curve = new ArrivalCurve(learned);
      const untilMs = fromMs + minutes * MINUTE_MS;
      let waiting = 0;
      for (let atMs = fromMs; atMs < untilMs; atMs += MINUTE_MS)
        waiting += curve.arrivals(fromMs, atMs + MINUTE_MS / 2);
      // The middle of each minute stands for the minute, whose rate may change once within.
      const error = curve.arrivals(fromMs, untilMs) / 4 + 1e-6;
      expect(Math.abs(curve.waitingMinutes(fromMs, untilMs) - waiting)).toBeLessThanOrEqual(error);
    }),
    { seed: 20261006, numRuns: 200 },
  );
});

test('the moment until which it has waited so long is where the waiting is so long', () => {
  fc.assert(
    fc.property(
      learnedTimes,
      moments,
      fc.double({ min: 1e-3, max: 1e6, noNaN: true }),
      fc.integer({ min: 1000, max: 2 * DAY_MS }),
      (learned, fromMs, minutes, lengthMs) => {
        const curve = new ArrivalCurve(learned);
        const latestMs = fromMs + lengthMs;
        const untilMs = curve.waitedUntilMs(fromMs, minutes, latestMs);
        expect(untilMs).toBeGreaterThanOrEqual(fromMs);
        if (untilMs === latestMs) {
          expect(curve.waitingMinutes(fromMs, latestMs)).toBeLessThanOrEqual(minutes * (1 + 1e-6));
        } else {
          const ratio = curve.waitingMinutes(fromMs, untilMs) / minutes;
          // A millisecond is the finest there is, and a burst brings much in one.
          const perMs = curve.arrivals(fromMs, untilMs + 1) / MINUTE_MS / minutes;
          expect(Math.abs(ratio - 1)).toBeLessThanOrEqual(1e-6 + perMs);
        }
      },
    ),
    { seed: 20261006, numRuns: 500 },
  );
});
