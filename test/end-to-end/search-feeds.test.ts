import { expect, test } from 'vitest';
import { FEED_NAMES } from '../../packages/catalog-service/src/index.ts';
import { HOUR_MS, MINUTE_MS } from '../../src/shared/time.ts';
import { aCatalogFolder, feedItem } from '../helpers/catalog-folder.ts';
import { customIdsOf, textOf } from '../helpers/discord-form.ts';
import { aHouse, type House } from '../helpers/house.ts';

const SAMOVAR = { Title: 'Copper Samovar' };

/** A house whose catalog has one offer in each feed and a samovar in Tools, and the feeds that were asked for. */
async function aHouseOfFeeds(changes: Record<string, string> = {}) {
  const folder = aCatalogFolder();
  for (const [index, name] of FEED_NAMES.entries()) folder.writeFeed(name, [feedItem(index + 1)]);
  folder.writeFeed('Tools', [feedItem(50, { ...SAMOVAR, Categories: ['TOOLS'] })]);
  const asked: string[] = [];
  const content = {
    ...folder.content,
    at(nowMs: number, origin: string) {
      const moment = folder.content.at(nowMs, origin);
      return {
        ...moment,
        feed(name: (typeof FEED_NAMES)[number]) {
          asked.push(name);
          return moment.feed(name);
        },
      };
    },
  };
  const house = await aHouse({ content: () => content });
  const app = await house.startBot(changes);
  // The service itself looks at every feed when it starts.
  asked.length = 0;
  return { house, app, folder, asked };
}

const moreIn = (message: Parameters<typeof customIdsOf>[0]) =>
  customIdsOf(message).find((id) => id.startsWith('more:'));

/** Clicks on Search more as Ben, and again while the bot does not know yet that its last answer has arrived. */
async function searchMore(house: House, message: Parameters<House['click']>[0]) {
  for (;;) {
    const answer = await house.click(message, moreIn(message) ?? '');
    if (!textOf(answer).includes('Already on its way.')) return answer;
  }
}

test('/search reads the feeds that its words name, three at most, and says what it has searched', async () => {
  const { house, asked } = await aHouseOfFeeds();
  const found = await house.asBen('deals', '/search words:"samovar tool"');
  expect(asked).toHaveLength(3);
  expect(asked[0]).toBe('Tools');
  expect(textOf(found)).toContain('[Copper Samovar]');
  expect(textOf(found)).toMatch(/Searched 3 of 11 feeds · oldest data <t:\d+:R>/);
  expect(textOf(found)).not.toContain('Couldn’t read');
});

test('*Search more* reads the next feeds until all are read, and nothing is read twice', async () => {
  const { house, asked } = await aHouseOfFeeds();
  let list = await house.asBen('deals', '/search words:samovar');
  expect(textOf(list)).toContain('Search more, or try other words.');
  for (const searched of [6, 9, 11]) {
    list = await searchMore(house, list);
    expect(textOf(list)).toContain(`Searched ${searched} of 11 feeds`);
  }
  expect(textOf(list)).toContain('[Copper Samovar]');
  expect(moreIn(list)).toBeUndefined();
  expect([...asked].sort()).toEqual([...FEED_NAMES].sort());
});

test('turning pages and sorting read nothing, and a feed is read again after three hours, not before', async () => {
  const { house, asked } = await aHouseOfFeeds({ CATALOG_FEEDS: 'Home,Tools' });
  const list = await house.asBen('deals', '/search words:"kettle samovar"');
  expect([...asked].sort()).toEqual(['Home', 'Tools']);
  expect(textOf(list)).toContain('Searched 2 of 2 feeds');
  const sorted = await house.choose(list, 'menu:order', 'find:1:price:14:kettle samovar');
  expect(textOf(sorted)).toContain('2 offers');
  await house.clock.advance(3 * HOUR_MS);
  await house.asBen('deals', '/search words:kettle');
  expect(asked).toHaveLength(2);
  await house.clock.advance(1);
  await house.asBen('deals', '/search words:kettle');
  expect(asked).toHaveLength(4);
});

test('a feed that is followed is not read for a search', async () => {
  const { house, app, asked } = await aHouseOfFeeds({ CATALOG_FEEDS: 'Home,Tools' });
  await house.asAda('deals', '/subscription add feed feed:tools catch-up:0');
  await app.tick();
  expect(asked).toEqual(['Tools']);
  const found = await house.asBen('deals', '/search words:samovar');
  expect(asked).toEqual(['Tools', 'Home']);
  expect(textOf(found)).toContain('[Copper Samovar]');
});

test('a feed that can not be read is named, and tried again after a quarter of an hour', async () => {
  const { house, asked } = await aHouseOfFeeds({ CATALOG_FEEDS: 'Tools,Nowhere' });
  const found = await house.asBen('deals', '/search words:samovar');
  expect(textOf(found)).toContain('[Copper Samovar]');
  expect(textOf(found)).toContain('Searched 1 of 2 feeds');
  expect(textOf(found)).toContain('⚠ Couldn’t read Nowhere');
  expect(moreIn(found)).toBeUndefined();
  await house.clock.advance(15 * MINUTE_MS);
  expect(moreIn(await house.asBen('deals', '/search words:samovar'))).toBeUndefined();
  await house.clock.advance(1);
  // It is tried with the search itself.
  expect(textOf(await house.asBen('deals', '/search words:samovar'))).toContain('⚠ Couldn’t read Nowhere');
  expect(asked).toEqual(['Tools']);
});

test('a catalog that is away costs the known results nothing', async () => {
  const { house, app } = await aHouseOfFeeds({ CATALOG_FEEDS: 'Tools,Home' });
  await house.asBen('deals', '/feed feed:Tools');
  await app.stop();
  // Nobody listens on the discard port of loopback.
  await house.startBot({ CATALOG_FEEDS: 'Tools,Home', CATALOG_PORTAL_URL: 'http://127.0.0.1:9' });
  const answer = house
    .asBen('deals', '/search words:samovar')
    .then((first) => house.untilItSays(first, '⚠ Couldn’t read Home'));
  let said: string | null = null;
  const saying = answer.then((message) => {
    said = textOf(message);
  });
  while (said === null) {
    await Promise.race([saying, house.clock.untilSleeping((ms) => ms < 30_000)]);
    if (said === null) await house.clock.advance(1_000);
  }
  expect(said).toContain('[Copper Samovar]');
});

test('searches leave half of people’s reserve to other commands, and say when more feeds can be searched', async () => {
  const { house, asked } = await aHouseOfFeeds({ CATALOG_PORTAL_QUOTA: '12' });
  // Six of 12 requests are people's, and searches leave 3.
  let list = await house.asBen('deals', '/search words:samovar');
  for (let times = 0; times < 2; times += 1) list = await searchMore(house, list);
  expect(asked).toHaveLength(9);
  expect(moreIn(list)).toBeUndefined();
  expect(textOf(list)).toMatch(/Today’s catalog quota is used up. More feeds can be searched at <t:\d+:t>/);
  await house.asBen('deals', '/search words:kettle');
  expect(asked).toHaveLength(9);
  expect(textOf(await house.asBen('deals', '/feed feed:DealOff'))).toContain('offer');
});

test('who has asked a lot finds what is known, and is told so on *Search more*', async () => {
  const strange = Array.from({ length: 15 }, (_, index) => `Strange${index}`);
  const { house } = await aHouseOfFeeds({ CATALOG_FEEDS: ['Tools', ...strange].join() });
  const ask = () => house.asBen('deals', '/search words:"samovar tools"');
  // Twelve requests at once are a person's.
  for (let times = 0; times < 4; times += 1) await ask();
  const known = await ask();
  expect(textOf(known)).toContain('[Copper Samovar]');
  expect(textOf(known)).toContain('Searched 1 of 16 feeds');
  expect(moreIn(known)).toBeDefined();
  const refusal = await searchMore(house, known);
  expect(textOf(refusal)).toContain('You’re going a bit fast');
  expect(refusal.visible_to).toBe(house.discord.people.ben.id);
});

test('/search filters and sorts as /feed does, and its buttons keep that over a restart', async () => {
  const folder = aCatalogFolder();
  const price = (minimum: number) => ({ Minimum: minimum, Maximum: minimum });
  folder.writeFeed('Home', [
    ...Array.from({ length: 7 }, (_, index) => feedItem(index + 1, { SalePrice: price(70 - 10 * index) })),
    feedItem(8, { SalePrice: price(1), IsSoldOut: true }),
  ]);
  const house = await aHouse({ content: () => folder.content });
  const app = await house.startBot({ CATALOG_FEEDS: 'Home' });
  const numbers = (text: string) => [...text.matchAll(/Kettle (\d)\]/g)].map(([, number]) => Number(number));
  const first = await house.asBen('deals', '/search words:kettle filter:"price:<=60" order:price');
  expect(numbers(textOf(first))).toEqual([7, 6, 5, 4, 3]);
  expect(textOf(first)).toContain('-# Filter: **price:\\<=60**');
  expect(textOf(first)).toContain('7 offers');
  await app.stop();
  await house.startBot({ CATALOG_FEEDS: 'Home' });
  const next = customIdsOf(first).find((id) => id.startsWith('next>')) ?? '';
  expect(next).toBe('next>find:2:price:6:kettleprice:<=60');
  // A sold-out offer comes last, however cheap.
  expect(numbers(textOf(await house.click(first, next)))).toEqual([2, 8]);
});

test('a mistake in the filter is answered in private, and reads nothing', async () => {
  const { house, asked } = await aHouseOfFeeds();
  for (const [filter, sentence] of [
    ['"price:<cheap"', 'isn’t a number'],
    [`"${'kettle '.repeat(10)}"`, 'That filter is 69 characters long; lists can take up to 47'],
  ]) {
    const told = await house.asBen('deals', `/search words:kettle filter:${filter}`);
    expect(textOf(told)).toContain(sentence);
    expect(told.visible_to).toBe(house.discord.people.ben.id);
  }
  expect(asked).toEqual([]);
});
