import fc from 'fast-check';
import { expect, test } from 'vitest';
import { pageMistakeCard, withWrittenPage } from '../../../src/discord/cards/form.ts';
import { translatorFor } from '../../../src/discord/i18n/translator.ts';
import { expectHarmless } from '../../helpers/discord-form.ts';

const POLLS = { do: 'polls', page: 3 } as const;
const written = (text: string) => ({ getTextInputValue: () => text });

test.each([
  ['', 3],
  [' 2 ', 2],
  ['99999', 99_999],
  ['0', null],
  ['100000', null],
  ['1.5', null],
  ['two', null],
])('%j opens page %j', (text, page) => {
  expect(withWrittenPage(POLLS, written(text))?.page ?? null).toBe(page);
});

test.each(['en-US', 'de', 'fr', 'es-ES'])(
  'whatever was entered, the card that refuses it is harmless: %s',
  (locale) => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary', maxLength: 5 }), fc.constantFrom('<@1>', '**')), (text) => {
        const card = pageMistakeCard(POLLS, written(text), translatorFor(locale));
        expectHarmless(card);
      }),
      { numRuns: 100 },
    );
  },
);
