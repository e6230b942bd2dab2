import { describe, expect, it } from 'vitest';
import { refill, waitForTokenMs } from '../../../src/catalog/throttle/bucket.ts';

const LIMITS = { rate: 2, burst: 10 };

describe('refill', () => {
  it('adds a little less than the rate says, up to the burst', () => {
    expect(refill({ tokens: 0, atMs: 0 }, LIMITS, 1000)).toEqual({ tokens: 1.98, atMs: 1000 });
    expect(refill({ tokens: 9.5, atMs: 0 }, LIMITS, 60_000)).toEqual({ tokens: 10, atMs: 60_000 });
  });

  it('adds nothing for a clock that was set back, and goes on from there', () => {
    expect(refill({ tokens: 3, atMs: 5000 }, LIMITS, 1000)).toEqual({ tokens: 3, atMs: 1000 });
  });
});

describe('waitForTokenMs', () => {
  it.each([
    { tokens: 1, held: 0, waitMs: 0 },
    { tokens: 0.01, held: 0, waitMs: 500 },
    { tokens: 5, held: 5, waitMs: 506 },
    { tokens: 10, held: 10, waitMs: Number.POSITIVE_INFINITY },
  ])('is $waitMs ms with $tokens tokens and $held of them held', ({ tokens, held, waitMs }) => {
    expect(waitForTokenMs({ tokens, atMs: 0 }, LIMITS, held)).toBe(waitMs);
  });
});
