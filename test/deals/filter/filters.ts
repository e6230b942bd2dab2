import fc from 'fast-check';
import type { Offer } from '../../../src/deals/offer.ts';
import { HOUR_MS } from '../../../src/shared/time.ts';
import { anOffer, NOW_MS } from '../../helpers/things.ts';

const WORDS = ['ssd', 'laptop', 'head', 'headphones', '1tb', 'open', 'box', 'refurbished', 'new', 'café', 'tv'];

const price = fc.integer({ min: 1, max: 40 }).map((tens) => tens * 5);
const range = fc.tuple(price, price).map(([a, b]) => ({ minimum: Math.min(a, b), maximum: Math.max(a, b) }));
const title = fc
  .array(fc.tuple(fc.constantFrom(...WORDS, 'SSD', 'Cafe', '(Open Box)', '[NEW]'), fc.constantFrom(' ', '-', ', ')), {
    maxLength: 7,
  })
  .map((parts) => parts.flat().join(''));

/** Offers that the filters below have a fair chance to take. */
export const someOffer: fc.Arbitrary<Offer> = fc
  .record({
    title,
    subtitle: fc.option(title),
    condition: fc.option(fc.constantFrom('New (1)', 'Refurbished', 'Open Box')),
    categories: fc.subarray(['PC', 'PC/Laptops', 'PCX', 'HOME', 'HOME/Kitchen/Café']),
    salePrice: fc.option(range),
    listPrice: fc.option(range),
    endDateMs: fc.option(fc.integer({ min: -5, max: 60 }).map((hours) => NOW_MS + hours * HOUR_MS)),
    site: fc.option(fc.constantFrom('Home', 'computers.example.com')),
    isSoldOut: fc.boolean(),
    isFeatured: fc.boolean(),
  })
  .map((changes) => anOffer(1, changes));

const comparison = fc.constantFrom('<', '<=', '>', '>=');
const word = fc.constantFrom(
  ...WORDS,
  'ssd-laptop',
  'hea*',
  '"open box"',
  '"laptop tv"',
  '"open b*"',
  'CAFE',
  '/ss?d/i',
);

/** Terms of every kind. */
const term: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: word },
  fc.tuple(fc.constantFrom('title', 'condition', 'text'), word).map(([field, value]) => `${field}:${value}`),
  fc.tuple(fc.constantFrom('price', 'list'), comparison, price).map((parts) => `${parts[0]}:${parts[1]}${parts[2]}`),
  fc.tuple(price, price).map(([a, b]) => `price:${Math.min(a, b)}..${Math.max(a, b)}`),
  fc.tuple(comparison, fc.integer({ min: 0, max: 90 })).map(([sign, percent]) => `off:${sign}${percent}`),
  fc.tuple(comparison, fc.integer({ min: 1, max: 48 })).map(([sign, hours]) => `ends:${sign}${hours}h`),
  fc.constantFrom('category:PC', 'category:pc/laptops', 'category:"HOME"', 'category:home/kitchen', 'category:Wine'),
  fc.constantFrom('site:home', 'site:computers', 'type:offer', 'type:event'),
  fc.tuple(fc.constantFrom('featured', 'soldout', 'mobile'), fc.boolean()).map(([flag, is]) => `${flag}:${is}`),
);

const { filter } = fc.letrec<{ filter: string; operand: string }>((tie) => ({
  filter: fc
    .array(fc.tuple(fc.constantFrom(' ', ' ', ' AND ', ' OR '), fc.constantFrom('', '', '-', 'NOT '), tie('operand')), {
      minLength: 1,
      maxLength: 4,
      depthIdentifier: 'filter',
    })
    .map((parts) => parts.map(([join, not, operand], index) => `${index > 0 ? join : ''}${not}${operand}`).join('')),
  operand: fc.oneof(
    { depthIdentifier: 'filter', maxDepth: 3 },
    { weight: 5, arbitrary: term },
    { weight: 1, arbitrary: tie('filter').map((inner) => `(${inner})`) },
  ),
}));

/** Filters as people could write them, now and then an empty one. */
export const someFilter: fc.Arbitrary<string> = fc.oneof(
  { weight: 20, arbitrary: filter },
  { weight: 1, arbitrary: fc.constant('') },
);
