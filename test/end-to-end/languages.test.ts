import { expect, test } from 'vitest';
import type { PageMessage } from '../../packages/local-discord/src/index.ts';
import { CORE_WORDS } from '../../src/discord/i18n/catalog.ts';
import { aCatalogFolder, dealcast, event, feedItem, monkeychat, poll } from '../helpers/catalog-folder.ts';
import { aHouse, type House } from '../helpers/house.ts';

/** Most languages write a number of this size in groups of digits. */
const OFFERS = 1_200;
const { en, de, fr, es } = CORE_WORDS;
type Catalog = Readonly<Record<string, string>>;
const LANGUAGES: [locale: string, sentences: Catalog][] = [
  ['en-US', en],
  ['de', de],
  ['fr', fr],
  ['es-ES', es],
];
/** All that shows what everybody in the channel reads. */
const PUBLIC = ['/feed feed:Home', '/search words:kettle', '/events', '/dealcasts', '/polls', '/monkeychats'];
/** Answers that only the person reads, failures included. */
const PRIVATE = [
  '/subscription list',
  '/subscription add feed feed:Cellar',
  '/subscription remove id:unknown',
  '/feed feed:Cellar',
  '/offer offer:samovar',
];

const SHOWN = ['content', 'label', 'placeholder', 'description'];

/** Everything on a message that a person reads. */
function readable(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(readable);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inside]) =>
    SHOWN.includes(name) && typeof inside === 'string' ? [inside] : readable(inside),
  );
}

/** The text without addresses, which are in no language, and without the feed's name, which the catalog gives. */
const shownOn = ({ components }: PageMessage) =>
  readable(components)
    .join('\n')
    .replace(/https?:\/\/[^\s>)]+/g, '')
    .replace(/^## Home deals$/m, '');

/** A sentence's own words, without what is inserted. */
function ownWords(catalog: Catalog): string[] {
  return Object.values(catalog)
    .flatMap((sentence) => sentence.split(/\{\{.*?\}\}/))
    .map((words) => words.trim())
    .filter((words) => /\p{L}{3}/u.test(words));
}

/** Pieces of sentences of the other languages in a text that is to be in this one. */
function foreignIn(text: string, catalog: Catalog): string[] {
  const own = Object.values(catalog).join('\n').toLowerCase();
  const isWhole = (words: string) =>
    text.split(words).some((before, index, parts) => {
      const after = parts[index + 1];
      return after !== undefined && !/\p{L}$/u.test(before) && !/^\p{L}/u.test(after);
    });
  const others = LANGUAGES.filter(([, other]) => other !== catalog).flatMap(([, other]) => ownWords(other));
  return others.filter((words) => !own.includes(words.toLowerCase()) && isWhole(words));
}

/** Counts the language's own sentences in a text. */
function sentencesIn(text: string, catalog: Catalog): number {
  return ownWords(catalog).filter((words) => text.includes(words)).length;
}

async function aHouseWith(offers: number): Promise<House> {
  const folder = aCatalogFolder();
  const prices = { SalePrice: { Minimum: 1234.5, Maximum: 1234.5 }, ListPrice: { Minimum: 2000, Maximum: 4000 } };
  const items = Array.from({ length: offers }, (_, index) => feedItem(index + 1, index === offers - 1 ? prices : {}));
  folder.writeFeed('Home', items);
  folder.writeEvents([event(1), event(2, { Type: 'DealOff' })]);
  folder.writeDealcasts([dealcast(1, { Views: 12_345 })]);
  folder.writePolls([poll(1)]);
  folder.writeMonkeychats([monkeychat(1)]);
  const house = await aHouse({ content: () => folder.content });
  await house.startBot();
  return house;
}

function expectOnly(answer: PageMessage, catalog: Catalog, command: string): void {
  const text = shownOn(answer);
  expect(sentencesIn(text, catalog), `${command}\n${text}`).toBeGreaterThan(0);
  expect(foreignIn(text, catalog), command).toEqual([]);
}

test('what only one person reads is in the language of their Discord', async () => {
  const house = await aHouseWith(7);
  const { discord } = house;
  for (const [locale, catalog] of LANGUAGES) {
    // The server's language must not get in the way.
    discord.setGuildLocale(locale === 'fr' ? 'de' : 'fr');
    discord.setLocale(discord.people.ada.id, locale);
    for (const command of PRIVATE) {
      const answer = await house.asAda('deals', command);
      expect(answer.visible_to, command).toBe(discord.people.ada.id);
      expectOnly(answer, catalog, command);
    }
  }
});

test('what everybody reads is in the language of the server, with its prices and numbers, and times are left to Discord', async () => {
  const house = await aHouseWith(OFFERS);
  const { discord } = house;
  for (const [locale, catalog] of LANGUAGES) {
    discord.setGuildLocale(locale);
    discord.setLocale(discord.people.ben.id, locale === 'fr' ? 'de' : 'fr');
    const texts = new Map<string, string>();
    for (const command of PUBLIC) {
      const answer = await house.asBen('deals', command);
      expect(answer.visible_to, command).toBeNull();
      expectOnly(answer, catalog, command);
      expect(shownOn(answer), command).not.toMatch(/\d{4}-\d\d-\d\d|\b\d{1,2}:\d\d\b/);
      texts.set(command, shownOn(answer));
    }
    const dollars = new Intl.NumberFormat(locale, { style: 'currency', currency: 'USD' });
    const feed = texts.get('/feed feed:Home') ?? '';
    expect(feed).toContain(`**${dollars.format(1234.5)}** ~~${dollars.formatRange(2000, 4000)}~~`);
    expect(feed).toContain(new Intl.NumberFormat(locale).format(OFFERS));
    expect(feed).toMatch(/<t:\d+:R>/);
    expect(texts.get('/dealcasts')).toContain(new Intl.NumberFormat(locale).format(12_345));
  }
});

test('an announcement is in the language of the server', async () => {
  const house = await aHouseWith(1);
  const { discord } = house;
  discord.setGuildLocale('de');
  discord.setLocale(discord.people.ada.id, 'fr');
  const answer = await house.asAda('deals', '/subscription add feed feed:Home catch-up:1');
  expectOnly(answer, fr, 'subscription');
  const announcement = await discord.waitFor(() => house.announcements('deals')[0]);
  expectOnly(announcement, de, 'announcement');
});
