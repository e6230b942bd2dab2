import { expect, test } from 'vitest';
import { Channel, type Setback } from '../../../src/announcements/deliver/channel.ts';
import { ManualClock } from '../../helpers/manual-clock.ts';
import { HOUR_MS } from '../../helpers/things.ts';

const UNKNOWN: Setback = { kind: 'unknown' };
const BLOCKED: Setback = { kind: 'blocked' };
const TWO_MINUTES_MS = 120_000;

function aChannel() {
  const clock = new ManualClock();
  const channel = new Channel('10', clock);
  return {
    clock,
    channel,
    /** How long the pause lasts from now: negative where there is none. */
    leftMs: (urgency: 'post' | 'publish' | 'edit' = 'post') => channel.pausedUntilMs(urgency) - clock.now(),
  };
}

test.each([
  ['unknown', UNKNOWN, [2, 4, 8, 16, 32, 64, 128, 256, 300, 300]],
  ['blocked', BLOCKED, [60, 240, 960, 3_600, 3_600]],
  ['later', { kind: 'later', afterMs: 90_000 } as const, [90, 90, 90]],
])(
  'after %s outcomes in a row a channel is paused for longer and longer, up to the longest pause',
  (_, setback, seconds) => {
    const { channel, leftMs } = aChannel();
    const pauses = seconds.map(() => {
      channel.pause('post', setback);
      return leftMs() / 1_000;
    });
    expect(pauses).toEqual(seconds);
  },
);

test('each kind of work has a pause of its own, and one that succeeds forgets its failures', () => {
  const { channel, leftMs } = aChannel();
  channel.pause('post', UNKNOWN);
  channel.pause('post', UNKNOWN);
  channel.pause('edit', BLOCKED);
  expect([leftMs(), leftMs('edit'), leftMs('publish')]).toEqual([4_000, 60_000, Number.NEGATIVE_INFINITY]);
  channel.resume('post');
  channel.resume('publish');
  expect([leftMs(), leftMs('edit'), channel.hasFailed]).toEqual([Number.NEGATIVE_INFINITY, 60_000, true]);
  channel.pause('post', UNKNOWN);
  expect(leftMs()).toBe(2_000);
  channel.resume();
  expect([leftMs(), leftMs('edit'), channel.hasFailed]).toEqual([
    Number.NEGATIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
    false,
  ]);
});

test('a permission that returns ends only the pauses that its lack has caused, and the next one is as long as it would be', () => {
  const { channel, leftMs } = aChannel();
  channel.pause('post', BLOCKED);
  channel.pause('edit', UNKNOWN);
  channel.endBlocked();
  expect([leftMs(), leftMs('edit')]).toEqual([Number.NEGATIVE_INFINITY, 2_000]);
  channel.pause('post', BLOCKED);
  expect(leftMs()).toBe(240_000);
});

test('a channel counts as blocked, whatever is blocked there, until something else comes', () => {
  const { channel } = aChannel();
  channel.pause('edit', UNKNOWN);
  expect(channel.isBlocked).toBe(false);
  channel.pause('post', BLOCKED);
  channel.pause('publish', BLOCKED);
  expect(channel.isBlocked).toBe(true);
  channel.pause('post', UNKNOWN);
  expect(channel.isBlocked).toBe(true);
  channel.resume('publish');
  expect(channel.isBlocked).toBe(false);
});

test('time that passes uses up a pause, and setting the wall clock does not', async () => {
  const { channel, clock, leftMs } = aChannel();
  channel.pause('post', BLOCKED);
  await clock.advance(59_999);
  clock.jump(-7_200_000);
  expect(leftMs()).toBe(1);
  clock.jump(14_400_000);
  expect(leftMs()).toBe(1);
});

test('a try may arrive for two minutes, and then the channel has to be read', async () => {
  const { clock, channel } = aChannel();
  const untilMs = clock.now() + TWO_MINUTES_MS;
  channel.beginTry('a');
  expect([channel.mayArrive(), channel.hasOverdueTry]).toEqual([new Map([['a', untilMs]]), false]);
  await clock.advance(TWO_MINUTES_MS - 1);
  expect([channel.mayArrive(), channel.hasOverdueTry]).toEqual([new Map([['a', untilMs]]), false]);
  await clock.advance(1);
  expect([channel.mayArrive(), channel.hasOverdueTry]).toEqual([new Map(), true]);
});

test('a try that Discord has answered is over; the others stay', async () => {
  const { clock, channel } = aChannel();
  channel.beginTry('a');
  channel.beginTry('b');
  channel.endTry('a');
  channel.endTry('c');
  expect([...channel.mayArrive().keys()]).toEqual(['b']);
  channel.endTry('b');
  await clock.advance(TWO_MINUTES_MS);
  expect(channel.hasOverdueTry).toBe(false);
});

test('a read settles what can not arrive after it has begun', async () => {
  const { clock, channel } = aChannel();
  channel.beginTry('a');
  await clock.advance(1);
  channel.beginTry('b');
  const startMs = clock.monotonicMs() - 1;
  channel.wasRead(startMs + TWO_MINUTES_MS - 1);
  await clock.advance(TWO_MINUTES_MS);
  expect([channel.isReconciled, channel.hasOverdueTry]).toEqual([true, true]);
  channel.wasRead(startMs + TWO_MINUTES_MS);
  expect(channel.hasOverdueTry, 'the later one').toBe(true);
  channel.wasRead(startMs + TWO_MINUTES_MS + 1);
  expect(channel.hasOverdueTry).toBe(false);
});

test('a former run’s try goes on for the rest of its time', async () => {
  const { clock, channel } = aChannel();
  channel.beginTry('young', 30_000);
  expect(channel.mayArrive()).toEqual(new Map([['young', clock.now() + 90_000]]));
  await clock.advance(89_999);
  expect(channel.hasOverdueTry).toBe(false);
  await clock.advance(1);
  expect(channel.hasOverdueTry).toBe(true);
  const { channel: later } = aChannel();
  later.beginTry('old', 10 * TWO_MINUTES_MS);
  expect(later.hasOverdueTry).toBe(true);
});

test('a wall clock that is set makes a try neither older nor younger', async () => {
  const { clock, channel } = aChannel();
  await clock.advance(1_000);
  channel.beginTry('a');
  clock.jump(HOUR_MS);
  expect(channel.mayArrive().get('a')).toBe(clock.now() + TWO_MINUTES_MS);
  clock.jump(-2 * HOUR_MS);
  await clock.advance(TWO_MINUTES_MS - 1);
  expect(channel.mayArrive().get('a')).toBe(clock.now() + 1);
});

test('a channel that no longer exists is known as little as one that was never seen', async () => {
  const { clock, channel } = aChannel();
  channel.wasRead(clock.monotonicMs());
  channel.isGone = true;
  channel.beginTry('a');
  channel.forget();
  await clock.advance(TWO_MINUTES_MS);
  expect([channel.isReconciled, channel.isGone, channel.hasOverdueTry]).toEqual([false, false, false]);
});
