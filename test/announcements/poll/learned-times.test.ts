import { expect, test } from 'vitest';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/shared/time.ts';
import type { LearnedTimes } from '../../../src/store/catalog-records.ts';
import { ManualClock } from '../../helpers/manual-clock.ts';
import { aPoller } from '../../helpers/poller.ts';
import { seededRandom } from '../../helpers/seeded-random.ts';
import { anOffer, aSubscription } from '../../helpers/things.ts';

/** 2026-10-06T05:00:00Z */
const MOMENT_MS = Date.UTC(2026, 9, 6, 5);

/** A poller of a feed that is empty. Its clock is set to `startMs`. */
async function aLearner(startMs: number) {
  const { poller, store, clock, put, look } = await aPoller({
    clock: new ManualClock(new Date(startMs).toISOString()),
  });
  let number = 0;
  return {
    poller,
    store,
    clock,
    /** Polls the feed after so many milliseconds, with new offers that state these starts; returns what is learned. */
    seeAfter: async (ms: number, ...startedAtMs: (number | null)[]): Promise<LearnedTimes> => {
      await clock.advance(ms);
      put(
        startedAtMs.map((startDateMs) => {
          number += 1;
          return anOffer(number, { startDateMs, endDateMs: null });
        }),
      );
      await look();
      const learned = store.resources.get('feed:Home')?.learned;
      if (!learned) throw new Error('Nothing was learned.');
      return learned;
    },
  };
}

const total = ({ minutes, hours }: LearnedTimes) =>
  [...Object.values(minutes), ...hours].reduce((sum, weight) => sum + weight, 0);

test('what started since the last poll is remembered by its minute', async () => {
  const { seeAfter } = await aLearner(MOMENT_MS - 15 * MINUTE_MS);
  expect(total(await seeAfter(0))).toBe(0);
  const learned = await seeAfter(20 * MINUTE_MS, MOMENT_MS, MOMENT_MS + 30_000);
  expect(Object.keys(learned.minutes)).toEqual(['300']);
  expect(learned.minutes['300']).toBeCloseTo(2, 2);
  expect(Math.max(...learned.hours)).toBe(0);
  expect(learned.days).toBeCloseTo(20 / 1440, 4);
});

test('what shows later than it says, or does not say, came at any moment since the last poll', async () => {
  const { seeAfter } = await aLearner(MOMENT_MS - 30 * MINUTE_MS);
  await seeAfter(0);
  const learned = await seeAfter(HOUR_MS, MOMENT_MS - DAY_MS, null);
  expect(learned.minutes).toEqual({});
  expect([learned.hours[4], learned.hours[5]]).toEqual([expect.closeTo(1), expect.closeTo(1)]);
});

test('what came during a gap of more than a day may have come at any hour', async () => {
  const { seeAfter } = await aLearner(MOMENT_MS);
  await seeAfter(0);
  const { hours } = await seeAfter(36 * HOUR_MS, null);
  expect(hours).toEqual(Array.from({ length: 24 }, () => expect.closeTo(1 / 24, 9)));
});

test.each([
  [2 * MINUTE_MS, ['300'], 0],
  [2 * MINUTE_MS + 1, [], 1],
])('two polls %i ms apart tell the minutes %j, and by the hour %i arrival', async (apartMs, minutes, byTheHour) => {
  const { seeAfter } = await aLearner(MOMENT_MS - MINUTE_MS);
  await seeAfter(0);
  const learned = await seeAfter(apartMs, null);
  expect(Object.keys(learned.minutes)).toEqual(minutes);
  expect(learned.hours.reduce((sum, weight) => sum + weight)).toBe(byTheHour);
});

test('a poll from the future counts as one of now: what is new came now, and nothing weighs less than it did', async () => {
  const { seeAfter, clock } = await aLearner(MOMENT_MS - HOUR_MS);
  await seeAfter(0);
  const before = await seeAfter(HOUR_MS, MOMENT_MS);
  clock.jump(-365 * DAY_MS + HOUR_MS);
  const asOfMs = clock.now();
  const setBack = await seeAfter(0, null, asOfMs - 366 * DAY_MS);
  expect(setBack).toEqual({ ...before, asOfMs, minutes: { ...before.minutes, '360': 2 } });
});

test('an answer from before the last one changes no weight', async () => {
  const { seeAfter, clock } = await aLearner(MOMENT_MS - HOUR_MS);
  await seeAfter(0);
  const before = await seeAfter(HOUR_MS, MOMENT_MS);
  clock.jump(-HOUR_MS);
  expect((await seeAfter(0)).minutes).toEqual(before.minutes);
});

test('a first sight tells of the two weeks before, as far as things say when they started', async () => {
  const { seeAfter } = await aLearner(MOMENT_MS);
  const daysAgo = [0, 1, 7, 20].map((days) => MOMENT_MS - days * DAY_MS);
  const learned = await seeAfter(0, null, ...daysAgo);
  expect(Object.keys(learned.minutes)).toEqual(['300']);
  expect(learned.minutes['300']).toBeCloseTo(1 + 2 ** (-1 / 7) + 0.5);
  expect(learned.days).toBeGreaterThan(4);
  expect(learned.days).toBeLessThan(7);
  const edges = await aLearner(MOMENT_MS);
  const ofEdges = await edges.seeAfter(0, MOMENT_MS - 14 * DAY_MS, MOMENT_MS - 14 * DAY_MS + MINUTE_MS, MOMENT_MS + 1);
  expect(Object.keys(ofEdges.minutes)).toEqual(['301']);
});

test('what is older weighs less, and is forgotten in the end', async () => {
  const { seeAfter } = await aLearner(MOMENT_MS - HOUR_MS);
  await seeAfter(0);
  expect((await seeAfter(HOUR_MS, MOMENT_MS)).minutes['300']).toBe(1);
  expect((await seeAfter(7 * DAY_MS)).minutes['300']).toBeCloseTo(0.5);
  expect((await seeAfter(365 * DAY_MS)).minutes).toEqual({});
});

test('however much comes, the record stays small, and hardly anything that came is lost', async () => {
  const { seeAfter, clock } = await aLearner(MOMENT_MS);
  const random = seededRandom(20261006);
  let learned = await seeAfter(0);
  for (let hours = 1; hours <= 10; hours += 1) {
    const starts = Array.from({ length: 200 }, () =>
      random() < 0.1 ? null : clock.now() + Math.ceil(random() * HOUR_MS),
    );
    learned = await seeAfter(HOUR_MS, ...starts);
  }
  expect(JSON.stringify(learned).length).toBeLessThan(10_000);
  expect(Math.max(...learned.hours), 'what has no minute of its own').toBeGreaterThan(20);
  expect(total(learned)).toBeLessThanOrEqual(10 * 200);
  expect(total(learned)).toBeGreaterThan(10 * 200 * 0.9);
});

test('a feed that is followed again teaches nothing of the time between, and one that nobody follows nothing', async () => {
  const { seeAfter, poller, store, clock } = await aLearner(MOMENT_MS);
  const first = await seeAfter(0, MOMENT_MS);
  await store.subscriptions.remove('s');
  expect(await seeAfter(HOUR_MS, clock.now() + HOUR_MS / 2)).toEqual(first);
  await poller.tick();
  await store.subscriptions.save(aSubscription('s'));
  const again = await seeAfter(HOUR_MS, clock.now() + HOUR_MS / 2);
  const faded = 2 ** (-2 / (7 * 24));
  expect(again).toEqual({
    ...first,
    asOfMs: clock.now(),
    days: expect.closeTo(first.days * faded, 9),
    minutes: { '300': expect.closeTo(faded, 9) },
  });
});
