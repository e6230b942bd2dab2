import { expect, test } from 'vitest';
import { afterLever, FAST, type TimeLever } from '../src/moments.ts';
import type { BotPlan } from '../src/protocol.ts';
import { createQuota } from '../src/quota.ts';

const at = (time: string) => Date.parse(`2026-11-${time}Z`);

function lever(to: TimeLever, time: string, speed = 1): string {
  const demoMs = at(time);
  const next = afterLever(to, { realMs: 0, demoMs: 0, speed }, { realMs: 7, demoMs });
  expect(next.realMs).toBe(7);
  return `${new Date(next.demoMs).toISOString().slice(8, 19)} × ${next.speed}`;
}

test('time is set forward to the next such moment, never back, and goes on where it was paused', () => {
  expect(lever('evening', '22T21:59:59')).toBe('22T22:00:01 × 1');
  expect(lever('evening', '22T22:00:01', FAST)).toBe(`23T22:00:01 × ${FAST}`);
  expect(lever('morning', '22T22:00:00', 0)).toBe('23T07:00:01 × 1');
  expect(lever('midnight', '22T00:00:00')).toBe('22T00:00:01 × 1');
  expect(lever('midnight', '22T00:00:01')).toBe('23T00:00:01 × 1');
});

test('the speed changes from now on', () => {
  expect(lever('pause', '22T12:00:00')).toBe('22T12:00:00 × 0');
  expect(lever('fast', '22T12:00:00', 0)).toBe(`22T12:00:00 × ${FAST}`);
  expect(lever('normal', '22T12:00:00', FAST)).toBe('22T12:00:00 × 1');
});

test('a day that was used up ends at midnight UTC, and its limits are those of a live catalog where that was asked for', () => {
  let nowMs = at('22T23:59:59.999');
  const quota = createQuota(() => nowMs);
  quota.set('real', null);
  expect(quota.limits).toEqual({ rate: 1, burst: 10, quota: 1_000 });
  expect(quota.settings()).toMatchObject({ CATALOG_PORTAL_QUOTA: '1000', CATALOG_V2_QUOTA: '1000' });
  quota.set('used-up', null);
  quota.turn();
  expect(quota.limits.quota).toBe(0);
  nowMs += 1;
  quota.turn();
  expect(quota.limits.quota).toBe(1_000);
  quota.set('unlimited', null);
  expect(quota.limits.quota).toBe(1_000_000);
  expect(quota.settings()).toEqual({});
});

test.each([
  ['before the bot has heard of it', 12, 12],
  ['when the bot has noted all as spent', 1_000_000, 0],
])('no limit gives back what was used up, %s, and what is shown is never more than was spent', (_, spent, shown) => {
  const planOf = (limit: number): BotPlan => ({
    interfaces: [
      { name: 'portal', limit, spent, resetsAtMs: at('23T00:00:00') },
      { name: 'v2', limit, spent: 3, resetsAtMs: at('23T00:00:00') },
    ],
    polls: [],
    subscriptions: [],
    isPaused: false,
  });
  const quota = createQuota(() => at('22T12:00:00'));
  quota.set('used-up', null);
  expect(quota.limits.quota).toBe(0);
  quota.set('unlimited', planOf(1_000_000));
  expect(quota.limits.quota).toBe(2_000_000);
  expect(quota.settings()).toMatchObject({ CATALOG_PORTAL_QUOTA: '2000000', CATALOG_V2_QUOTA: '2000000' });
  expect(quota.shown(planOf(2_000_000))).toMatchObject({
    usedUpUntilMs: null,
    interfaces: [
      { name: 'portal', limit: null, spent: shown },
      { name: 'v2', limit: null, spent: 3 },
    ],
  });
});

test('what is used up is shown with the moment at which it returns', () => {
  const quota = createQuota(() => at('22T12:00:00'));
  quota.set('real', null);
  const plan = (spent: number): BotPlan => ({
    interfaces: [
      { name: 'portal', limit: 1_000, spent, resetsAtMs: at('23T00:00:00') },
      { name: 'v2', limit: 1_000, spent: 0, resetsAtMs: at('23T00:00:00') },
    ],
    polls: [],
    subscriptions: [],
    isPaused: false,
  });
  expect(quota.shown(plan(999)).usedUpUntilMs).toBeNull();
  expect(quota.shown(plan(1_000)).usedUpUntilMs).toBe(at('23T00:00:00'));
});
