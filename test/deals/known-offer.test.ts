import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type FeedPresence,
  feedKey,
  isGone,
  isInFeed,
  type KnownOffer,
  lastSeenMs,
  pastListingOf,
  productKey,
  productKeys,
  shownOffer,
} from '../../src/deals/known-offer.ts';
import type { Offer } from '../../src/deals/offer.ts';
import { termsOf } from '../../src/deals/terms.ts';
import { aKnownOffer, NOW_MS } from '../helpers/things.ts';

const held: FeedPresence = { firstSeenMs: 0, unseenSinceMs: null, goneSinceMs: null, isOld: false };
const polledAtMs = (feed: string) =>
  new Map([
    ['home', NOW_MS],
    ['tools', NOW_MS - 1],
  ]).get(feed) ?? null;

test.each<[string, Record<string, FeedPresence>, number | null]>([
  ['the latest of the feeds that hold it', { home: held, tools: held }, NOW_MS],
  ['not one that holds it no more', { home: { ...held, goneSinceMs: NOW_MS }, tools: held }, NOW_MS - 1],
  ['since a feed was cut off before it: the moment of that', { home: { ...held, unseenSinceMs: 5 } }, 5],
  ['a feed of which nothing is remembered', { cellar: held }, null],
  ['no feed', {}, null],
])('when an offer was last seen: %s', (_, feeds, expected) => {
  expect(lastSeenMs(aKnownOffer(1, {}, { feeds }), polledAtMs)).toBe(expected);
});

const keyOf = (title: string, condition: string | null = null) => productKey({ title, condition });

test.each([
  ['🎁', '???'],
  ['???', '!!!'],
  ['🎁', '🎄'],
  ['C++', 'C#'],
  ['C++', 'C'],
  ['AT&T', 'AT T'],
  ['5 °C', '5 C'],
  ['$5 Mug', '€5 Mug'],
  ['5% off', '5 off'],
  ['1.5 l', '15 l'],
  ['हिन्दी', 'हन्द'],
  ['किताब', 'कुताब'],
  ['Ж', 'Z'],
  ['Mug 1', 'Mug 2'],
])('%j and %j are two products', (one, other) => {
  expect(keyOf(one)).not.toBe(keyOf(other));
});

test.each([
  ['Samovar', 'SAMOVAR!'],
  ['Men’s  Shoes', "Men's Shoes"],
  ['Cast-Iron Skillet', 'Cast–Iron “Skillet”'],
  ['Sony® TV', 'Sony TV'],
  ['Cafe\u0301', 'Café'],
  ['I ❤ NY', 'I ❤\uFE0F NY'],
  ['ＡＢＣ', 'abc'],
  [' ??? ', '???'],
])('%j and %j are one product', (one, other) => {
  expect(keyOf(one)).toBe(keyOf(other));
});

test('the same title in another condition is another product, and a title can not feign a condition', () => {
  expect(keyOf('Kettle', 'New')).not.toBe(keyOf('Kettle', 'Refurbished'));
  expect(keyOf('Kettle|New')).not.toBe(keyOf('Kettle', 'New'));
});

test('punctuation between words makes no difference, and symbols and other scripts name a product', () => {
  const word = fc.stringMatching(/^[a-zé0-9]{1,8}$/);
  fc.assert(
    fc.property(fc.array(word, { minLength: 1 }), (words) => {
      expect(keyOf(words.join('-'))).toBe(`${words.join(' ').normalize('NFKC')}|`);
    }),
  );
  expect(keyOf('C++', 'New (1)')).toBe('c++|new 1');
  expect(keyOf('हिन्दी')).toBe('हिन्दी|');
  expect(keyOf('🎁')).toBe('🎁|');
});

test('a feed holds an offer that it has shown and that no whole answer came without', () => {
  const known = aKnownOffer(
    1,
    {},
    { feeds: { home: held, cut: { ...held, unseenSinceMs: 5 }, gone: { ...held, goneSinceMs: 5 } } },
  );
  expect(['home', 'cut', 'gone', 'none'].map((feed) => isInFeed(known, feed))).toEqual([true, true, false, false]);
  expect(feedKey('Home & Garden')).toBe('home & garden');
});

test('an offer is gone when it was found to be over, and from its end on', () => {
  expect(isGone(aKnownOffer(1, { endDateMs: NOW_MS + 1 }), NOW_MS)).toBe(false);
  expect(isGone(aKnownOffer(1, { endDateMs: NOW_MS }), NOW_MS)).toBe(true);
  expect(isGone(aKnownOffer(1, { endDateMs: null }, { overAtMs: NOW_MS }), NOW_MS)).toBe(true);
});

test.each([
  ['is live', { endDateMs: NOW_MS + 1 }, null, NOW_MS + 1],
  ['left before its end', { endDateMs: NOW_MS + 1 }, NOW_MS, NOW_MS],
  ['left and has no end', { endDateMs: null }, NOW_MS, NOW_MS],
  ['was over at its end', { endDateMs: NOW_MS }, NOW_MS, NOW_MS],
  ['was found to be over after its end', { endDateMs: NOW_MS - 1 }, NOW_MS, NOW_MS - 1],
  ['is sold out', { endDateMs: NOW_MS + 1, isSoldOut: true }, NOW_MS, NOW_MS + 1],
])('the end that is shown of an offer that %s', (_, offer, overAtMs, expected) => {
  const known = aKnownOffer(1, offer, { overAtMs });
  expect(shownOffer(known)).toEqual({ ...known.offer, endDateMs: expected });
});

const SOLD_OUT_AT_MS = NOW_MS + 14 * 60_000;
test.each<[string, Partial<Offer>, Partial<KnownOffer>, number | undefined]>([
  ['its start', { startDateMs: NOW_MS - 60_000 }, {}, 15 * 60_000],
  ['when the bot first saw it, where its start is not known', { startDateMs: null }, {}, 14 * 60_000],
  ['when the bot first saw it, where it says that it starts later', { startDateMs: NOW_MS + 60_000 }, {}, 14 * 60_000],
  [
    'its last restock',
    {},
    {
      stock: [
        { atMs: NOW_MS + 60_000, isSoldOut: true },
        { atMs: NOW_MS + 120_000, isSoldOut: false },
        { atMs: SOLD_OUT_AT_MS, isSoldOut: true },
      ],
    },
    12 * 60_000,
  ],
  ['nothing, where it was sold out at first sight', {}, { soldOutAtMs: NOW_MS }, undefined],
  ['nothing, where it can be bought', { isSoldOut: false }, { soldOutAtMs: null }, undefined],
])('how long it took to sell out counts from %s', (_, offer, changes, expected) => {
  const soldOut = { soldOutAtMs: SOLD_OUT_AT_MS, overAtMs: SOLD_OUT_AT_MS };
  expect(shownOffer(aKnownOffer(1, { isSoldOut: true, ...offer }, { ...soldOut, ...changes })).soldOutAfterMs).toBe(
    expected,
  );
});

test('a past listing ended when it was found to be over, or now', () => {
  const { offer } = aKnownOffer(1);
  const listing = { offerId: offer.id, salePrice: offer.salePrice };
  expect(pastListingOf(aKnownOffer(1, {}, { overAtMs: 5 }), NOW_MS)).toEqual({ ...listing, endedAtMs: 5 });
  expect(pastListingOf(aKnownOffer(1), NOW_MS)).toEqual({ ...listing, endedAtMs: NOW_MS });
});

test('the last price of a listing is the last one that two answers have shown while it could be bought', () => {
  const price = (dollars: number) => ({ minimum: dollars, maximum: dollars });
  const once = { atMs: NOW_MS, salePrice: price(9), isSeenOnce: true } as const;
  const prices = [{ atMs: NOW_MS - 1, salePrice: price(20) }, once];
  expect(pastListingOf(aKnownOffer(1, { salePrice: price(9) }, { prices }), NOW_MS).salePrice).toEqual(price(20));
  expect(pastListingOf(aKnownOffer(1, { salePrice: price(9) }, { prices: [once] }), NOW_MS).salePrice).toEqual(
    price(9),
  );
  const soldOut = aKnownOffer(
    1,
    { salePrice: price(9) },
    { prices: [...prices, { ...prices[0], atMs: NOW_MS + 1, salePrice: price(30) }] },
  );
  expect(pastListingOf({ ...soldOut, soldOutAtMs: NOW_MS + 1 }, NOW_MS).salePrice).toEqual(price(20));
  expect(pastListingOf({ ...soldOut, soldOutAtMs: NOW_MS + 2 }, NOW_MS).salePrice).toEqual(price(30));
});

test.each<[string, Partial<Offer>, Partial<Offer>, boolean]>([
  ['its words and their order', { title: 'Acme Kettle, 1.7 L' }, { title: 'Steel kettle by Acme (1.7 L)' }, true],
  ['more of it', { title: 'Acme Kettle' }, { title: '2-pack: Acme Kettle' }, false],
  ['more of it, in words', { title: 'Acme Kettle' }, { title: 'Pair of Acme Kettles' }, false],
  ['another size', { title: 'Acme SSD, 1 TB' }, { title: 'Acme SSD, 2 TB' }, false],
  ['its condition', { condition: 'New' }, { condition: 'Refurbished' }, false],
])('listings with one ASIN that differ in %s are found under one key: %j, %j: %s', (_, one, other, isOne) => {
  const terms = { ...termsOf({ items: [], shippingMethods: [] }), asin: 'B00TEST123' };
  const keysOf = (offer: Partial<Offer>) => productKeys(aKnownOffer(1, offer, { terms }));
  expect(keysOf(one).some((key) => keysOf(other).includes(key))).toBe(isOne);
});
