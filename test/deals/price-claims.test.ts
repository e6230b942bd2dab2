import { expect, test } from 'vitest';
import { changesOfFeed, changesOfTime } from '../../src/deals/change.ts';
import { type KnownOffer, priceKeys, runsUnder } from '../../src/deals/known-offer.ts';
import { isNewLow, lowestForMs, lowOf, priceHistory, realDiscount } from '../../src/deals/observed-prices.ts';
import type { Offer } from '../../src/deals/offer.ts';
import type { PriceRun } from '../../src/deals/price-runs.ts';
import { DAY_MS, HOUR_MS } from '../../src/shared/time.ts';
import { anOffer, NOW_MS, uuid } from '../helpers/things.ts';

const priced = (dollars: number): Partial<Offer> => ({ salePrice: { minimum: dollars, maximum: dollars } });
/** An offer without an end. */
const listed = (number: number, dollars: number, changes: Partial<Offer> = {}) =>
  anOffer(number, { title: 'Kettle', endDateMs: null, ...priced(dollars), ...changes });

/** A bot that polls one feed. */
function aWatcher(archived: ReadonlyMap<string, readonly PriceRun[]> = new Map()) {
  const book = new Map<string, KnownOffer>();
  const listings = (key: string) => [...book.values()].filter((known) => priceKeys(known).includes(key));
  let nowMs = NOW_MS;
  let polledAtMs: number | null = null;
  const watcher = {
    waits(ms: number) {
      nowMs += ms;
    },
    /** Polls once. Resolves with the kinds of changes. */
    polls(...offers: Offer[]): string[] {
      const before = {
        get: (id: string) => book.get(id),
        all: () => book.values(),
        listings,
        past: new Map(),
        archived,
        items: new Map(),
        polledAtMs: () => polledAtMs,
        isOld: () => false,
        isCurrent: () => true,
      };
      const found = changesOfFeed(before, { feed: 'home', offers, isCutOff: false, nowMs });
      for (const record of found.records) book.set(record.offer.id, record);
      polledAtMs = nowMs;
      return found.changes.map(({ kind }) => kind);
    },
    /** Polls every hour. */
    pollsFor(ms: number, ...offers: Offer[]): void {
      for (const endMs = nowMs + ms; nowMs < endMs; nowMs += HOUR_MS) watcher.polls(...offers);
    },
    /** Applies the changes that time alone brings. Returns their kinds. */
    ticks(): string[] {
      const found = changesOfTime(book.values(), nowMs);
      for (const record of found.records) book.set(record.offer.id, record);
      return found.changes.map(({ kind }) => kind);
    },
    known(number: number): KnownOffer {
      const known = book.get(uuid(number));
      if (!known) throw new Error('not known');
      return known;
    },
    offer: (number: number) => watcher.known(number).offer,
    history: () =>
      priceHistory(
        listings('kettle|').flatMap((known) => runsUnder('kettle|', known, nowMs)),
        nowMs,
        true,
      ),
  };
  return watcher;
}

test('a low is not forgotten over many changes of the price', () => {
  const watcher = aWatcher();
  watcher.pollsFor(DAY_MS, listed(1, 19.99));
  for (let change = 0; change < 55; change += 1) watcher.pollsFor(12 * HOUR_MS, listed(1, 30 + (change % 2) * 5));
  watcher.pollsFor(DAY_MS, listed(1, 25));
  expect(lowOf(watcher.offer(1))?.isEver === true).toBe(false);
  expect(watcher.offer(1).observed).toMatchObject({
    sinceMs: NOW_MS,
    low: { price: 19.99, atMs: NOW_MS + DAY_MS },
    lowestSinceMs: NOW_MS + DAY_MS,
  });
  expect(watcher.known(1).prices).toHaveLength(50);
  expect(watcher.history()).toMatchObject({ sinceMs: NOW_MS, low: { price: 19.99, fromMs: NOW_MS }, usual: 30 });
});

test('a low is not forgotten where the bot is off every night', () => {
  const watcher = aWatcher();
  const day = (dollars: number) => {
    watcher.pollsFor(16 * HOUR_MS, listed(1, dollars));
    watcher.waits(8 * HOUR_MS);
  };
  day(30);
  day(19.99);
  for (let days = 0; days < 23; days += 1) day(30);
  day(25);
  expect(lowOf(watcher.offer(1))?.isEver === true).toBe(false);
  expect(watcher.offer(1).observed).toMatchObject({ sinceMs: NOW_MS, low: { price: 19.99 }, usual: 30 });
  expect(watcher.known(1).gaps).toHaveLength(20);
  // Seen on each day, though not at night.
  expect(lowestForMs(watcher.offer(1))).toBeCloseTo(24 * DAY_MS - 8 * HOUR_MS, -8);
});

test('sold-out time counts for no price, however often the stock has changed since', () => {
  const watcher = aWatcher();
  watcher.pollsFor(4 * DAY_MS, listed(1, 20));
  watcher.pollsFor(20 * DAY_MS, listed(1, 30, { isSoldOut: true }));
  for (let change = 0; change < 25; change += 1) {
    watcher.pollsFor(3 * HOUR_MS, listed(1, 30, { isSoldOut: change % 2 === 1 }));
  }
  expect(watcher.known(1).stock).toHaveLength(20);
  expect(watcher.history()).toMatchObject({ sinceMs: NOW_MS, low: { price: 20 }, usual: 20 });
});

test('the usual price of a product is that of its cheapest listing, on cards and in its history', () => {
  const watcher = aWatcher();
  watcher.pollsFor(DAY_MS, listed(1, 100));
  watcher.pollsFor(10 * DAY_MS, listed(1, 100), listed(2, 60));
  watcher.pollsFor(2 * HOUR_MS, listed(1, 100), listed(2, 55));
  expect(watcher.offer(2).observed?.usual).toBe(60);
  expect(realDiscount(watcher.offer(2))).toBe(8);
  expect(watcher.history()?.usual).toBe(60);
});

test('a price that began while an offer was sold out is compared with what was seen until it could be bought', () => {
  const watcher = aWatcher();
  watcher.pollsFor(6 * DAY_MS, listed(1, 20));
  watcher.pollsFor(2 * HOUR_MS, listed(1, 20, { isSoldOut: true }));
  watcher.pollsFor(10 * DAY_MS, listed(1, 25, { isSoldOut: true }), listed(2, 30));
  watcher.pollsFor(5 * HOUR_MS, listed(1, 25), listed(2, 30));
  expect(watcher.offer(1).observed).toMatchObject({ atMs: NOW_MS + 16 * DAY_MS + 3 * HOUR_MS, usual: 30 });
  expect(watcher.history()?.usual).toBe(30);
  watcher.pollsFor(5 * HOUR_MS, listed(1, 25, { condition: 'New' }), listed(2, 30));
  expect(watcher.offer(1).observed).toMatchObject({ atMs: NOW_MS + 16 * DAY_MS + 3 * HOUR_MS, usual: 20 });
});

test.each([1, 2])(
  'a price that is found after nobody looked for days counts nothing of these days, with %d listings',
  (listings) => {
    const watcher = aWatcher();
    const all = (dollars: number) => [listed(1, dollars), listed(2, dollars + 5)].slice(0, listings).toReversed();
    watcher.pollsFor(4 * DAY_MS, ...all(20));
    watcher.pollsFor(3 * DAY_MS, ...all(30));
    watcher.waits(10 * DAY_MS);
    watcher.pollsFor(2 * HOUR_MS, listed(1, 25), ...all(30).slice(0, -1));
    expect(watcher.offer(1).observed).toMatchObject({ atMs: NOW_MS + 17 * DAY_MS, usual: 20 });
    expect(lowestForMs(watcher.offer(1)), 'seen on too few of the days').toBe(DAY_MS);
  },
);

test('a drop that is found after nobody looked for days says for how long the former price was seen', () => {
  const watcher = aWatcher();
  watcher.pollsFor(4 * DAY_MS, listed(1, 20));
  watcher.waits(10 * DAY_MS);
  watcher.polls(listed(1, 15));
  expect(watcher.known(1).prices.at(-1)?.drop?.beforeForMs).toBe(4 * DAY_MS - HOUR_MS);
});

test('what ended while nobody looked was last seen before that', () => {
  const watcher = aWatcher();
  watcher.pollsFor(4 * DAY_MS, listed(1, 20), anOffer(9, { endDateMs: null }));
  watcher.waits(10 * DAY_MS);
  watcher.pollsFor(3 * HOUR_MS, anOffer(9, { endDateMs: null }));
  watcher.polls(listed(2, 25), anOffer(9, { endDateMs: null }));
  expect(watcher.known(2).before).toMatchObject({ offerId: uuid(1), endedAtMs: NOW_MS + 4 * DAY_MS - HOUR_MS });
});

test('what ended while somebody looked was last seen when that was found', () => {
  const watcher = aWatcher();
  watcher.pollsFor(DAY_MS, listed(1, 20), anOffer(9, { endDateMs: null }));
  watcher.waits(10 * DAY_MS);
  watcher.pollsFor(3 * HOUR_MS, listed(1, 20), anOffer(9, { endDateMs: null }));
  watcher.pollsFor(3 * HOUR_MS, anOffer(9, { endDateMs: null }));
  watcher.polls(listed(2, 25), anOffer(9, { endDateMs: null }));
  expect(watcher.known(2).before?.endedAtMs).toBe(NOW_MS + 11 * DAY_MS + 4 * HOUR_MS);
});

test('a price that has stood for most of the time is the usual one, in posts and the history alike, and posts are changed', () => {
  const watcher = aWatcher();
  watcher.pollsFor(4 * DAY_MS, listed(1, 34));
  watcher.pollsFor(4 * DAY_MS - HOUR_MS, listed(1, 20));
  expect(watcher.ticks()).toEqual([]);
  expect([realDiscount(watcher.offer(1)), watcher.history()?.usual]).toEqual([41, 34]);
  watcher.pollsFor(2 * HOUR_MS, listed(1, 20));
  expect(watcher.ticks(), 'its posts are edited').toEqual(['altered']);
  expect([realDiscount(watcher.offer(1)), watcher.history()?.usual]).toEqual([0, 20]);
  expect(watcher.known(1).prices.at(-1)?.observed).toEqual(watcher.offer(1).observed);
  expect(watcher.ticks(), 'once').toEqual([]);
});

test('a price is the lowest no more once another listing is cheaper, and its posts are changed', () => {
  const watcher = aWatcher();
  watcher.pollsFor(5 * DAY_MS, listed(1, 40));
  watcher.pollsFor(2 * HOUR_MS, listed(1, 30));
  expect(isNewLow(watcher.offer(1))).toBe(true);
  watcher.pollsFor(2 * HOUR_MS, listed(1, 30), listed(2, 30));
  expect(lowOf(watcher.offer(1))?.isEver === true).toBe(true);
  const cheaper = [listed(1, 30), listed(2, 25)];
  expect([...watcher.polls(...cheaper), ...watcher.polls(...cheaper)]).toContain('altered');
  expect(lowOf(watcher.offer(1))?.isEver === true).toBe(false);
  expect(lowestForMs(watcher.offer(1))).toBeNull();
  expect(watcher.known(1).prices.at(-1)?.observed).toEqual(watcher.offer(1).observed);
  expect(isNewLow(watcher.offer(2))).toBe(true);
  // Also once the cheaper one is gone.
  watcher.pollsFor(5 * HOUR_MS, listed(1, 30));
  expect(lowOf(watcher.offer(1))?.isEver === true).toBe(false);
});

test('the posts of a price that is the lowest no more are changed where an answer takes back something else of its offer', () => {
  const watcher = aWatcher();
  watcher.pollsFor(5 * DAY_MS, listed(1, 40), listed(2, 40));
  watcher.pollsFor(2 * HOUR_MS, listed(1, 30), listed(2, 40));
  expect(isNewLow(watcher.offer(1))).toBe(true);
  watcher.polls(listed(1, 30, { title: 'Pot' }), listed(2, 25));
  expect(watcher.polls(listed(1, 30), listed(2, 25))).toContain('altered');
  expect(lowOf(watcher.offer(1))?.isEver === true).toBe(false);
});

test('of two that get cheaper in one answer, the cheaper one is the lowest', () => {
  const watcher = aWatcher();
  watcher.pollsFor(5 * DAY_MS, listed(1, 40), listed(2, 40));
  watcher.pollsFor(2 * HOUR_MS, listed(1, 30), listed(2, 25));
  expect([1, 2].map((number) => isNewLow(watcher.offer(number)))).toEqual([false, true]);
});

test('an offer that gets the name of another product is compared with that one, and so are the others of that name', () => {
  const run = (from: number, until: number, dollars: number) => ({
    fromMs: NOW_MS + from * DAY_MS,
    untilMs: NOW_MS + until * DAY_MS,
    price: { minimum: dollars, maximum: dollars },
  });
  const watcher = aWatcher(new Map([['teapot|', [run(-20, -10, 12)]]]));
  const other = listed(2, 40, { title: 'Teapot' });
  watcher.pollsFor(5 * DAY_MS, listed(1, 40), other);
  watcher.pollsFor(5 * DAY_MS, listed(1, 14), { ...other, ...priced(30) });
  expect(lowOf(watcher.offer(1))?.isEver === true).toBe(true);
  // Of six days it was seen on five.
  expect(lowestForMs(watcher.offer(2))).toBe(6 * DAY_MS);
  watcher.pollsFor(2 * HOUR_MS, listed(1, 14, { title: 'Teapot' }), { ...other, ...priced(30) });
  expect(lowOf(watcher.offer(1))?.isEver === true).toBe(false);
  expect(watcher.offer(1).observed).toMatchObject({ low: { price: 12 }, atMs: NOW_MS + 5 * DAY_MS });
  expect(lowestForMs(watcher.offer(2))).toBeNull();
});
