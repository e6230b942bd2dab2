import { expect, test } from 'vitest';
import type { OfferStats } from '../../../../src/bot/deals/event.ts';
import { statsText } from '../../../../src/bot/discord/cards/offer-stats.ts';
import { translatorFor } from '../../../../src/bot/discord/i18n/translator.ts';
import { NOW_MS } from '../../../helpers/things.ts';

const NONE: OfferStats = {
  firstSucker: null,
  lastPurchaseMs: null,
  lastBuyerToDeal: null,
  overallOrderPace: null,
  overallDealsSold: null,
  siteOrderPace: null,
  siteDealsSold: null,
  percentageOfSalesPerDay: [],
  percentageOfSalesPerHour: [],
  purchaserExperience: [],
  purchaserSeniority: [],
  quantityBreakdown: [],
  speedToFirstDealMs: null,
  dealsByState: [],
};

const text = (changes: Partial<OfferStats>) => statsText({ ...NONE, ...changes }, translatorFor('en-US'));

test('nothing is said of what is not known, and of a rank only where both of its figures are', () => {
  expect(text({})).toBe('');
  expect(text({ overallOrderPace: 3, siteDealsSold: 4 })).toBe('');
  expect(text({ overallDealsSold: 3, siteOrderPace: 4 })).toBe('');
});

test('each figure has a line of its own, first to last', () => {
  const all = {
    speedToFirstDealMs: 0,
    firstSucker: 'early',
    lastBuyerToDeal: 'late',
    lastPurchaseMs: NOW_MS,
    overallOrderPace: 1_234,
    overallDealsSold: 2,
    siteOrderPace: 3,
    siteDealsSold: 4,
  };
  const lines = text(all).split('\n');
  expect(lines).toHaveLength(6);
  expect(lines[0]).toContain('First order after');
  expect(lines.slice(1)).toEqual([
    '- First buyer: early',
    '- Latest buyer: late',
    `- Latest order <t:${NOW_MS / 1_000}:R>`,
    '- Across all sites: #1,234 by sales pace, #2 by units sold',
    '- On its site: #3 by sales pace, #4 by units sold',
  ]);
});

test('shares stand below their headings, in the catalog’s order', () => {
  const share = (key: string) => [{ key, value: 50 }];
  const shares = text({
    firstSucker: 'early',
    percentageOfSalesPerDay: share('Mon'),
    percentageOfSalesPerHour: share('7am'),
    purchaserExperience: share('one'),
    purchaserSeniority: share('a year'),
    quantityBreakdown: share('2'),
    dealsByState: [...share('TX'), ...share('CA')],
  });
  expect(shares.split('\n\n')).toEqual([
    '- First buyer: early',
    '**Sales by day**\nMon 50%',
    '**Sales by hour**\n7am 50%',
    '**Buyers by previous purchases**\none 50%',
    '**Buyers by account age**\na year 50%',
    '**Buyers by quantity**\n2 50%',
    '**Orders by state**\nTX 50% · CA 50%',
  ]);
});

test('names are foreign: they format nothing and are cut at forty characters, and a list at sixty', () => {
  expect(text({ firstSucker: '**@everyone**' })).not.toContain('**@everyone**');
  expect(text({ lastBuyerToDeal: 'x'.repeat(40) })).toBe(`- Latest buyer: ${'x'.repeat(40)}`);
  expect(text({ lastBuyerToDeal: 'x'.repeat(41) })).toBe(`- Latest buyer: ${'x'.repeat(39)}…`);
  const keys = Array.from({ length: 61 }, (_, index) => ({ key: `h${index}`, value: 1 }));
  expect(text({ percentageOfSalesPerHour: keys }).match(/h\d+ 1%/g)).toHaveLength(60);
  expect(text({ dealsByState: [{ key: 'y'.repeat(41), value: 1 }] })).toContain(`${'y'.repeat(39)}… 1%`);
});
