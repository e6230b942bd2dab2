import { describe, expect, it } from 'vitest';
import { refill, waitForTokenMs } from '../../../../src/bot/catalog/throttle/bucket.ts';

const LIMITS = { rate: 2, burst: 10 };

describe('refill', () => {
  it('adds a little less than the rate says, up to the burst', () => {
    expect(refill(0, LIMITS, 1000)).toBe(1.98);
    expect(refill(9.5, LIMITS, 60_000)).toBe(10);
  });

  it('adds nothing for a clock that was set back', () => {
    expect(refill(3, LIMITS, -4000)).toBe(3);
  });
});

describe('waitForTokenMs', () => {
  it.each([
    { tokens: 1, held: 0, waitMs: 0 },
    { tokens: 10, held: 0, waitMs: 0 },
    { tokens: 9, held: 9, waitMs: 506 },
    { tokens: 0.01, held: 0, waitMs: 500 },
    { tokens: 5, held: 5, waitMs: 506 },
    { tokens: 10, held: 10, waitMs: Number.POSITIVE_INFINITY },
  ])('is $waitMs ms with $tokens tokens and $held of them held', ({ tokens, held, waitMs }) => {
    expect(waitForTokenMs(tokens, LIMITS, held)).toBe(waitMs);
  });
});
