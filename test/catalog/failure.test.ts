import { describe, expect, it } from 'vitest';
import { parseRetryAfterMs, retryDelayMs } from '../../src/catalog/failure.ts';

const NOW = Date.parse('2026-11-21T12:00:00Z');
const least = () => 0;
const most = () => 1;

describe('retryDelayMs', () => {
  it.each([
    [1, 250, 500],
    [2, 500, 1000],
    [3, 1000, 2000],
  ])('doubles the wait after failure %i in passing: %i to %i ms', (attempt, leastMs, mostMs) => {
    expect(retryDelayMs({ kind: 'passing' }, attempt, NOW, least)).toBe(leastMs);
    expect(retryDelayMs({ kind: 'passing' }, attempt, NOW, most)).toBe(mostMs);
  });

  it('gives up after the fourth failure in passing, and at once where trying again is of no use', () => {
    expect(retryDelayMs({ kind: 'passing' }, 4, NOW, most)).toBeNull();
    expect(retryDelayMs({ kind: 'final' }, 1, NOW, most)).toBeNull();
    expect(retryDelayMs({ kind: 'quota', retryAfter: '1' }, 1, NOW, most)).toBeNull();
  });

  it('waits longer where it was asked to slow down, up to a limit, and never gives up by itself', () => {
    expect(retryDelayMs({ kind: 'rate' }, 1, NOW, most)).toBe(2000);
    expect(retryDelayMs({ kind: 'rate' }, 9, NOW, most)).toBe(15_000);
  });

  it('waits as long as it is told to', () => {
    expect(retryDelayMs({ kind: 'passing', retryAfter: '7' }, 1, NOW, most)).toBe(7000);
    expect(retryDelayMs({ kind: 'rate', retryAfter: '7' }, 1, NOW, most)).toBe(7000);
    expect(retryDelayMs({ kind: 'rate', retryAfter: '0' }, 3, NOW, most)).toBe(4000);
  });
});

describe('parseRetryAfterMs', () => {
  it.each([
    ['0', 0],
    [' 12 ', 12_000],
    ['Sat, 21 Nov 2026 12:01:30 GMT', 90_000],
    ['Sat, 21 Nov 2026 11:00:00 GMT', 0],
    ['999999999', 86_400_000],
    ['9'.repeat(400), 86_400_000],
    ['Sat, 21 Nov 9999 12:01:30 GMT', 86_400_000],
    // Dates, for a reader of dates that takes anything.
    ['-5', null],
    ['1.5', null],
    ['soon', null],
    ['', null],
    [undefined, null],
  ])('reads %j as %j', (header, ms) => {
    expect(parseRetryAfterMs(header, NOW)).toBe(ms);
  });
});
