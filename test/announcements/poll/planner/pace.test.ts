import { expect, test } from 'vitest';
import { arrivalCurve } from '../../../../src/announcements/poll/planner/arrival-curve.ts';
import { forecast, type Pace, type Paced, paceFor, worthOf } from '../../../../src/announcements/poll/planner/pace.ts';
import { createPlanner } from '../../../../src/announcements/poll/planner/planner.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const MIDNIGHT_MS = Date.UTC(2026, 9, 6);

/** One thing a day, at any time alike: what arrives in x minutes waits x² ÷ 2880 minutes together. */
const even = arrivalCurve(undefined);
const paced = (changes: Partial<Paced> = {}): Paced => ({
  curve: even,
  subscribers: 1,
  lastPolledMs: MIDNIGHT_MS,
  isUrgent: false,
  isDoubtful: false,
  ...changes,
});
const pace: Pace = { price: 5, longestMs: 4 * HOUR_MS, shortestMs: MINUTE_MS, isShort: false };
const worthAfter = (ms: number, changes: Partial<Paced> = {}) => worthOf(paced(changes), pace, MIDNIGHT_MS + ms);

test('what was never polled is worth any price', () => {
  expect(worthOf(paced({ lastPolledMs: null }), pace, MIDNIGHT_MS)).toBe(Infinity);
});

test('a poll is worth nothing before the shortest time since the last, and any price from then on where it is urgent', () => {
  expect(worthAfter(MINUTE_MS - 1, { isUrgent: true })).toBe(0);
  expect(worthAfter(MINUTE_MS, { isUrgent: true })).toBe(Infinity);
  expect(worthAfter(MINUTE_MS - 1)).toBe(0);
  expect(worthAfter(MINUTE_MS)).toBeGreaterThan(0);
});

test('a poll is worth what its subscribers have waited together, and its price at the longest time', () => {
  // 120 minutes: 120² ÷ 2880 = 5.
  expect(worthAfter(2 * HOUR_MS)).toBeCloseTo(1);
  expect(worthAfter(HOUR_MS)).toBeCloseTo(0.25);
  expect(worthAfter(HOUR_MS, { subscribers: 4 })).toBeCloseTo(1);
  const dear = { ...pace, price: 1e9 };
  expect(worthOf(paced(), dear, MIDNIGHT_MS + 4 * HOUR_MS)).toBe(1);
  expect(worthOf(paced(), dear, MIDNIGHT_MS + 2 * HOUR_MS)).toBe(0.5);
});

test('the forecast polls when it is worth it, and counts what waits until the end', () => {
  const { polls, nextPollMs, waitingMinutes } = forecast(paced(), pace, MIDNIGHT_MS, MIDNIGHT_MS + 5 * HOUR_MS);
  expect([polls, nextPollMs]).toEqual([2, MIDNIGHT_MS + 2 * HOUR_MS]);
  // Twice two hours, and one.
  expect(waitingMinutes).toBeCloseTo(5 + 5 + 1.25);
  expect(forecast(paced(), pace, MIDNIGHT_MS, MIDNIGHT_MS + 2 * HOUR_MS)).toMatchObject({ polls: 0, nextPollMs: null });
  const late = forecast(paced(), pace, MIDNIGHT_MS + 3 * HOUR_MS, MIDNIGHT_MS + 4 * HOUR_MS);
  expect(late).toMatchObject({ polls: 1, nextPollMs: MIDNIGHT_MS + 3 * HOUR_MS });
  const first = forecast(paced({ lastPolledMs: null }), pace, MIDNIGHT_MS + 7, MIDNIGHT_MS + HOUR_MS);
  expect(first).toMatchObject({ polls: 1, nextPollMs: MIDNIGHT_MS + 7 });
  const urgent = forecast(paced({ isUrgent: true }), pace, MIDNIGHT_MS, MIDNIGHT_MS + HOUR_MS);
  expect(urgent).toMatchObject({ polls: 1, nextPollMs: MIDNIGHT_MS + MINUTE_MS });
});

test('a resource of which little is expected is forecast to be polled after the longest time', () => {
  const dear = { ...pace, price: 1e9 };
  expect(forecast(paced(), dear, MIDNIGHT_MS, MIDNIGHT_MS + 9 * HOUR_MS)).toMatchObject({
    polls: 2,
    nextPollMs: MIDNIGHT_MS + 4 * HOUR_MS,
  });
});

test('the requests last until the end at the pace that is found, and would not at a lower price', () => {
  const all = [1, 10, 100].map((subscribers) => paced({ subscribers }));
  const budget = { requests: 100, untilMs: MIDNIGHT_MS + DAY_MS, requestsPerDay: 100 };
  const found = paceFor(all, budget, MINUTE_MS, MIDNIGHT_MS, undefined);
  const spentAt = (price: number) =>
    all.reduce((sum, one) => sum + forecast(one, { ...found, price }, MIDNIGHT_MS, MIDNIGHT_MS + DAY_MS).polls, 0);
  expect(spentAt(found.price)).toBeLessThanOrEqual(100);
  expect(spentAt(found.price / 2 ** (1 / 16))).toBeGreaterThan(100);
  // Half of the requests keep all alike: every second even share.
  expect(found).toMatchObject({ longestMs: (2 * DAY_MS * 3) / 100, shortestMs: MINUTE_MS });
  for (const guess of [1e-9, 1, 1e9, 1e30]) expect(paceFor(all, budget, MINUTE_MS, MIDNIGHT_MS, guess)).toEqual(found);
});

test('where others have spent much, the longest time gives way so that the requests last', () => {
  const all = [paced(), paced()];
  const budget = { requests: 10, untilMs: MIDNIGHT_MS + 12 * HOUR_MS, requestsPerDay: 1000 };
  expect(paceFor(all, budget, MINUTE_MS, MIDNIGHT_MS, undefined).longestMs).toBe((12 * HOUR_MS * 2) / 10);
});

test('a second look waits for its turn where the requests are short, and somebody who waits does not', () => {
  const short = { ...pace, isShort: true };
  const minuteLater = MIDNIGHT_MS + MINUTE_MS;
  expect(worthOf(paced({ isDoubtful: true }), pace, minuteLater)).toBe(Infinity);
  expect(worthOf(paced({ isDoubtful: true }), short, minuteLater)).toBe(worthOf(paced(), short, minuteLater));
  expect(worthOf(paced({ isUrgent: true }), short, minuteLater)).toBe(Infinity);
  const nextMs = (changes: Partial<Paced>) =>
    forecast(paced(changes), short, MIDNIGHT_MS, MIDNIGHT_MS + 5 * HOUR_MS).nextPollMs;
  expect(nextMs({ isDoubtful: true })).toBe(MIDNIGHT_MS + 2 * HOUR_MS);
  expect(nextMs({ isUrgent: true })).toBe(minuteLater);

  const isShort = (requests: number) =>
    paceFor(
      [paced()],
      { requests, untilMs: MIDNIGHT_MS + 12 * HOUR_MS, requestsPerDay: 100 },
      MINUTE_MS,
      MIDNIGHT_MS,
      undefined,
    ).isShort;
  // Half of a day's share for half of a day is as much as is promised.
  expect([isShort(25), isShort(24)]).toEqual([false, true]);
});

test('with a request a minute for each or more, all are polled alike and no price counts', () => {
  const all = [paced(), paced({ subscribers: 100 })];
  const paceWith = (requests: number, shortestMs: number) =>
    paceFor(all, { requests, untilMs: MIDNIGHT_MS + HOUR_MS, requestsPerDay: 1000 }, shortestMs, MIDNIGHT_MS, 1);
  expect(paceWith(120, 1000)).toMatchObject({ longestMs: MINUTE_MS, price: 2 ** 50, shortestMs: 1000 });
  expect(paceWith(119, 1000).price).toBeLessThan(2 ** 50);
  expect(paceWith(240, MINUTE_MS)).toMatchObject({ longestMs: MINUTE_MS, price: 2 ** 50 });
  expect(paceWith(24, 5 * MINUTE_MS)).toMatchObject({ longestMs: 5 * MINUTE_MS, price: 2 ** 50 });
});

const planner = createPlanner({ minIntervalMs: MINUTE_MS });
const planAt = (nowMs: number, spent: number, limit = 1000) => {
  const quota = { limit, spent, resetsAtMs: MIDNIGHT_MS + DAY_MS };
  const demand = {
    resource: 'feed:Home',
    subscribers: 1,
    lastPolledMs: nowMs - HOUR_MS,
    isUrgent: false,
    isDoubtful: false,
    learned: undefined,
  } as const;
  return planner.plan([demand], { portal: quota, v2: quota }, nowMs);
};

test('where nothing may be spent, a thing waits until the requests return, half of that on average', () => {
  const { resources } = planAt(MIDNIGHT_MS + 20 * HOUR_MS, 1000);
  expect(resources.get('feed:Home')).toEqual({
    nextPollMs: null,
    worstDelayMs: 5 * HOUR_MS,
    expectedDelayMs: 2.5 * HOUR_MS,
    polls: 0,
  });
});

test('requests are projected to run out when they would before they return, counted over an hour at the least', () => {
  const endOf = (nowMs: number, spent: number) => planAt(nowMs, spent).interfaces.portal.projectedEndMs;
  const noonMs = MIDNIGHT_MS + 12 * HOUR_MS;
  expect(endOf(noonMs, 500)).toBeNull();
  expect(endOf(noonMs, 501)).toBeCloseTo(noonMs + (499 / 501) * 12 * HOUR_MS, -1);
  expect(endOf(noonMs, 999)).toBeCloseTo(noonMs + (12 * HOUR_MS) / 999, -1);
  expect(endOf(noonMs, 1000)).toBe(noonMs);
  const earlyMs = MIDNIGHT_MS + MINUTE_MS;
  expect(endOf(earlyMs, 40)).toBeNull();
  expect(endOf(earlyMs, 41)).toBeCloseTo(earlyMs + (959 / 41) * HOUR_MS, -1);
  expect(endOf(earlyMs, 100)).toBeCloseTo(earlyMs + 9 * HOUR_MS, -1);
});
