import { expect, test } from 'vitest';
import { explain, parseFilter, subjectOfOffer } from '../../../src/deals/filter/index.ts';
import type { ObservedPrices } from '../../../src/deals/observed-prices.ts';
import type { Offer } from '../../../src/deals/offer.ts';
import { DAY_MS } from '../../../src/shared/time.ts';
import { anOffer, NOW_MS } from '../../helpers/things.ts';

/** An offer at $20 whose product was seen for a year: lowest since `days`, at `low` before, usually at $30. */
function offered(days: number | null, low: number, changes: Partial<ObservedPrices> = {}): Offer {
  const observed: ObservedPrices = {
    atMs: NOW_MS,
    sinceMs: NOW_MS - 365 * DAY_MS,
    low: { price: low, atMs: NOW_MS - 200 * DAY_MS },
    lowestSinceMs: days === null ? null : NOW_MS - days * DAY_MS,
    ...(days === null ? {} : { seenSinceMs: NOW_MS - days * DAY_MS }),
    usual: 30,
    ...changes,
  };
  return anOffer(1, { observed });
}

function outcomeOf(text: string, offer: Offer) {
  const parsed = parseFilter(text);
  if (!parsed.ok) throw new Error(parsed.problem.code);
  const { holds, terms } = explain(parsed.filter, subjectOfOffer(offer), NOW_MS);
  return { holds, name: terms[0]?.name, found: terms[0]?.found };
}

const matches = (text: string, offer: Offer) => outcomeOf(text, offer).holds;

test('low:ever matches the lowest price of all, and one that equals it', () => {
  expect(outcomeOf('low:ever', offered(365, 25))).toEqual({ holds: true, name: 'low ever', found: '0%' });
  expect(matches('LOW:EVER', offered(365, 20))).toBe(true);
  expect(outcomeOf('low:ever', offered(90, 19))).toEqual({ holds: false, name: 'low ever', found: '6%' });
});

test('low with days matches the lowest price in so many days, and the lowest of all', () => {
  expect(outcomeOf('low:90d', offered(90, 19))).toEqual({ holds: true, name: 'low 90d', found: '90d 0h' });
  expect(matches('low:90d', offered(89.99, 19))).toBe(false);
  expect(matches('low:>=90d', offered(90, 19))).toBe(true);
  expect(outcomeOf('low:999d', offered(365, 25))).toMatchObject({ holds: true, found: 'ever' });
  expect(outcomeOf('low:1d', offered(null, 19))).toMatchObject({ holds: false, found: null });
});

test('low with days needs sight on most of the days; low ever is the lowest that was seen', () => {
  const seen = (days: number) => offered(365, 25, { seenSinceMs: NOW_MS - days * DAY_MS });
  expect(outcomeOf('low:90d', seen(90))).toEqual({ holds: true, name: 'low 90d', found: '90d 0h' });
  expect(matches('low:90d', seen(89))).toBe(false);
  expect(matches('low:999d', seen(90))).toBe(false);
  expect(matches('low:ever', seen(1))).toBe(true);
});

test('a price that another listing has beaten since is no low', () => {
  const beaten = offered(365, 25, { beatenBy: { price: 19, atMs: NOW_MS } });
  expect(outcomeOf('low:ever', beaten)).toEqual({ holds: false, name: 'low ever', found: '6%' });
  expect(matches('low:90d', beaten)).toBe(false);
});

test('low with percent matches what is so near the lowest price', () => {
  expect(matches('low:<=6%', offered(null, 19))).toBe(true); // 5.3 % above
  expect(matches('low:<=5%', offered(null, 19))).toBe(false);
  expect(matches('low:<=25', offered(null, 16))).toBe(true);
  expect(matches('low:<25', offered(null, 16))).toBe(false);
  expect(matches('low:1..25', offered(null, 16))).toBe(true);
  expect(matches('low:[0 TO 25]', offered(null, 16))).toBe(true);
});

test('real matches by the usual price', () => {
  expect(outcomeOf('real:>=33', offered(null, 19))).toEqual({ holds: true, name: 'real ≥ 33', found: '33%' });
  expect(matches('real:>=34', offered(null, 19))).toBe(false);
  expect(matches('real:>=0', offered(null, 19, { usual: null }))).toBe(false);
});

test('where nothing was observed, none of them matches', () => {
  for (const text of ['low:ever', 'low:90d', 'low:<=100%', 'real:>=0']) expect(matches(text, anOffer(1))).toBe(false);
});

test.each([
  ['low:never', 'bad-low'],
  ['low:90h', 'bad-low'],
  ['low:99999d', 'bad-low'],
  ['low:"90d"', 'bad-number'],
  ['low:/x/', 'bad-number'],
  ['low:<90d', 'bad-number'],
])('%s is a mistake: %s', (text, code) => {
  expect(parseFilter(text)).toMatchObject({ ok: false, problem: { code } });
});

test.each([
  ['low:ever', 'low:<=0'],
  ['low:<=0%', 'low:<=0'],
  ['low:90d', 'low:>=90d'],
  ['low:>=90d', 'low:>=90d'],
])('%s means %s, which can be read', (text, canonical) => {
  const parsed = parseFilter(text);
  expect(parsed).toMatchObject({ ok: true, filter: { canonical } });
  expect(parseFilter(canonical)).toMatchObject({ ok: true, filter: { canonical } });
});
