import { expect, test } from 'vitest';
import type { DealEvent, EventOffer } from '../../src/deals/event.ts';
import { type EventSales, pastSalesOf, salesAfter, withinMs } from '../../src/deals/event-sales.ts';
import { MINUTE_MS } from '../../src/shared/time.ts';
import { anEvent, anEventOffer, NOW_MS } from '../helpers/things.ts';

const START_MS = NOW_MS - 10 * MINUTE_MS;

/** An event whose answers come a minute apart. */
function aSale(startDateMs: number | null = START_MS) {
  let sales: EventSales | undefined;
  let minute = -1;
  const eventWith = (offers: readonly EventOffer[], changes: Partial<DealEvent> = {}) =>
    anEvent(1, { startDateMs, endDateMs: null, offers: [...offers], ...changes });
  return {
    /** The next answer shows these offers. */
    show: (offers: readonly EventOffer[], isWhole = true): EventSales => {
      minute += 1;
      const nowMs = NOW_MS + minute * MINUTE_MS;
      const previousMs = minute === 0 ? null : nowMs - MINUTE_MS;
      sales = salesAfter(sales, eventWith(offers), { nowMs, previousMs, isWhole });
      return sales;
    },
    past: () => pastSalesOf(sales),
  };
}

const blender = (number: number, left: number, changes: Partial<EventOffer> = {}) =>
  anEventOffer(number, { percentageRemaining: left, soldOut: left === 0, ...changes });
const spans = ({ sales }: EventSales) => sales.map((sale) => withinMs(sale));

test('an offer sold out within the time from the last look without it to the first that shows it sold out', () => {
  const { show } = aSale();
  show([blender(1, 50)]);
  show([blender(1, 30), blender(2, 90)]);
  show([blender(1, 20), blender(2, 20)]);
  expect(spans(show([blender(1, 0), blender(2, 0)]))).toEqual([13 * MINUTE_MS, 3 * MINUTE_MS]);
});

test('what the event no longer lists sold out where hardly anything was left, and is gone where more was', () => {
  const { show, past } = aSale();
  show([blender(1, 11), blender(2, 10), blender(3, 80)]);
  show([blender(3, 80)]);
  const { over, soldOut } = past();
  expect(over.map(({ title, isSoldOut }) => [title, isSoldOut])).toEqual([
    ['Blender 2', true],
    ['Blender 1', false],
  ]);
  expect(soldOut).toBe(1);
});

test.each([
  ['was sold out at first sight', START_MS, [[blender(1, 0)]], null],
  ['came and sold out between two looks', START_MS, [[], [blender(1, 0)]], MINUTE_MS],
  ['was there at first sight of an event without a start', null, [[blender(1, 5)], [blender(1, 0)]], null],
  ['is for sale', START_MS, [[blender(1, 5)]], null],
])('the time of an offer that %s', (_, startMs, answers, expected) => {
  const { show } = aSale(startMs);
  const all = answers.map((offers) => show(offers));
  expect(all.at(-1)?.sales.map((sale) => withinMs(sale))).toEqual([expected]);
});

test('an offer that is new after answers that could not be read whole may have been there since the last that could', () => {
  const { show } = aSale();
  show([]);
  show([], false);
  expect(show([], false)).toHaveProperty('unseenSinceMs', NOW_MS);
  show([blender(1, 40)]);
  expect(spans(show([blender(1, 0)]))).toEqual([4 * MINUTE_MS]);
  expect(show([blender(1, 0)])).not.toHaveProperty('unseenSinceMs');
  show([blender(2, 40)]);
  expect(spans(show([blender(2, 0)]))).toEqual([4 * MINUTE_MS, 2 * MINUTE_MS]);
});

test('an offer that is back counts anew, and keeps the price at which it sold out', () => {
  const { show } = aSale();
  show([blender(1, 40)]);
  const [out] = show([blender(1, 0, { items: [] })]).sales;
  expect(out).toMatchObject({ isSoldOut: true, price: { minimum: 30, maximum: 30 } });
  show([blender(1, 20)]);
  const [again] = show([blender(1, 0)]).sales;
  expect(again && withinMs(again)).toBe(2 * MINUTE_MS);
});

test('answers that change nothing of it change no record', () => {
  const { show } = aSale();
  const first = show([blender(1, 40)]);
  expect(show([blender(1, 30)]), 'stock is no part of it').toBe(first);
  const low = show([blender(1, 10)]);
  expect(low).not.toBe(first);
  expect(show([blender(1, 5)])).toBe(low);
  const gone = show([]);
  expect(show([])).toBe(gone);
});

test('200 offers are listed, and the others still count', () => {
  const { show, past } = aSale();
  for (let number = 1; number <= 203; number += 1) show([blender(number, 5)]);
  const sales = show([]);
  expect(sales.sales).toHaveLength(200);
  const { soldOut, fastestMs, over } = past();
  expect([soldOut, fastestMs, over.length, over[0]?.title]).toEqual([203, 2 * MINUTE_MS, 200, 'Blender 203']);
  const many = Array.from({ length: 250 }, (_, index) => blender(1_000 + index, 40));
  expect(show(many).sales, 'those that are for sale stay').toHaveLength(200);
  const full = show(many);
  expect(show(many)).toBe(full);
  expect(past().soldOut).toBe(203);
});
