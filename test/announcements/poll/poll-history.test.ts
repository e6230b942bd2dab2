import { expect, onTestFinished, test } from 'vitest';
import { PollHistory } from '../../../src/announcements/poll/poll-history.ts';
import { openStore } from '../../../src/store/store.ts';
import { ManualClock } from '../../helpers/manual-clock.ts';
import { temporaryState } from '../../helpers/temporary-folder.ts';
import { HOUR_MS, NOW_MS } from '../../helpers/things.ts';

/** A history of what a former run has polled so many milliseconds ago. */
async function aHistory(polled: Record<`feed:${string}`, number> = {}) {
  const clock = new ManualClock(new Date(NOW_MS).toISOString());
  const store = await openStore(temporaryState(), clock);
  onTestFinished(() => store.close());
  for (const [resource, agoMs] of Object.entries(polled)) {
    await store.commit((changes) =>
      store.resources.save(changes, resource as `feed:${string}`, {
        firstSeenMs: 0,
        polledAtMs: NOW_MS - agoMs,
        isFollowed: true,
        isCutOff: false,
        marketingName: null,
      }),
    );
  }
  return { clock, history: new PollHistory(store.resources, clock) };
}

test('of a former run the moments of the polls are known, and one from the future counts as now', async () => {
  const { history } = await aHistory({
    'feed:Home': HOUR_MS,
    'feed:Tools': 2 * HOUR_MS,
    'feed:Wine': -1,
    'feed:Now': 0,
  });
  expect(history.lastTriedMs('feed:Home')).toBe(NOW_MS - HOUR_MS);
  expect(history.lastTriedMs('feed:Tools')).toBe(NOW_MS - 2 * HOUR_MS);
  expect(history.lastTriedMs('feed:Now')).toBe(NOW_MS);
  expect(history.lastTriedMs('feed:Wine')).toBe(NOW_MS);
  expect(history.lastTriedMs('feed:Never')).toBeNull();
  expect(history.lastPollMs()).toBe(NOW_MS);
  expect((await aHistory({ 'feed:Home': HOUR_MS, 'feed:Tools': 2 * HOUR_MS })).history.lastPollMs()).toBe(
    NOW_MS - HOUR_MS,
  );
  expect((await aHistory({ 'feed:Wine': -1 })).history.lastPollMs()).toBe(NOW_MS);
});

test('a try counts from its beginning, a poll from its success', async () => {
  const { history, clock } = await aHistory();
  expect(history.lastPollMs()).toBeNull();
  history.begin('feed:Home');
  await clock.advance(5_000);
  expect([history.lastTriedMs('feed:Home'), history.lastPollMs()]).toEqual([NOW_MS, null]);
  history.succeeded('feed:Home');
  expect([history.lastTriedMs('feed:Home'), history.lastPollMs()]).toEqual([NOW_MS, NOW_MS + 5_000]);
});

test('a try is as old as the time that passed, however the clock is set', async () => {
  const { history, clock } = await aHistory({ 'feed:Home': HOUR_MS });
  const agoMs = () => clock.now() - (history.lastTriedMs('feed:Home') ?? Number.NaN);
  for (const hours of [-3, 2, 24]) {
    clock.jump(hours * HOUR_MS);
    expect(agoMs()).toBe(HOUR_MS);
  }
  await clock.advance(60_000);
  expect(agoMs()).toBe(HOUR_MS + 60_000);
});

test('failures of a resource count from the first of a row, with the reason of the last, until it succeeds', async () => {
  const { history, clock } = await aHistory();
  history.failed('feed:Home', 'first');
  await clock.advance(1_000);
  history.failed('feed:Home', 'second');
  history.failed('feed:Tools', 'other');
  clock.jump(HOUR_MS);
  expect(history.failureOf('feed:Home')).toEqual({ sinceMs: NOW_MS + HOUR_MS, reason: 'second' });
  expect(history.failureOf('feed:Tools')).toEqual({ sinceMs: NOW_MS + HOUR_MS + 1_000, reason: 'other' });
  expect(history.failing()).toBeNull();
  history.succeeded('feed:Home');
  expect(history.failureOf('feed:Home')).toBeNull();
  expect(history.failureOf('feed:Tools')).not.toBeNull();
});

test('polling as a whole fails from the first failure on until any poll succeeds', async () => {
  const { history, clock } = await aHistory();
  history.failedAsWhole('first');
  await clock.advance(1_000);
  history.failedAsWhole('second');
  expect(history.failing()).toEqual({ sinceMs: NOW_MS, reason: 'second' });
  history.succeeded('feed:Home');
  expect(history.failing()).toBeNull();
  history.failedAsWhole('third');
  expect(history.failing()).toEqual({ sinceMs: NOW_MS + 1_000, reason: 'third' });
});
