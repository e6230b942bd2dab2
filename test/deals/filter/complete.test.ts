import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  completionsOf,
  FIELDS,
  type KnownValues,
  parseFilter,
  subjectOfEvent,
  subjectOfOffer,
  valuesIn,
} from '../../../src/deals/filter/index.ts';
import { anyCharacter } from '../../helpers/any-character.ts';
import { anEvent, anOffer } from '../../helpers/things.ts';
import { someFilter } from './filters.ts';

/** Anything, and what has a meaning in the language. */
const hostileText = fc.oneof(fc.string({ unit: anyCharacter }), someFilter);

const SUBJECTS = [
  anOffer(1, { condition: 'New', categories: ['PC', 'PC/Laptops'] }),
  anOffer(2, {
    condition: 'Factory Reconditioned',
    categories: ['PC', 'HOME/Kitchen & Bath (small)'],
    site: 'Computers',
  }),
  anOffer(3, { condition: 'Factory Reconditioned', categories: ['PC'] }),
].map(subjectOfOffer);

const offered: KnownValues = (field) => valuesIn(SUBJECTS, field);
const complete = (typed: string) => completionsOf(typed, offered);

test('at the beginning and after a space, every field is offered, with its most common comparison', () => {
  const heads = [
    'price:<',
    'list:',
    'off:>=',
    'real:>=',
    'low:',
    'unit:<',
    'total:<',
    'ends:<',
    'condition:',
    'category:',
    'site:',
    'type:',
    'featured:',
  ];
  expect(complete('')).toEqual([...heads, 'dealoff:', 'mobile:', 'partner:', 'soldout:', 'text:', 'title:', 'ships:']);
  expect(complete('ssd ').slice(0, 2)).toEqual(['ssd price:<', 'ssd list:']);
  expect(complete('ssd ').slice(-2)).toEqual(['ssd OR', 'ssd -']);
});

test.each([
  ['pri', ['price:<']],
  ['P', ['price:<', 'partner:']],
  ['ssd -cond', ['ssd -condition:']],
  ['(ssd OR off', ['(ssd OR off:>=']],
  ['ssd prise', ['ssd price:<']],
  ['ssd prise:<50', ['ssd price:<50']],
  ['or', []],
  ['xyzxyz', []],
  ['price:', ['price:<', 'price:<=', 'price:>', 'price:>=', 'price:<10', 'price:<20']],
  ['price:<2', ['price:<20', 'price:<25', 'price:<200', 'price:<250']],
  ['unit:<0.5', ['unit:<0.5/each', 'unit:<0.5/TB', 'unit:<0.5/oz', 'unit:<0.5/lb', 'unit:<0.5/kg', 'unit:<0.5/floz']],
  ['unit:<16/T', ['unit:<16/TB']],
  ['off:>=7', ['off:>=70', 'off:>=75']],
  ['ends:<1', ['ends:<1h', 'ends:<12h']],
  ['soldout:f', ['soldout:false']],
  ['-featured:', ['-featured:true', '-featured:false']],
  ['condition:', ['condition:"Factory Reconditioned"', 'condition:New']],
  ['condition:ne', ['condition:New']],
  ['tv condition:"fact', ['tv condition:"Factory Reconditioned"']],
  ['condition:recond', ['condition:"Factory Reconditioned"']],
  ['category:', ['category:PC', 'category:PC/Laptops', 'category:"HOME/Kitchen & Bath (small)"']],
  ['category:kitch', ['category:"HOME/Kitchen & Bath (small)"']],
  ['site:', ['site:Home', 'site:Computers']],
  ['type:', ['type:offer']],
  ['title:', []],
  ['/a b', []],
  ['price:[10 T', []],
])('%j goes on with %j', (typed, expected) => {
  expect(complete(typed).slice(0, Math.max(expected.length, 1))).toEqual(expected);
});

test('types of events are known from the events', () => {
  const subjects = [anEvent(1), anEvent(2, { type: 'DealOff' })].map(subjectOfEvent);
  const values: KnownValues = (field) => valuesIn(subjects, field);
  expect(completionsOf('type:', values)).toEqual(['type:event', 'type:Daily', 'type:DealOff']);
});

test('values with characters that nobody sees, quotes or wildcards are not offered', () => {
  const subjects = ['a\u202eb', 'a"b', 'a*b', '***', ' ', 'fine'].map((condition, index) =>
    subjectOfOffer(anOffer(index, { condition })),
  );
  expect(completionsOf('condition:', (field) => valuesIn(subjects, field))).toEqual(['condition:fine']);
});

test('what ends in a value can be parsed if what stands before it can, whatever the catalog holds', () => {
  const subject = fc
    .record({ condition: hostileText, site: hostileText, categories: fc.array(hostileText, { maxLength: 3 }) })
    .map((texts) => subjectOfOffer(anOffer(1, texts)));
  const head = fc.constantFrom(...FIELDS.map(({ name }) => `${name}:`), 'price:<', 'off:>=', 'ends:>', 'con', '');
  const before = someFilter.filter((text) => parseFilter(text).ok).map((text) => (text === '' ? '' : `${text} `));
  fc.assert(
    fc.property(fc.array(subject, { maxLength: 4 }), before, head, (subjects, start, end) => {
      for (const whole of completionsOf(start + end, (field) => valuesIn(subjects, field))) {
        expect(whole.startsWith(start)).toBe(true);
        if (/[:<>=-]$|OR$/.test(whole)) continue;
        expect([whole, parseFilter(whole).ok]).toEqual([whole, true]);
      }
    }),
  );
});

test('anything can be typed', () => {
  fc.assert(fc.property(fc.string({ unit: anyCharacter }), (typed) => void complete(typed)));
  fc.assert(fc.property(fc.stringMatching(/^[a-z:<>="“/[\]{}() *-]{0,40}$/), (typed) => void complete(typed)));
});

test('the forms of a low are offered, and percent after a comparison', () => {
  expect(complete('low:')).toEqual(['low:ever', 'low:90d', 'low:30d', 'low:365d', 'low:<=5%', 'low:<=10%']);
  expect(complete('low:<')).toEqual(expect.arrayContaining(['low:<10', 'low:<50']));
  expect(complete('low:e')).toEqual(['low:ever']);
});
