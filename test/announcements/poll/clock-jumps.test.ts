import { expect, test } from 'vitest';
import { learn } from '../../../src/announcements/poll/arrivals.ts';
import { Planner } from '../../../src/announcements/poll/planner.ts';
import { RateBudget } from '../../../src/catalog/throttle/rate-budget.ts';
import { wallMsOf } from '../../../src/shared/clock.ts';
import { HOUR_MS, MINUTE_MS } from '../../../src/shared/time.ts';
import type { LearnedTimes } from '../../../src/store/catalog-records.ts';
import { ManualClock } from '../../helpers/manual-clock.ts';

const TICK_MINUTES = 2;
const DAYS = 7;
const QUOTA = 300;
const FEEDS = Array.from({ length: 11 }, (_, index) => `feed:${index}` as const);

/** Polls eleven feeds by the planner while the wall clock is set as `aheadHours` says; returns each one's longest gap in minutes. */
async function longestGaps(aheadHours: (minuteOfDay: number, day: number) => number): Promise<number[]> {
  const clock = new ManualClock('2026-10-21T00:00:00Z');
  const startMs = clock.now();
  const moment = () => ({ nowMs: clock.now(), monotonicMs: clock.monotonicMs() });
  const budget = new RateBudget({ rate: 1, burst: 10, quota: QUOTA }, moment());
  const planner = new Planner(MINUTE_MS);
  const learned = new Map<string, LearnedTimes>();
  /** When each feed was last polled, by the monotonic clock, as the poller notes it. */
  const last = new Map<string, number>();
  const lastPolledMs = (feed: string) => {
    const atMs = last.get(feed);
    return atMs === undefined ? null : wallMsOf(atMs, clock);
  };
  const longest = new Map(FEEDS.map((feed) => [feed, 0]));
  for (let minute = 0; minute < DAYS * 24 * 60; minute += TICK_MINUTES) {
    clock.jump(
      startMs + clock.monotonicMs() + aheadHours(minute % 1440, Math.floor(minute / 1440)) * HOUR_MS - clock.now(),
    );
    budget.advanceTo(moment());
    const quota = budget.status();
    const demands = FEEDS.map((resource) => ({
      resource,
      subscribers: 100,
      lastPolledMs: lastPolledMs(resource),
      isUrgent: false,
      isDoubtful: false,
      learned: learned.get(resource),
    }));
    for (const feed of planner.due(demands, { portal: quota, v2: quota }, clock.now()) as typeof FEEDS) {
      const previousMs = last.get(feed);
      // Most of what comes in a day comes in three hours of its morning.
      const hour = Math.floor((minute % 1440) / 60);
      const startedAtMs = Array.from({ length: hour >= 5 && hour < 8 ? 20 : 1 }, () => clock.now());
      const previousPolledAtMs = lastPolledMs(feed);
      learned.set(feed, learn(learned.get(feed), { polledAtMs: clock.now(), previousPolledAtMs, startedAtMs }));
      budget.spend();
      budget.settle();
      last.set(feed, clock.monotonicMs());
      longest.set(feed, Math.max(longest.get(feed) ?? 0, clock.monotonicMs() - (previousMs ?? 0)));
    }
    await clock.advance(TICK_MINUTES * MINUTE_MS);
  }
  return [...longest.values()].map((ms) => ms / MINUTE_MS);
}

/** An even share of what polling plans with: minutes for each feed. */
const EVEN_SHARE = (24 * 60 * FEEDS.length) / (0.8 * QUOTA);

test('a clock that is set three times a day, over midnight too, silences no feed: two even shares become three at most', async () => {
  const gaps = await longestGaps((minute, day) => {
    const hour = minute / 60;
    if (hour >= 4 && hour < 5.5) return 1 + (day % 4);
    if (hour >= 10 && hour < 11.5) return -1 - (day % 4);
    return hour >= 17 + day / 10 && hour < 19 ? 7 : 0;
  });
  expect(Math.max(...gaps)).toBeLessThanOrEqual(3 * EVEN_SHARE);
});
