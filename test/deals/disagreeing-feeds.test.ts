import { expect, test } from 'vitest';
import { type Before, changesOfFeed } from '../../src/deals/change.ts';
import { type KnownOffer, priceKeys } from '../../src/deals/known-offer.ts';
import type { Offer } from '../../src/deals/offer.ts';
import { MINUTE_MS } from '../../src/shared/time.ts';
import { anOffer, NOW_MS } from '../helpers/things.ts';

/** Feeds that are read one after the other, a minute apart, and what each answer changes. */
function someFeeds() {
  const known = new Map<string, KnownOffer>();
  let nowMs = NOW_MS;
  const before: Before = {
    get: (id) => known.get(id),
    all: () => known.values(),
    listings: (key) => [...known.values()].filter((record) => priceKeys(record).includes(key)),
    past: new Map(),
    archived: new Map(),
    items: new Map(),
    polledAtMs: () => null,
    isOld: () => false,
    isCurrent: () => true,
  };
  return {
    read: (feed: string, ...offers: Offer[]): string[] => {
      nowMs += MINUTE_MS;
      const { changes, records } = changesOfFeed(before, { feed, offers, isCutOff: false, nowMs });
      for (const record of records) known.set(record.offer.id, record);
      return changes.map(({ kind }) => kind);
    },
    offer: () => [...known.values()][0]?.offer,
  };
}

const costing = (dollars: number) => anOffer(1, { salePrice: { minimum: dollars, maximum: dollars } });

test('an offer that costs less in another feed has not become cheaper, however often both say so', () => {
  const { read, offer } = someFeeds();
  read('home', costing(30));
  read('home', costing(30));
  expect(read('tools', costing(25))).toEqual(['entered']);
  for (let times = 0; times < 12; times += 1) {
    expect(read('home', costing(30))).toEqual([]);
    expect(read('tools', costing(25))).toEqual([]);
  }
  expect(offer()?.salePrice?.minimum).toBe(30);
  // Tools changes its own statement: that is news.
  expect(read('tools', costing(24))).toEqual(['price-dropped']);
  expect(read('home', costing(30))).toEqual([]);
});

test('a feed that shows first what another says later is right from then on', () => {
  const { read, offer } = someFeeds();
  read('home', costing(30));
  read('home', costing(30));
  read('tools', costing(25));
  expect(read('home', costing(25))).toEqual(['price-dropped']);
  expect(read('tools', costing(25))).toEqual([]);
  expect(offer()?.salePrice?.minimum).toBe(25);
});

test('a feed may add what no other knows', () => {
  const { read, offer } = someFeeds();
  read('home', anOffer(1, { salePrice: null, categories: [] }));
  expect(read('tools', anOffer(1, { categories: ['HOME'] }))).toEqual(['entered', 'appeared', 'altered']);
  expect(offer()).toMatchObject({ salePrice: { minimum: 20, maximum: 20 }, categories: ['HOME'] });
});

test('an offer that is sold out in one feed long before another says so is never back in stock', () => {
  const { read, offer } = someFeeds();
  read('home', anOffer(1));
  read('tools', anOffer(1));
  expect(read('home', anOffer(1, { isSoldOut: true }))).toEqual(['sold-out']);
  for (let times = 0; times < 6; times += 1) {
    expect(read('tools', anOffer(1))).toEqual([]);
    expect(read('home', anOffer(1, { isSoldOut: true }))).toEqual([]);
  }
  expect(read('tools', anOffer(1, { isSoldOut: true }))).toEqual([]);
  expect(offer()?.isSoldOut).toBe(true);
});

test('a feed that lacks an offer once, and then says of it what it always said, says nothing new', () => {
  const { read, offer } = someFeeds();
  for (const feed of ['home', 'tools', 'home', 'tools']) read(feed, anOffer(1));
  read('home', anOffer(1, { isSoldOut: true }));
  read('home', anOffer(1, { isSoldOut: true }));
  read('tools');
  for (let times = 0; times < 4; times += 1) {
    read('tools', anOffer(1));
    read('home', anOffer(1, { isSoldOut: true }));
  }
  expect(offer()?.isSoldOut).toBe(true);
  expect(read('home', anOffer(1))).toEqual([]);
  expect(read('home', anOffer(1)), 'the feed that said so says otherwise').toEqual(['restocked']);
});

test('an offer that leaves its feed sold out and comes back in stock is back, once two answers say so', () => {
  const { read } = someFeeds();
  read('home', anOffer(1));
  for (const isSoldOut of [false, true, true]) read('home', anOffer(1, { isSoldOut }));
  read('home');
  read('home');
  expect(read('home', anOffer(1))).toEqual([]);
  expect(read('home', anOffer(1))).toEqual(['restocked']);
});

test('a feed that says something else once, and then what it always said, says nothing new', () => {
  const { read, offer } = someFeeds();
  for (const feed of ['home', 'tools', 'home', 'tools']) read(feed, costing(30));
  for (let times = 0; times < 2; times += 1) read('home', costing(25));
  read('tools', costing(30));
  read('tools', costing(3));
  for (let times = 0; times < 3; times += 1) read('tools', costing(30));
  expect(offer()?.salePrice?.minimum).toBe(25);
  for (let times = 0; times < 2; times += 1) read('tools', costing(3));
  expect(offer()?.salePrice?.minimum, 'two answers in a row').toBe(3);
});
