import { expect, test } from 'vitest';
import { watches } from '../../../src/features/watches/index.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/shared/time.ts';
import { feedItem } from '../../helpers/catalog-folder.ts';
import { textOf } from '../../helpers/discord-form.ts';
import { sampled } from '../../helpers/sampled.ts';
import { uuid } from '../../helpers/things.ts';
import { aHouseWithBen, lookAgain, sentTexts } from '../../helpers/watching-ben.ts';
import { aPausingFeature } from './pausing.ts';

type Fields = Record<string, unknown>;

/** Ben, his messages, and a feed in which the second kettle changes; each look is two answers long, so that all is sure. */
async function watching() {
  const { pausing, pause } = aPausingFeature();
  const { house, app, folder, ben, letters, inDirect, sweep } = await aHouseWithBen([watches, pausing]);
  const show = async (...items: readonly Fields[]) => {
    folder.writeFeed('Home', [feedItem(1), ...items]);
    await lookAgain(house, app);
    await lookAgain(house, app);
  };
  return {
    house,
    app,
    folder,
    show,
    sweep,
    pause,
    takesMessages: (does: boolean) => house.discord.setDirectMessages(ben, does),
    /** The second kettle, with these fields. */
    kettle: (changes: Fields = {}) => show(feedItem(2, changes)),
    costs: (price: number | null, changes: Fields = {}) => show(feedItem(2, { SalePrice: range(price), ...changes })),
    wait: (ms: number) => lookAgain(house, app, ms),
    inDirect,
    answer: async (text: string) => textOf(await inDirect(text)),
    got: () => sentTexts(letters()),
    at: (ms: number) => new Date(house.clock.now() + ms).toISOString(),
  };
}

const range = (price: number | null) => (price === null ? null : { Minimum: price, Maximum: price });
const PRICE = `/alert add offer:${uuid(2)} price:15`;
const STOCK = `/alert add offer:${uuid(2)} when:stock`;
const LOW = `/alert add offer:${uuid(2)} when:low`;
const END = `/alert add offer:${uuid(2)} when:end`;

test.each([
  ['was not known', null],
  ['was given as 0', 0],
])('a price that %s before is told once it is within reach', async (_, before) => {
  const { costs, answer, got } = await watching();
  await answer(PRICE);
  await costs(before);
  expect(got()).toEqual([]);
  await costs(14);
  expect(got()).toEqual([expect.stringMatching(/🎯 \*\*Your alert\*\* · \$15\.00 or less[\s\S]*\$14\.00/)]);
});

test('a price that is within reach already is told at once, and the answer says so', async () => {
  const { costs, answer, app, got, wait } = await watching();
  await costs(14);
  const said = await answer(PRICE);
  await app.settled();
  expect(said).toContain('**Kettle 2** already costs $14.00. I’m messaging you now.');
  expect(said).not.toContain('I’ll message you when');
  expect(got()).toEqual([expect.stringContaining('Your alert: Kettle 2: $15.00 or less')]);
  await wait(MINUTE_MS);
  expect(got(), 'once').toHaveLength(1);
  expect(await answer(PRICE), 'nor for the same wish').toContain('I’ve already messaged you about it.');
  await app.settled();
  expect(got()).toHaveLength(1);
  await answer(`/alert add offer:${uuid(2)} price:14.5`);
  await app.settled();
  expect(got(), 'another price is another wish').toHaveLength(2);
});

test('a price that is reached is told again when it falls further, or after six hours above it', async () => {
  const { costs, answer, got, wait } = await watching();
  await answer(PRICE);
  await costs(14);
  await costs(14.5);
  expect(got(), 'dearer, and still within reach').toHaveLength(1);
  await costs(13);
  expect(got()).toHaveLength(2);
  await costs(16);
  await wait(5 * HOUR_MS);
  await costs(13);
  expect(got(), 'the same story').toHaveLength(2);
  await costs(16);
  await wait(6 * HOUR_MS);
  await costs(14);
  expect(got()).toHaveLength(3);
});

test('of what waits for one watch only the latest is sent, also where the watch is made again', async () => {
  const { costs, answer, got, wait } = await watching();
  await answer('/alert settings quiet-hours:11:00-14:00');
  await answer(PRICE);
  for (const price of [14, 13]) await costs(price);
  await answer(`/alert add offer:${uuid(2)} price:14.5`);
  await costs(12);
  expect(got()).toEqual([]);
  await wait(3 * HOUR_MS);
  expect(got()).toEqual([expect.stringMatching(/\$14\.50 or less[\s\S]*\$12\.00/)]);
});

test('back in stock is told after an offer was absent, over, or sold out, and never while it stays', async () => {
  const { kettle, show, answer, got, wait, at } = await watching();
  const said = await answer(STOCK);
  expect(said).toContain('**Kettle 2** is in stock now. I’ll message you if it sells out and comes back.');
  await kettle({ IsFeatured: true });
  expect(got()).toEqual([]);
  await show();
  await kettle();
  expect(got()).toEqual([expect.stringContaining('🎯 **Your alert** · back in stock')]);
  await wait(7 * HOUR_MS);
  await kettle({ EndDate: at(MINUTE_MS) });
  await kettle({ EndDate: at(3 * DAY_MS) });
  expect(got(), 'its end was extended').toHaveLength(2);
  await wait(7 * HOUR_MS);
  await kettle({ IsSoldOut: true });
  await kettle();
  expect(got()).toHaveLength(3);
});

test('stock that comes and goes is one story until six hours without it', async () => {
  const { kettle, answer, got, wait } = await watching();
  await kettle({ IsSoldOut: true });
  expect(await answer(STOCK)).toContain('I’ll message you when **Kettle 2** is back in stock.');
  for (let time = 0; time < 5; time += 1) {
    await kettle();
    await kettle({ IsSoldOut: true });
  }
  expect(got()).toHaveLength(1);
  await wait(6 * HOUR_MS);
  await kettle();
  expect(got()).toHaveLength(2);
});

test.each(
  sampled(
    [
      ['sold out', { IsSoldOut: true }],
      ['ended', { EndDate: '2026-11-21T11:00:00Z' }],
      ['without a price', { SalePrice: null }],
      ['at a price above the limit', { SalePrice: range(16) }],
      ['at an absurd price', { SalePrice: range(99_999) }],
    ],
    2,
  ),
)('one odd answer that shows an offer %s makes nothing told again', async (_, odd) => {
  const { costs, answer, got, wait, folder } = await watching();
  const live = { EndDate: null };
  await costs(20, { ...live, IsSoldOut: true });
  await answer(PRICE);
  await answer(STOCK);
  await costs(14, live);
  expect(got()).toHaveLength(1);
  await wait(3 * DAY_MS);
  folder.writeFeed('Home', [feedItem(2, { SalePrice: range(14), ...live, ...odd })]);
  await wait(2 * MINUTE_MS);
  await costs(14, live);
  expect(got()).toHaveLength(1);
});

test('an end that is near already is told at once', async () => {
  const { kettle, answer, app, got, wait, at } = await watching();
  await kettle({ EndDate: at(2 * HOUR_MS) });
  expect(await answer(END)).toMatch(/\*\*Kettle 2\*\* ends <t:\d+:R>\. I’m messaging you now\./);
  await app.settled();
  expect(got()).toEqual([expect.stringMatching(/🎯 \*\*Your alert\*\* · ends <t:\d+:R>/)]);
  await wait(MINUTE_MS);
  expect(got()).toHaveLength(1);
});

test('an end that comes near is told by time alone, and again where it was put off', async () => {
  const { kettle, answer, got, wait, at } = await watching();
  const end = at(4 * HOUR_MS);
  await kettle({ EndDate: end });
  expect(await answer(END)).toContain('I’ll message you shortly before **Kettle 2** ends.');
  expect(got()).toEqual([]);
  await wait(HOUR_MS);
  expect(got()).toHaveLength(1);
  await kettle({ EndDate: at(7 * HOUR_MS) });
  await wait(4 * HOUR_MS);
  expect(got(), 'its new end').toHaveLength(2);
});

test('an all-time low that comes with a restock is told', async () => {
  const { costs, answer, got, wait } = await watching();
  const live = { EndDate: null };
  await costs(20, live);
  await answer(LOW);
  await wait(4 * DAY_MS);
  await costs(20, { ...live, IsSoldOut: true });
  await costs(18, live);
  expect(got()).toEqual([expect.stringMatching(/🎯 \*\*Your alert\*\* · below \$20\.00, the lowest/)]);
  await costs(17, live);
  expect(got(), 'each new low').toHaveLength(2);
  await costs(25, live);
  await wait(DAY_MS);
  await costs(17, live);
  expect(got(), 'nothing that cost as much before').toHaveLength(2);
});

test('a low that the offer has already is told at once', async () => {
  const { costs, answer, app, got, wait } = await watching();
  await costs(20, { EndDate: null });
  await wait(4 * DAY_MS);
  await costs(18, { EndDate: null });
  expect(await answer(LOW)).toContain(
    '**Kettle 2** costs $18.00 now, less than ever before, as far as the bot has seen. I’m messaging you now.',
  );
  await app.settled();
  expect(got()).toHaveLength(1);
});

test('two listings of a product are one: its cheapest is told, and again only when it gets cheaper', async () => {
  const { show, answer, got } = await watching();
  const listing = (number: number, price: number) => feedItem(number, { Title: 'Kettle 2', SalePrice: range(price) });
  await answer(PRICE);
  await show(listing(2, 14), listing(3, 13));
  expect(got()).toEqual([expect.stringContaining('$13.00')]);
  await show(listing(2, 12.5), listing(3, 13));
  expect(got()).toEqual([expect.stringContaining('$13.00'), expect.stringContaining('$12.50')]);
  await show(listing(3, 13));
  expect(got(), 'the cheapest is gone, the other is dearer than what was told').toHaveLength(2);
});

test('what was told stays told after a restart, and under a new name', async () => {
  const { house, app, folder, costs, answer, inDirect, got, show } = await watching();
  await answer(PRICE);
  await answer(STOCK);
  await costs(14);
  expect(got()).toHaveLength(1);
  await show(feedItem(2, { Title: 'Steel kettle', SalePrice: range(14) }));
  expect(textOf(await inDirect('/alert list'))).toMatch(/Steel kettle\*\*\n\$15\.00 or less/);
  expect(got()).toHaveLength(1);
  await app.stop();
  const again = await house.startBot({ CATALOG_FEEDS: 'Home' });
  await lookAgain(house, again);
  await lookAgain(house, again);
  expect(got()).toHaveLength(1);
  folder.writeFeed('Home', [feedItem(2, { Title: 'Steel kettle', SalePrice: range(13) })]);
  await lookAgain(house, again);
  expect(got()).toEqual([expect.anything(), expect.stringContaining('Your alert: Steel kettle')]);
});

test('watches of one product that are reached together are one message', async () => {
  const { costs, answer, got } = await watching();
  await costs(20, { IsSoldOut: true });
  await answer(PRICE);
  await answer(STOCK);
  await costs(14);
  expect(got()).toEqual([
    expect.stringMatching(
      /Your alert: .*\$15\.00 or less.*back in stock|Your alert: .*back in stock.*\$15\.00 or less/,
    ),
  ]);
});

test('in quiet hours the answer says when the message comes; what is over by then comes when it is back', async () => {
  const { costs, kettle, answer, got, wait } = await watching();
  await answer('/alert settings quiet-hours:11:00-14:00 time-zone:UTC');
  await kettle({ IsSoldOut: true });
  await answer(STOCK);
  await kettle();
  expect(got()).toEqual([]);
  await costs(14);
  expect(await answer(PRICE)).toMatch(/already costs \$\d+\.\d\d\. Your message comes <t:\d+:R>\./);
  await costs(14, { IsSoldOut: true });
  await wait(3 * HOUR_MS);
  expect(got(), 'it is over').toEqual([]);
  await costs(14);
  expect(got(), 'nobody was told yet').toHaveLength(1);
});

test('over the hourly limit, or while posting is paused, the answer says so', async () => {
  const { app, costs, answer, got, pause } = await watching();
  await costs(14);
  await answer('/alert settings most-per-hour:1');
  expect(await answer(PRICE)).toContain('I’m messaging you now.');
  await app.settled();
  expect(got()).toHaveLength(1);
  const first = `/alert add offer:${uuid(1)}`;
  expect(await answer(`${first} price:25`)).toMatch(/already costs \$20\.00\. Your message comes <t:\d+:R>\./);
  await pause();
  expect(await answer(`${first} price:24`)).toContain('The bot’s owner paused all posting.');
});

test('who takes messages again after a month hears of what was dropped meanwhile', async () => {
  const { house, costs, answer, got, sweep, takesMessages, wait } = await watching();
  await costs(20, { EndDate: null });
  await answer(PRICE);
  takesMessages(false);
  await costs(14, { EndDate: null });
  await house.clock.advance(30 * DAY_MS + 1);
  await sweep();
  takesMessages(true);
  await wait(MINUTE_MS);
  expect(got()).toEqual([]);
  await house.click(await house.asBen('deals', '/alert list'), 'watch-retry');
  await wait(MINUTE_MS);
  expect(got()).toEqual([expect.stringContaining('Your alert: Kettle 2: $15.00 or less')]);
});
