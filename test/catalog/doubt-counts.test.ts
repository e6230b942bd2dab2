import { expect, test } from 'vitest';
import { DoubtCounts } from '../../src/catalog/doubt-counts.ts';
import type { DoubtChanges } from '../../src/deals/doubts.ts';
import type { ResourceKey } from '../../src/deals/subscription.ts';
import { HOUR_MS } from '../../src/shared/time.ts';
import { ManualClock } from '../helpers/manual-clock.ts';

const aDoubt = (field: string, resource: ResourceKey = 'feed:home') => ({ resource, field });
type Changes = DoubtChanges<ReturnType<typeof aDoubt>>;
const changes = (some: Partial<Changes>): Changes => ({ began: [], confirmed: [], refuted: [], ...some });

test('doubts are counted by feed and by the field’s name in the catalog, and their ends by who spoke', () => {
  const counts = new DoubtCounts(new ManualClock('2026-11-23T12:00:00Z'));
  expect(counts.sinceStart()).toEqual({ fields: [], ended: { answer: 0, asked: 0, refuted: 0 } });
  counts.note(
    changes({ began: [aDoubt('endDateMs'), aDoubt('endDateMs'), aDoubt('endDateMs', 'feed:tools')] }),
    'answer',
  );
  counts.note(changes({ confirmed: [aDoubt('endDateMs')], refuted: [aDoubt('endDateMs', 'feed:tools')] }), 'answer');
  counts.note(changes({ confirmed: [aDoubt('endDateMs')] }), 'asked');
  expect(counts.sinceStart()).toEqual({
    fields: [
      { resource: 'feed:home', field: 'EndDate', contradicted: 2, confirmed: 2 },
      { resource: 'feed:tools', field: 'EndDate', contradicted: 1, confirmed: 0 },
    ],
    ended: { answer: 1, asked: 1, refuted: 1 },
  });
});

test('a refutation by the offer itself is one, whoever spoke', () => {
  const counts = new DoubtCounts(new ManualClock('2026-11-23T12:00:00Z'));
  counts.note(changes({ refuted: [aDoubt('title')] }), 'asked');
  expect(counts.sinceStart().ended).toEqual({ answer: 0, asked: 0, refuted: 1 });
});

test('the counts of a day begin anew at midnight UTC, those since the start go on', async () => {
  const clock = new ManualClock('2026-11-23T22:30:00Z');
  const startMs = clock.now();
  const counts = new DoubtCounts(clock);
  counts.note(changes({ began: [aDoubt('title'), aDoubt('url')], confirmed: [aDoubt('photo')] }), 'answer');
  const today = () => counts.today();
  expect(today()).toEqual({ sinceMs: startMs, began: 2, ended: { answer: 1, asked: 0, refuted: 0 } });
  await clock.advance(1.5 * HOUR_MS);
  const midnightMs = startMs + 1.5 * HOUR_MS;
  expect(today()).toEqual({ sinceMs: midnightMs, began: 0, ended: { answer: 0, asked: 0, refuted: 0 } });
  counts.note(changes({ confirmed: [aDoubt('title')], refuted: [aDoubt('url')] }), 'asked');
  expect(today()).toEqual({ sinceMs: midnightMs, began: 0, ended: { answer: 0, asked: 1, refuted: 1 } });
  expect(counts.sinceStart().ended).toEqual({ answer: 1, asked: 1, refuted: 1 });
});

test('where the wall clock is set, the day is counted from the start by the clock as it is now', async () => {
  const clock = new ManualClock('1970-01-01T00:00:00Z');
  const counts = new DoubtCounts(clock);
  await clock.advance(HOUR_MS);
  clock.set('2026-11-23T12:00:00Z');
  expect(counts.today().sinceMs).toBe(clock.now() - HOUR_MS);
});
