import { expect, test } from 'vitest';
import { type Limits, RateBudget, remainingFor, reserveOf } from '../../../src/catalog/throttle/rate-budget.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/shared/time.ts';

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

test('a clock that is set over midnight begins a day, while the day before it was set goes on to its own midnight', () => {
  const { budget, pass, jump, ask, left, at } = aBudget(MIDNIGHT_MS);
  ask(10);
  pass(2 * HOUR_MS);
  // By the new clock midnight was an hour ago.
  jump(23 * HOUR_MS);
  ask(5);
  const toOldMidnightMs = 22 * HOUR_MS;
  expect([left(), budget.status()]).toEqual([85, { limit: 100, spent: 15, resetsAtMs: at().nowMs + toOldMidnightMs }]);
  pass(toOldMidnightMs - 1);
  expect(left()).toBe(85);
  pass(1);
  const newMidnightMs = MIDNIGHT_MS + 2 * DAY_MS;
  expect([left(), budget.status()]).toEqual([95, { limit: 100, spent: 5, resetsAtMs: newMidnightMs }]);
  pass(newMidnightMs - at().nowMs);
  expect(left()).toBe(100);
});

test('a clock that is set within a day lets its count stand until both midnights are over', () => {
  for (const hours of [-3, 3]) {
    const { budget, pass, jump, ask, left, at } = aBudget(MIDNIGHT_MS + 12 * HOUR_MS);
    ask(10);
    jump(hours * HOUR_MS);
    const laterMs = (hours < 0 ? 15 : 12) * HOUR_MS;
    expect(budget.status()).toEqual({ limit: 100, spent: 10, resetsAtMs: at().nowMs + laterMs });
    pass(laterMs - 1);
    expect(left()).toBe(90);
    pass(1);
    expect(left()).toBe(100);
  }
});

test('a clock that is set back over midnight gives no day again, and closes none for more than a day', () => {
  const { pass, jump, ask, left } = aBudget(MIDNIGHT_MS - HOUR_MS);
  ask(15);
  pass(HOUR_MS);
  ask(3);
  jump(-2 * HOUR_MS);
  expect(left()).toBe(97);
  pass(2 * HOUR_MS);
  ask(1);
  expect(left()).toBe(96);
  pass(22 * HOUR_MS - 1);
  expect(left()).toBe(96);
  pass(1);
  // What was asked after both midnights.
  expect(left()).toBe(99);
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

test('a difference of a second is one of reading the clocks', () => {
  const { jump } = aBudget(MIDNIGHT_MS + HOUR_MS);
  expect([jump(1_000), jump(-1_000), jump(1_001), jump(-1_001)]).toEqual([false, false, true, true]);
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

test('a restart keeps the day from before the clock was set, for 24 hours at most', () => {
  const savedMs = MIDNIGHT_MS + HOUR_MS;
  const { budget, pass, left, at } = aBudget(savedMs);
  const formerDay = { spent: 30, endsAtMs: savedMs + 19 * HOUR_MS };
  const record = { day: '2026-10-06', spent: 10, tokens: 5, tokensAtMs: savedMs };
  expect(budget.restore({ ...record, formerDay })).toBe(false);
  expect(budget.record()).toMatchObject({ spent: 10, formerDay });
  pass(19 * HOUR_MS - 1);
  expect(left()).toBe(70);
  pass(1);
  expect(left()).toBe(90);
  pass(4 * HOUR_MS);
  expect(left()).toBe(100);
  const tomorrow = aBudget(at().nowMs);
  tomorrow.budget.restore({ ...record, formerDay: { spent: 30, endsAtMs: at().nowMs + 365 * DAY_MS } });
  tomorrow.pass(DAY_MS - 1);
  expect(tomorrow.left()).toBe(70);
  tomorrow.pass(1);
  expect(tomorrow.left()).toBe(100);
});

test('a clock that was set back since the last run keeps what was spent until it shows a later day, for 24 hours at most', () => {
  const record = { spent: 10, tokens: 5, tokensAtMs: MIDNIGHT_MS + 3 * HOUR_MS };
  const sameDay = aBudget(MIDNIGHT_MS + HOUR_MS);
  expect(sameDay.budget.restore({ ...record, day: '2026-10-06' })).toBe(false);
  expect(sameDay.left()).toBe(90);
  for (const day of ['2026-10-07', '2030-01-01']) {
    const { budget, pass, left } = aBudget(MIDNIGHT_MS + HOUR_MS);
    expect(budget.restore({ ...record, day })).toBe(true);
    pass(DAY_MS - 1);
    expect(left()).toBe(90);
    pass(1);
    expect(left()).toBe(100);
  }
});

test('a bucket refills a little more slowly than the rate says, up to the burst', () => {
  const { budget, pass, ask } = aBudget(MIDNIGHT_MS, { ...LIMITS, rate: 2 });
  ask(5);
  pass(1000);
  expect(budget.record().tokens).toBe(1.98);
  pass(60_000);
  expect(budget.record().tokens).toBe(5);
});

test.each([
  { tokens: 1, held: 0, waitMs: 0 },
  { tokens: 10, held: 0, waitMs: 0 },
  { tokens: 9, held: 9, waitMs: 506 },
  { tokens: 0.01, held: 0, waitMs: 500 },
  { tokens: 5, held: 5, waitMs: 506 },
  { tokens: 10, held: 10, waitMs: Number.POSITIVE_INFINITY },
])('the wait is $waitMs ms with $tokens tokens and $held of them held', ({ tokens, held, waitMs }) => {
  const { budget } = aBudget(MIDNIGHT_MS, { ...LIMITS, rate: 2, burst: 10 });
  budget.restore({ day: '2026-10-06', spent: 0, tokens, tokensAtMs: MIDNIGHT_MS });
  for (let sent = 0; sent < held; sent += 1) budget.spend();
  expect(Math.max(0, budget.waitMs())).toBe(waitMs);
});

test.each([
  [1000, 100],
  [5000, 500],
  [100, 20],
  [30, 15],
  [1, 0],
])('the reserve of %i requests is %i', (limit, reserve) => {
  expect(reserveOf(limit)).toBe(reserve);
});

test('the reserve is for the interactive lane alone', () => {
  expect(remainingFor('interactive', 900, 1000)).toBe(100);
  expect(remainingFor('announcement', 900, 1000)).toBe(0);
  expect(remainingFor('background', 899, 1000)).toBe(1);
  expect(remainingFor('interactive', 1200, 1000)).toBe(0);
});
