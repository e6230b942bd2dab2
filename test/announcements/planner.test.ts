import { expect, test } from 'vitest';
import { pollIntervalMs } from '../../src/announcements/planner.ts';
import { HOUR_MS, NOW_MS } from '../helpers/things.ts';

const quota = (spent: number, limit = 1000) => ({ limit, spent, resetsAtMs: NOW_MS + 12 * HOUR_MS });

test('the least time counts while there is plenty', () => {
  expect(pollIntervalMs(1, quota(0, 1_000_000), 60_000, NOW_MS)).toBe(60_000);
});

test('what is left of the day is shared out evenly', () => {
  expect(pollIntervalMs(4, quota(400), 60_000, NOW_MS)).toBe((12 * HOUR_MS * 4) / 400);
});

test('a fifth of the day is left to people', () => {
  expect(pollIntervalMs(1, quota(800), 60_000, NOW_MS)).toBe(Infinity);
});

test('a day of polling by this plan never spends more than its share', () => {
  const day = { limit: 1000, spent: 0, resetsAtMs: NOW_MS + 24 * HOUR_MS };
  const lastPollMs = Array.from({ length: 7 }, () => -Infinity);
  for (let nowMs = NOW_MS; nowMs < day.resetsAtMs; nowMs += 15_000) {
    lastPollMs.forEach((last, index) => {
      if (nowMs - last < pollIntervalMs(lastPollMs.length, day, 60_000, nowMs)) return;
      lastPollMs[index] = nowMs;
      day.spent += 1;
    });
  }
  expect(day.spent).toBeLessThanOrEqual(800);
  expect(day.spent).toBeGreaterThan(760);
});
