import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FIELDS, parseFilter } from '../../../src/deals/filter/index.ts';
import type { Language } from '../../../src/discord/i18n/catalog.ts';
import { readPhrases } from '../../../src/features/phrases/read.ts';
import { PHRASES } from './table.ts';

const LANGUAGES: readonly Language[] = ['en', 'de', 'fr', 'es'];

test.each(PHRASES)('$language: “$written” means $read', ({ language, written, read }) => {
  expect(readPhrases(written, language)).toBe(read);
});

test('what a phrase means is a filter', () => {
  const meant = PHRASES.filter(({ read, written }) => read !== written);
  for (const { read, written } of meant) expect(parseFilter(read).ok, `${written}: ${read}`).toBe(true);
});

test('each language has as many phrases as any', () => {
  for (const language of LANGUAGES) {
    expect(PHRASES.filter((phrase) => phrase.language === language).length, language).toBeGreaterThanOrEqual(75);
  }
});

/** The documentation of filters, without what is said of phrases. */
const DOCUMENTED = readFileSync(new URL('../../../docs/filters.md', import.meta.url), 'utf8').replace(
  /^## In your own words$[\s\S]*?(?=^## )/m,
  '',
);
/** Filters in their own form: of the documentation, and of each field's example. */
const FILTERS = [
  ...FIELDS.map(({ example }) => example),
  ...[...DOCUMENTED.matchAll(/^\| (.+?) \|/gm)]
    .flatMap(([, cell = '']) => [...cell.matchAll(/`([^`]+)`/g)])
    .map(([, written = '']) => written)
    .filter((written) => parseFilter(written).ok),
];

test.each(FILTERS)('a filter %s is read as itself in every language', (filter) => {
  for (const language of LANGUAGES) expect(readPhrases(filter, language), language).toBe(filter);
});

test('what is in quotes stays as it is', () => {
  for (const { written, language } of PHRASES.filter(({ written }) => !/["/]/.test(written))) {
    expect(readPhrases(`"${written}"`, language)).toBe(`"${written}"`);
    expect(readPhrases(`„${written}“ ssd`, language)).toBe(`„${written}“ ssd`);
  }
});

/** Texts of phrases, words, filters and signs in any order. */
const piece = fc.oneof(
  fc.constantFrom(...PHRASES.map(({ written }) => written)),
  fc.constantFrom(...FILTERS, 'kettle', '(', ')', 'OR', '-', '"', '/', '<', '60', '$', '%', '’', '🎉'),
  fc.string({ maxLength: 6 }),
);
const texts = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(' '));

test('what was read is read as itself', () => {
  fc.assert(
    fc.property(texts, fc.constantFrom(...LANGUAGES), (text, language) => {
      const read = readPhrases(text, language);
      expect(readPhrases(read, language)).toBe(read);
    }),
  );
});

test('a filter without a mistake gets none by being read', () => {
  fc.assert(
    fc.property(texts, fc.constantFrom(...LANGUAGES), (text, language) => {
      fc.pre(text.length < 500 && parseFilter(text).ok);
      expect(parseFilter(readPhrases(text, language))).toMatchObject({ ok: true });
    }),
  );
});
