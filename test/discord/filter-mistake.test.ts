import { expect, test } from 'vitest';
import { requireFilter } from '../../src/discord/filter-mistake.ts';
import { translatorFor } from '../../src/discord/i18n/translator.ts';
import { UserError } from '../../src/shared/errors.ts';

function refusalOf(text: string, locale: string): string {
  try {
    requireFilter(text);
  } catch (error) {
    if (error instanceof UserError && error.localized) return translatorFor(locale).translate(error.localized);
    throw error;
  }
  throw new Error(`${text} was taken.`);
}

test.each([
  ['en-US', 'There’s no field “prise”. Did you mean price?'],
  ['de', 'Das Feld „prise“ gibt es nicht. Meintest du price?'],
  ['fr', 'Le champ « prise » n’existe pas. Voulais-tu dire price ?'],
  ['es-ES', 'No existe el campo «prise». ¿Querías decir price?'],
])('a mistake is told in %s, with its place under it', (locale, sentence) => {
  const refusal = refusalOf('ssd prise:<50', locale);
  expect(refusal).toContain(sentence);
  expect(refusal).toContain('\n```\nssd prise:<50\n    ^^^^^\n```');
});

test('what may stand there is joined as the language joins alternatives', () => {
  expect(refusalOf('price:<abc', 'en-US')).toContain('Example: 50 or 49');
  expect(refusalOf('price:<abc', 'fr')).toContain('50 ou 49');
});

test('what a person wrote neither ends the block nor means anything beside it', () => {
  const refusal = refusalOf('```@everyone``` a*b', 'en-US');
  expect(refusal.match(/`{3}/g)).toHaveLength(2);
  expect(refusalOf('price:<`*x*`', 'en-US')).toContain('“\\`\\*x\\*\\`” isn’t a number');
});
