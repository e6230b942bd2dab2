import fc from 'fast-check';
import { expect, test } from 'vitest';
import { pageMistakeCard } from '../../../src/discord/cards/form.ts';
import { pagedCard } from '../../../src/discord/cards/paged-card.ts';
import { text } from '../../../src/discord/cards/parts.ts';
import { asksForPage, decodeAction } from '../../../src/discord/custom-id.ts';
import { translatorFor } from '../../../src/discord/i18n/translator.ts';
import { anyCharacter } from '../../helpers/any-character.ts';
import { buttonsOf, customIdsOf, expectHarmless, expectTakenByDiscord, textOf } from '../../helpers/discord-form.ts';
import { NOW_MS } from '../../helpers/things.ts';

function aList(count: number, page: number, locale = 'en-US') {
  const card = pagedCard(
    {
      accentColor: 0,
      title: 'Numbers',
      things: Array.from({ length: count }, (_, index) => index + 1),
      page,
      count: String(count),
      empty: 'None',
      age: null,
      entry: (thing) => text(String(thing)),
      pageAction: (to) => ({ do: 'polls', page: to }),
    },
    { translator: translatorFor(locale), nowMs: NOW_MS },
  );
  expectTakenByDiscord(card);
  return card;
}

const rowOf = (card: ReturnType<typeof aList>) => buttonsOf(card).map(({ label, disabled }) => [label, disabled]);

test('a list has one row of buttons, short enough for a phone', () => {
  expect(rowOf(aList(75, 2))).toEqual([
    ['⏮', false],
    ['◀', false],
    ['2/15', false],
    ['▶', false],
    ['⏭', false],
  ]);
  expect(rowOf(aList(75, 1)).map(([, disabled]) => disabled)).toEqual([true, true, false, false, false]);
  expect(rowOf(aList(75, 15)).map(([, disabled]) => disabled)).toEqual([false, false, false, true, true]);
  expect(rowOf(aList(6_000, 1_200, 'de'))[2]).toEqual(['1.200/1.200', false]);
});

test('a single page has no row and does not count itself', () => {
  const card = aList(5, 1);
  expect(customIdsOf(card)).toEqual([]);
  expect(textOf(card)).toMatch(/\n-# 5$/);
  expect(textOf(aList(6, 1))).toMatch(/\n-# 6 · page 1 of 2$/);
});

test('whatever the list, its buttons lead to the ends, one page on or back, and the middle one asks for a page', () => {
  const place = fc
    .integer({ min: 2, max: 2_000 })
    .chain((pages) => fc.tuple(fc.integer({ min: 1, max: pages + 3 }), fc.constant(pages)));
  fc.assert(
    fc.property(place, ([wanted, pages]) => {
      const page = Math.min(wanted, pages);
      const ids = customIdsOf(aList(pages * 5, wanted));
      expect(ids.map(decodeAction)).toEqual(
        [1, Math.max(1, page - 1), page, Math.min(pages, page + 1), pages].map((to) => ({ do: 'polls', page: to })),
      );
      expect(ids.map(asksForPage)).toEqual([false, false, true, false, false]);
    }),
    { numRuns: 50 },
  );
});

test.each(['en-US', 'de', 'fr', 'es-ES'])(
  'whatever was entered as a page, the card that refuses it is harmless: %s',
  (locale) => {
    const entered = fc.oneof(fc.string({ unit: anyCharacter, maxLength: 5 }), fc.constantFrom('<@1>', '**'));
    fc.assert(
      fc.property(entered, (text) => {
        expectHarmless(
          pageMistakeCard({ do: 'polls', page: 3 }, { getTextInputValue: () => text }, translatorFor(locale)),
        );
      }),
      { numRuns: 100 },
    );
  },
);
