import { expect, test } from 'vitest';
import { learn } from '../../../../../src/bot/announcements/poll/planner/learn.ts';
import { createPlanner } from '../../../../../src/bot/announcements/poll/planner/planner.ts';
import { weightOf } from '../../../../../src/bot/announcements/poll/planner/weight.ts';
import type { ResourceKey } from '../../../../../src/bot/deals/subscription.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const NOW_MS = Date.UTC(2026, 9, 6);
const FEEDS = Array.from({ length: 10 }, (_, index): ResourceKey => `feed:${index}`);

const many = (count: number, guildId: string) => Array.from({ length: count }, () => ({ guildId }));

test('each server weighs 1, and 1 more for each doubling of its subscriptions', () => {
  expect(weightOf([])).toBe(0);
  expect(weightOf(many(1, 'a'))).toBe(1);
  expect(weightOf(many(2, 'a'))).toBe(2);
  expect(weightOf(many(8, 'a'))).toBe(4);
  expect(weightOf([...many(1, 'a'), ...many(1, 'b')])).toBe(2);
  expect(weightOf([...many(4, 'a'), ...many(2, 'b')])).toBe(5);
});

/** How long what is new waits on average in the feeds but the first: minutes. */
function othersWaitMinutes(followers: readonly { guildId: string }[], weigh: typeof weightOf): number {
  const startedAtMs = Array.from({ length: 7 * 40 }, (_, index) => NOW_MS - (index * DAY_MS) / 40);
  const learned = learn(undefined, { polledAtMs: NOW_MS, previousPolledAtMs: null, startedAtMs });
  const demands = FEEDS.map((resource, index) => ({
    resource,
    subscribers: weigh(index === 0 ? followers : many(1, 'b')),
    lastPolledMs: NOW_MS,
    isUrgent: false,
    learned,
  }));
  const quota = { limit: 1_000, spent: 0, resetsAtMs: NOW_MS + DAY_MS };
  const { resources } = createPlanner({ minIntervalMs: MINUTE_MS }).plan(demands, { portal: quota, v2: quota }, NOW_MS);
  const waits = FEEDS.slice(1).map((feed) => resources.get(feed)?.expectedDelayMs ?? Infinity);
  return waits.reduce((sum, ms) => sum + ms, 0) / waits.length / MINUTE_MS;
}

test('one server with 3,000 subscriptions hardly shifts the polls of the others', () => {
  const before = othersWaitMinutes(many(1, 'b'), weightOf);
  const after = othersWaitMinutes([...many(1, 'b'), ...many(3_000, 'a')], weightOf);
  expect(after / before).toBeLessThan(1.4);
  // Counted one by one they would take most of the polls.
  const oneByOne = othersWaitMinutes([...many(1, 'b'), ...many(3_000, 'a')], ({ length }) => length);
  expect(oneByOne / before).toBeGreaterThan(1.7);
});
