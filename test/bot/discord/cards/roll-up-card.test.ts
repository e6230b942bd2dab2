import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Announcement } from '../../../../src/bot/deals/announcement.ts';
import { rollUpCard, rollUpListCard } from '../../../../src/bot/discord/cards/roll-up-card.ts';
import { translatorFor } from '../../../../src/bot/discord/i18n/translator.ts';
import { customIdsOf, expectTakenByDiscord, textOf } from '../../../helpers/discord-form.ts';
import { aDealcast, anEvent, anOffer, NOW_MS, newOfferOf } from '../../../helpers/things.ts';

const context = { translator: translatorFor('en-US'), nowMs: NOW_MS };

test('the best few are shown, what is featured first, and how many more there are', () => {
  const offers = Array.from({ length: 20 }, (_, index) => anOffer(index + 1, { isFeatured: index === 19 }));
  const cheapest = anOffer(21, { salePrice: { minimum: 1, maximum: 1 } });
  const card = rollUpCard(
    { deliveryId: 'd', announcements: [...offers, cheapest].map(newOfferOf), limit: null },
    context,
  );
  const titles = [...textOf(card).matchAll(/\[(Kettle \d+)\]/g)].map(([, title]) => title);
  expect(titles.slice(0, 2)).toEqual(['Kettle 20', 'Kettle 21']);
  expect(textOf(card)).toContain('21 announcements');
  expect(textOf(card)).toContain('and 15 more');
  expect(customIdsOf(card)).toEqual(['roll-up:d:1']);
});

test('where the hourly limit brings them together, the post says so, and when the next one comes', () => {
  const limit = { mostPerHour: 30, nextPostAtMs: NOW_MS };
  const announcements = [newOfferOf(anOffer(1)), newOfferOf(anOffer(2))];
  const text = textOf(rollUpCard({ deliveryId: 'd', announcements, limit }, context));
  expect(text).toContain(`Hourly limit of 30 posts reached · next post at <t:${NOW_MS / 1000}:t>`);
  expect(textOf(rollUpCard({ deliveryId: 'd', announcements, limit: null }, context))).not.toContain('Hourly limit');
});

test('what is told of one thing is one entry, as the thing is now', () => {
  const item = anOffer(1, { salePrice: { minimum: 10, maximum: 10 } });
  const before = { minimum: 20, maximum: 20 };
  const drop: Announcement = { kind: 'price-drop', subject: item.id, occurrence: '20-10', item, before };
  const announcements = [newOfferOf(anOffer(1)), newOfferOf(anOffer(2)), drop];
  for (const card of [
    rollUpCard({ deliveryId: 'd', announcements, limit: null }, context),
    rollUpListCard({ rollUpId: 'd', announcements, page: 1 }, context),
  ]) {
    expect(textOf(card)).toContain('2 announcements');
    expect(textOf(card).split('[Kettle 1]')).toHaveLength(2);
    expect(textOf(card)).toContain('$10.00');
  }
});

test('whatever is in it, Discord takes it', () => {
  const texts = fc.string({ unit: 'binary', minLength: 1, maxLength: 300 });
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
      (all, page) => {
        const limit = { mostPerHour: page, nextPostAtMs: NOW_MS + page };
        const announcements = all.map((one, index) => ({ ...one, subject: `${index}` }));
        expectTakenByDiscord(rollUpCard({ deliveryId: 'd'.repeat(22), announcements, limit }, context));
        expectTakenByDiscord(rollUpListCard({ rollUpId: 'd'.repeat(22), announcements, page }, context));
      },
    ),
    { numRuns: 50 },
  );
});
