import { expect, test } from 'vitest';
import { Backoffs, type Setback } from '../../../../src/bot/announcements/deliver/backoff.ts';
import { ManualClock } from '../../../helpers/manual-clock.ts';

const UNKNOWN: Setback = { kind: 'unknown' };
const BLOCKED: Setback = { kind: 'blocked' };

function someBackoffs() {
  const clock = new ManualClock();
  const backoffs = new Backoffs(clock);
  return {
    clock,
    backoffs,
    /** How long the pause lasts from now: negative where there is none. */
    leftMs: (channelId: string, urgency: 'post' | 'publish' | 'edit' = 'post') =>
      backoffs.untilMs(channelId, urgency) - clock.now(),
  };
}

test.each([
  ['unknown', UNKNOWN, [2, 4, 8, 16, 32, 64, 128, 256, 300, 300]],
  ['blocked', BLOCKED, [60, 240, 960, 3_600, 3_600]],
  ['later', { kind: 'later', afterMs: 90_000 } as const, [90, 90, 90]],
])(
  'after %s outcomes in a row a channel rests for longer and longer, up to the longest rest',
  (_, setback, seconds) => {
    const { backoffs, leftMs } = someBackoffs();
    const pauses = seconds.map(() => {
      backoffs.pause('10', 'post', setback);
      return leftMs('10') / 1_000;
    });
    expect(pauses).toEqual(seconds);
  },
);

test('each task in each channel has a rest of its own, and one that succeeds forgets its failures', () => {
  const { backoffs, leftMs } = someBackoffs();
  backoffs.pause('10', 'post', UNKNOWN);
  backoffs.pause('10', 'edit', BLOCKED);
  backoffs.pause('11', 'post', UNKNOWN);
  backoffs.pause('11', 'post', UNKNOWN);
  expect([leftMs('10'), leftMs('10', 'edit'), leftMs('11')]).toEqual([2_000, 60_000, 4_000]);
  expect(leftMs('10', 'publish')).toBe(Number.NEGATIVE_INFINITY);
  backoffs.resume('11', 'post');
  backoffs.resume('12', 'post');
  expect([leftMs('11'), backoffs.has('11'), backoffs.has('12')]).toEqual([Number.NEGATIVE_INFINITY, false, false]);
  backoffs.pause('11', 'post', UNKNOWN);
  expect(leftMs('11')).toBe(2_000);
  backoffs.resume('10', 'post');
  expect([backoffs.has('10'), leftMs('10', 'edit')]).toEqual([true, 60_000]);
  backoffs.resumeAll('10');
  expect([backoffs.has('10'), leftMs('10', 'edit')]).toEqual([false, Number.NEGATIVE_INFINITY]);
});

test('a permission that returns ends only the rests that its lack has caused, and the next one is as long as it would be', () => {
  const { backoffs, leftMs } = someBackoffs();
  backoffs.pause('10', 'post', BLOCKED);
  backoffs.pause('10', 'edit', UNKNOWN);
  backoffs.pause('11', 'post', BLOCKED);
  expect(backoffs.blockedChannels()).toBe(2);
  backoffs.endBlocked('10');
  backoffs.endBlocked('12');
  expect([leftMs('10'), leftMs('10', 'edit'), leftMs('11')]).toEqual([Number.NEGATIVE_INFINITY, 2_000, 60_000]);
  backoffs.pause('10', 'post', BLOCKED);
  expect(leftMs('10')).toBe(240_000);
});

test('channels count as blocked once, whatever is blocked there, until something else comes', () => {
  const { backoffs } = someBackoffs();
  backoffs.pause('10', 'edit', UNKNOWN);
  expect(backoffs.blockedChannels()).toBe(0);
  backoffs.pause('10', 'post', BLOCKED);
  backoffs.pause('10', 'publish', BLOCKED);
  expect(backoffs.blockedChannels()).toBe(1);
  backoffs.pause('10', 'post', UNKNOWN);
  backoffs.resume('10', 'publish');
  expect(backoffs.blockedChannels()).toBe(0);
});

test('time that passes uses up a rest, and setting the wall clock does not', async () => {
  const { backoffs, clock, leftMs } = someBackoffs();
  backoffs.pause('10', 'post', BLOCKED);
  await clock.advance(59_999);
  clock.jump(-7_200_000);
  expect(leftMs('10')).toBe(1);
  clock.jump(14_400_000);
  expect(leftMs('10')).toBe(1);
});
