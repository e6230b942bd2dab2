import { expect, test } from 'vitest';
import { type Limits, RateBudget } from '../../../../src/bot/catalog/throttle/rate-budget.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const MIDNIGHT_MS = Date.UTC(2026, 9, 6);
const LIMITS: Limits = { rate: 1, burst: 5, quota: 100 };

/** A budget whose clocks are advanced together; the wall clock can be set. */
function aBudget(wall = MIDNIGHT_MS, limits = LIMITS) {
  let at = { nowMs: wall, monotonicMs: 0 };
  const budget = new RateBudget(limits, at);
  const move = (wallMs: number, monotonicMs: number) => {
    at = { nowMs: at.nowMs + wallMs, monotonicMs: at.monotonicMs + monotonicMs };
    return budget.advanceTo(at);
  };
  return {
    budget,
    pass: (ms: number) => move(ms, ms),
    jump: (ms: number) => move(ms, 0),
    ask: (times = 1) => {
      for (let time = 0; time < times; time += 1) {
        budget.spend();
        budget.settle();
      }
    },
    left: () => budget.remaining('interactive'),
    at: () => at,
  };
}

test('a day has its quota, the next one too, and nothing of a day counts a day later', () => {
  const { budget, pass, ask, left } = aBudget();
  ask(30);
  expect([left(), budget.status()]).toEqual([70, { limit: 100, spent: 30, resetsAtMs: MIDNIGHT_MS + DAY_MS }]);
  pass(DAY_MS - 1);
  expect(left()).toBe(70);
  pass(1);
  expect([left(), budget.status()]).toEqual([100, { limit: 100, spent: 0, resetsAtMs: MIDNIGHT_MS + 2 * DAY_MS }]);
});

test('a request that is not answered yet counts in any day, and one that is taken back in none', () => {
  const { budget, pass, left } = aBudget();
  budget.spend();
  budget.spend();
  pass(DAY_MS);
  expect([left(), budget.record().spent]).toEqual([98, 2]);
  budget.refund();
  expect(left()).toBe(99);
  budget.settle();
  expect([left(), budget.record().spent]).toEqual([99, 1]);
});

test('a clock that is set by whole days shows the same rest of a day: one day limits, not two', () => {
  const { budget, jump, ask } = aBudget(MIDNIGHT_MS + HOUR_MS);
  ask(3);
  expect(jump(DAY_MS)).toBe(true);
  expect(budget.status()).toEqual({ limit: 100, spent: 3, resetsAtMs: MIDNIGHT_MS + 2 * DAY_MS });
});

test('the day of which more is spent limits, and one that goes on longer limits after it', () => {
  const { budget, pass, jump, ask, left, at } = aBudget(MIDNIGHT_MS);
  ask(10);
  pass(2 * HOUR_MS);
  // By the new clock midnight was an hour ago.
  jump(23 * HOUR_MS);
  ask(5);
  const toOldMidnightMs = 22 * HOUR_MS;
  expect(left()).toBe(85);
  expect(budget.status()).toEqual({
    limit: 100,
    spent: 15,
    resetsAtMs: at().nowMs + toOldMidnightMs,
    otherDays: [{ spent: 5, resetsAtMs: at().nowMs + 23 * HOUR_MS }],
  });
  pass(toOldMidnightMs);
  expect([left(), budget.status().spent]).toEqual([95, 5]);
});

test('a small step back over midnight takes nothing from what the new day has spent', () => {
  const { pass, jump, ask, left } = aBudget(MIDNIGHT_MS - MINUTE_MS);
  pass(MINUTE_MS + 5_000);
  ask(6);
  jump(-30_000);
  expect(left()).toBe(94);
  pass(26_000);
  expect(left()).toBe(94);
});

test('a small step within a day is no jump', () => {
  const { jump, ask, left, budget } = aBudget(MIDNIGHT_MS + HOUR_MS);
  ask(6);
  expect([jump(MINUTE_MS), jump(-MINUTE_MS), left(), budget.status().otherDays]).toEqual([false, false, 94, undefined]);
  expect(jump(MINUTE_MS + 1)).toBe(true);
});

test('requests of one minute count at the last of them, in a day that begins within that minute too', () => {
  const { budget, pass, jump, ask } = aBudget(MIDNIGHT_MS + 10_000);
  ask(1);
  pass(40_000);
  ask(1);
  // By this clock the day began at the thirtieth second of that minute.
  jump(DAY_MS - 30_000);
  expect(budget.record().spent).toBe(2);
});

test('the bucket is empty while the catalog asks for a pause, which only a longer one replaces', () => {
  const { budget, pass } = aBudget();
  expect(budget.waitMs()).toBeLessThanOrEqual(0);
  budget.pause(9_000);
  budget.pause(4_000);
  expect([budget.pausedUntilMs, budget.waitMs()]).toEqual([9_000, 9_000]);
  pass(8_999);
  expect(budget.waitMs()).toBe(1);
  pass(1);
  expect(budget.waitMs()).toBeLessThanOrEqual(0);
});

test('a restart goes on with what was spent, and with a bucket that refills only from the time a request may take', () => {
  const { budget, ask, at } = aBudget();
  ask(5);
  budget.exhaust();
  const record = budget.record();
  expect(record).toEqual({ day: '2026-10-06', spent: 100, tokens: 0, tokensAtMs: MIDNIGHT_MS });
  const after = aBudget(at().nowMs + 3_000);
  expect(after.budget.restore({ ...record, spent: 40 })).toBe(false);
  expect(after.left()).toBe(60);
  // A second's tokens of three, at 99 percent.
  expect(after.budget.waitMs()).toBe(Math.ceil((1 - 0.99) / 0.00099));
  const tomorrow = aBudget(at().nowMs + DAY_MS);
  tomorrow.budget.restore(record);
  expect(tomorrow.left()).toBe(100);
});

test('a restart keeps each clock’s own count, and both for as long as its day', () => {
  const savedMs = MIDNIGHT_MS + HOUR_MS;
  const { budget, pass, left } = aBudget(savedMs);
  const otherClocks = [{ atMs: MIDNIGHT_MS - DAY_MS + 5 * HOUR_MS, spent: 30 }];
  budget.restore({ day: '2026-10-06', spent: 10, tokens: 5, tokensAtMs: savedMs, otherClocks });
  expect(budget.record()).toMatchObject({ spent: 10, otherClocks });
  expect(left()).toBe(70);
  pass(19 * HOUR_MS - 1);
  expect(left()).toBe(70);
  pass(1);
  expect(left()).toBe(90);
  pass(4 * HOUR_MS);
  expect(left()).toBe(100);
});

test('of clocks that show the same time of day the higher count is believed', () => {
  const savedMs = MIDNIGHT_MS + HOUR_MS;
  const { budget, left } = aBudget(savedMs);
  const otherClocks = [{ atMs: savedMs + DAY_MS, spent: 20 }];
  budget.restore({ day: '2026-10-06', spent: 10, tokens: 5, tokensAtMs: savedMs, otherClocks });
  expect(left()).toBe(80);
});

test('a clock that was set back since the last run keeps what was spent', () => {
  const { budget, left } = aBudget(MIDNIGHT_MS + HOUR_MS);
  const tokensAtMs = MIDNIGHT_MS + 3 * HOUR_MS;
  expect(budget.restore({ day: '2026-10-06', spent: 10, tokens: 5, tokensAtMs })).toBe(true);
  expect(left()).toBe(90);
});
