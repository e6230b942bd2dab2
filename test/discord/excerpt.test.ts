import fc from 'fast-check';
import { expect, test } from 'vitest';
import { excerptOf, pagesOf } from '../../src/discord/markdown.ts';

test.each([
  ['a sentence', 'One is here. Two is here. Three is here.', 30, ['One is here. Two is here.', 'Three is here.']],
  ['a paragraph', 'One\ntwo three\nfour', 14, ['One\ntwo three', 'four']],
  ['a word, where no sentence ends', 'one two three four', 10, ['one two', 'three four']],
  [
    'before a link',
    'Go to the [place. It is](<https://a.example/>) now.',
    40,
    ['Go to the', '[place. It is](<https://a.example/>)', 'now.'],
  ],
  ['before what is bold', 'One two **three. Four** five', 18, ['One two', '**three. Four**', 'five']],
  ['anywhere, in an endless word', 'aaaaaaaaaa', 4, ['aaaa', 'aaaa', 'aa']],
  ['not behind a backslash', 'aaa\\*bbb', 4, ['aaa', '\\*bb', 'b']],
])('a page ends after %s', (_, markdown, most, pages) => {
  expect(pagesOf(markdown, most)).toEqual(pages);
});

test('pages lose nothing but the white space between them, and none is too long', () => {
  const markdown = fc.array(
    fc.constantFrom('word', ' ', '. ', '**', '\n', '\\*', '[x](<https://a.example/>)', '\u{1F600}'),
  );
  fc.assert(
    fc.property(markdown, fc.integer({ min: 3, max: 60 }), (parts, most) => {
      const pages = pagesOf(parts.join(''), most);
      expect(pages.join('').replace(/\s/g, '')).toBe(parts.join('').replace(/\s/g, ''));
      for (const page of pages) expect(page.length).toBeLessThanOrEqual(most);
    }),
  );
});

test('an excerpt says that there is more', () => {
  expect(excerptOf('One is here. Two is here.', 20)).toBe('One is here. …');
  expect(excerptOf('One.', 20)).toBe('One.');
});
