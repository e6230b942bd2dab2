import { expect, test } from 'vitest';
import type { OfferStats } from '../../../src/deals/event.ts';
import type { Item, OfferDetail, Photo } from '../../../src/deals/offer.ts';
import { type OfferDetailView, offerDetailCard } from '../../../src/discord/cards/offer-detail-card.ts';
import { actionButton } from '../../../src/discord/cards/parts.ts';
import { decodeAction, type OfferSection } from '../../../src/discord/custom-id.ts';
import { translatorFor } from '../../../src/discord/i18n/translator.ts';
import { buttonUrlsOf, customIdsOf, expectTakenByDiscord, textOf } from '../../helpers/discord-form.ts';
import { HOSTILE_TEXTS } from '../../helpers/hostile-texts.ts';
import { anEventOffer, anItem, anOffer, anOfferDetail, NOW_MS, uuid } from '../../helpers/things.ts';

/** A feature's button on each card. */
const ADDED = { ofOffer: () => actionButton('Added', { do: 'help', topic: 'start' }) };
const CONTEXT = { translator: translatorFor('en-US'), nowMs: NOW_MS, offerButtons: [ADDED] };
const ID = uuid(1);

function shown(changes: Partial<OfferDetailView>) {
  const view: OfferDetailView = {
    offer: anOfferDetail(1),
    listed: null,
    inEvent: null,
    age: { fetchedAtMs: NOW_MS, isStale: false },
    section: 'overview',
    part: 1,
    openedFrom: null,
    ...changes,
  };
  const card = offerDetailCard(view, CONTEXT);
  expectTakenByDiscord(card);
  const [added, ...ids] = customIdsOf(card);
  expect(added).toBe('help:start');
  return { card, text: textOf(card), ids, json: JSON.stringify(card) };
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
  expect(text).toContain('−50% · limit 3 per person · Refurbished · ▰▰▰▱▱▱▱▱▱▱ 30% left');
  expect(text).toContain(`⏳ <t:${(NOW_MS + 24 * 3_600_000) / 1000}:R>`);
  expect(text).toContain('-# Kitchen · as of');
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

test('beside the price stands what it takes to have it sent, while it is on sale', () => {
  const method = {
    name: 'Standard',
    perOrderAmount: 5,
    perEventAmount: null,
    perItemAmount: null,
    excludedStates: ['AK', 'HI'],
    excludedPostalCodes: [],
    excludePOBox: true,
  };
  const told = (shippingMethods: OfferDetail['shippingMethods'], changes: Partial<OfferDetail> = {}) =>
    shown({ offer: anOfferDetail(1, { shippingMethods, ...changes }) }).text;
  expect(told([method])).toContain('−50% · + $5.00 shipping · not to AK, HI, and PO boxes');
  expect(told([{ ...method, perOrderAmount: 0, excludePOBox: false }])).toContain(
    '−50% · free shipping · not to AK and HI',
  );
  const many = Array.from({ length: 6 }, (_, index) => `S${index}`);
  expect(told([{ ...method, perOrderAmount: null, excludedStates: many, excludePOBox: false }])).toContain(
    '−50% · not to 6 states\n',
  );
  expect(told([method], { isSoldOut: true })).not.toContain('+ $5.00');
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

const STATS: OfferStats = {
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

test('the write-up goes on with who made it and what buyers say, and their HTML is safe', () => {
  const inEvent = anEventOffer(1, {
    artist: { name: 'Dora *D*', avatar: null, biography: '<p>Draws at <b>night</b>.</p>' },
    wineryDetails: '<p>Since 1890.</p>',
    qualityPosts: [
      {
        username: 'carol',
        text: 'x',
        formattedBody: '<p>Works.<br>@everyone <script>x</script></p>',
        postedOnMs: NOW_MS,
      },
      { username: null, text: 'Fine _so far_', formattedBody: null, postedOnMs: null },
      { username: 'eve', text: '', formattedBody: '<p>&nbsp;</p>', postedOnMs: null },
    ],
  });
  const { text } = shown({ section: 'story', inEvent });
  expect(text).toContain('**The artist: Dora \\*D\\***\nDraws at **night**.');
  expect(text).toContain('**The winery**\nSince 1890.');
  expect(text).toContain(`**What buyers say**\ncarol · <t:${NOW_MS / 1000}:D>\n> Works.\n> `);
  expect(text).toContain('A buyer\n> Fine \\_so far\\_');
  expect(text).not.toMatch(/[^\\]@everyone|script|eve\b/);
});

test('statistics are shown where they were asked for', () => {
  const stats = STATS;
  const offer = anOfferDetail(1, { eventId: uuid(5) });
  expect(shown({ offer }).ids).toContain(sectionId('stats'));
  expect(shown({ offer, inEvent: anEventOffer(1) }).ids).not.toContain(sectionId('stats'));
  const { text } = shown({ offer, section: 'stats', inEvent: anEventOffer(1, { stats }) });
  expect(text).toContain('- First order after 1 minute\n- First buyer: early\\_bird');
  expect(text).toContain('#3 by sales pace, #4 by units sold');
  expect(text).toContain('**Sales by day**\n```\nMon 60% ██████████\nTue 40% ███████\n```');
});

/** As the catalog names them. */
const HOURS = [12, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11].map(String);
const perHour = (keys: readonly string[]) => keys.map((key, index) => ({ key, value: index === 20 ? 12 : index % 5 }));

test.each([
  ['en-US', '12 AM       12 PM  11 PM', 'Best hours: 8 PM (12%), 4 AM (4%), and 9 AM (4%)'],
  ['de', '00:00       12:00  23:00', 'Beste Stunden: 20:00 (12 %), 04:00 (4 %) und 09:00 (4 %)'],
])('the hours are a line of a day in %s, and its best hours are words', (locale, axis, words) => {
  const stats = { ...STATS, percentageOfSalesPerHour: perHour(HOURS) };
  const view = {
    offer: anOfferDetail(1),
    listed: null,
    inEvent: anEventOffer(1, { stats }),
    section: 'stats',
    part: 1,
    openedFrom: null,
  } as const;
  const age = { fetchedAtMs: NOW_MS, isStale: false };
  const text = textOf(offerDetailCard({ ...view, age }, { translator: translatorFor(locale), nowMs: NOW_MS }));
  const lines = text.replace(/\u00a0/g, ' ').split('\n');
  const at = lines.indexOf(axis);
  expect(lines[at - 1]).toBe('▁▂▂▃▃▁▂▂▃▃▁▂▂▃▃▁▂▂▃▃█▂▂▃');
  expect(lines[at + 2]).toBe(words);
});

test('hours under other names are rows, and shares that are none break nothing', () => {
  const textFor = (changes: Partial<OfferStats>) =>
    shown({ section: 'stats', inEvent: anEventOffer(1, { stats: { ...STATS, ...changes } }) }).text;
  expect(textFor({ percentageOfSalesPerHour: perHour(HOURS.slice(1)) })).toContain(
    '**Sales by hour**\n```\n1   0%\n2   1% █\n3   2% ██\n',
  );
  const values = [0, -5, 1e300, Number.MIN_VALUE, 100];
  const pairs = values.map((value, index) => ({ key: `\`\`\`\n@everyone ${index}`, value }));
  const nasty = textFor({ dealsByState: pairs, quantityBreakdown: [{ key: 'x', value: 0 }] });
  expect(nasty).not.toContain('```\n@');
  expect(nasty).toContain('\nx 0%\n');
  const many = Array.from({ length: 50 }, (_, index) => ({ key: `State ${index}`, value: index }));
  expect(textFor({ dealsByState: many })).toContain('State 23 23% █████\n```\nand 26 more');
});

test('statistics that fill more than a page are turned, and no chart is cut', () => {
  const many = Array.from({ length: 50 }, (_, index) => ({ key: `${'Some name '.repeat(3)}${index}`, value: 100 }));
  const stats = { ...STATS, percentageOfSalesPerDay: many, percentageOfSalesPerHour: many, dealsByState: many };
  const all = { purchaserExperience: many, purchaserSeniority: many, quantityBreakdown: many };
  const pages = [1, 2].map((part) =>
    shown({ section: 'stats', part, inEvent: anEventOffer(1, { stats: { ...stats, ...all } }) }),
  );
  expect(pages.map(({ ids }) => ids.filter((id) => id.includes('>')))).toEqual([
    [`previous>${sectionId('stats')}`, `next>${sectionId('stats', 2)}`],
    [`previous>${sectionId('stats')}`, `next>${sectionId('stats')}`],
  ]);
  for (const { text } of pages) expect((text.match(/```/g)?.length ?? 0) % 2).toBe(0);
  expect(pages.map(({ text }) => text.match(/\*\*/g)?.length ?? 0).reduce((sum, count) => sum + count / 2, 0)).toBe(6);
});

test('price and buttons come before the picture', () => {
  const photos: Photo[] = [{ url: 'https://pictures.example/1.jpg', width: 1, height: 1, caption: null, tags: [] }];
  const { json } = shown({ offer: anOfferDetail(1, { photos, writeUpBody: sentences(300) }) });
  const places = ['$20.00', '"View deal"', '"Read more"', 'pictures.example'].map((part) => json.indexOf(part));
  expect(places).toEqual(places.toSorted((a, b) => a - b));
  expect(places[0]).toBeGreaterThan(0);
});

test.each<[string, Partial<OfferDetail>, number]>([
  ['beside a title without it', { subtitle: 'Boils fast' }, 1],
  ['not where the title says it', { title: 'Kettle, boils FAST!', subtitle: 'Boils fast' }, 0],
  ['not where the full title says it', { fullTitle: 'Kettle: Boils fast', subtitle: 'Boils fast.' }, 0],
  ['not once more as the teaser', { subtitle: 'Boils fast', teaser: '<p>Boils <b>fast</b>.</p>' }, 1],
])('a subtitle is shown once: %s', (_, changes, times) => {
  const { text } = shown({ offer: anOfferDetail(1, changes) });
  const below = text.split('\n').slice(1).join('\n');
  expect(below.toLowerCase().split('boils').length - 1).toBe(times);
});

test('a text that the write-up repeats is told once', () => {
  const { text } = shown({
    offer: anOfferDetail(1, { teaser: 'Tea time.', writeUpIntro: 'Well.', snippet: '<i>Tea time</i>' }),
  });
  expect(text.split('Tea time').length - 1).toBe(1);
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
