import { describe, expect, onTestFinished, test } from 'vitest';
import { CurrentState } from '../../../src/announcements/current-state.ts';
import { createEntityDetector } from '../../../src/announcements/detect/detect-entities.ts';
import { fingerprintOf, KINDS } from '../../../src/announcements/kinds/index.ts';
import type { News } from '../../../src/announcements/match/match.ts';
import type { Unreadable } from '../../../src/catalog/catalog.ts';
import { DoubtCounts } from '../../../src/catalog/doubt-counts.ts';
import type { Announcement } from '../../../src/deals/announcement.ts';
import type { DealEvent } from '../../../src/deals/event.ts';
import { createOfferBook } from '../../../src/offers/offer-book.ts';
import { DAY_MS, HOUR_MS } from '../../../src/shared/time.ts';
import { openStore } from '../../../src/store/store.ts';
import { ManualClock } from '../../helpers/manual-clock.ts';
import { temporaryState } from '../../helpers/temporary-folder.ts';
import { aDealcast, anEvent, anEventOffer, NOW_MS, uuid } from '../../helpers/things.ts';

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
  const doubtCounts = new DoubtCounts(new ManualClock());
  const detector = createEntityDetector(store, currentState, doubtCounts);
  /** Detects in an answer, and commits what was found. */
  async function answer(value: readonly Announcement[], nowMs = NOW_MS, isFirstSight = false, unread?: Unreadable) {
    const found = await detector.inResource('events', { value, unreadable: unread }, isFirstSight, nowMs);
    await store.commit((changes) => found.save(changes));
    return found;
  }
  async function passTime(nowMs: number) {
    const found = await detector.byNow(nowMs);
    await store.commit((changes) => found.save(changes));
    return found;
  }
  /** Detects as after a restart. */
  async function restarted() {
    const state = new CurrentState(
      createOfferBook([], () => undefined),
      store,
    );
    const again = createEntityDetector(store, state, doubtCounts);
    return (value: readonly Announcement[], nowMs: number) =>
      again.inResource('events', { value, unreadable: undefined }, false, nowMs);
  }
  const recordOf = async (subject: string) => (await store.known.among('events', [subject])).get(subject);
  const fateOf = currentState.fateOf.bind(currentState);
  return { store, detector, answer, restarted, passTime, recordOf, fateOf, stock: currentState.stock, doubtCounts };
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

test('an event under another id goes on, also after it was gone; two in one answer are two', async () => {
  const { answer } = await aDetector();
  const times = { startDateMs: NOW_MS - HOUR_MS, endDateMs: NOW_MS + DAY_MS, title: 'Sale', offers: [anEventOffer(1)] };
  const [one, two, three] = [event(1, times), event(2, times), event(3, times)];
  await answer([one]);
  const renamed = await answer([two], NOW_MS + 1);
  expect([renamed.news, renamed.live().map(({ subject }) => subject)]).toEqual([[], [uuid(1)]]);
  for (let minute = 1; minute <= 3; minute += 1) await answer([], NOW_MS + minute * 60_000);
  expect((await answer([], NOW_MS + 4 * 60_000)).live()).toEqual([]);
  for (let minute = 5; minute <= 7; minute += 1) {
    expect((await answer([three], NOW_MS + minute * 60_000)).news).toEqual([]);
  }
  const back = await answer([three], NOW_MS + 8 * 60_000);
  expect(back.live().map(({ subject }) => subject)).toEqual([uuid(1)]);
  const both = await answer([one, event(4, times)], NOW_MS + 9 * 60_000);
  expect(both.news).toMatchObject([{ announcements: [{ subject: uuid(4) }] }]);
});

test('an event under another id stays the same whatever changes of it later, is missed by its new id, and is no news after a restart', async () => {
  const { answer, restarted } = await aDetector();
  const times = { startDateMs: NOW_MS - HOUR_MS, endDateMs: null, title: 'Sale' };
  const at = (id: number, offer: number) => event(id, { ...times, offers: [anEventOffer(offer)] });
  await answer([at(1, 1)]);
  for (const offer of [1, 2, 3, 4]) {
    const found = await answer([at(2, offer)], NOW_MS + offer * 10 * 60_000);
    expect([found.news, found.live().map(({ subject }) => subject)], `offer ${offer}`).toEqual([[], [uuid(1)]]);
  }
  const unread: Unreadable = { ids: [uuid(2)], nameless: 0 };
  for (let minute = 50; minute < 54; minute += 1) await answer([], NOW_MS + minute * 60_000, false, unread);
  expect((await answer([at(2, 4)], NOW_MS + 54 * 60_000)).live()).toHaveLength(1);
  // No post tells of it: it came in a combined one.
  const after = await restarted();
  expect((await after([at(2, 9)], NOW_MS + 55 * 60_000)).news).toEqual([]);
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
  expect(await recordOf(uuid(1))).toEqual({ firstSeenMs: NOW_MS, lastSeenMs: NOW_MS, face, wasNews: true });
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
  expect(await lastSeen()).toEqual({ firstSeenMs: NOW_MS, lastSeenMs: NOW_MS, face: '', wasNews: true });
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

describe('what has not begun', () => {
  const startMs = NOW_MS + HOUR_MS;
  const toStart = event(1, { startDateMs: startMs, endDateMs: NOW_MS + DAY_MS });
  const subjects = (found: { news: readonly News[] }) => found.news.map(({ announcements: [first] }) => first.subject);

  test('is news as it begins, though time has passed and an answer has lacked it', async () => {
    const { answer, passTime, recordOf } = await aDetector();
    await answer([toStart]);
    await answer([]);
    await passTime(NOW_MS + 1);
    expect(await recordOf(uuid(1))).toBeUndefined();
    expect(subjects(await answer([toStart], startMs))).toEqual([uuid(1)]);
  });

  test('is forgotten once two answers have lacked it, and news when it is shown again', async () => {
    const { answer, passTime } = await aDetector();
    await answer([toStart]);
    await answer([]);
    await answer([]);
    await passTime(NOW_MS + 1);
    expect(subjects(await answer([toStart], startMs))).toEqual([uuid(1)]);
  });
});

test('what can never be told its site is news with the third answer that shows it, whatever comes in between', async () => {
  const { answer, passTime } = await aDetector();
  const unread: Unreadable = { ids: [], nameless: 0, fields: new Map([[uuid(1), ['site']]]) };
  const show = async () => (await answer([event(1)], NOW_MS, false, unread)).news.length;
  expect([await show(), await show()]).toEqual([0, 0]);
  await answer([]);
  await passTime(NOW_MS + 1);
  expect([await show(), await show()]).toEqual([1, 0]);
});

test('what cannot be read when its resource is read for the first time again stays known as it was', async () => {
  const { answer, recordOf } = await aDetector();
  await answer([event(1)]);
  const before = await recordOf(uuid(1));
  await answer([], NOW_MS + 1, true, { ids: [uuid(1), uuid(2)], nameless: 0 });
  expect(await recordOf(uuid(1))).toEqual(before);
  expect(await recordOf(uuid(2))).toEqual({ firstSeenMs: NOW_MS + 1, lastSeenMs: NOW_MS + 1, face: '' });
});

test('what is over or gone is nothing to catch up on', async () => {
  const { answer } = await aDetector();
  const ending = event(1, { endDateMs: NOW_MS + HOUR_MS });
  const gone = event(2, { endDateMs: null });
  const live = async (value: readonly Announcement[], nowMs: number) =>
    (await answer(value, nowMs)).live().map(({ subject }) => subject);
  expect(await live([ending, gone], NOW_MS)).toEqual([uuid(1), uuid(2)]);
  await answer([ending], NOW_MS + 1);
  await answer([ending], NOW_MS + 2);
  expect(await live([ending, gone], NOW_MS + 3), 'one answer may be wrong').toEqual([uuid(1)]);
  expect(await live([ending, gone], NOW_MS + HOUR_MS)).toEqual([uuid(2)]);
});

test('an event that has ended keeps its end when it is taken down', async () => {
  const { answer, passTime } = await aDetector();
  await answer([event(1, { endDateMs: NOW_MS + HOUR_MS })]);
  await passTime(NOW_MS + HOUR_MS);
  for (const ms of [1, 2]) expect((await answer([], NOW_MS + HOUR_MS + ms)).updates).toEqual([]);
});

test('only what goes missing among what is live makes an answer doubtful, and only once', async () => {
  const { answer } = await aDetector();
  const events = (numbers: readonly number[], changes: Partial<DealEvent>) =>
    numbers.map((number) => event(number, changes));
  const over = events([1, 2, 3, 4, 5, 6, 7, 8, 9], { endDateMs: NOW_MS + HOUR_MS });
  const [first, second, ...others] = events([11, 12, 13, 14], { endDateMs: NOW_MS + DAY_MS });
  if (!first || !second) throw new Error('no events');
  await answer([...over, first, second, ...others]);
  const isDoubtful = async (value: readonly Announcement[], ms: number) =>
    (await answer(value, NOW_MS + HOUR_MS + ms)).isDoubtful;
  expect(await isDoubtful([...over, first, second, ...others], 0)).toBe(false);
  expect(await isDoubtful([...over, second, ...others], 1), 'one of four').toBe(false);
  expect(await isDoubtful([...over, first, second], 2), 'two of four').toBe(true);
  expect(await isDoubtful([...over, first, second], 3)).toBe(false);
  expect(await isDoubtful([...over, first, second], 4)).toBe(false);
});

test('how the stock of events falls is noted for those that are listed', async () => {
  const { answer, detector, store, stock } = await aDetector();
  const selling = (percentageRemaining: number) =>
    event(1, { offers: [anEventOffer(101, { percentageRemaining })], endDateMs: NOW_MS + 9 * DAY_MS });
  for (const [minutes, percent] of [30, 20, 10].entries()) await answer([selling(percent)], NOW_MS + minutes * 60_000);
  const atMs = NOW_MS + 2 * 60_000;
  expect(stock.sellsOutAtMs(uuid(101), atMs)).toBe(NOW_MS + 3 * 60_000);
  const other = await detector.inResource('dealcasts', { value: [dealcast(1)] }, false, atMs);
  await store.commit((changes) => other.save(changes));
  expect(stock.sellsOutAtMs(uuid(101), atMs)).toBe(NOW_MS + 3 * 60_000);
  await answer([], atMs + 1);
  await answer([], atMs + 2);
  expect(stock.sellsOutAtMs(uuid(101), atMs)).toBeNull();
});

test('what single answers say is counted until it is believed, taken back or forgotten', async () => {
  const { detector, store, doubtCounts } = await aDetector();
  const doubtsAfter = async (...titles: readonly string[]) => {
    const value = titles.map((title) => KINDS['new-dealcast'].announce({ ...aDealcast(1), title }));
    const found = await detector.inResource('dealcasts', { value }, false, NOW_MS);
    await store.commit((changes) => found.save(changes));
    const { began, ended } = doubtCounts.today();
    return [began, ended];
  };
  const none = { answer: 0, asked: 0, refuted: 0 };
  expect(await doubtsAfter('Tea')).toEqual([0, none]);
  expect(await doubtsAfter('Coffee')).toEqual([1, none]);
  expect(await doubtsAfter('Coffee')).toEqual([1, { ...none, answer: 1 }]);
  expect(await doubtsAfter('Milk')).toEqual([2, { ...none, answer: 1 }]);
  expect(await doubtsAfter(), 'it may be there still').toEqual([2, { ...none, answer: 1 }]);
  expect(await doubtsAfter()).toEqual([2, { ...none, answer: 1, refuted: 1 }]);
  expect(doubtCounts.sinceStart().fields.map(({ resource, field }) => [resource, field])).toEqual([
    ['dealcasts', 'Title'],
  ]);
});
