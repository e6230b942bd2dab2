import { describe, expect, it } from 'vitest';
import {
  dayOf,
  formatDay,
  parseDay,
  remainingFor,
  reserveOf,
  startOfDayMs,
} from '../../../../src/bot/catalog/throttle/quota.ts';

describe('days', () => {
  it('begin at 00:00 UTC', () => {
    const day = dayOf(Date.parse('2026-11-21T23:59:59.999Z'));
    expect(formatDay(day)).toBe('2026-11-21');
    expect(new Date(startOfDayMs(day + 1)).toISOString()).toBe('2026-11-22T00:00:00.000Z');
    expect(parseDay('2026-11-21')).toBe(day);
  });
});

describe('the reserve', () => {
  it.each([
    [1000, 100],
    [5000, 500],
    [100, 20],
    [30, 15],
    [1, 0],
  ])('of %i requests is %i', (limit, reserve) => {
    expect(reserveOf(limit)).toBe(reserve);
  });

  it('is for the interactive lane alone', () => {
    expect(remainingFor('interactive', 900, 1000)).toBe(100);
    expect(remainingFor('announcement', 900, 1000)).toBe(0);
    expect(remainingFor('background', 899, 1000)).toBe(1);
    expect(remainingFor('interactive', 1200, 1000)).toBe(0);
  });
});
