import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type Done,
  isRollUpNext,
  keptForRollUps,
  nextPostAtMs,
} from '../../../src/announcements/deliver/hourly-limit.ts';

const HOUR_MS = 3_600_000;
const done = (...moments: number[]): Done[] => moments.map((atMs) => ({ id: String(atMs), atMs }));

/** Posts whatever waits as soon as the limit lets it through. Returns the moments, and how much each post told. */
function post(
  arrivals: readonly number[],
  most: number,
): { posts: { atMs: number; told: number }[]; longestWaitMs: number } {
  const posts: { atMs: number; told: number }[] = [];
  let longestWaitMs = 0;
  let told = 0;
  let nowMs = 0;
  while (told < arrivals.length) {
    const within = () => done(...posts.map(({ atMs }) => atMs).filter((atMs) => atMs > nowMs - HOUR_MS));
    nowMs = Math.max(nowMs, arrivals[told] ?? 0);
    nowMs = Math.max(nowMs, nextPostAtMs(within(), most));
    const waiting = arrivals.filter((atMs) => atMs <= nowMs).length - told;
    const count = isRollUpNext(within(), most) ? waiting : 1;
    longestWaitMs = Math.max(longestWaitMs, nowMs - Math.max(arrivals[told] ?? 0, posts.at(-1)?.atMs ?? 0));
    posts.push({ atMs: nowMs, told: count });
    told += count;
  }
  return { posts, longestWaitMs };
}

const mosts = fc.integer({ min: 1, max: 100 });
const arrivals = fc
  .array(fc.integer({ min: 0, max: 600_000 }), { minLength: 1, maxLength: 150 })
  .map((gaps) => gaps.map((_, index) => gaps.slice(0, index + 1).reduce((a, b) => a + b, 0)));
const bursts = fc
  .array(fc.constantFrom(0, 0, 0, 1_000, HOUR_MS / 12), { minLength: 1, maxLength: 150 })
  .map((gaps) => gaps.map((_, index) => gaps.slice(0, index + 1).reduce((a, b) => a + b, 0)));

test('whatever comes, no hour sees more than its most, and nothing waits longer than a share of the hour', () => {
  fc.assert(
    fc.property(fc.oneof(arrivals, bursts), mosts, (moments, most) => {
      const { posts, longestWaitMs } = post(moments, most);
      posts.forEach(({ atMs }, index) => {
        const before = posts[index - most];
        if (before) expect(atMs - before.atMs).toBeGreaterThanOrEqual(HOUR_MS);
      });
      expect(longestWaitMs).toBeLessThanOrEqual(Math.ceil(HOUR_MS / keptForRollUps(most)));
    }),
  );
});

test.each([
  [1, 1],
  [2, 2],
  [3, 2],
  [5, 3],
  [30, 12],
  [100, 12],
])('of %i posts an hour %i are kept for roll-ups', (most, kept) => {
  expect(keptForRollUps(most)).toBe(kept);
});

test('of thirty an hour, eighteen come at once, one more takes all that is left, and the next one five minutes later', () => {
  const burst = (count: number) => done(...Array.from({ length: count }, () => 1));
  expect([isRollUpNext(burst(17), 30), isRollUpNext(burst(18), 30)]).toEqual([false, true]);
  expect(nextPostAtMs(burst(18), 30)).toBeLessThanOrEqual(1);
  expect(nextPostAtMs(burst(19), 30)).toBe(1 + HOUR_MS / 12);
});

test('in a steady flow no five minutes pass without a post, and what comes alone has its own again in the next hour', () => {
  const steady = Array.from({ length: 720 }, (_, index) => index * 10_000);
  const { posts } = post(steady, 30);
  for (const [index, { atMs }] of posts.entries()) {
    expect(atMs - (posts[index - 1]?.atMs ?? 0)).toBeLessThanOrEqual(HOUR_MS / 12);
  }
  expect(posts.some(({ atMs, told }) => atMs > HOUR_MS && told === 1)).toBe(true);
});

test('a lower limit than before waits until the hour has as few', () => {
  expect(nextPostAtMs(done(1, 2, 3, 4), 2)).toBe(3 + HOUR_MS);
  expect(nextPostAtMs(done(1, 2, 3, 4), 1)).toBe(4 + HOUR_MS);
});
