import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type FeedPresence, formerProductKey, lastSeenMs, productKey } from '../../src/deals/known-offer.ts';
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

test('what earlier versions stored is found: under the same key, or under the former one', () => {
  const word = fc.stringMatching(/^[a-zé0-9]{1,8}$/);
  fc.assert(
    fc.property(fc.array(word, { minLength: 1 }), (words) => {
      expect(keyOf(words.join('-'))).toBe(`${words.join(' ').normalize('NFKC')}|`);
      expect(formerProductKey({ title: words.join(' ! '), condition: null })).toBeNull();
    }),
  );
  expect(formerProductKey({ title: 'C++', condition: 'New (1)' })).toBe('c|new 1');
  expect(formerProductKey({ title: 'हिन्दी', condition: null })).toBe('ह न द|');
  expect(formerProductKey({ title: '🎁', condition: null }), 'it stood for every such title').toBeNull();
});
