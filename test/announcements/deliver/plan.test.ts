import { expect, test } from 'vitest';
import { nextStep, type Situation } from '../../../src/announcements/deliver/plan.ts';
import { rollUpOf } from '../../../src/announcements/deliver/rolling-up.ts';
import { aDelivery, NOW_MS } from '../../helpers/things.ts';

const MINUTE_MS = 60_000;

const step = (changes: Partial<Situation>) =>
  nextStep({
    pending: [],
    rollUp: undefined,
    isRollUpOpen: true,
    mostPerHour: 30,
    posted: [],
    mayArrive: new Map(),
    nowMs: NOW_MS,
    ...changes,
  });

test('what has waited for thirty minutes comes by itself, and after that together with others', () => {
  const pending = [aDelivery('a'), aDelivery('b')];
  expect(step({ pending, nowMs: NOW_MS + 30 * MINUTE_MS })).toMatchObject({ do: 'post', delivery: { id: 'a' } });
  expect(step({ pending, nowMs: NOW_MS + 30 * MINUTE_MS + 1 })).toMatchObject({ do: 'post-together' });
});

test('what may still arrive goes by itself, and only then what is to come together', () => {
  const pending = [aDelivery('a', { isLate: true }), aDelivery('b', { isLate: true })];
  const mayArrive = new Map([['b', NOW_MS + 1]]);
  expect(step({ pending, mayArrive })).toMatchObject({ do: 'post', delivery: { id: 'b' } });
  expect(step({ pending })).toMatchObject({ do: 'post-together', deliveries: [{ id: 'a' }, { id: 'b' }], limit: null });
});

test('a roll-up that may still arrive is repeated as it is, waits where somebody has quiet hours, and comes apart otherwise', () => {
  const rollUp = rollUpOf([aDelivery('a'), aDelivery('b')], 'late');
  const mayArrive = new Map([[rollUp.id, NOW_MS + 1]]);
  const pending = [aDelivery('c', { isLate: true })];
  expect(step({ pending, rollUp, mayArrive })).toEqual({ do: 'repeat-roll-up', rollUp });
  expect(step({ pending, rollUp, mayArrive, isRollUpOpen: false })).toEqual({
    do: 'wait',
    untilMs: NOW_MS + 1,
    limit: null,
  });
  expect(step({ pending, rollUp, isRollUpOpen: false })).toEqual({ do: 'dissolve', rollUp });
});

test('at the limit all that is due comes together, and says when the next post may come', () => {
  const posted = [{ id: 'x', atMs: NOW_MS - MINUTE_MS }];
  const pending = [aDelivery('a'), aDelivery('b'), aDelivery('later', { dueAtMs: NOW_MS + 1 })];
  const nextPostAtMs = NOW_MS + 30 * MINUTE_MS;
  expect(step({ pending, posted, mostPerHour: 3 })).toEqual({
    do: 'post-together',
    deliveries: pending.slice(0, 2),
    limit: { mostPerHour: 3, nextPostAtMs },
  });
  const full = [...posted, { id: 'y', atMs: NOW_MS }];
  expect(step({ pending, posted: full, mostPerHour: 3 })).toEqual({
    do: 'wait',
    untilMs: nextPostAtMs,
    limit: { mostPerHour: 3, nextPostAtMs, waiting: 2 },
  });
});

test('a roll-up that waits for the limit counts with all that it holds', () => {
  const rollUp = rollUpOf([aDelivery('a'), aDelivery('b')], 'late');
  const posted = [{ id: 'x', atMs: NOW_MS }];
  const mayArrive = new Map([[rollUp.id, NOW_MS + 1]]);
  expect(step({ pending: [aDelivery('c')], rollUp, mayArrive, posted, mostPerHour: 1 })).toMatchObject({
    do: 'wait',
    limit: { waiting: 3 },
  });
});

test('what comes together for another reason than the limit tells of none', () => {
  const pending = [aDelivery('a', { isLate: true }), aDelivery('b', { isLate: true })];
  const posted = [{ id: 'x', atMs: NOW_MS - 59 * MINUTE_MS }];
  expect(step({ pending, posted, mostPerHour: 30 })).toMatchObject({ do: 'post-together', limit: null });
});
