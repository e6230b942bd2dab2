import { expect, test } from 'vitest';
import { readCommandText } from '../../packages/local-discord/src/server/command-line/text.ts';
import { wordsOf } from '../../src/deals/filter/subject.ts';
import { productKey } from '../../src/deals/known-offer.ts';
import { calendarEntry } from '../../src/discord/cards/calendar-entry.ts';
import { htmlToMarkdown } from '../../src/discord/html-markdown.ts';
import { translatorFor } from '../../src/discord/i18n/translator.ts';
import { extractReferences } from '../../src/discord/links.ts';
import { clampMarkdown, codeBlock, escapeLine, inlineCode, pagesOf } from '../../src/discord/markdown.ts';
import { HOSTILE_TEXTS } from '../helpers/hostile-texts.ts';
import { anEvent, anEventOffer } from '../helpers/things.ts';

const dialect = { escape: escapeLine, resolve: (address: string | null) => address };

function entryOf(text: string): unknown {
  const event = anEvent(1, {
    title: text,
    subtitle: text,
    site: text,
    type: text,
    offers: [anEventOffer(1, { title: text })],
  });
  return calendarEntry(event, { mark: 'mark', hasKnownEnd: true }, translatorFor('en-US'));
}

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
  ['an entry of an Events list', entryOf],
];

const SHORT = 10_000;
const TIMES = 16;
/** Times the cost of a text that is 16 times as long: linear takes 16, quadratic 256. */
const MOST_RATIO = 48;
/** Collecting garbage once. A quadratic search of the long text takes seconds. */
const ALLOWANCE_US = 100_000;
const MOST_TRIES = 5;

/** Microseconds of the processor: they don't count what else runs on the machine. */
function costOf(work: () => unknown): number {
  const start = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(start);
  return user + system;
}

test.each(WORK)('the cost of %s grows with the length of the text, whatever it is', (_, work) => {
  for (const [name, make] of Object.entries(HOSTILE_TEXTS)) {
    const [short, long] = [make(SHORT), make(SHORT * TIMES)];
    expect(long).toHaveLength(TIMES * SHORT);
    let shortCost = Infinity;
    let longCost = Infinity;
    // The least of some tries: what is linear needs one, what is quadratic gets no better.
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      shortCost = Math.min(
        shortCost,
        costOf(() => work(short)),
      );
      longCost = Math.min(
        longCost,
        costOf(() => work(long)),
      );
      if (longCost <= shortCost * MOST_RATIO + ALLOWANCE_US) break;
    }
    expect(longCost, `${name}: microseconds`).toBeLessThanOrEqual(shortCost * MOST_RATIO + ALLOWANCE_US);
  }
});
