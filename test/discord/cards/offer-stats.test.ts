import { expect, test } from 'vitest';
import type { OfferStats } from '../../../src/deals/event.ts';
import { offerDetailCard } from '../../../src/discord/cards/offer-detail-card.ts';
import { translatorFor } from '../../../src/discord/i18n/translator.ts';
import { textOf } from '../../helpers/discord-form.ts';
import { anEventOffer, anOfferDetail, NOW_MS } from '../../helpers/things.ts';

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

/** The section of an offer's card that has its statistics, between the title and the small print. */
function text(changes: Partial<OfferStats>): string {
  const inEvent = anEventOffer(1, { stats: { ...NONE, ...changes } });
  const age = { fetchedAtMs: NOW_MS, isStale: false };
  const view = {
    offer: anOfferDetail(1),
    listed: null,
    inEvent,
    age,
    section: 'stats',
    part: 1,
    openedFrom: null,
  } as const;
  const lines = textOf(offerDetailCard(view, { translator: translatorFor('en-US'), nowMs: NOW_MS })).split('\n');
  expect(lines.at(0)).toMatch(/^## /);
  expect(lines.at(-1)).toMatch(/^-# as of /);
  return lines.slice(1, -1).join('\n');
}

const NOTHING = 'The catalog has no information on this.';

test('nothing is said of what is not known, and of a rank only where both of its figures are', () => {
  expect(text({})).toBe(NOTHING);
  expect(text({ overallOrderPace: 3, siteDealsSold: 4 })).toBe(NOTHING);
  expect(text({ overallDealsSold: 3, siteOrderPace: 4 })).toBe(NOTHING);
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

test('shares are charts below their headings, the widest bar for the largest', () => {
  const share = (key: string) => [{ key, value: 50 }];
  const shares = text({
    firstSucker: 'early',
    percentageOfSalesPerDay: share('Mon'),
    percentageOfSalesPerHour: share('7am'),
    purchaserExperience: share('one'),
    purchaserSeniority: share('a year'),
    quantityBreakdown: share('2'),
    dealsByState: [...share('TX'), { key: 'CA', value: 10 }],
  });
  const bar = '█'.repeat(10);
  expect(shares.split('\n\n')).toEqual([
    '- First buyer: early',
    `**Sales by hour**\n\`\`\`\n7am 50% ${bar}\n\`\`\``,
    `**Sales by day**\n\`\`\`\nMon 50% ${bar}\n\`\`\``,
    `**Buyers by previous purchases**\n\`\`\`\none 50% ${bar}\n\`\`\``,
    `**Buyers by account age**\n\`\`\`\na year 50% ${bar}\n\`\`\``,
    `**Buyers by quantity**\n\`\`\`\n2 50% ${bar}\n\`\`\``,
    `**Orders by state**\n\`\`\`\nTX 50% ${bar}\nCA 10% ██\n\`\`\``,
  ]);
});

test('names are foreign: they format nothing and are cut at forty characters, and a chart at 14 and at 24 rows', () => {
  expect(text({ firstSucker: '**@everyone**' })).not.toContain('**@everyone**');
  expect(text({ lastBuyerToDeal: 'x'.repeat(40) })).toBe(`- Latest buyer: ${'x'.repeat(40)}`);
  expect(text({ lastBuyerToDeal: 'x'.repeat(41) })).toBe(`- Latest buyer: ${'x'.repeat(39)}…`);
  const keys = Array.from({ length: 25 }, (_, index) => ({ key: `h${index}`, value: 1 }));
  expect(text({ percentageOfSalesPerHour: keys }).match(/h\d+ +1%/g)).toHaveLength(24);
  expect(text({ percentageOfSalesPerHour: keys })).toContain('and 1 more');
  expect(text({ dealsByState: [{ key: 'y'.repeat(15), value: 1 }] })).toContain(`${'y'.repeat(13)}… 1%`);
});
