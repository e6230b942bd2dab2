import { test } from 'vitest';
import { readCommandText } from '../../packages/local-discord/src/server/command-line/text.ts';
import { wordsOf } from '../../src/deals/filter/subject.ts';
import { productKey } from '../../src/deals/known-offer.ts';
import { htmlToMarkdown } from '../../src/discord/html-markdown.ts';
import { extractReferences } from '../../src/discord/links.ts';
import { clampMarkdown, codeBlock, escapeLine, inlineCode, pagesOf } from '../../src/discord/markdown.ts';
import { expectLinearCost } from '../helpers/text-cost.ts';

const dialect = { escape: escapeLine, resolve: (address: string | null) => address };

/** The functions that foreign text goes through. */
const WORK: readonly [string, (text: string) => unknown][] = [
  ['HTML to Markdown', (text) => htmlToMarkdown(text, dialect)],
  ['HTML to pages of Markdown', (text) => pagesOf(htmlToMarkdown(text, dialect), 2600)],
  ['text to pages', (text) => pagesOf(text, 2600)],
  ['text to one long page', (text) => pagesOf(text, text.length - 1)],
  ['escaping', escapeLine],
  ['code in a line', inlineCode],
  ['code in a block', codeBlock],
  ['cutting', (text) => clampMarkdown(text, text.length - 1)],
  ['links in a message', (text) => extractReferences({ content: text })],
  ['words', wordsOf],
  ['a product by its title', (text) => productKey({ title: text, condition: null })],
  ['a command line', readCommandText],
];

test.each(WORK)('the cost of %s grows with the length of the text, whatever it is', (_, work) => {
  expectLinearCost(work);
});
