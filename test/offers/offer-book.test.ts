import { expect, test } from 'vitest';
import { productKey } from '../../src/deals/known-offer.ts';
import { type BookChange, createOfferBook } from '../../src/offers/offer-book.ts';
import { aKnownOffer, NOW_MS, uuid } from '../helpers/things.ts';

const never = () => undefined;

test('finds an offer by a link to it, on whichever host', () => {
  const book = createOfferBook([aKnownOffer(1)], never);
  expect(book.findByLink('https://home.example.com/offers/Kettle-1/?ref=mail')?.offer.id).toBe(uuid(1));
  expect(book.findByLink('https://www.example.com/')).toBeNull();
  expect(book.findByLink('no link')).toBeNull();
});

test('an offer that gets another link and title is found under the new ones alone', () => {
  const book = createOfferBook([aKnownOffer(1)], never);
  book.put([aKnownOffer(1, { title: 'Samovar', url: 'https://www.example.com/offers/samovar' })]);
  expect(book.findByLink('https://www.example.com/offers/kettle-1')).toBeNull();
  expect(book.findByLink('https://www.example.com/offers/samovar')?.offer.title).toBe('Samovar');
  expect(book.listings(productKey({ title: 'Kettle 1', condition: null }))).toEqual([]);
  expect(book.listings(productKey({ title: 'SAMOVAR!', condition: null }))).toHaveLength(1);
});

test('what is live is told of all feeds or of one, in any spelling', () => {
  const gone = { firstSeenMs: NOW_MS, unseenSinceMs: null, goneSinceMs: NOW_MS, isOld: false };
  const book = createOfferBook(
    [
      aKnownOffer(1),
      aKnownOffer(2, { isSoldOut: true }),
      aKnownOffer(3, {}, { feeds: { tools: { ...gone, goneSinceMs: null }, home: gone } }),
    ],
    (feed) => (feed === 'Home' ? { polledAtMs: NOW_MS, isCutOff: true, marketingName: 'For the home' } : undefined),
  );
  const idsOf = (feed?: string) => book.live(feed).map(({ offer }) => offer.id);
  expect(idsOf()).toEqual([uuid(1), uuid(3)]);
  expect(idsOf('HOME')).toEqual([uuid(1)]);
  expect(book.feedState('Home')).toEqual({
    polledAtMs: NOW_MS,
    isCutOff: true,
    marketingName: 'For the home',
    count: 1,
  });
  expect(book.feedState('Tools')).toBeNull();
  expect(book.size).toBe(3);
});

test('a list is the same until the book changes, and then tells of the change', () => {
  const dear = { salePrice: { minimum: 50, maximum: 50 } };
  const book = createOfferBook([aKnownOffer(1, dear), aKnownOffer(2), aKnownOffer(3, { isSoldOut: true })], never);
  const idsOf = () => book.listed('Home', 'price').map(({ id }) => id);
  expect(idsOf()).toEqual([uuid(2), uuid(1)]);
  expect(book.listed('home', 'price')).toBe(book.listed('Home', 'price'));
  book.put([aKnownOffer(4, { salePrice: { minimum: 1, maximum: 1 } }), aKnownOffer(2, { isSoldOut: true })]);
  expect(idsOf()).toEqual([uuid(4), uuid(1)]);
  book.remove([uuid(4)]);
  expect(idsOf()).toEqual([uuid(1)]);
  expect(book.live('Home').map(({ offer }) => offer.id)).toEqual([uuid(1)]);
});

test('tells of every change, until nobody listens any more', () => {
  const book = createOfferBook([], never);
  const heard: BookChange[] = [];
  const stop = book.onChange((change) => heard.push(change));
  const kettle = aKnownOffer(1);
  book.put([kettle]);
  book.remove([uuid(1)]);
  stop();
  book.put([kettle]);
  expect(heard).toEqual([
    { put: [kettle], removed: [] },
    { put: [], removed: [uuid(1)] },
  ]);
});

test('the listings of a product follow every change', () => {
  const book = createOfferBook([aKnownOffer(1, { title: 'Kettle' })], () => undefined);
  const ids = (product: string) => book.listings(product).map(({ offer }) => offer.id);
  expect(ids('kettle|')).toEqual([uuid(1)]);
  book.put([aKnownOffer(2, { title: 'KETTLE' }), aKnownOffer(3, { title: 'Samovar' })]);
  expect([ids('kettle|'), ids('samovar|')]).toEqual([[uuid(1), uuid(2)], [uuid(3)]]);
  const dearer = aKnownOffer(1, { title: 'Kettle', salePrice: { minimum: 99, maximum: 99 } });
  book.put([dearer, aKnownOffer(3, { title: 'Kettle' })]);
  expect([ids('kettle|').toSorted(), ids('samovar|')]).toEqual([[uuid(1), uuid(2), uuid(3)], []]);
  expect(book.listings('kettle|')).toContain(dearer);
  book.remove([uuid(1), uuid(9)]);
  expect(ids('kettle|').toSorted()).toEqual([uuid(2), uuid(3)]);
});

test('a listing is found under its product and under each of its items', () => {
  const book = createOfferBook([], never);
  const ids = (key: string) => book.listings(key).map(({ offer }) => offer.id);
  expect(ids('item:a')).toEqual([]);
  book.put([aKnownOffer(1, { title: 'Kettle' }, { itemIds: ['a', 'b'] }), aKnownOffer(2, {}, { itemIds: ['b'] })]);
  expect([ids('kettle|'), ids('item:a'), ids('item:b')]).toEqual([[uuid(1)], [uuid(1)], [uuid(1), uuid(2)]]);
  book.remove([uuid(1)]);
  expect([ids('kettle|'), ids('item:a'), ids('item:b')]).toEqual([[], [], [uuid(2)]]);
});
