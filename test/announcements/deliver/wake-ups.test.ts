import { expect, onTestFinished, test } from 'vitest';
import { Channels } from '../../../src/announcements/deliver/channel.ts';
import { createWakeUps } from '../../../src/announcements/deliver/wake-ups.ts';
import { ManualClock } from '../../helpers/manual-clock.ts';
import { HOUR_MS } from '../../helpers/things.ts';

/** More timers than any test needs: those after them never ring, so wake-ups that never rest fail their test. */
const MOST_TIMERS = 1_000;

function someWakeUps() {
  const clock = new ManualClock();
  const stopping = new AbortController();
  onTestFinished(() => stopping.abort());
  const startMs = clock.now();
  const woken: string[] = [];
  let timers = 0;
  const counted = {
    now: () => clock.now(),
    monotonicMs: () => clock.monotonicMs(),
    after: clock.after.bind(clock),
    sleep(ms: number, signal?: AbortSignal) {
      timers += 1;
      return timers < MOST_TIMERS ? clock.sleep(ms, signal) : new Promise<void>(() => undefined);
    },
  };
  const channels = new Channels(clock);
  const wakeUps = createWakeUps({
    channels,
    wake: (channelId) => woken.push(`${channelId} after ${clock.monotonicMs()}`),
    clock: counted,
    signal: stopping.signal,
  });
  return {
    clock,
    woken,
    stopping,
    timers: () => timers,
    /** @param afterMs from the start */
    at: (channelId: string, afterMs: number) => wakeUps.at(channels.get(channelId), startMs + afterMs),
  };
}

test('each channel is woken once, at its time, whatever their order', async () => {
  const { at, clock, woken } = someWakeUps();
  at('late', 3_000);
  at('early', 1_000);
  at('same', 1_000);
  at('middle', 2_000);
  await clock.advance(999);
  expect(woken).toEqual([]);
  await clock.advance(HOUR_MS);
  expect(woken.toSorted()).toEqual(['early after 1000', 'late after 3000', 'middle after 2000', 'same after 1000']);
});

test('a later time takes the place of an earlier one, and never is never', async () => {
  const { at, clock, woken } = someWakeUps();
  at('moved', 1_000);
  at('called off', 1_000);
  at('moved', 5_000);
  at('called off', Number.POSITIVE_INFINITY);
  await clock.advance(4_999);
  expect(woken).toEqual([]);
  await clock.advance(1);
  expect(woken).toEqual(['moved after 5000']);
  await clock.advance(24 * HOUR_MS);
  expect(woken).toHaveLength(1);
});

test('what is due already is woken at once', async () => {
  const { at, clock, woken } = someWakeUps();
  at('late', -5_000);
  await clock.advance(0);
  expect(woken).toEqual(['late after 0']);
});

test('a time that is days away is reached, and a clock that was set forward is noticed within the hour', async () => {
  const { at, clock, woken } = someWakeUps();
  at('tomorrow', 24 * HOUR_MS);
  await clock.advance(HOUR_MS / 2);
  clock.jump(24 * HOUR_MS);
  await clock.advance(HOUR_MS / 2 - 1);
  expect(woken).toEqual([]);
  await clock.advance(1);
  expect(woken).toEqual([`tomorrow after ${HOUR_MS}`]);
});

test('one timer serves all: a channel that comes later needs no other', async () => {
  const { at, clock, timers, woken } = someWakeUps();
  for (let channel = 0; channel < 100; channel += 1) at(String(channel), 1_000 + channel);
  expect(timers()).toBe(1);
  at('first', 500);
  expect(timers()).toBe(2);
  await clock.advance(500);
  expect([woken, timers()]).toEqual([['first after 500'], 3]);
});

test('after a stop nobody is woken', async () => {
  const { at, clock, woken, stopping, timers } = someWakeUps();
  at('a', 1_000);
  stopping.abort();
  at('b', 500);
  await clock.advance(HOUR_MS);
  expect([woken, timers()]).toEqual([[], 1]);
});
