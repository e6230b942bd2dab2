import { expect, test } from 'vitest';
import { type ClosedMessages, placeOfPerson } from '../../../src/deals/person.ts';
import { watchFacts } from '../../../src/features/watches/metrics.ts';
import type { WatchAim } from '../../../src/features/watches/watch.ts';
import { aSubscription, NOW_MS } from '../../helpers/things.ts';

const watchOf = (personId: string, aim: WatchAim, changes = {}) =>
  aSubscription(`${personId} ${aim}`, {
    guildId: placeOfPerson(personId),
    watch: { aim, product: null, below: null },
    ...changes,
  });

test('watches are counted by aim and state, and subscriptions of servers are not', () => {
  const closed = { sinceMs: NOW_MS, tries: 1, retryAtMs: NOW_MS };
  const people = new Map<string, { closed: ClosedMessages | null }>([
    ['1', { closed: null }],
    ['2', { closed }],
  ]);
  const found = watchFacts(
    [
      watchOf('1', 'price'),
      watchOf('1', 'low', { pausedBy: 'person' }),
      watchOf('2', 'price'),
      watchOf('2', 'stock', { pausedBy: 'gone' }),
      watchOf('3', 'new'),
      aSubscription('4'),
    ],
    people,
  );
  const none = { active: 0, paused: 0, closed: 0 };
  expect(found).toEqual({
    price: { active: 1, paused: 0, closed: 1 },
    stock: { ...none, paused: 1 },
    low: { ...none, paused: 1 },
    end: none,
    new: { ...none, active: 1 },
  });
});
