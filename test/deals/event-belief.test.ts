import { expect, test } from 'vitest';
import { APART_MS } from '../../src/deals/belief.ts';
import type { Heard, Said } from '../../src/deals/entity-belief.ts';
import type { DealEvent, EventOffer } from '../../src/deals/event.ts';
import { hearEvent } from '../../src/deals/event-belief.ts';
import { HOUR_MS } from '../../src/shared/time.ts';
import { anEvent, anEventOffer, anItem, NOW_MS, uuid } from '../helpers/things.ts';

type Answer = DealEvent | [DealEvent, Partial<Omit<Said<DealEvent>, 'value'>>];

/** What is believed after each answer, of which the first is the first sight. */
function believed(first: DealEvent, ...answers: Answer[]): DealEvent[] {
  let heard: Heard<DealEvent> = { value: first };
  return answers.map((answer, index) => {
    const [value, said] = Array.isArray(answer) ? answer : [answer, {}];
    const nowMs = NOW_MS + index * APART_MS;
    heard = hearEvent(heard, { value, unreadable: new Set(), nowMs, ...said });
    return heard.value;
  });
}

const offer = (number: number, changes: Partial<EventOffer> = {}) => anEventOffer(number, { items: [], ...changes });
const withOffers = (...offers: EventOffer[]) => anEvent(1, { offers });
const idsOf = ({ offers }: DealEvent) => offers.map(({ id }) => Number(id.slice(-3)));

test.each<[keyof DealEvent, unknown, unknown]>([
  ['title', 'Event', 'Another'],
  ['type', 'Daily', 'Moofi'],
  ['site', 'home.example.com', null],
  ['site', 'home.example.com', 'wine.example.com'],
  ['startDateMs', NOW_MS - HOUR_MS, null],
  ['startDateMs', NOW_MS - HOUR_MS, NOW_MS + HOUR_MS],
  ['endDateMs', NOW_MS + HOUR_MS, null],
  ['endDateMs', NOW_MS + HOUR_MS, NOW_MS + 1],
  ['endDateMs', NOW_MS + HOUR_MS, NOW_MS - HOUR_MS],
  ['endDateMs', NOW_MS, NOW_MS + HOUR_MS],
  ['photos', [{ url: 'a' }], []],
  ['text', 'Text', null],
])('of an event, %s from %j to %j is believed after two answers in a row', (field, was, is) => {
  const [before, after] = [anEvent(1, { [field]: was }), anEvent(1, { [field]: is })];
  expect(believed(before, after, before, after, after).map((event) => event[field])).toEqual([was, was, was, is]);
});

test.each<[keyof DealEvent, unknown, unknown]>([
  ['site', null, 'home.example.com'],
  ['endDateMs', NOW_MS + HOUR_MS, NOW_MS + 2 * HOUR_MS],
  ['endDateMs', null, NOW_MS + HOUR_MS],
  ['photos', [], [{ url: 'a' }]],
])('of an event, %s from %j to %j is believed at once', (field, was, is) => {
  expect(believed(anEvent(1, { [field]: was }), anEvent(1, { [field]: is }))[0]?.[field]).toEqual(is);
});

test.each<[keyof EventOffer, unknown, unknown]>([
  ['title', 'Blender', 'Another'],
  ['soldOut', true, false],
  ['percentageRemaining', 50, null],
  ['percentageRemaining', 80, 19],
  ['stats', {}, null],
  ['url', 'https://www.example.com/', null],
  ['photos', [{ url: 'a' }], []],
])('of an event’s offer, %s from %j to %j is believed after two answers in a row', (field, was, is) => {
  const [before, after] = [withOffers(offer(1, { [field]: was })), withOffers(offer(1, { [field]: is }))];
  expect(believed(before, after, before, after, after).map(({ offers: [first] }) => first?.[field])).toEqual([
    was,
    was,
    was,
    is,
  ]);
});

test.each<[keyof EventOffer, unknown, unknown]>([
  ['soldOut', false, true],
  ['percentageRemaining', 80, 20],
  ['percentageRemaining', 3, 90],
  ['percentageRemaining', null, 3],
  ['stats', { a: 1 }, { a: 2 }],
])('of an event’s offer, %s from %j to %j is believed at once', (field, was, is) => {
  const [now] = believed(withOffers(offer(1, { [field]: was })), withOffers(offer(1, { [field]: is })));
  expect(now?.offers[0]?.[field]).toEqual(is);
});

test('stock that falls astonishingly and goes on falling is believed with the second answer', () => {
  const left = (percentageRemaining: number | null) => withOffers(offer(1, { percentageRemaining }));
  const after = believed(left(80), left(3), left(2), left(1), left(null), left(null));
  expect(after.map(({ offers: [first] }) => first?.percentageRemaining)).toEqual([80, 2, 1, 1, null]);
});

/** The prices of an offer's items that are believed after each answer. */
function pricesAfter(was: (number | null)[], ...answers: (number | null)[][]): (number | null)[][] {
  const costing = (prices: (number | null)[]) => {
    return withOffers(offer(1, { items: prices.map((salePrice, place) => anItem(place, { salePrice })) }));
  };
  return believed(costing(was), ...answers.map(costing)).map(({ offers: [first] }) => {
    return first?.items.map(({ salePrice }) => salePrice) ?? [];
  });
}

test('prices within five times are believed at once, others and lost ones after a second answer', () => {
  expect(pricesAfter([30, 40], [6, 200])).toEqual([[6, 200]]);
  expect(pricesAfter([30, 40], [5.99, 40], [30, 40], [5.99, 40], [5.99, 40])).toEqual([
    [30, 40],
    [30, 40],
    [30, 40],
    [5.99, 40],
  ]);
  expect(pricesAfter([30], [null], [30], [null], [null])).toEqual([[30], [30], [30], [null]]);
  expect(pricesAfter([null], [30])).toEqual([[30]]);
  expect(pricesAfter([30], [3], [4]), 'the second answer astonishes as the first did').toEqual([[30], [4]]);
  expect(pricesAfter([30], [null], [2], [2]), 'two oddities are no confirmation').toEqual([[30], [30], [2]]);
});

test('an item may be added at once, and needs two answers to go', () => {
  expect(pricesAfter([30], [30, 40], [30], [30])).toEqual([[30, 40], [30, 40], [30]]);
});

test('an offer is added at once, goes after two answers, and comes back after two', () => {
  const [both, one] = [withOffers(offer(1), offer(2)), withOffers(offer(1))];
  expect(believed(one, both, one, both, one, one, both, one, both, both).map(idsOf)).toEqual([
    [1, 2],
    [1, 2],
    [1, 2],
    [1, 2],
    [1],
    [1],
    [1],
    [1],
    [1, 2],
  ]);
});

test('offers keep their order until two answers show another', () => {
  const inOrder = (...numbers: number[]) => withOffers(...numbers.map((number) => offer(number)));
  const after = believed(inOrder(1, 2, 3), inOrder(3, 1, 2), inOrder(1, 2, 3), inOrder(2, 1, 3), inOrder(2, 1, 3));
  expect(after.map(idsOf)).toEqual([
    [1, 2, 3],
    [1, 2, 3],
    [1, 2, 3],
    [2, 1, 3],
  ]);
  const shuffled = believed(inOrder(1, 2), inOrder(2, 3, 1), inOrder(3, 1, 2));
  expect(shuffled.map(idsOf), 'what is new is shown all the same').toEqual([
    [1, 2, 3],
    [1, 2, 3],
  ]);
});

test('what could not be read of offers stays as it was', () => {
  const before = withOffers(offer(1), offer(2), offer(3));
  const odd = withOffers(offer(1, { soldOut: true, url: null }), offer(3, { title: 'Half read' }));
  const lost = { ids: [uuid(3)], nameless: 1, fields: new Map([[uuid(1), ['url']]]) };
  const [first, second] = believed(before, [odd, { lost }], [odd, { lost }]);
  expect(first?.offers).toEqual([offer(1, { soldOut: true }), offer(2), offer(3)]);
  expect(second).toEqual(first);
});

test('offers of which nothing could be read are none that are missing', () => {
  const before = withOffers(offer(1), offer(2));
  const unread = [withOffers(), { unreadable: new Set(['offers']) }] satisfies Answer;
  expect(believed(before, unread, unread, unread).map(idsOf)).toEqual([
    [1, 2],
    [1, 2],
    [1, 2],
  ]);
});
