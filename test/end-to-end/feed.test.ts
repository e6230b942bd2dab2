import { expect, test } from 'vitest';
import { HOUR_MS, MINUTE_MS } from '../../src/shared/time.ts';
import { aCatalogFolder, feedItem } from '../helpers/catalog-folder.ts';
import { customIdsOf, textOf } from '../helpers/discord-form.ts';
import { aHouse } from '../helpers/house.ts';

async function aHouseWithHome(changes: Record<string, string> = {}) {
  const folder = aCatalogFolder();
  const price = (minimum: number) => ({ Minimum: minimum, Maximum: minimum });
  folder.writeFeed('Home', [
    ...Array.from({ length: 6 }, (_, index) => feedItem(index + 1, { SalePrice: price(10 * (index + 1)) })),
    feedItem(7, { Title: 'Lamp 7', SalePrice: price(1), EndDate: '2026-11-22T05:00:00+00:00' }),
  ]);
  const house = await aHouse({ content: () => folder.content });
  const app = await house.startBot(changes);
  return { house, app };
}

const numbersIn = (text: string) => [...text.matchAll(/^### \[\w+ (\d)\]/gm)].map(([, number]) => Number(number));

test('/feed sorts', async () => {
  const { house } = await aHouseWithHome();
  for (const [order, expected] of [
    ['newest', [7, 6, 5, 4, 3]],
    ['price', [7, 1, 2, 3, 4]],
    ['discount', [7, 1, 2, 3, 6]],
    ['ending', [7, 6, 5, 4, 3]],
  ] as const) {
    expect(numbersIn(textOf(await house.asBen('deals', `/feed feed:Home order:${order}`))), order).toEqual(expected);
  }
});

test('/feed filters, and its buttons keep filter and order', async () => {
  const { house, app } = await aHouseWithHome();
  const first = await house.asBen('deals', '/feed feed:Home filter:"-lamp price:<=60" order:price');
  expect(numbersIn(textOf(first))).toEqual([1, 2, 3, 4, 5]);
  expect(textOf(first)).toContain('-# Filter: **\\-lamp price:\\<=60**');
  expect(textOf(first)).toContain('6 offers · page 1 of 2');
  await app.stop();
  await house.startBot();
  const next = customIdsOf(first).find((id) => id.startsWith('next>')) ?? '';
  const second = await house.click(first, next);
  expect(second.id).toBe(first.id);
  expect(numbersIn(textOf(second))).toEqual([6]);
  expect(textOf(await house.asBen('deals', '/feed feed:Home filter:samovar'))).toContain('No live offers match.');
});

test('a filter with a mistake is answered with a plain sentence, for the one who asked', async () => {
  const { house } = await aHouseWithHome();
  for (const [filter, sentence] of [
    ['"price:<cheap"', 'isn’t a number'],
    [`"${'kettle '.repeat(20)}"`, 'That filter is 139 characters long; lists can take up to'],
  ]) {
    const told = await house.asBen('deals', `/feed feed:Home filter:${filter}`);
    expect(textOf(told)).toContain(sentence);
    expect(told.visible_to).toBe(house.discord.people.ben.id);
  }
});

test('an offer that ended since the page was first asked for shows so, and the same page says the same until then', async () => {
  const folder = aCatalogFolder();
  const house = await aHouse({ content: () => folder.content });
  const inMs = (ms: number) => new Date(house.clock.now() + ms).toISOString();
  folder.writeFeed('Home', [feedItem(1), feedItem(2, { EndDate: inMs(5 * MINUTE_MS) })]);
  await house.startBot();
  const ask = async (filter = '') => textOf(await house.asBen('deals', `/feed feed:Home${filter}`));
  const first = await ask();
  expect(await ask(' filter:"kettle"')).not.toContain('Ended');
  expect(first).not.toContain('Ended');
  await house.clock.advance(4 * MINUTE_MS);
  expect(await ask()).toBe(first);
  await house.clock.advance(2 * MINUTE_MS);
  expect(await ask()).toContain('**Ended');
  expect(await ask(' filter:"kettle"')).toContain('**Ended');
});

test('a page shows what the last poll found', async () => {
  const folder = aCatalogFolder();
  folder.writeFeed('Home', [feedItem(1), feedItem(2)]);
  const house = await aHouse({ content: () => folder.content });
  await house.startBot();
  const ask = async () => numbersIn(textOf(await house.asBen('deals', '/feed feed:Home')));
  expect(await ask()).toEqual([2, 1]);
  folder.writeFeed('Home', [feedItem(1, { IsSoldOut: true }), feedItem(2), feedItem(3)]);
  await house.clock.advance(HOUR_MS);
  expect(await ask()).toEqual([3, 2]);
});

test('a spent quota: the feed as it was seen, and when the requests return', async () => {
  const { house } = await aHouseWithHome({ CATALOG_PORTAL_QUOTA: '1' });
  await house.asBen('deals', '/feed feed:Home');
  await house.clock.advance(HOUR_MS);
  const later = textOf(await house.asBen('deals', '/feed feed:Home'));
  expect(numbersIn(later)).toEqual([7, 6, 5, 4, 3]);
  expect(later).toMatch(/catalog quota used up until <t:\d+:t>; as of <t:\d+:R>/);
  await house.untilItSays(await house.asBen('deals', '/feed feed:Tools'), 'Today’s catalog quota is used up');
});

test('a button on the list makes the channel follow the feed; there is none in direct messages', async () => {
  const { house, app } = await aHouseWithHome();
  const list = await house.asBen('deals', '/feed feed:Home');
  expect(customIdsOf(list)).toContain('subscribe:Home');
  const { ada, ben } = house.discord.people;
  const deals = house.discord.channel('deals').id;
  const bens = { personId: ben.id, channelId: deals, messageId: list.id, customId: 'subscribe:Home' };
  const { message: bensAnswer } = await house.discord.useComponent(bens);
  expect(textOf(bensAnswer ?? {})).toContain('You need the Manage Server permission');
  expect(textOf(await house.asAda('deals', '/subscription list'))).toContain('No subscriptions yet');
  const where = { personId: ada.id, channelId: deals, messageId: list.id };
  await house.discord.useComponent({ ...where, customId: 'subscribe:Home' });
  await app.settled();
  expect(textOf(await house.asAda('deals', '/subscription list'))).toContain('Home feed');
  const { message } = await house.discord.runCommand({
    personId: ben.id,
    channelId: house.discord.directChannel(ben.id).id,
    text: '/feed feed:Home',
  });
  expect(textOf(message ?? {})).toContain('7 offers');
  expect(customIdsOf(message ?? {})).not.toContain('subscribe:Home');
});
