import { expect, test } from 'vitest';
import type { Debt } from './channel.ts';
import { type Circumstances, createDeadlines } from './deadlines.ts';
import { inQuietHours, overposted } from './limits.ts';
import { createWallClocks } from './wall-clocks.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const MIDNIGHT_MS = Date.parse('2026-10-24T00:00:00Z');
const at = (hours: number) => MIDNIGHT_MS + hours * HOUR_MS;

const CLOCKS = createWallClocks(['UTC', 'Europe/Berlin'], MIDNIGHT_MS - DAY_MS, MIDNIGHT_MS + 5 * DAY_MS);
const AT_ONCE = { mode: 'at-once', dailyAtMinute: 0, timeZone: 'UTC', quiet: null } as const;
const QUIET = { ...AT_ONCE, quiet: { fromMinute: 22 * 60, toMinute: 7 * 60 } } as const;
const HOURLY = { ...AT_ONCE, mode: 'hourly' } as const;
const RIGHT_CLOCK: Circumstances['time'] = {
  setBackMs: () => [],
  mostWrong: () => 0,
  botMs: (atMs) => atMs,
  shownFromMs: Math.max,
  mayBeShownFromMs: Math.max,
};

/** The hours since midnight between which a find has to be posted, and whether it has to. */
function spanOf(foundAt: number, dueAt: number, changes: Partial<Circumstances> = {}) {
  const circumstances: Circumstances = {
    settingsOf: () => [{ timing: AT_ONCE, mostPerHour: 4 }],
    clocks: CLOCKS,
    time: RIGHT_CLOCK,
    foundOpenByMs: () => null,
    isAway: () => false,
    ...changes,
  };
  const debt = { channel: 'deals', foundAtMs: at(foundAt), dueAtMs: at(dueAt), isOptional: false } as Debt;
  const { fromMs, untilMs, isOptional } = createDeadlines(circumstances)(debt);
  return [(fromMs - MIDNIGHT_MS) / HOUR_MS, (untilMs - MIDNIGHT_MS) / HOUR_MS, isOptional];
}

test("a find is posted when it is due, and held back by the hour's most and by quiet hours alone", () => {
  expect(spanOf(12, 12)).toEqual([12, 12.5, false]);
  const settings = (timing: typeof AT_ONCE | typeof QUIET | typeof HOURLY, mostPerHour: number) => () => [
    { timing, mostPerHour },
  ];
  expect(spanOf(12, 12, { settingsOf: settings(AT_ONCE, 30) })).toEqual([12, 12 + 5 / 60, false]);
  expect(spanOf(12, 12, { settingsOf: settings(AT_ONCE, 1) })).toEqual([12, 13, false]);
  expect(spanOf(12.25, 13, { settingsOf: settings(HOURLY, 4) })).toEqual([13, 13.5, false]);
  expect(spanOf(23, 31, { settingsOf: settings(QUIET, 4) })).toEqual([31, 31.5, false]);
  expect(spanOf(21.75, 21.75, { settingsOf: settings(QUIET, 4) }), 'held into quiet hours').toEqual([
    21.75,
    31.5,
    false,
  ]);
});

test('a channel that was closed may have it once the bot has found out; one that never opens, or is left, needs nothing', () => {
  const closedUntil = (hours: number) => (_: string, fromMs: number) => (fromMs < at(hours) ? at(hours) : null);
  expect(spanOf(12, 12, { foundOpenByMs: closedUntil(15) })).toEqual([12, 15.5, false]);
  expect(spanOf(12, 12, { foundOpenByMs: () => Infinity })).toEqual([12, Infinity, true]);
  expect(spanOf(12, 12, { isAway: () => true })).toEqual([12, 12.5, true]);
});

test("a digest comes by the bot's clock: one that was set back before it shows the hour again later", () => {
  const settingsOf = () => [{ timing: HOURLY, mostPerHour: 4 }];
  // An hour back at 12:30.
  const setAtMs = at(12.5);
  const botMs = (atMs: number) => (atMs < setAtMs ? atMs : atMs - HOUR_MS);
  const shownFromMs = (shownMs: number, fromMs: number) =>
    shownMs < setAtMs ? Math.max(fromMs, shownMs) : Math.max(fromMs, shownMs + HOUR_MS);
  const time = { ...RIGHT_CLOCK, setBackMs: () => [setAtMs], botMs, shownFromMs, mayBeShownFromMs: shownFromMs };
  expect(spanOf(12.25, 13, { settingsOf, time })).toEqual([14, 14.5, false]);
});

test('wall clocks find full hours and the end of quiet hours in any zone, and tell an hour that comes twice once', () => {
  const daily = { ...AT_ONCE, mode: 'daily', dailyAtMinute: 150, timeZone: 'Europe/Berlin' } as const;
  const due = (timing: Parameters<typeof CLOCKS.dueAtMs>[0], time: string) =>
    new Date(CLOCKS.dueAtMs(timing, Date.parse(time))).toISOString();
  expect(due(HOURLY, '2026-10-24T12:00:00Z')).toBe('2026-10-24T13:00:00.000Z');
  expect(due(QUIET, '2026-10-24T22:00:00Z')).toBe('2026-10-25T07:00:00.000Z');
  expect(due(daily, '2026-10-24T12:00:00Z'), 'half past two in summer').toBe('2026-10-25T00:30:00.000Z');
  expect(due(daily, '2026-10-25T00:45:00Z'), 'not in winter on the same day').toBe('2026-10-26T01:30:00.000Z');
});

test("the posts above an hour's most and those in quiet hours are found", () => {
  const minutes = (...all: number[]) => all.map((minute) => MIDNIGHT_MS + minute * MINUTE_MS);
  expect(overposted('deals', minutes(0, 20, 40, 60, 80), 3)).toEqual([]);
  expect(overposted('deals', minutes(0, 20, 40, 59, 80), 3)).toHaveLength(1);
  const aheadBefore = (minute: number) => overposted('deals', minutes(0, 20, 40, 59, 79), 3, minutes(minute));
  expect([aheadBefore(-1), aheadBefore(10), aheadBefore(30), aheadBefore(70)].map((found) => found.length)).toEqual([
    2, 1, 0, 1,
  ]);
  const times = [at(21.9), at(22), at(30.9), at(31)];
  expect(inQuietHours('deals', times, [QUIET], CLOCKS)).toHaveLength(2);
  expect(inQuietHours('deals', times, [QUIET, AT_ONCE], CLOCKS)).toEqual([]);
});
