import { expect, test } from 'vitest';
import { resetOf, unreadOf } from '../../src/app/resource-facts.ts';
import { MINUTE_MS } from '../../src/shared/time.ts';
import { NOW_MS } from '../helpers/things.ts';

const planned = (worstDelayMs: number) => ({ nextPollMs: null, worstDelayMs, expectedDelayMs: 0, polls: 1 });
const failing = (sinceMs: number) => ({ sinceMs, reason: 'No.', isUnknown: true });

test.each([
  ['read in time', { polledAtMs: NOW_MS - 30 * MINUTE_MS, worstDelayMs: 10 * MINUTE_MS }, false],
  ['read a moment too late', { polledAtMs: NOW_MS - 30 * MINUTE_MS - 1, worstDelayMs: 10 * MINUTE_MS }, true],
  ['planned each second, and read 3 minutes ago', { polledAtMs: NOW_MS - 3 * MINUTE_MS, worstDelayMs: 1_000 }, false],
  ['planned each second, and read before', { polledAtMs: NOW_MS - 3 * MINUTE_MS - 1, worstDelayMs: 1_000 }, true],
  ['never read, and not tried', { polledAtMs: null, worstDelayMs: 1_000 }, false],
  ['never read, and tried for long', { polledAtMs: null, worstDelayMs: 1_000, failure: failing(0) }, true],
  ['followed by nobody', { polledAtMs: 0, worstDelayMs: null }, false],
] as const)('of a resource that is %s, health tells that it is unread: %j → %s', (_, about, isTold) => {
  const { polledAtMs, worstDelayMs } = about;
  const failure = 'failure' in about ? about.failure : null;
  const plan = worstDelayMs === null ? null : planned(worstDelayMs);
  const unread = unreadOf([{ resource: 'feed:Home', polledAtMs, plan, failure }], NOW_MS);
  expect(unread).toEqual(isTold ? [{ resource: 'Home', readAtMs: polledAtMs ?? 0 }] : []);
});

test.each([
  ['all is left', 0, null],
  ['polling may make one more request', 899, null],
  ['only what is kept for people is left', 900, NOW_MS],
  ['nothing is left', 1_000, NOW_MS],
])('where %s of the quota, %i spent, it returns at %j', (_, spent, resetsAtMs) => {
  const quotas = {
    portal: { spent, limit: 1_000, resetsAtMs: NOW_MS },
    v2: { spent: 1_000, limit: 1_000, resetsAtMs: NOW_MS - 1 },
  };
  expect(resetOf(quotas, [{ resource: 'feed:Home', isFollowed: true }])).toBe(resetsAtMs);
  expect(resetOf(quotas, [{ resource: 'feed:Home', isFollowed: false }]), 'nobody follows anything').toBeNull();
});
