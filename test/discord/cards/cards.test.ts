import { ComponentType } from 'discord-api-types/v10';
import { describe, expect, test } from 'vitest';
import { THINGS } from '../../../src/announcements/kinds/index.ts';
import type { Announcement } from '../../../src/deals/announcement.ts';
import type { Dealcast } from '../../../src/deals/dealcast.ts';
import type { DealEvent } from '../../../src/deals/event.ts';
import { monkeychatSubject } from '../../../src/deals/monkeychat.ts';
import type { Offer } from '../../../src/deals/offer.ts';
import { type Poll, pollSubject } from '../../../src/deals/poll.ts';
import { ACCENT } from '../../../src/discord/cards/accent.ts';
import { announcementCard } from '../../../src/discord/cards/announcement-card.ts';
import { eventDetailCard, eventsCard } from '../../../src/discord/cards/event-card.ts';
import { feedCard } from '../../../src/discord/cards/offer-list-cards.ts';
import { actionButton, type OfferButtons } from '../../../src/discord/cards/parts.ts';
import { thingDetailCard, thingsCard } from '../../../src/discord/cards/thing-card.ts';
import { deliveryIdOf } from '../../../src/discord/custom-id.ts';
import { formatPrice, LONGEST_LARGE, LONGEST_SMALL, priceHeading } from '../../../src/discord/format.ts';
import { translatorFor } from '../../../src/discord/i18n/translator.ts';
import { escapeLine } from '../../../src/discord/markdown.ts';
import { HOUR_MS } from '../../../src/shared/time.ts';
import {
  buttonsOf,
  buttonUrlsOf,
  customIdsOf,
  expectHarmless,
  expectTakenByDiscord,
  textOf,
} from '../../helpers/discord-form.ts';
import { aDealcast, anEvent, anEventOffer, anOffer, NOW_MS, newOfferOf, uuid } from '../../helpers/things.ts';

const DELIVERY = 'd'.repeat(22);
const dollars = (amount: number) => ({ minimum: amount, maximum: amount });
const CONTEXT = { translator: translatorFor('en-US'), nowMs: NOW_MS };
/** A feature's buttons, which say how the card shows what it is of. */
const ADDED: OfferButtons = {
  ofOffer: ({ offerId, shownAs }) => actionButton(shownAs, { do: 'offer', offerId, deliveryId: null }),
  ofEvent: ({ id: eventId }) => actionButton('event', { do: 'event', eventId, deliveryId: null }),
};
const ANNOUNCED = {
  ...CONTEXT,
  deliveryId: DELIVERY,
  matched: [],
  style: 'compact',
  offerButtons: [ADDED],
} as const;
const offerCard = (item: Offer) => announcementCard(newOfferOf(item), ANNOUNCED);
const eventCard = (item: DealEvent) =>
  announcementCard({ kind: 'event-started', subject: item.id, occurrence: '', item }, ANNOUNCED);
const dealcastCard = (item: Dealcast) =>
  announcementCard({ kind: 'new-dealcast', subject: 'subject', occurrence: '', item }, ANNOUNCED);
const AGE = { fetchedAtMs: NOW_MS, isStale: false };

describe('the card of an offer', () => {
  const flip = anOffer(1, {
    title: '(NEW) Speaker',
    condition: 'New (1)',
    salePrice: { minimum: 84.95, maximum: 84.95 },
    listPrice: { minimum: 129.95, maximum: 129.95 },
  });
  const OF_FLIP = { subject: flip.id, occurrence: '', item: flip };
  const lastListing = (minimum: number, maximum = minimum) => ({
    offerId: uuid(9),
    salePrice: { minimum, maximum },
    endedAtMs: NOW_MS,
  });

  test('shows what happened, title, link, one price, badges and end', () => {
    const card = offerCard(flip);
    expect(textOf(card)).toBe(
      [
        '🆕 **New offer**',
        '### [\\(NEW\\) Speaker](<https://www.example.com/offers/kettle-1>)',
        '## $84.95 ~~$129.95~~ −34%',
        '🏷️ New',
        `⏳ <t:${(NOW_MS + 24 * HOUR_MS) / 1000}:R> · <t:${(NOW_MS + 24 * HOUR_MS) / 1000}:f>`,
        '-# Kitchen',
      ].join('\n'),
    );
    expect(JSON.stringify(card)).toContain('https://pictures.example/1.jpg');
  });

  test.each([
    [84.95, 129.95, LONGEST_LARGE, '## $84.95 ~~$129.95~~ −34%'],
    [184.95, 299.95, LONGEST_LARGE + 1, '### $184.95 ~~$299.95~~ −38%'],
    [1184.95, 2369.9, LONGEST_SMALL, '### $1,184.95 ~~$2,369.90~~ −50%'],
    [1184.95, 11_849.5, LONGEST_SMALL + 1, '### $1,184.95 −90%'],
  ])('$%d instead of $%d, which takes %d characters, fits a line on a phone: %s', (sale, list, length, expected) => {
    const heading = priceHeading({ salePrice: dollars(sale), listPrice: dollars(list) }, CONTEXT.translator);
    expect(heading).toBe(expected);
    const [price, listed] = [sale, list].map((amount) => formatPrice(dollars(amount), CONTEXT.translator));
    expect(`${price} ${listed} −${Math.round((1 - sale / list) * 100)}%`).toHaveLength(length);
  });

  test.each<[string, Announcement, string]>([
    [
      'relisted, cheaper',
      { ...OF_FLIP, kind: 'relisted', before: lastListing(89.95) },
      `🔁 **Back again** · **$5.00 cheaper** than last time · last seen <t:${NOW_MS / 1000}:R>`,
    ],
    [
      'relisted, dearer',
      { ...OF_FLIP, kind: 'relisted', before: lastListing(79.95) },
      '🔁 **Back again** · $5.00 more than last time',
    ],
    [
      'relisted, the same',
      { ...OF_FLIP, kind: 'relisted', before: lastListing(84.95) },
      '🔁 **Back again** · same price as last time',
    ],
    [
      'relisted from a span',
      { ...OF_FLIP, kind: 'relisted', before: lastListing(50, 90) },
      '🔁 **Back again** · was $50.00 – $90.00 · last seen',
    ],
    [
      'relisted from no price',
      { ...OF_FLIP, kind: 'relisted', before: { ...lastListing(1), salePrice: null } },
      '🔁 **Back again** · last seen',
    ],
    [
      'cheaper',
      { ...OF_FLIP, kind: 'price-drop', before: { minimum: 99.95, maximum: 99.95 } },
      '📉 **Price drop** · **−15%** · was ~~$99.95~~',
    ],
    [
      'cheaper, and for how long it was not',
      { ...OF_FLIP, kind: 'price-drop', before: { minimum: 99.95, maximum: 99.95 }, beforeForMs: 26 * HOUR_MS },
      '📉 **Price drop** · **−15%** · was ~~$99.95~~ for 1 day',
    ],
    [
      'cheaper once, and no more',
      { ...OF_FLIP, kind: 'price-drop', before: { minimum: 84.95, maximum: 84.95 } },
      '📉 **Price drop** · no longer: it’s back at $84.95 or more',
    ],
    ['restocked', { ...OF_FLIP, kind: 'restocked' }, '📦 **Back in stock**'],
    ['ending soon', { ...OF_FLIP, kind: 'ending-soon' }, '⏰ **Ending soon**'],
  ])('says what happened: %s', (_, announcement, sentence) => {
    const card = announcementCard(announcement, { ...ANNOUNCED, matched: ['feed Home', 'off >= 40'] });
    expectTakenByDiscord(card);
    expect(textOf(card).startsWith(sentence)).toBe(true);
    expect(textOf(card)).toMatch(/\n-# Kitchen · matches feed Home and off \\>= 40$/);
  });

  test('carries the delivery where a later look at the channel finds it', () => {
    expect(customIdsOf(offerCard(flip)).map(deliveryIdOf)).toEqual([DELIVERY, null]);
  });

  const OVER = { startDateMs: NOW_MS - 3 * HOUR_MS, endDateMs: NOW_MS };
  test.each<[string, Partial<Offer>, string]>([
    [
      'sold out',
      { isSoldOut: true, soldOutAfterMs: 14 * 60_000 },
      '🚫 **Sold out after 14 minutes** · 🆕 New offer · $84.95 −34%',
    ],
    ['sold out before the bot saw it', { isSoldOut: true }, '🚫 **Sold out** · 🆕 New offer · $84.95 −34%'],
    ['ended', OVER, `🏁 **Ended after 3 hours** · <t:${NOW_MS / 1000}:R> · 🆕 New offer · $84.95 −34%`],
    ['ended, begun nobody knows when', { ...OVER, startDateMs: null }, `🏁 **Ended** · <t:${NOW_MS / 1000}:R>`],
    ['ended before it began', { ...OVER, startDateMs: NOW_MS }, `🏁 **Ended** · <t:${NOW_MS / 1000}:R>`],
  ])('over, it is small and struck out, and nothing leads to where there is nothing: %s', (_, changes, fact) => {
    const look = { style: 'large', line: 'Look here!', accent: 1 } as const;
    const card = announcementCard(newOfferOf({ ...flip, ...changes }), { ...ANNOUNCED, ...look });
    expectTakenByDiscord(card);
    const [title, line, ...others] = textOf(card).split('\n');
    expect(title).toBe('**~~[\\(NEW\\) Speaker](<https://www.example.com/offers/kettle-1>)~~**');
    expect(line?.startsWith(fact)).toBe(true);
    expect(others).toEqual([]);
    expect(buttonUrlsOf(card)).toEqual([]);
    expect(customIdsOf(card).map(deliveryIdOf)[0]).toBe(DELIVERY);
    expect(JSON.stringify(card)).not.toContain('pictures.example');
    expect(card.components).toMatchObject([{ accent_color: ACCENT.over }]);
  });

  test.each<[string, Partial<Offer>, string]>([
    ['live, as a whole', {}, 'whole'],
    ['sold out, as that, because it may be back', { isSoldOut: true }, 'sold-out'],
    ['ended, as that', OVER, 'ended'],
    ['sold out and ended, as that', { ...OVER, isSoldOut: true }, 'ended'],
  ])('is shown to features: %s', (_, changes, shownAs) => {
    expect(buttonsOf(offerCard({ ...flip, ...changes })).at(-1)?.label).toBe(shownAs);
  });

  test.each([
    ['t', 24 * HOUR_MS],
    ['f', 24 * HOUR_MS + 1],
  ])('tells its end with style %s where it runs for %i ms', (style, runsMs) => {
    const end = NOW_MS + HOUR_MS;
    const text = textOf(offerCard({ ...flip, startDateMs: end - runsMs, endDateMs: end }));
    expect(text).toContain(`⏳ <t:${end / 1000}:R> · <t:${end / 1000}:${style}>`);
  });

  test('says nothing of a time that would be wrong once it has passed', () => {
    const atEnd = textOf(offerCard({ ...flip, endDateMs: NOW_MS + 1000 }));
    expect(atEnd).toMatch(/\n⏳ <t:\d+:R> · <t:\d+:t>\n/);
    expect(offerCard(flip)).toEqual(announcementCard(newOfferOf(flip), { ...ANNOUNCED, nowMs: NOW_MS + HOUR_MS }));
  });

  test.each([
    [30.01, null],
    [30, '🔥 half off or more'],
    [15.01, '🔥 half off or more'],
    [15, '🔥🔥 75% off or more'],
  ])('$%d of $60 has the badge %s', (price, badge) => {
    const prices = { salePrice: { minimum: price, maximum: price }, listPrice: { minimum: 60, maximum: 60 } };
    const text = textOf(offerCard({ ...flip, condition: null, ...prices }));
    expect(text.split('\n').find((line) => line.startsWith('🔥')) ?? null).toBe(badge);
  });

  test.each([
    [['TECH'], 'Tech'],
    [['PC'], 'PC'],
    [['HOME', 'HOME/Bed & Bath'], 'Bed & Bath'],
    [['HOME/'], 'Home'],
    [['/'], 'https://home.example.com'],
  ])('the categories %j are no paths on it', (categories, place) => {
    const text = textOf(offerCard({ ...flip, categories, site: 'https://home.example.com' }));
    expect(text.split('\n').at(-1)).toBe(`-# ${escapeLine(place)}`);
  });

  test('a large picture stands below the text, a line of the server above all, in its colour', () => {
    const look = { style: 'large', line: '*Fresh* <@&1>', accent: 0xff66aa } as const;
    const card = announcementCard(newOfferOf(flip), { ...ANNOUNCED, ...look });
    expectHarmless(card);
    expect(card.components).toMatchObject([
      { type: ComponentType.TextDisplay, content: '\\*Fresh\\* \\<\\@&1\\>' },
      {
        accent_color: 0xff66aa,
        components: [
          { type: ComponentType.TextDisplay },
          { type: ComponentType.MediaGallery, items: [{ media: { url: 'https://pictures.example/1.jpg' } }] },
          { type: ComponentType.TextDisplay, content: '-# Kitchen' },
          { type: ComponentType.ActionRow },
        ],
      },
    ]);
    expect(announcementCard(newOfferOf(flip), { ...ANNOUNCED, line: ' ' })).toEqual(
      announcementCard(newOfferOf(flip), ANNOUNCED),
    );
    expectTakenByDiscord(announcementCard(newOfferOf({ ...flip, photo: null }), { ...ANNOUNCED, ...look }));
  });
});

test('the card of an event shows its first offer, even one that is sold out', () => {
  const event = anEvent(1, {
    type: 'DealOff',
    subtitle: 'All day',
    writeUp: '<p>Go <a href="https://www.example.com/">here</a></p>',
    offers: [anEventOffer(2, { soldOut: true })],
  });
  const card = eventCard(event);
  expect(textOf(card)).toContain('🎪 **Event started** · Deal\\-off');
  expect(textOf(card)).toContain('## $30.00 ~~$60.00~~ −50%\n🚫 **Sold out** · 🔥 half off or more');
  expect(textOf(card)).toContain('Go [here](<https://www.example.com/>)');
  expect(customIdsOf(card).map(deliveryIdOf)).toEqual([DELIVERY, null]);
});

test('the offers of a Reckoning stand in the order of their ranks', () => {
  const offers = [anEventOffer(1, { rank: null }), anEventOffer(2, { rank: 2 }), anEventOffer(3, { rank: 1 })];
  const shown = textOf(eventCard(anEvent(1, { type: 'Reckoning', offers })));
  expect(shown.match(/\*\*(#\d )?\[Blender \d/g)).toEqual(['**#1 [Blender 3', '**#2 [Blender 2', '**[Blender 1']);
});

test('a Deal-off shows first what can be bought now, and that it is almost gone', () => {
  const offers = [anEventOffer(1, { soldOut: true }), anEventOffer(2, { percentageRemaining: 10 })];
  const shown = textOf(eventCard(anEvent(1, { type: 'DealOff', offers })));
  expect(shown.indexOf('Blender 2')).toBeLessThan(shown.indexOf('Blender 1'));
  expect(shown).toContain('🔥 half off or more · ⚠️ Almost gone');
  expect(shown).toContain('**~~[Blender 1]');
});

test('the card of an event tells what it takes to have its first offer, and a range of prices on one line', () => {
  const shipping = { name: 'x', perOrderAmount: 5, perEventAmount: 0, perItemAmount: 0 };
  const shippingMethods = [{ ...shipping, excludedStates: [], excludedPostalCodes: [], excludePOBox: false }];
  const [item] = anEventOffer(1).items;
  if (!item) throw new Error('It has an item.');
  const dearer = { ...item, id: uuid(77), salePrice: 40 };
  const shown = (offer: ReturnType<typeof anEventOffer>) =>
    textOf(eventCard(anEvent(1, { offers: [offer] }))).split('\n');
  const lines = shown(anEventOffer(1, { shippingMethods, items: [item, dearer] }));
  expect(lines).toContain('### from $30.00 · up to −50%');
  expect(lines.some((line) => line.startsWith('+ $5.00 shipping · limit 3 per person · 2 variants'))).toBe(true);
  const other = shown(anEventOffer(1, { shippingMethods, items: [item, { ...dearer, purchaseLimit: 1 }] })).join();
  expect(other).not.toContain('per person');
  expect(shown(anEventOffer(1, { shippingMethods, soldOut: true })).join()).not.toContain('shipping');
});

test('an event that has ended says so on every card, and nothing of what is on or left', () => {
  const offers = [anEventOffer(1, { percentageRemaining: 17 }), anEventOffer(2)];
  const event = anEvent(1, { type: 'DealOff', startDateMs: NOW_MS - 3 * HOUR_MS, endDateMs: NOW_MS, offers });
  const announced = eventCard(event);
  expect(textOf(announced)).toBe(
    [
      '**~~[Event 1](<https://www.example.com/offers/blender-1>)~~**',
      `🏁 **Ended after 3 hours** · <t:${NOW_MS / 1000}:R> · Deal\\-off · home.example.com`,
    ].join('\n'),
  );
  expect(customIdsOf(announced).map(deliveryIdOf)).toEqual([DELIVERY]);
  const detail = textOf(eventDetailCard({ event, page: 1, age: AGE }, CONTEXT));
  const list = textOf(
    eventsCard({ events: [event], filter: { site: null, type: null }, page: 1, age: AGE, added: [] }, CONTEXT),
  );
  for (const text of [detail, list]) {
    expect(text).toContain(`**Ended <t:${NOW_MS / 1000}:R>**`);
    expect(text).not.toMatch(/happening now|left/);
  }
});

test('the card of a poll shows the results', () => {
  const item: Poll = {
    discussionUrl: 'https://forums.example.com/t/1',
    site: 'www.example.com',
    questions: [
      {
        text: 'Which?',
        responses: [
          { text: 'This', voteCount: 1 },
          { text: '*That*', voteCount: 3 },
        ],
      },
      { text: 'Why?', responses: [] },
    ],
  };
  const subject = pollSubject(item);
  const card = announcementCard({ kind: 'new-poll', subject, occurrence: '', item }, ANNOUNCED);
  expectTakenByDiscord(card);
  expect(textOf(card)).toBe(
    [
      '📊 **Poll**',
      '### [Which?](<https://forums.example.com/t/1>)',
      '▰▰▰▰▰▰▰▱▱▱ 75% \\*That\\*',
      '▰▰▱▱▱▱▱▱▱▱ 25% This',
      '4 votes',
      '**Why?**',
      '0 votes',
      '-# www.example.com',
    ].join('\n'),
  );
  expect(customIdsOf(card).map(deliveryIdOf)).toEqual([DELIVERY]);
  expectTakenByDiscord(thingDetailCard(THINGS.polls, { item, age: AGE }, CONTEXT));
  expectTakenByDiscord(thingsCard(THINGS.polls, { items: [item], page: 1, age: AGE }, CONTEXT));
});

test('the card of a monkeychat shows what can be told of it', () => {
  const raw = {
    Title: 'Hm',
    Lines: [{ Character: 'Pip', Text: 'Why?' }, 'Because.'],
    DiscussionUrl: 'https://a.example/',
  };
  const subject = monkeychatSubject({ raw });
  const card = announcementCard({ kind: 'new-monkeychat', subject, occurrence: '', item: { raw } }, ANNOUNCED);
  expect(textOf(card)).toBe('🐵 **Monkeychat**\n### [Hm](<https://a.example/>)\n**Pip** Why?\nBecause.');
  for (const odd of [
    {},
    { Title: 3, Lines: [null, 4, {}], Photo: { Url: 'javascript:alert(1)' } },
    { text: '<p>x</p>' },
  ]) {
    expectTakenByDiscord(thingDetailCard(THINGS.monkeychats, { item: { raw: odd }, age: AGE }, CONTEXT));
    expectTakenByDiscord(thingsCard(THINGS.monkeychats, { items: [{ raw: odd }], page: 1, age: AGE }, CONTEXT));
  }
});

test('an event of a type that the language knows by name is shown like any other', () => {
  expect(textOf(eventCard(anEvent(1, { type: 'toString' })))).toContain('**Event started** · toString\n');
});

test('the card of a dealcast links to the video', () => {
  const card = dealcastCard(aDealcast(1));
  expect(textOf(card)).toContain('### [Dealcast 1](<https://video.example.com/1>)\nWhat is it?');
  expect(customIdsOf(card).map(deliveryIdOf)).toEqual([DELIVERY]);
});

test('a page past the end of a list is its last one', () => {
  const offers = Array.from({ length: 7 }, (_, index) => anOffer(index));
  const card = feedCard(
    {
      feed: 'Home',
      alert: null,
      meant: null,
      marketingName: 'Home & Kitchen',
      offers,
      page: 99,
      age: AGE,
      order: 'newest',
      filter: '',
      canSubscribe: true,
    },
    CONTEXT,
  );
  expect(textOf(card)).toContain('Kettle 6');
  expect(textOf(card)).not.toContain('Kettle 4');
  expect(textOf(card)).toContain('7 offers · page 2 of 2');
});
