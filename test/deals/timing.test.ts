import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Timing, USUAL_TIMING } from '../../src/deals/settings.ts';
import { dueAt, isTimeZone, lastDays, sooner } from '../../src/deals/timing.ts';
import { HOUR_MS, MINUTE_MS } from '../../src/shared/time.ts';

const timing = (changes: Partial<Timing>): Timing => ({ ...USUAL_TIMING, ...changes });
const due = (changes: Partial<Timing>, at: string) =>
  new Date(dueAt(timing(changes), Date.parse(at)).dueAtMs).toISOString();

test.each([
  ['at once', {}, '2026-10-06T12:34:56Z', '2026-10-06T12:34:56.000Z'],
  ['the next full hour', { mode: 'hourly' }, '2026-10-06T12:34:56Z', '2026-10-06T13:00:00.000Z'],
  [
    'a full hour on the wall, half an hour off UTC',
    { mode: 'hourly', timeZone: 'Asia/Kolkata' },
    '2026-10-06T12:10:00Z',
    '2026-10-06T12:30:00.000Z',
  ],
  [
    'today, if that is still to come',
    { mode: 'daily', dailyAtMinute: 540, timeZone: 'Europe/Berlin' },
    '2026-10-06T06:59:00Z',
    '2026-10-06T07:00:00.000Z',
  ],
  [
    'tomorrow at the same time on the wall, though the clocks change',
    { mode: 'daily', dailyAtMinute: 540, timeZone: 'Europe/Berlin' },
    '2026-10-24T08:00:00Z',
    '2026-10-25T08:00:00.000Z',
  ],
  [
    'a time that is skipped: as much later',
    { mode: 'daily', dailyAtMinute: 150, timeZone: 'Europe/Berlin' },
    '2026-03-28T12:00:00Z',
    '2026-03-29T01:30:00.000Z',
  ],
  [
    'a time that comes twice: the first',
    { mode: 'daily', dailyAtMinute: 150, timeZone: 'Europe/Berlin' },
    '2026-10-24T12:00:00Z',
    '2026-10-25T00:30:00.000Z',
  ],
  [
    'a time that comes twice is not told twice',
    { mode: 'daily', dailyAtMinute: 150, timeZone: 'Europe/Berlin' },
    '2026-10-25T00:30:00Z',
    '2026-10-26T01:30:00.000Z',
  ],
  [
    'after quiet hours across midnight',
    { quiet: { fromMinute: 22 * 60, toMinute: 7 * 60 }, timeZone: 'Europe/Berlin' },
    '2026-10-06T21:00:00Z',
    '2026-10-07T05:00:00.000Z',
  ],
  [
    'a digest in quiet hours waits for their end',
    { mode: 'daily', dailyAtMinute: 360, quiet: { fromMinute: 22 * 60, toMinute: 7 * 60 } },
    '2026-10-06T12:00:00Z',
    '2026-10-07T07:00:00.000Z',
  ],
  [
    'quiet hours that end in the skipped hour end with the change',
    { quiet: { fromMinute: 22 * 60, toMinute: 150 }, timeZone: 'Europe/Berlin' },
    '2026-03-29T00:15:00Z',
    '2026-03-29T01:00:00.000Z',
  ],
] as [string, Partial<Timing>, string, string][])('due %s', (_, changes, at, expected) => {
  expect(due(changes, at)).toBe(expected);
});

const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'America/St_Johns',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Africa/Casablanca',
  'Pacific/Chatham',
  'America/Santiago',
  'Antarctica/Troll',
];

/** The local time, by another library than the one that decides. */
function wallMinute(ms: number, timeZone: string): number {
  const parts = new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit' }).format(ms);
  const [hour = 0, minute = 0] = parts.split(':').map(Number);
  return hour * 60 + minute;
}

const moments = fc.integer({ min: Date.UTC(2024, 0), max: Date.UTC(2030, 0) });
const minutes = fc.integer({ min: 0, max: 1439 });
const zones = fc.constantFrom(...ZONES);

test('whatever the zone, an hourly digest comes with the next full hour, and within one and a half', () => {
  fc.assert(
    fc.property(moments, zones, (nowMs, timeZone) => {
      const { dueAtMs, isDigest } = dueAt(timing({ mode: 'hourly', timeZone }), nowMs);
      expect(isDigest).toBe(true);
      expect(wallMinute(dueAtMs, timeZone) % 60).toBe(0);
      expect(dueAtMs).toBeGreaterThan(nowMs);
      expect(dueAtMs - nowMs).toBeLessThanOrEqual(1.5 * HOUR_MS);
    }),
  );
});

test('whatever the zone, a daily digest comes once a day', () => {
  fc.assert(
    fc.property(moments, zones, minutes, (nowMs, timeZone, dailyAtMinute) => {
      const daily = timing({ mode: 'daily', timeZone, dailyAtMinute });
      const { dueAtMs } = dueAt(daily, nowMs);
      expect(dueAtMs).toBeGreaterThan(nowMs);
      const next = dueAt(daily, dueAtMs).dueAtMs;
      expect(next - dueAtMs).toBeGreaterThanOrEqual(22 * HOUR_MS);
      expect(next - dueAtMs).toBeLessThanOrEqual(26 * HOUR_MS);
    }),
  );
});

test('whatever the zone, nothing is due in a quiet hour, and nothing waits longer than for the end of one', () => {
  fc.assert(
    fc.property(moments, zones, minutes, minutes, (nowMs, timeZone, fromMinute, toMinute) => {
      const isQuiet = (ms: number) => {
        const minute = wallMinute(ms, timeZone);
        return fromMinute <= toMinute
          ? fromMinute <= minute && minute < toMinute
          : fromMinute <= minute || minute < toMinute;
      };
      const { dueAtMs } = dueAt(timing({ timeZone, quiet: { fromMinute, toMinute } }), nowMs);
      expect(dueAtMs).toBeGreaterThanOrEqual(nowMs);
      expect(isQuiet(dueAtMs)).toBe(false);
      // Every quarter of an hour before it is quiet, and so is the minute before.
      for (let ms = nowMs; ms < dueAtMs; ms += 15 * MINUTE_MS) expect(isQuiet(ms)).toBe(true);
      if (dueAtMs > nowMs) expect(isQuiet(Math.max(nowMs, dueAtMs - 1))).toBe(true);
    }),
  );
});

test('of several subscriptions the earlier counts, and a post by itself before a digest', () => {
  const digest = { dueAtMs: 5, isDigest: true };
  const alone = { dueAtMs: 5, isDigest: false };
  expect(sooner(digest, alone)).toBe(alone);
  expect(sooner(alone, digest)).toBe(alone);
  expect(sooner(digest, { dueAtMs: 6, isDigest: false })).toBe(digest);
});

test('a time zone is known by its name', () => {
  expect([isTimeZone('Europe/Berlin'), isTimeZone('UTC'), isTimeZone('Mars/Olympus')]).toEqual([true, true, false]);
});

test('a time zone that the runtime does not know counts as UTC', () => {
  const quiet = { fromMinute: 12 * 60, toMinute: 13 * 60 };
  for (const mode of ['at-once', 'hourly', 'daily'] as const) {
    const at = '2026-10-06T12:34:56Z';
    expect(due({ mode, quiet, timeZone: 'Mars/Olympus' }, at)).toBe(due({ mode, quiet, timeZone: 'UTC' }, at));
  }
  const nowMs = Date.parse('2026-10-06T12:34:56Z');
  expect(lastDays(2, 'Mars/Olympus', nowMs)).toEqual(lastDays(2, 'UTC', nowMs));
});
