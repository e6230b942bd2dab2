import fc from 'fast-check';
import { expect, test } from 'vitest';
import { evaluate, type Filter, parseFilter, subjectOfOffer } from '../../../src/deals/filter/index.ts';
import type { Offer } from '../../../src/deals/offer.ts';
import {
  filterDigest,
  type PastMatch,
  proposalsFor,
  withoutExclusion,
} from '../../../src/features/less-like/proposals.ts';
import { HOUR_MS } from '../../../src/shared/time.ts';
import { someFilter } from '../../deals/filter/filters.ts';
import { anOffer, NOW_MS, newOfferOf } from '../../helpers/things.ts';

function filterOf(text: string): Filter {
  const parsed = parseFilter(text);
  if (!parsed.ok) throw new Error(`${text} can't be parsed.`);
  return parsed.filter;
}

const pastOf = (offers: readonly Offer[]): PastMatch[] =>
  offers.map((item, index) => ({
    announcement: newOfferOf(item),
    subject: subjectOfOffer(item),
    atMs: NOW_MS - index * HOUR_MS,
  }));

/** An offer in no category, with a price of $20. */
const plain = (number: number, changes: Partial<Offer> = {}) => anOffer(number, { categories: [], ...changes });

/** What is proposed for an offer, as `term goes/all`. */
function proposed(offer: Offer, others: readonly Offer[], filter = ''): string[] {
  const { proposals } = proposalsFor(offer, filterOf(filter), pastOf([offer, ...others]), NOW_MS);
  return proposals.map(({ term, goes, stays }) => `${term} ${goes.length}/${goes.length + stays.length}`);
}

test('category, brand, condition and price are proposed, each counted on the past matches', () => {
  const knife = anOffer(1, {
    title: 'Wusthof Classic Knife (Refurbished)',
    categories: ['HOME', 'HOME/Kitchen', 'HOME/Kitchen/Knives'],
    salePrice: { minimum: 84.95, maximum: 99 },
  });
  const others = [
    plain(2, { title: 'Wusthof Shears' }),
    plain(3, { title: 'Kettle', categories: ['HOME/Kitchen/Knives/Sets'] }),
    plain(4, { title: 'Toaster (Refurbished)', salePrice: { minimum: 80, maximum: 80 } }),
    plain(5, { title: 'Lamp' }),
    plain(6, { title: 'Rug', salePrice: null }),
  ];
  expect(proposed(knife, others)).toEqual([
    '-category:HOME/Kitchen/Knives 2/6',
    '-wusthof 2/6',
    '-condition:Refurbished 2/6'.toLowerCase(),
    'price:<80 3/6',
  ]);
});

test('the whole filter with a proposal leaves in what stays, and nothing else', () => {
  const offer = plain(1, { condition: 'Open Box', salePrice: { minimum: 30, maximum: 30 } });
  const past = pastOf([offer, plain(2, { title: 'Lamp' }), plain(3, { title: 'Rug', condition: 'New' })]);
  const { proposals } = proposalsFor(offer, filterOf('kettle OR lamp OR rug'), past, NOW_MS);
  expect(proposals.map(({ filter }) => filter)).toEqual([
    '(kettle OR lamp OR rug) -condition:"open box"',
    '(kettle OR lamp OR rug) price:<30',
  ]);
  for (const { filter, goes, stays } of proposals) {
    const holds = ({ subject, atMs }: PastMatch) => evaluate(filterOf(filter), subject, atMs);
    expect(past.filter(holds)).toEqual(stays);
    expect(goes).toEqual([past[0]]);
  }
});

test.each<[string, Partial<Offer>, string]>([
  ['the narrowest category, the last of equal ones', { categories: ['A', 'A/B', 'C/D', 'E'] }, '-category:C/D 1/2'],
  ['a category with a space', { categories: ['Pots & Pans (large)'] }, '-category:"Pots & Pans (large)" 1/2'],
  ['a condition with the catalog’s count', { condition: 'Used (1)' }, '-condition:used 1/2'],
  ['a condition of two words', { condition: 'Open Box' }, '-condition:"open box" 1/2'],
  [
    'a condition in the title before the stated one',
    { title: 'TV [Renewed]', condition: 'X' },
    '-condition:renewed 1/2',
  ],
])('%s', (_, changes, expected) => {
  expect(proposed(plain(1, changes), [plain(2, { title: 'Lamp', salePrice: null })])).toContain(expected);
});

test.each<[string, Partial<Offer>]>([
  ['a category that the language can’t write', { categories: ['12" pans'] }],
  ['a category that would be read as another value', { categories: ['/x/i'] }],
  ['a category of a star', { categories: ['Pots*'] }],
  ['a condition without words', { condition: '!!' }],
  ['an empty condition', { condition: '' }],
  ['no price', { salePrice: null }],
  ['a price of nothing', { salePrice: { minimum: 0, maximum: 20 } }],
  ['a price beyond all numbers', { salePrice: { minimum: 1e300, maximum: 1e300 } }],
])('%s is not proposed', (_, changes) => {
  const offer = plain(1, { salePrice: null, title: 'Lamp', ...changes });
  expect(proposed(offer, [plain(2), plain(3)])).toEqual([]);
});

test.each([
  [0.004, null],
  [0.01, 'price:<0.01'],
  [0.99, 'price:<0.9'],
  [1, 'price:<1'],
  [9.99, 'price:<9'],
  [10, 'price:<10'],
  [19.99, 'price:<15'],
  [29.99, 'price:<25'],
  [30, 'price:<30'],
  [84.95, 'price:<80'],
  [129.95, 'price:<100'],
  [1_799, 'price:<1500'],
])('an offer for $%s is left out by the highest round price: %s', (minimum, term) => {
  const offer = plain(1, { salePrice: { minimum, maximum: minimum } });
  const cheap = plain(2, { salePrice: { minimum: 0.001, maximum: 0.001 } });
  expect(proposed(offer, [cheap])).toEqual(term === null ? [] : [`${term} 1/2`]);
});

const titled = (...titles: string[]) => titles.map((title, index) => plain(index + 2, { title, salePrice: null }));

test.each<[string, string, Offer[], string | null]>([
  ['the first word that several titles share', 'Acme Blender', titled('Acme Mixer', 'Blender', 'Rug'), '-acme 2/4'],
  ['not a word that it has alone', 'Acme Blender', titled('Zeta Blender', 'Rug', 'Lamp'), '-blender 2/4'],
  ['not a word that most titles have', 'Acme Blender', titled('Acme Mixer', 'Acme Pan', 'Rug'), null],
  ['not a common word', 'Set of 2 for the New Home', titled('Set of 3 for the New', 'Rug', 'Lamp'), null],
  ['not a number or a single letter', '4K X Acme', titled('4K X', 'Acme', 'Lamp', 'Rug'), '-acme 2/5'],
  ['accents and case aside', 'CAFÉ Mill', titled('café cups', 'Rug', 'Lamp'), '-cafe 2/4'],
  ['whole words only', 'Acme Mill', titled('Acmeist cups', 'Rug', 'Lamp'), null],
  ['titles that are repeated count once', 'Acme Mill', titled('Acme Mill', 'Rug', 'Lamp'), null],
  ['the first twelve words only', `${'Q '.repeat(12)}Acme`, titled('Acme', 'Rug', 'Lamp'), null],
])('the brand is a word of the title: %s', (_, title, others, expected) => {
  expect(proposed(plain(1, { title, salePrice: null }), others)).toEqual(expected === null ? [] : [expected]);
});

test('what would leave nothing is told and not proposed; what would leave out nothing is neither', () => {
  const offer = plain(1, { condition: 'New', categories: ['HOME'] });
  const found = proposalsFor(offer, filterOf(''), pastOf([offer, plain(2, { condition: 'New (3)' })]), NOW_MS);
  expect(found.ofAll.map(({ term }) => term)).toEqual(['-condition:new', 'price:<20']);
  expect(found.proposals.map(({ term }) => term)).toEqual(['-category:HOME']);
  // The offer itself was posted longer ago.
  const old = proposalsFor(offer, filterOf(''), pastOf([plain(2, { salePrice: null, condition: null })]), NOW_MS);
  expect(old).toEqual({ proposals: [], ofAll: [expect.objectContaining({ term: 'price:<20' })], isFull: false });
  expect(proposalsFor(offer, filterOf(''), [], NOW_MS)).toEqual({ proposals: [], ofAll: [], isFull: false });
});

test('a filter without room takes no proposal', () => {
  const offer = plain(1);
  const past = pastOf([offer, plain(2, { salePrice: { minimum: 1, maximum: 1 } })]);
  const almost = 'kettle '.repeat(99).trim();
  expect(proposalsFor(offer, filterOf(almost), past, NOW_MS)).toMatchObject({ isFull: false });
  const full = 'kettle '.repeat(100).trim();
  expect(proposalsFor(offer, filterOf(full), past, NOW_MS)).toMatchObject({ proposals: [], isFull: true });
  const long = `kettle${' '.repeat(988)} kettl*`;
  expect(proposalsFor(offer, filterOf(long.slice(0, 1000)), past, NOW_MS)).toMatchObject({ isFull: true });
});

test('whatever the filter, an exclusion narrows it to what both match, and comes off again', () => {
  const offer = plain(1, { categories: ['HOME'], condition: 'New' });
  const cheap = plain(2, { title: 'ssd laptop', isFeatured: true, salePrice: { minimum: 1, maximum: 1 } });
  const offers = [offer, cheap, plain(3, { salePrice: null })];
  fc.assert(
    fc.property(someFilter, (text) => {
      const { proposals, isFull } = proposalsFor(offer, filterOf(text), pastOf(offers), NOW_MS);
      expect(proposals.length > 2 || isFull).toBe(true);
      if (isFull) expect(parseFilter(`(${text}) -condition:new price:<20`).ok).toBe(false);
      for (const { filter: whole, term } of proposals) {
        expect(withoutExclusion(whole, text.trim().length)).toBe(text.trim());
        for (const subject of offers.map(subjectOfOffer)) {
          const holds = [text, term].every((part) => evaluate(filterOf(part), subject, NOW_MS));
          expect(evaluate(filterOf(whole), subject, NOW_MS)).toBe(holds);
        }
      }
    }),
  );
});

test('the digest of a filter fits in a button, and differs with each filter', () => {
  expect(filterDigest('ssd')).toMatch(/^[\w-]{6}$/);
  expect(filterDigest('ssd')).not.toBe(filterDigest('ssd '));
});
