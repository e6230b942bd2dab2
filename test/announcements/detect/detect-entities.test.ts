import { expect, onTestFinished, test } from 'vitest';
import { CurrentState } from '../../../src/announcements/current-state.ts';
import { createEntityDetector } from '../../../src/announcements/detect/detect-entities.ts';
import { fingerprintOf, KINDS } from '../../../src/announcements/kinds/index.ts';
import type { News } from '../../../src/announcements/match/match.ts';
import { DoubtCounts } from '../../../src/catalog/doubt-counts.ts';
import type { DealEvent } from '../../../src/deals/event.ts';
import { createOfferBook } from '../../../src/offers/offer-book.ts';
import { openStore } from '../../../src/store/store.ts';
import { ManualClock } from '../../helpers/manual-clock.ts';
import { temporaryState } from '../../helpers/temporary-folder.ts';
import { aDealcast, anEvent, anEventOffer, HOUR_MS, NOW_MS, uuid } from '../../helpers/things.ts';

const DAY_MS = 24 * HOUR_MS;
const event = (number: number, changes: Partial<DealEvent> = {}) =>
  KINDS['event-started'].announce(anEvent(number, changes));
const dealcast = (number: number) => KINDS['new-dealcast'].announce(aDealcast(number));

async function aDetector() {
  const store = await openStore(temporaryState(), new ManualClock());
  onTestFinished(() => store.close());
  const currentState = new CurrentState(
    createOfferBook([], () => undefined),
    store,
  );
  const detector = createEntityDetector(store, currentState, new DoubtCounts(new ManualClock()));
  /** Detects in an answer, and commits what was found. */
  async function answer(value: readonly ReturnType<typeof event>[], nowMs = NOW_MS, isFirstSight = false) {
    const found = await detector.inResource('events', { value }, isFirstSight, nowMs);
    await store.commit((changes) => found.save(changes));
    return found;
  }
  const recordOf = async (subject: string) => (await store.known.among('events', [subject])).get(subject);
  return { store, detector, answer, recordOf, fateOf: currentState.fateOf.bind(currentState) };
}

test('what is new is news with its start, what is known is not, and what is to start waits', async () => {
  const { answer } = await aDetector();
  const first = event(1, { startDateMs: NOW_MS - HOUR_MS });
  expect(await answer([first])).toMatchObject({
    news: [{ announcements: [{ subject: uuid(1) }] }],
    startedAtMs: [NOW_MS - HOUR_MS],
  });
  const toStart = event(2, { startDateMs: NOW_MS + 1, endDateMs: NOW_MS + DAY_MS });
  const found = await answer([first, toStart]);
  expect([found.news, found.startedAtMs]).toEqual([[], []]);
  expect(found.live().map(({ subject }) => subject)).toEqual([uuid(1)]);
  expect((await answer([first, toStart], NOW_MS + 1)).news).toHaveLength(1);
});

test('an ended event is neither news nor live', async () => {
  const { answer } = await aDetector();
  const found = await answer([event(1, { startDateMs: NOW_MS - HOUR_MS, endDateMs: NOW_MS - 1 }), event(2)]);
  expect(found.news.map(({ announcements: [first] }) => first.subject)).toEqual([uuid(2)]);
  expect(found.live().map(({ subject }) => subject)).toEqual([uuid(2)]);
});

test('at first sight nothing is news, and what starts is learned all the same', async () => {
  const { answer } = await aDetector();
  const found = await answer([event(1, { startDateMs: NOW_MS - HOUR_MS })], NOW_MS, true);
  expect([found.news, found.startedAtMs]).toEqual([[], [NOW_MS - HOUR_MS]]);
});

test('what has no start of its own states none', async () => {
  const { detector } = await aDetector();
  const { startedAtMs, news } = await detector.inResource('dealcasts', { value: [dealcast(1)] }, false, NOW_MS);
  expect(startedAtMs).toHaveLength(1);
  expect(news[0]?.resources).toEqual(['dealcasts']);
});

test('an event that stays the same is recorded once a day, a changed one as soon as two answers show it', async () => {
  const { answer, recordOf } = await aDetector();
  const same = event(1, { endDateMs: NOW_MS + 9 * DAY_MS });
  await answer([same]);
  const face = fingerprintOf(same, NOW_MS);
  expect(await recordOf(uuid(1))).toEqual({ firstSeenMs: NOW_MS, lastSeenMs: NOW_MS, face });
  expect((await answer([same], NOW_MS + DAY_MS - 1)).updates).toEqual([]);
  expect((await recordOf(uuid(1)))?.lastSeenMs).toBe(NOW_MS);
  expect((await answer([same], NOW_MS + DAY_MS)).updates).toEqual([]);
  expect(await recordOf(uuid(1))).toMatchObject({ firstSeenMs: NOW_MS, lastSeenMs: NOW_MS + DAY_MS });
  const changed = event(1, { endDateMs: NOW_MS + 9 * DAY_MS, title: 'Another title' });
  expect((await answer([changed], NOW_MS + DAY_MS + 1)).updates, 'one answer may be wrong').toEqual([]);
  expect((await answer([changed], NOW_MS + DAY_MS + 2)).updates).toEqual([
    { key: `event:${uuid(1)}`, item: changed.item },
  ]);
  expect((await recordOf(uuid(1)))?.lastSeenMs).toBe(NOW_MS + DAY_MS + 2);
});

test('a part of an event is news once, and its record is renewed once a day', async () => {
  const { answer, store } = await aDetector();
  const offers = [anEventOffer(101, { percentageRemaining: 5 })];
  const selling = event(1, { offers, endDateMs: NOW_MS + 9 * DAY_MS });
  const [name] = [`almost-gone/${uuid(101)}`];
  const lastSeen = async () => (await store.known.among('events', [name])).get(name);
  const kinds = (found: { news: readonly News[] }) => found.news.map(({ announcements: [first] }) => first.kind);
  expect(kinds(await answer([selling]))).toEqual(['event-started', 'almost-gone']);
  expect(await lastSeen()).toEqual({ firstSeenMs: NOW_MS, lastSeenMs: NOW_MS, face: '' });
  expect(kinds(await answer([selling], NOW_MS + DAY_MS - 1))).toEqual([]);
  expect((await lastSeen())?.lastSeenMs).toBe(NOW_MS);
  expect(kinds(await answer([selling], NOW_MS + DAY_MS))).toEqual([]);
  expect(await lastSeen()).toMatchObject({ firstSeenMs: NOW_MS, lastSeenMs: NOW_MS + DAY_MS });
});

test('a large share that is missing is doubtful the first time, and over the second', async () => {
  const { answer } = await aDetector();
  const all = Array.from({ length: 20 }, (_, index) => event(index + 1, { endDateMs: NOW_MS + DAY_MS }));
  expect((await answer(all)).isDoubtful).toBe(false);
  const first = await answer([]);
  expect([first.isDoubtful, first.updates]).toEqual([true, []]);
  const second = await answer([], NOW_MS + 1);
  expect(second.isDoubtful).toBe(false);
  expect(second.updates).toHaveLength(20);
});

test('time alone ends events, and what it finds is committed for events', async () => {
  const { store, detector, answer, recordOf } = await aDetector();
  await answer([event(1, { endDateMs: NOW_MS + HOUR_MS }), event(2, { endDateMs: NOW_MS + DAY_MS })]);
  const nothing = await detector.byNow(NOW_MS + 1);
  expect([nothing.updates, nothing.news, nothing.startedAtMs]).toEqual([[], [], []]);
  expect(nothing.live().map(({ subject }) => subject)).toEqual([uuid(1), uuid(2)]);
  const ended = await detector.byNow(NOW_MS + HOUR_MS);
  expect(ended.updates.map(({ key }) => key)).toEqual([`event:${uuid(1)}`]);
  expect(ended.live().map(({ subject }) => subject)).toEqual([uuid(2)]);
  const before = await recordOf(uuid(1));
  await store.commit((changes) => ended.save(changes));
  expect((await recordOf(uuid(1)))?.face).not.toBe(before?.face);
  expect((await detector.byNow(NOW_MS + HOUR_MS)).updates).toEqual([]);
});

test('what waits is held while its event is missing, for a day, and ends with the event', async () => {
  const { answer, fateOf } = await aDetector();
  const [endless, ending] = [event(1, { endDateMs: null }), event(2, { endDateMs: NOW_MS + HOUR_MS })];
  const offers = [anEventOffer(103, { percentageRemaining: 5 })];
  const selling = event(3, { offers, endDateMs: NOW_MS + 9 * DAY_MS });
  const found = await answer([endless, ending, selling]);
  const waiting = found.news.map(({ announcements: [first] }) => first);
  expect(waiting.map(({ kind }) => kind)).toEqual(['event-started', 'event-started', 'event-started', 'almost-gone']);
  const fatesAt = (nowMs: number) => waiting.map((announcement) => fateOf(announcement, nowMs));
  await answer([]);
  expect(fatesAt(NOW_MS)).toEqual(['live', 'live', 'live', 'live']);
  await answer([]);
  expect(fatesAt(NOW_MS)).toEqual(['held', 'held', 'held', 'held']);
  expect(fatesAt(NOW_MS + HOUR_MS)).toEqual(['held', 'over', 'held', 'held']);
  await answer([selling]);
  expect(fatesAt(NOW_MS)).toEqual(['held', 'held', 'held', 'held']);
  await answer([selling]);
  expect(fatesAt(NOW_MS)).toEqual(['held', 'held', 'live', 'live']);
  expect(fatesAt(NOW_MS + DAY_MS)).toEqual(['over', 'over', 'live', 'live']);
});
