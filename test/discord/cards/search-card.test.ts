import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Offer } from '../../../src/deals/offer.ts';
import { offerChoiceCard } from '../../../src/discord/cards/offer-card.ts';
import { type SearchView, searchCard } from '../../../src/discord/cards/offer-list-cards.ts';
import { SEARCH_ROOM } from '../../../src/discord/custom-id.ts';
import { translatorFor } from '../../../src/discord/i18n/translator.ts';
import { anyCharacter } from '../../helpers/any-character.ts';
import { expectTakenByDiscord, textOf } from '../../helpers/discord-form.ts';
import { anOffer, NOW_MS, uuid } from '../../helpers/things.ts';

const CONTEXT = { translator: translatorFor('en-US'), nowMs: NOW_MS };

const COVERAGE = { searched: 3, all: 11, oldestMs: NOW_MS, unreadable: [], hasMore: true, quotaReturnsAtMs: null };

const choicesOf = (offers: readonly Offer[]) => offers.map((offer) => ({ id: offer.id, title: null, listed: offer }));

test('a choice of more offers than a menu holds says that there are more', () => {
  const known = choicesOf(Array.from({ length: 26 }, (_, index) => anOffer(index)));
  const card = offerChoiceCard([...known, { id: uuid(99), title: null, listed: null }], CONTEXT);
  expectTakenByDiscord(card);
  expect(textOf(card)).toContain('and 2 more');
});

test('a choice names an offer as well as it is known', () => {
  const mentioned = [
    { id: uuid(1), title: 'Old name', listed: anOffer(1) },
    { id: uuid(2), title: 'Samovar', listed: null },
    { id: uuid(3), title: null, listed: null },
  ];
  const labels = JSON.stringify(offerChoiceCard(mentioned, CONTEXT)).match(/"label":"[^"]*"/g);
  expect(labels).toEqual(['"label":"Kettle 1"', '"label":"Samovar"', `"label":"${uuid(3)}"`]);
});

test('whatever was typed and found, Discord takes the card', () => {
  const text = fc.oneof(
    fc.string({ unit: anyCharacter, minLength: 1, maxLength: SEARCH_ROOM }),
    fc.constantFrom('@everyone', '*'.repeat(SEARCH_ROOM), '[x](https://a.example/)'),
  );
  fc.assert(
    fc.property(text, fc.array(text, { maxLength: 12 }), fc.nat(4), fc.boolean(), (query, titles, page, isCut) => {
      const filter = (titles[0] ?? '').slice(0, SEARCH_ROOM - query.length);
      const coverage = { ...COVERAGE, unreadable: titles, hasMore: isCut };
      const offers = titles.map((title, index) => anOffer(index, { title: title.trim() || 'x' }));
      const shown = {
        page: page + 1,
        age: null,
        order: 'discount',
        coverage,
        alert: null,
        posted: isCut ? { feed: 'Home', filter } : null,
      } as const;
      const view: SearchView = { query, isCut, offers, filter, ...shown };
      const card = searchCard(view, CONTEXT);
      expectTakenByDiscord(card);
      expectTakenByDiscord(offerChoiceCard(choicesOf(offers), CONTEXT));
      expect(textOf(card)).not.toMatch(/(?<!\\)(?:\\\\)*@everyone/);
    }),
    { numRuns: 200 },
  );
});
