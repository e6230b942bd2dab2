import { expect, test } from 'vitest';
import type { OfferStats } from '../../../../src/bot/deals/event.ts';
import type { Item, Photo } from '../../../../src/bot/deals/offer.ts';
import { type OfferDetailView, offerDetailCard } from '../../../../src/bot/discord/cards/offer-detail-card.ts';
import { decodeAction, type OfferSection } from '../../../../src/bot/discord/custom-id.ts';
import { translatorFor } from '../../../../src/bot/discord/i18n/translator.ts';
import { buttonUrlsOf, customIdsOf, expectTakenByDiscord, textOf } from '../../../helpers/discord-form.ts';
import { HOSTILE_TEXTS } from '../../../helpers/hostile-texts.ts';
import { anEventOffer, anItem, anOffer, anOfferDetail, NOW_MS, uuid } from '../../../helpers/things.ts';

const CONTEXT = { translator: translatorFor('en-US'), nowMs: NOW_MS };
const ID = uuid(1);

function shown(changes: Partial<OfferDetailView>) {
  const view: OfferDetailView = {
    offer: anOfferDetail(1),
    listed: null,
    inEvent: null,
    age: { fetchedAtMs: NOW_MS, isStale: false },
    section: 'overview',
    part: 1,
    ...changes,
  };
  const card = offerDetailCard(view, CONTEXT);
  expectTakenByDiscord(card);
  return { card, text: textOf(card), ids: customIdsOf(card), json: JSON.stringify(card) };
}

const sectionId = (section: OfferSection, part = 1) => `offer-section:${ID}:${section}:${part}`;
const sentences = (count: number) => `<p>${'Hot water for everybody. '.repeat(count)}</p>`;
const variants = (count: number, changes: Partial<Item> = {}) =>
  Array.from({ length: count }, (_, index) =>
    anItem(index + 1, { attributes: [{ key: 'Size', value: String(index + 1) }], ...changes }),
  );

test('an offer that says little is one card without sections', () => {
  const { text, ids, card } = shown({});
  expect(text).toBe(
    [
      '## [Kettle 1](<https://www.example.com/offers/kettle-1>)',
      '**$20.00** ~~$40.00~~ −50%',
      `-# as of <t:${NOW_MS / 1000}:R>`,
    ].join('\n'),
  );
  expect(ids).toEqual([]);
  expect(buttonUrlsOf(card)).toEqual(['https://www.example.com/offers/kettle-1']);
});

test('what the feeds tell stands beside what the catalog tells', () => {
  const listed = anOffer(1, { condition: 'Refurbished' });
  const { text, card } = shown({ offer: anOfferDetail(1, { percentageRemaining: 30, purchaseLimit: 3 }), listed });
  expect(text).toContain('−50% · Refurbished · ▰▰▰▱▱▱▱▱▱▱ 30% left · limit 3');
  expect(text).toContain(`Ends <t:${(NOW_MS + 24 * 3_600_000) / 1000}:R>`);
  expect(text).toContain('-# HOME/Kitchen · as of');
  expect(buttonUrlsOf(card)).toContain('https://forums.example.com/t/1');
});

test.each<[string, Partial<OfferDetailView>, string]>([
  ['by the catalog: sold out', { offer: anOfferDetail(1, { isSoldOut: true }) }, '**Sold out**'],
  ['by the catalog: not live', { offer: anOfferDetail(1, { isOfferLiveNow: false }) }, '**This offer has ended**'],
  [
    'by the catalog: not live, though it was to end later',
    { offer: anOfferDetail(1, { isOfferLiveNow: false }), listed: anOffer(1) },
    '**This offer has ended**',
  ],
  ['by a feed: sold out', { listed: anOffer(1, { isSoldOut: true }) }, '**Sold out**'],
  ['by its end', { listed: anOffer(1, { endDateMs: NOW_MS }) }, `**Ended <t:${NOW_MS / 1000}:R>**`],
])('what is over is struck out and says so, %s', (_, view, sentence) => {
  const { text } = shown(view);
  expect(text).toMatch(/^## ~~\[/);
  expect(text).toContain(sentence);
});

test('a few variants are lines: attributes, price, limit', () => {
  const { text, ids } = shown({ offer: anOfferDetail(1, { items: variants(3, { purchaseLimit: 2 }) }) });
  expect(text).toContain('- **Size 2**: **$20.00** ~~$40.00~~ −50% · limit 2');
  expect(ids).toEqual([]);
});

test('many variants are a menu, with the chosen one beside its picture', () => {
  const photos: Photo[] = [{ url: 'https://pictures.example/9.jpg', width: 1, height: 1, caption: null, tags: [] }];
  const items = variants(12).map((item, index) => (index === 8 ? { ...item, photos } : item));
  const { text, ids, json } = shown({ offer: anOfferDetail(1, { items }), part: 9 });
  expect(text).toContain('12 variants\n**Size 9**: **$20.00**');
  expect(ids).toEqual(['menu:variants']);
  expect(json).toContain(
    `"label":"Size 9","value":"${sectionId('overview', 9)}","description":"$20.00 −50%","default":true`,
  );
  expect(json).toContain('https://pictures.example/9.jpg');
});

test('more variants than a menu holds are pages of them', () => {
  const offer = anOfferDetail(1, { items: variants(60) });
  const first = shown({ offer });
  expect(first.text).toContain('page 1 of 3');
  expect(first.ids).toEqual([
    'menu:variants',
    `previous>${sectionId('overview')}`,
    `next>${sectionId('overview', 26)}`,
  ]);
  const last = shown({ offer, part: 99 });
  expect(last.text).toContain('**Size 60**');
  expect(last.text).toContain('page 3 of 3');
  expect(last.json).toContain('"label":"Size 51"');
  expect(last.json).not.toContain('"label":"Size 50"');
});

test('a long write-up is cut at a sentence, and goes on on pages of its own', () => {
  const offer = anOfferDetail(1, { writeUpBody: sentences(300) });
  const overview = shown({ offer });
  expect(overview.text).toContain('Hot water for everybody. …');
  expect(overview.json).toContain('"label":"Read more"');
  expect(overview.ids).toEqual([sectionId('overview'), sectionId('story')]);
  const pages = [1, 2, 3, 4].map((part) => shown({ offer, section: 'story', part }).text);
  const told = pages.slice(0, 3).map((page) => page.match(/everybody\./g)?.length ?? 0);
  expect(told[0]).toBeGreaterThan(90);
  expect(told.reduce((sum, count) => sum + count, 0)).toBe(300);
  expect(pages[3]).toBe(pages[2]);
  expect(shown({ offer, section: 'story', part: 2 }).ids).toContain(`next>${sectionId('story', 3)}`);
});

test('features, specifications and warranty are a section', () => {
  const offer = anOfferDetail(1, {
    features: '<ul><li>Whistles</li></ul>',
    specs: 'Two litres',
    extendedWarranty: '2 years',
  });
  expect(shown({ offer }).text).toContain('- Whistles');
  const { text } = shown({ offer, section: 'features' });
  expect(text).toContain('- Whistles\n\n**Specifications**\nTwo litres\n\n**Extended warranty**\n2 years');
  // A text that the overview shows already needs no section.
  expect(shown({ offer: anOfferDetail(1, { features: 'Whistles' }) }).ids).toEqual([]);
});

test('shipping tells what it costs and whom it does not reach', () => {
  const method = {
    name: 'Standard',
    perOrderAmount: 5,
    perEventAmount: 0,
    perItemAmount: 1.5,
    excludedStates: ['AK', 'HI'],
    excludedPostalCodes: Array.from({ length: 250 }, (_, index) => String(10_000 + index)),
    excludePOBox: true,
  };
  const { text } = shown({ offer: anOfferDetail(1, { shippingMethods: [method] }), section: 'shipping' });
  expect(text).toContain('**Standard** · $5.00 per order · $1.50 per item\n- not to these states: AK and HI\n');
  expect(text).toContain('10198, 10199 and 50 more');
  expect(text).toContain('- not to PO boxes');
});

test('of an offer in an event it is known when it is sent and where it is discussed', () => {
  const inEvent = anEventOffer(1, {
    estimatedShipDate: 'Ships in *2* days',
    discussionUrl: 'https://forums.example.com/t/7',
  });
  const { text, card } = shown({ inEvent, section: 'shipping' });
  expect(text).toContain('\nShips in \\*2\\* days\n');
  expect(buttonUrlsOf(card)).toContain('https://forums.example.com/t/7');
});

test('statistics are shown where they were asked for', () => {
  const stats: OfferStats = {
    firstSucker: 'early_bird',
    lastPurchaseMs: NOW_MS,
    lastBuyerToDeal: null,
    overallOrderPace: 3,
    overallDealsSold: 4,
    siteOrderPace: null,
    siteDealsSold: null,
    percentageOfSalesPerDay: [
      { key: 'Mon', value: 60 },
      { key: 'Tue', value: 40 },
    ],
    percentageOfSalesPerHour: [],
    purchaserExperience: [],
    purchaserSeniority: [],
    quantityBreakdown: [{ key: '≥ 3', value: 100 }],
    speedToFirstDealMs: 109_399,
    dealsByState: [],
  };
  const offer = anOfferDetail(1, { eventId: uuid(5) });
  expect(shown({ offer }).ids).toContain(sectionId('stats'));
  expect(shown({ offer, inEvent: anEventOffer(1) }).ids).not.toContain(sectionId('stats'));
  const { text } = shown({ offer, section: 'stats', inEvent: anEventOffer(1, { stats }) });
  expect(text).toContain('- First order after 1 minute\n- First buyer: early\\_bird');
  expect(text).toContain('#3 by sales pace, #4 by units sold');
  expect(text).toContain('**Sales by day**\nMon 60% · Tue 40%');
});

test('a section without anything says so', () => {
  expect(shown({ section: 'shipping' }).text).toContain('The catalog has no information on this.');
});

test('every button leads to a section', () => {
  const { ids } = shown({
    offer: anOfferDetail(1, { writeUpBody: sentences(300), eventId: uuid(5) }),
    section: 'story',
  });
  expect(ids.length).toBeGreaterThan(3);
  expect(ids.map((id) => decodeAction(id)?.do)).toEqual(ids.map(() => 'offer-section'));
});

test.each(Object.entries(HOSTILE_TEXTS))('Discord takes every page of texts that are %s', (_, make) => {
  const text = make(20_000);
  const offer = anOfferDetail(1, { features: text, specs: text, teaser: text, writeUpBody: text });
  for (const section of ['overview', 'features', 'story'] as const) {
    for (const part of [1, 2, 3]) shown({ offer, section, part });
  }
});
