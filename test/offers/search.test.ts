import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import type { KnownOffer } from '../../src/deals/known-offer.ts';
import { createOfferBook } from '../../src/offers/offer-book.ts';
import { createOfferSearch } from '../../src/offers/search.ts';
import { HOUR_MS } from '../../src/shared/time.ts';
import { aKnownOffer, NOW_MS, uuid } from '../helpers/things.ts';

const TITLES = [
  'Copper Kettle with Whistle',
  'Électric Kettle, 1.7 Litres',
  'Portable Bluetooth Speaker',
  'Noise-Cancelling Headphones',
  'Men’s Running Shoes',
  'Cast-Iron Skillet',
];

function setUp(records: KnownOffer[] = TITLES.map((title, index) => aKnownOffer(index + 1, { title }))) {
  const book = createOfferBook(records, () => undefined);
  const search = createOfferSearch(book);
  onTestFinished(() => search.stop());
  const titles = (found: readonly KnownOffer[]) => found.map(({ offer }) => offer.title);
  return {
    book,
    find: (words: string) => titles(search.find(words)),
    complete: (typed: string, most = 25) => titles(search.complete(typed, most)),
  };
}

test.each([
  ['kettle', ['Copper Kettle with Whistle', 'Électric Kettle, 1.7 Litres']],
  ['KETTLE copper', ['Copper Kettle with Whistle']],
  ['copper ketle', ['Copper Kettle with Whistle']],
  ['blutooth speeker', ['Portable Bluetooth Speaker']],
  ['electric', ['Électric Kettle, 1.7 Litres']],
  ['mens shoes', ['Men’s Running Shoes']],
  ["men's shoes", ['Men’s Running Shoes']],
  ['head', ['Noise-Cancelling Headphones']],
  ['cast iron', ['Cast-Iron Skillet']],
  ['skillet saucepan', ['Cast-Iron Skillet']],
  ['saucepan', []],
  ['', []],
  ['*** ???', []],
])('%j finds what it tells of', (words, expected) => {
  expect(setUp().find(words).toSorted()).toEqual(expected.toSorted());
});

test('a word in the categories, the subtitle or the condition finds too, after one in the title', () => {
  const { find } = setUp([
    aKnownOffer(1, { title: 'Pan', categories: ['HOME', 'HOME/Lamp'] }),
    aKnownOffer(2, { title: 'Desk Lamp', categories: ['HOME'] }),
    aKnownOffer(3, { title: 'Bulb', subtitle: 'For every lamp', categories: [] }),
    aKnownOffer(4, { title: 'Radio', condition: 'Refurbished', categories: [] }),
  ]);
  expect(find('lamp')[0]).toBe('Desk Lamp');
  expect(find('lamp')).toHaveLength(3);
  expect(find('refurbished')).toEqual(['Radio']);
});

test('a thing comes before what is made for it', () => {
  const titles = [
    'Leather Case for Tablet Nine',
    'Tablet Nine, 64 GB',
    'Charger compatible with Tablet Nine',
    'Tablet Nine Stand for Desks',
  ];
  const { find } = setUp(titles.map((title, index) => aKnownOffer(index + 1, { title })));
  expect(find('tablet nine').slice(0, 2)).toEqual(
    expect.arrayContaining(['Tablet Nine, 64 GB', 'Tablet Nine Stand for Desks']),
  );
  expect(find('case tablet')[0]).toBe('Leather Case for Tablet Nine');
  expect(find('for tablet')).toHaveLength(2);
});

test('the nearest word of the offers is found for one that none has', () => {
  const book = createOfferBook(
    TITLES.map((title, index) => aKnownOffer(index + 1, { title })),
    () => undefined,
  );
  const search = createOfferSearch(book);
  onTestFinished(() => search.stop());
  const asked = () => ['ketle', 'Speeker', 'kettle', 'zzzzzz', 'men', 'no-word'].map((word) => search.nearest(word));
  const nearest = ['kettle', 'speaker', null, null, null, null];
  expect(asked()).toEqual(nearest);
  expect(asked(), 'what is asked for becomes no word of the offers').toEqual(nearest);
});

test('what can be bought comes before what is over', () => {
  const { find } = setUp([
    aKnownOffer(1, { title: 'Kettle' }, { overAtMs: NOW_MS }),
    aKnownOffer(2, { title: 'A kettle among many other things' }),
  ]);
  expect(find('kettle')).toEqual(['A kettle among many other things', 'Kettle']);
});

test('of equal matches the newest comes first', () => {
  const { find } = setUp(
    [1, 3, 2].map((hours) => aKnownOffer(hours, { title: `Kettle ${hours}`, startDateMs: NOW_MS - hours * HOUR_MS })),
  );
  expect(find('kettle')).toEqual(['Kettle 1', 'Kettle 2', 'Kettle 3']);
});

test('completes from the first letter on, the newest first, and with nothing typed', () => {
  const { complete } = setUp([
    aKnownOffer(1, { title: 'Kettle', categories: [], startDateMs: NOW_MS - HOUR_MS }),
    aKnownOffer(2, { title: 'Kitchen Scale', categories: [], startDateMs: NOW_MS }),
    aKnownOffer(3, { title: 'Lamp', categories: [], startDateMs: null }),
    aKnownOffer(4, { title: 'Kayak', categories: [] }, { overAtMs: NOW_MS }),
  ]);
  expect(complete('k')).toEqual(['Kitchen Scale', 'Kettle']);
  expect(complete('')).toEqual(['Kitchen Scale', 'Kettle', 'Lamp']);
  expect(complete('', 1)).toEqual(['Kitchen Scale']);
  expect(complete('kettle')).toEqual(['Kettle']);
  expect(complete('kitchen s')).toEqual(['Kitchen Scale']);
  expect(complete('kitchen x')).toEqual(['Kitchen Scale']);
  expect(complete('zzz')).toEqual([]);
});

test('stays in step with the book', () => {
  const { book, find, complete } = setUp([aKnownOffer(1, { title: 'Kettle' })]);
  book.put([aKnownOffer(1, { title: 'Samovar' }), aKnownOffer(2, { title: 'Teapot' })]);
  expect([find('kettle'), find('samovar'), find('teapot')]).toEqual([[], ['Samovar'], ['Teapot']]);
  book.put([aKnownOffer(2, { title: 'Teapot', startDateMs: NOW_MS }, { overAtMs: NOW_MS })]);
  expect(complete('t')).toEqual([]);
  book.remove([uuid(1)]);
  expect([find('samovar'), complete('s')]).toEqual([[], []]);
  book.put([aKnownOffer(1, { title: 'Kettle' })]);
  expect(find('kettle')).toEqual(['Kettle']);
});

test('many changes at once are taken in slices, in their order, and none of what is gone by then', async () => {
  const { book, find } = setUp([]);
  const many = Array.from({ length: 1_000 }, (_, index) => aKnownOffer(index, { title: `Kettle ${index}` }));
  book.put(many);
  book.put([aKnownOffer(998, { title: 'Samovar' })]);
  book.remove([uuid(999)]);
  const isFound = () => find('samovar').length > 0;
  expect([find('kettle').length < 1_000, isFound()]).toEqual([true, false]);
  for (let turns = 0; turns < 10 && !isFound(); turns += 1) await setImmediate();
  expect([find('samovar'), find('kettle').length]).toEqual([['Samovar'], 998]);
});

test('what waits when the search is stopped is left', async () => {
  const book = createOfferBook([], () => undefined);
  const search = createOfferSearch(book);
  book.put(Array.from({ length: 1_000 }, (_, index) => aKnownOffer(index)));
  const before = search.find('kettle').length;
  search.stop();
  await setImmediate();
  expect(search.find('kettle')).toHaveLength(before);
});

test('a word that was only in what is gone is forgiven like any other', () => {
  const { book, find, complete } = setUp([aKnownOffer(1, { title: 'Kettel' }), aKnownOffer(2, { title: 'Kettle' })]);
  expect(find('kettel')).toEqual(['Kettel']);
  book.put([aKnownOffer(1, { title: 'Samovar' })]);
  expect(find('kettel')).toEqual(['Kettle']);
  book.put([aKnownOffer(3, { title: 'Kett' })]);
  expect(find('kett lamp')).toEqual(['Kett']);
  book.remove([uuid(3)]);
  expect(find('kett lamp')).toEqual(['Kettle']);
  expect(complete('kett')).toEqual(['Kettle']);
});

test('what is found does not depend on what has been there before', async () => {
  const word = fc.constantFrom('kettle', 'kettel', 'kettles', 'samovar', 'lamp', 'lamps', 'desk', 'disk', 'pan');
  const title = fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => words.join(' '));
  const change = fc.record({ number: fc.nat(5), title: fc.option(title), category: word, at: fc.nat(50) });
  const asked = fc.array(fc.oneof(word, fc.constantFrom('ketle', 'lam', 'dsk')), { minLength: 1, maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(
      fc.array(change, { maxLength: 40 }),
      fc.array(asked, { minLength: 5 }),
      async (changes, questions) => {
        const lived = setUp([]);
        for (const { number, title: name, category, at } of changes) {
          const offer = { title: name ?? '', categories: [category], startDateMs: NOW_MS + at };
          if (name === null) lived.book.remove([uuid(number)]);
          else lived.book.put([aKnownOffer(number, offer)]);
        }
        await setImmediate();
        const fresh = setUp([...lived.book.all()]);
        for (const words of questions.map((question) => question.join(' '))) {
          expect(lived.find(words).toSorted(), words).toEqual(fresh.find(words).toSorted());
          expect(lived.complete(words).toSorted(), words).toEqual(fresh.complete(words).toSorted());
        }
      },
    ),
  );
});

test('the index and its vocabulary hold no more than what is known, however many have come and gone', async () => {
  const { book, find } = setUp([]);
  for (let day = 0; day < 20; day += 1) {
    const offers = Array.from({ length: 100 }, (_, index) =>
      aKnownOffer(index, { title: `Thing${day} number${index}` }),
    );
    book.remove(offers.map(({ offer }) => offer.id));
    book.put(offers);
  }
  await setImmediate();
  expect(find('thing19')).toHaveLength(100);
  // Spelled as it was on another day: forgiven, as nobody knows that word any more.
  expect(find('thing18')).toHaveLength(100);
});
