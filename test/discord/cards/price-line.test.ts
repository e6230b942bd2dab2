import { expect, test } from 'vitest';
import type { Offer } from '../../../src/deals/offer.ts';
import { knownOfferCard } from '../../../src/discord/cards/offer-card.ts';
import { translatorFor } from '../../../src/discord/i18n/translator.ts';
import { DAY_MS } from '../../../src/shared/time.ts';
import { textOf } from '../../helpers/discord-form.ts';
import { anOffer, NOW_MS } from '../../helpers/things.ts';

const CONTEXT = { translator: translatorFor('en-US'), nowMs: NOW_MS };
const day = (days: number) => translatorFor('en-US').date(NOW_MS - days * DAY_MS);

type Observed = NonNullable<Offer['observed']>;

/** What an offer's card tells of the prices of its product, which was first seen 200 days ago. */
function toldOf(price: number | null, changes: Partial<Observed> | null): string[] {
  const observed = {
    atMs: NOW_MS,
    sinceMs: NOW_MS - 200 * DAY_MS,
    low: { price: 20, atMs: NOW_MS - 95 * DAY_MS },
    lowestSinceMs: null,
    seenSinceMs: changes?.lowestSinceMs ?? NOW_MS,
    usual: null,
  };
  const offer = anOffer(1, {
    salePrice: price === null ? null : { minimum: price, maximum: price },
    endDateMs: null,
    ...(changes && { observed: { ...observed, ...changes } }),
  });
  const lines = textOf(knownOfferCard({ offer, openedFrom: null, reason: '', age: null }, CONTEXT)).split('\n');
  return lines.filter((line) => !/^(### |\*\*\$|-# Kitchen| )/.test(line));
}

test.each([
  [
    'lowest of all',
    20,
    { lowestSinceMs: NOW_MS - 200 * DAY_MS },
    `📉 **Lowest price since we started watching** (${day(200)})`,
  ],
  [
    'lowest for 95 days',
    22,
    { lowestSinceMs: NOW_MS - 95 * DAY_MS },
    `📉 **Lowest price in 95 days** (cheaper until ${day(95)})`,
  ],
  [
    'lowest for 90 days',
    22,
    { lowestSinceMs: NOW_MS - 90 * DAY_MS },
    `📉 **Lowest price in 90 days** (cheaper until ${day(90)})`,
  ],
  [
    'lowest of all that was seen',
    20,
    { lowestSinceMs: NOW_MS - 200 * DAY_MS, seenSinceMs: NOW_MS - 199 * DAY_MS },
    `📉 **Lowest price we’ve seen** since ${day(200)}, with gaps`,
  ],
  [
    'lowest for 95 days as far as was seen',
    22,
    { lowestSinceMs: NOW_MS - 95 * DAY_MS, seenSinceMs: NOW_MS - 20 * DAY_MS },
    `📉 **Lowest price we’ve seen** since ${day(95)}, with gaps`,
  ],
  ['below the usual', 22, { usual: 33 }, `**33% below** the usual $33.00 · watched since ${day(200)}`],
  ['above the usual', 40, { usual: 33 }, `usual price $33.00 · watched since ${day(200)}`],
  [
    'both',
    22,
    { lowestSinceMs: NOW_MS - 95 * DAY_MS, usual: 33 },
    `📉 **Lowest price in 95 days** (cheaper until ${day(95)}) · **33% below** the usual $33.00`,
  ],
])('an offer that is %s', (_, price, changes, line) => {
  expect(toldOf(price, changes)).toEqual([line]);
});

test.each([
  ['what is the lowest for less than 90 days', 22, { lowestSinceMs: NOW_MS - 90 * DAY_MS + 1 }],
  [
    'a low that another listing has beaten since',
    20,
    { lowestSinceMs: NOW_MS - 200 * DAY_MS, beatenBy: { price: 19.99, atMs: NOW_MS } },
  ],
  ['the usual price', 33, { usual: 33 }],
  ['what was not observed', 20, null],
  ['what has no price', null, { usual: 33 }],
])('nothing is said of %s', (_, price, changes) => {
  expect(toldOf(price, changes)).toEqual([]);
});

test('a likely slip is named, with since when, and before all else', () => {
  const slip = `⚠️ **Possible pricing mistake**: half the lowest price seen since ${day(200)}, or less`;
  // Exactly half.
  expect(toldOf(10, { usual: 34 })[0]).toBe(slip);
  expect(toldOf(11, { usual: 33 })).not.toContain(slip);
  expect(toldOf(10, { usual: 34, beatenBy: { price: 9, atMs: NOW_MS } })).not.toContain(slip);
});

test('of a range that begins with no discount, only the greatest is shown', () => {
  const offer = anOffer(1, {
    salePrice: { minimum: 20, maximum: 60 },
    listPrice: { minimum: 25, maximum: 25 },
    endDateMs: null,
  });
  const shown = textOf(knownOfferCard({ offer, openedFrom: null, reason: '', age: null }, CONTEXT));
  expect(shown).toContain('up to −20%');
  expect(shown).not.toMatch(/[−-]0\s?%/);
});
