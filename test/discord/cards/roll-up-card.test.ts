import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Announcement } from '../../../src/deals/announcement.ts';
import {
  inRollUpOrder,
  type RollUpContent,
  rollUpCard,
  rollUpListCard,
} from '../../../src/discord/cards/announcement-card.ts';
import { translatorFor } from '../../../src/discord/i18n/translator.ts';
import { anyCharacter } from '../../helpers/any-character.ts';
import { customIdsOf, expectTakenByDiscord, textOf } from '../../helpers/discord-form.ts';
import { aDealcast, anEvent, anOffer, NOW_MS, newOfferOf, uuid } from '../../helpers/things.ts';

const context = { translator: translatorFor('en-US'), nowMs: NOW_MS };

const DELIVERY = 'd'.repeat(22);

function held(announcements: readonly Announcement[], content: Partial<RollUpContent> = {}): RollUpContent {
  return { reason: null, feeds: [], announcements: inRollUpOrder(announcements), ...content };
}
const postOf = (content: RollUpContent, limit: { mostPerHour: number; nextPostAtMs: number } | null = null) =>
  rollUpCard({ ...content, deliveryId: DELIVERY, limit }, context);
const listOf = (content: RollUpContent, page = 1) => rollUpListCard({ ...content, rollUpId: DELIVERY, page }, context);
const titlesIn = (text: string) => [...text.matchAll(/\[(Kettle \d+)\]/g)].map(([, title]) => title);

test('the best come first, of equals what is featured, in the post, its menu and the whole list alike', () => {
  const offers = Array.from({ length: 20 }, (_, index) => anOffer(index + 1, { isFeatured: index === 19 }));
  const cheapest = anOffer(21, { salePrice: { minimum: 1, maximum: 1 } });
  const content = held([...offers, cheapest].map(newOfferOf));
  const post = postOf(content);
  const order = ['Kettle 21', 'Kettle 20', ...Array.from({ length: 19 }, (_, index) => `Kettle ${index + 1}`)];
  expect(titlesIn(textOf(post))).toEqual(order.slice(0, 12));
  expect(textOf(post)).toContain('and 9 more');
  expect([...JSON.stringify(post).matchAll(/"label":"(Kettle \d+)"/g)].map(([, title]) => title)).toEqual(order);
  const pages = [1, 2, 3, 4, 5].flatMap((page) => titlesIn(textOf(listOf(content, page))));
  expect(pages).toEqual(order);
  expect(customIdsOf(post)).toEqual(['menu:open', `roll-up:${DELIVERY}:1`]);
});

test('a line tells the kind, the discount and the price, and that an offer is over', () => {
  const dropped: Announcement = {
    kind: 'price-drop',
    subject: uuid(1),
    occurrence: '',
    item: anOffer(1),
    before: { minimum: 30, maximum: 30 },
  };
  const over = newOfferOf(anOffer(2, { isSoldOut: true, soldOutAfterMs: 14 * 60_000 }));
  const ended = { ...EVENT, item: anEvent(3, { endDateMs: NOW_MS }) };
  const lines = textOf(postOf(held([dropped, over, ended]))).split('\n');
  expect(lines.slice(2)).toEqual([
    '🎪 ~~[Event 3](<https://www.example.com/offers/blender-103>)~~ · Daily',
    '📉 **−50%** · $20.00 · [Kettle 1](<https://www.example.com/offers/kettle-1>)',
    '🆕 ~~[Kettle 2](<https://www.example.com/offers/kettle-2>)~~ · **Sold out after 14 minutes**',
  ]);
});

const OFFERS = [newOfferOf(anOffer(1)), newOfferOf(anOffer(2))];
const EVENT = { kind: 'event-started', subject: 'e', occurrence: '', item: anEvent(3) } as const;

test.each<[string, readonly Announcement[], Pick<RollUpContent, 'reason' | 'feeds'>]>([
  ['2 deals in Tools · hourly limit', OFFERS, { reason: 'limit', feeds: ['Tools'] }],
  ['2 deals in Tools and Home · catching up', OFFERS, { reason: 'late', feeds: ['Tools', 'Home'] }],
  ['Daily digest · 2 deals', OFFERS, { reason: 'daily', feeds: ['Tools', 'Home', 'Sport'] }],
  ['2 deals', OFFERS, { reason: null, feeds: [] }],
  ['Hourly digest · 1 event', [EVENT], { reason: 'hourly', feeds: [] }],
  ['Daily digest · 1 event and 2 deals', [...OFFERS, EVENT], { reason: 'daily', feeds: [] }],
])('it is named by what it holds: %s', (name, announcements, content) => {
  expect(textOf(postOf(held(announcements, content))).split('\n')[1]).toBe(`-# ${name}`);
  expect(textOf(listOf(held(announcements, content))).split('\n')[0]).toBe(`## ${name}`);
});

test('a notification, which shows its beginning, names three of the best and how many there are', () => {
  const title = (number: number) => `Kettle ${number} with a name that says all that it can do`;
  const all = [1, 2, 3, 4, 5].map((number) => newOfferOf(anOffer(number, { title: title(number) })));
  expect(
    textOf(postOf(held(all)))
      .split('\n')
      .slice(0, 2),
  ).toEqual(['**Kettle 1 with a nam…, Kettle 2 with a nam…, Kettle 3 with a nam… +2**', '-# 5 deals']);
});

test('where the hourly limit brings them together, the post says so, and when the next one comes', () => {
  const text = textOf(postOf(held(OFFERS), { mostPerHour: 30, nextPostAtMs: NOW_MS }));
  expect(text).toContain(`At most 30 posts per hour · next slot <t:${NOW_MS / 1000}:t>`);
  expect(textOf(postOf(held(OFFERS)))).not.toContain('per hour');
});

test('what is told of one thing is one entry, as the thing is now', () => {
  const item = anOffer(1, { salePrice: { minimum: 10, maximum: 10 } });
  const before = { minimum: 20, maximum: 20 };
  const drop: Announcement = { kind: 'price-drop', subject: item.id, occurrence: '20-10', item, before };
  const content = held([newOfferOf(anOffer(1)), newOfferOf(anOffer(2)), drop]);
  for (const card of [postOf(content), listOf(content)]) {
    expect(textOf(card)).toContain('2 deals');
    expect(textOf(card).split('[Kettle 1]')).toHaveLength(2);
    expect(textOf(card)).toContain('$10.00');
  }
});

test('whatever is in it, Discord takes it', () => {
  const texts = fc.string({ unit: anyCharacter, minLength: 1, maxLength: 300 });
  const announcements = fc.oneof(
    texts.map((title) => newOfferOf(anOffer(1, { title, condition: title, url: `https://a.example/${title}` }))),
    texts.map((title) => ({
      kind: 'event-started' as const,
      subject: 'e',
      occurrence: '',
      item: anEvent(1, { title, site: title, type: title }),
    })),
    texts.map((title) => ({
      kind: 'new-dealcast' as const,
      subject: 'd',
      occurrence: '',
      item: aDealcast(1, { title, site: title }),
    })),
    texts.map((text) => ({
      kind: 'new-poll' as const,
      subject: 'p',
      occurrence: '',
      item: { discussionUrl: `https://a.example/${text}`, site: text, questions: [{ text, responses: [] }] },
    })),
    fc.constant({ kind: 'new-monkeychat' as const, subject: 'm', occurrence: '', item: { raw: {} } }),
  );
  fc.assert(
    fc.property(
      fc.array(announcements, { minLength: 1, maxLength: 30 }),
      fc.integer({ min: 1, max: 99 }),
      texts,
      (all, page, feed) => {
        const limit = { mostPerHour: page, nextPostAtMs: NOW_MS + page };
        const announcements = all.map((one, index) => ({ ...one, subject: `${index}` }));
        const content = held(announcements, { feeds: [feed] });
        expectTakenByDiscord(postOf(content, limit));
        expectTakenByDiscord(listOf(content, page));
      },
    ),
    { numRuns: 50 },
  );
});
