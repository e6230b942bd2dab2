import { expect, test } from 'vitest';
import { emptyView } from '../../src/page/state.ts';
import { filled, piecesOf, wordsOf } from '../../src/page/words.ts';
import { pageState } from './page-data.ts';

function wordsIn(preferred_locale: string) {
  const guild = { ...pageState().guild, preferred_locale } as ReturnType<typeof pageState>['guild'];
  return wordsOf({ server: pageState({ guild }), view: emptyView });
}

test.each(['de', 'fr', 'es-ES'])('in %s each text has what the English one has filled in', (locale) => {
  const [english, words] = [wordsIn('en-US'), wordsIn(locale)];
  expect(words).not.toEqual(english);
  const numberOf = (text: string) => piecesOf(text).length;
  for (const [key, text] of Object.entries(english)) {
    expect(numberOf(words[key as keyof typeof words]), key).toBe(numberOf(text));
  }
  for (const name of ['name', 'source']) {
    for (const key of ['pinned', 'followed'] as const) {
      expect(piecesOf(words[key]).includes(name), key).toBe(piecesOf(english[key]).includes(name));
    }
  }
});

test('a language that the page does not speak is English', () => {
  expect(wordsIn('ja')).toEqual(wordsIn('en-US'));
});

test('what fills a text is not read again', () => {
  expect(filled('Follow {channel}', '#$& {x}')).toBe('Follow #$& {x}');
});
