import { expect, test } from 'vitest';
import type { PageMessage } from '../../../packages/local-discord/src/index.ts';
import { watches } from '../../../src/features/watches/index.ts';
import { MOST_WATCHES } from '../../../src/features/watches/watch.ts';
import { DAY_MS } from '../../../src/shared/time.ts';
import { feedItem } from '../../helpers/catalog-folder.ts';
import { customIdsOf, textOf } from '../../helpers/discord-form.ts';
import { aButton } from '../../helpers/panel.ts';
import { uuid } from '../../helpers/things.ts';
import { aHouseWithBen, lookAgain, sentTexts } from '../../helpers/watching-ben.ts';

test('a watch from the button of a post tells of the price, once, in private', async () => {
  const { house, app, folder, ben, letters } = await aHouseWithBen([watches]);
  const [post] = house.announcements('deals');
  const asked = await house.click(post as PageMessage, `watch:${uuid(2)}`);
  expect(asked.visible_to).toBe(ben);
  const where = { personId: ben, channelId: asked.channel_id };
  const { modal } = await house.discord.useComponent({
    ...where,
    messageId: asked.id,
    customId: `watch-for:${uuid(2)}:price`,
  });
  const { message: added } = await house.discord.submitModal({
    ...where,
    customId: modal?.custom_id ?? '',
    values: { price: '$15,50' },
  });
  expect(added?.visible_to).toBe(ben);
  expect(textOf(added ?? {})).toContain('I’ll message you when **Kettle 2** costs $15.50 or less.');
  expect(textOf(added ?? {})).toContain('It costs $20.00 now.');

  folder.writeFeed('Home', [feedItem(1), feedItem(2, { SalePrice: { Minimum: 15.51, Maximum: 15.51 } })]);
  await lookAgain(house, app);
  expect(sentTexts(letters())).toEqual([]);
  folder.writeFeed('Home', [feedItem(1), feedItem(2, { SalePrice: { Minimum: 15.5, Maximum: 15.5 } })]);
  await lookAgain(house, app);
  await lookAgain(house, app);
  expect(sentTexts(letters())).toHaveLength(1);
  expect(sentTexts(letters())[0]).toContain('Your alert: Kettle 2: $15.50 or less');
  const public_ = house.announcements('deals').map((message) => JSON.stringify(message));
  expect(public_.join('\n'), 'nobody else learns who watches').not.toMatch(/You’re watching|15\.50 or less/);
});

test.each<[string, string, string, string]>([
  ['to be asked what for', 'kettle', `watch:${uuid(1)}`, 'What should I message you about?'],
  ['for a price', 'kettle price:15.50', `watch-for:${uuid(1)}:price:15.5`, '**Kettle 1** costs $15.50 or less'],
  ['for stock', 'kettle when:stock', `watch-for:${uuid(1)}:stock`, '**Kettle 1** is in stock now'],
])('words that fit several offers ask which one, %s', async (_, typed, action, answer) => {
  const { house, inDirect } = await aHouseWithBen([watches]);
  const asked = await inDirect(`/alert add offer:${typed}`);
  expect(textOf(asked)).toContain('Several offers match **kettle**. Choose one.');
  expect(textOf(await inDirect('/alert list')), 'nothing is watched yet').not.toContain('Kettle');
  expect(textOf(await house.choose(asked, 'menu:open', action))).toContain(answer);
});

test('words may be a filter, which one offer or several match', async () => {
  const { folder, inDirect, house, app } = await aHouseWithBen([watches]);
  folder.writeFeed('Home', [feedItem(1), feedItem(2, { SalePrice: { Minimum: 99, Maximum: 99 } })]);
  await lookAgain(house, app);
  const where = textOf(await inDirect('/alert add offer:"kettle price:<50" price:15'));
  expect(where).toContain('I’ll message you when **Kettle 1** costs $15.00 or less.');
  expect(textOf(await inDirect('/alert add offer:"price:>1"'))).toContain('Several offers match **price:\\>1**');
  expect(textOf(await inDirect('/alert add offer:"kettle price:>500"'))).toContain('No offers match');
});

test('a product that comes back under another id is back in stock', async () => {
  const { house, app, folder, letters, inDirect } = await aHouseWithBen([watches]);
  await inDirect(`/alert add offer:${uuid(2)} when:stock`);
  folder.writeFeed('Home', [feedItem(1)]);
  await lookAgain(house, app);
  await lookAgain(house, app);
  folder.writeFeed('Home', [feedItem(1), feedItem(3, { Title: 'Kettle 2', StartDate: '2026-11-21T12:30:00Z' })]);
  await lookAgain(house, app);
  expect(sentTexts(letters())).toHaveLength(1);
  expect(sentTexts(letters())[0]).toContain('Your alert** · back in stock');
});

test('a watch goes on under the new name of a renamed offer, whether it gets cheaper then or later', async () => {
  const { house, app, folder, letters, inDirect } = await aHouseWithBen([watches]);
  await inDirect(`/alert add offer:${uuid(1)} price:15`);
  await inDirect(`/alert add offer:${uuid(2)} price:15`);
  const at = (price: number) => ({ Minimum: price, Maximum: price });
  const renamed = feedItem(1, { Title: 'Teapot' });
  folder.writeFeed('Home', [renamed, feedItem(2, { Title: 'Steel kettle', SalePrice: at(14) })]);
  await lookAgain(house, app);
  await lookAgain(house, app);
  expect(sentTexts(letters())).toEqual([expect.stringContaining('Your alert: Steel kettle: $15.00 or less')]);
  expect(textOf(await inDirect('/alert list'))).toMatch(/Teapot\*\*\n\$15\.00 or less[\s\S]*Steel kettle\*\*/);
  folder.writeFeed('Home', [
    { ...renamed, SalePrice: at(15) },
    feedItem(2, { Title: 'Steel kettle', SalePrice: at(14) }),
  ]);
  await lookAgain(house, app);
  expect(sentTexts(letters())).toHaveLength(2);
  expect(sentTexts(letters())[1]).toContain('Your alert: Teapot: $15.00 or less');
});

test('a watch for a price says nothing of a price that is missing or zero, and takes a range at its cheapest', async () => {
  const { house, app, folder, letters, inDirect } = await aHouseWithBen([watches]);
  await inDirect(`/alert add offer:${uuid(2)} price:15`);
  const at = async (price: { Minimum: number; Maximum: number } | null) => {
    folder.writeFeed('Home', [feedItem(1), feedItem(2, { SalePrice: price })]);
    await lookAgain(house, app);
  };
  await at({ Minimum: 0, Maximum: 0 });
  await at(null);
  await at({ Minimum: 15.5, Maximum: 30 });
  expect(sentTexts(letters())).toEqual([]);
  await at({ Minimum: 14, Maximum: 30 });
  expect(sentTexts(letters())).toEqual([
    expect.stringMatching(/from \$14\.00[\s\S]*Your alert: Kettle 2: \$15\.00 or less/),
  ]);
});

test('a watch of an offer that is gone waits until its product is back, however long that takes', async () => {
  const { house, app, folder, letters, inDirect, sweep } = await aHouseWithBen([watches]);
  folder.writeFeed('Home', [feedItem(1), feedItem(2, { IsSoldOut: true })]);
  await lookAgain(house, app);
  expect(textOf(await inDirect(`/alert add offer:${uuid(2)} when:stock`))).toContain('is back in stock');
  folder.writeFeed('Home', [feedItem(1, { EndDate: null })]);
  await lookAgain(house, app);
  await lookAgain(house, app);
  for (let day = 0; day < 10; day += 1) await lookAgain(house, app, DAY_MS);
  // The offer is forgotten.
  await sweep();
  expect(textOf(await inDirect(`/alert add offer:${uuid(2)} when:low`))).toContain('no longer knows this offer');
  expect(sentTexts(letters())).toEqual([]);
  expect(textOf(await inDirect('/alert list'))).toContain('Kettle 2');
  folder.writeFeed('Home', [feedItem(1, { EndDate: null }), feedItem(3, { Title: 'Kettle 2', EndDate: null })]);
  await lookAgain(house, app);
  expect(sentTexts(letters())).toEqual([expect.stringContaining('Your alert: Kettle 2: back in stock')]);
});

test('an offer that enters another feed is not back in stock', async () => {
  const { house, app, folder, letters, inDirect } = await aHouseWithBen([watches]);
  folder.writeFeed('Tools', []);
  await app.stop();
  const again = await house.startBot({ CATALOG_FEEDS: 'Home,Tools' });
  await house.asAda('deals', '/subscription add feed feed:Tools catch-up:0');
  await inDirect(`/alert add offer:${uuid(2)} when:stock`);
  await lookAgain(house, again);
  folder.writeFeed('Tools', [feedItem(2)]);
  await lookAgain(house, again);
  expect(sentTexts(letters())).toEqual([]);
});

test('a watch for an end tells of it, and one for new offers of each that matches', async () => {
  const { house, app, folder, letters, inDirect } = await aHouseWithBen([watches]);
  expect(textOf(await inDirect(`/alert add offer:${uuid(1)} when:end`))).toContain('shortly before **Kettle 1** ends');
  const added = textOf(await inDirect('/alert add filter:"blender price:<50"'));
  expect(added).toContain('each new offer in the Home feed that matches `blender price:<50`');
  expect(added).toMatch(/0 of 2 live offers/);
  folder.writeFeed('Home', [
    feedItem(1, { EndDate: new Date(house.clock.now() + 45 * 60_000).toISOString() }),
    feedItem(2),
    feedItem(3, { Title: 'Blender' }),
    feedItem(4, { Title: 'Blender in gold', SalePrice: { Minimum: 90, Maximum: 90 } }),
  ]);
  await lookAgain(house, app);
  await lookAgain(house, app);
  const got = sentTexts(letters());
  expect(got).toHaveLength(2);
  expect(got.some((text) => text.includes('Your alert** · ends') && text.includes('Kettle 1: ends soon'))).toBe(true);
  expect(got.some((text) => text.includes('Blender') && text.includes('Your alert: blender price'))).toBe(true);
});

test('a watch for a low tells of what costs less than ever, and of nothing that cost as much before', async () => {
  const { house, app, folder, letters, inDirect } = await aHouseWithBen([watches]);
  expect(textOf(await inDirect(`/alert add offer:${uuid(2)} when:low`))).toContain('costs less than ever before');
  const at = async (price: number) => {
    const two = feedItem(2, { SalePrice: { Minimum: price, Maximum: price }, EndDate: null });
    folder.writeFeed('Home', [two]);
    await lookAgain(house, app);
    await lookAgain(house, app);
  };
  await at(20);
  await at(25);
  // Less than three days of observation say nothing.
  await house.clock.advance(3 * DAY_MS);
  await at(20);
  expect(sentTexts(letters())).toEqual([]);
  await at(19);
  expect(sentTexts(letters())).toHaveLength(1);
  expect(sentTexts(letters())[0]).toContain('below $20.00, the lowest');
});

test('one that counts the old low, too, tells of it once more, but not while it lasts, and never of a dearer price', async () => {
  const { house, app, folder, ben, letters, inDirect } = await aHouseWithBen([watches]);
  const press = async (message: PageMessage, button: string) => {
    const customId = customIdsOf(message).find((id) => id.startsWith(button)) ?? button;
    const at = { personId: ben, channelId: message.channel_id, messageId: message.id, customId };
    return (await house.discord.useComponent(at)).message as PageMessage;
  };
  const added = await inDirect(`/alert add offer:${uuid(2)} when:low`);
  const all = await press(added, 'watch-low');
  expect(textOf(all)).toContain('costs as little as ever before, or less');
  expect(textOf(await press(all, 'watch-low'))).toContain('costs less than ever before');
  await press(await inDirect(`/alert add offer:${uuid(2)} when:low`), 'watch-low');
  expect(textOf(await inDirect('/alert list'))).toContain('low, new or reached again');
  const at = async (price: number, days = 0) => {
    await house.clock.advance(days * DAY_MS);
    folder.writeFeed('Home', [feedItem(2, { SalePrice: { Minimum: price, Maximum: price }, EndDate: null })]);
    for (let look = 0; look < 3; look += 1) await lookAgain(house, app);
  };
  await at(20);
  await at(25);
  await at(21, 4);
  expect(sentTexts(letters()), 'cheap, but it was cheaper').toEqual([]);
  await at(20, 1);
  expect(sentTexts(letters())).toEqual([expect.stringContaining('back at the lowest price we’d seen since')]);
  await at(20, 1);
  expect(sentTexts(letters()), 'it lasts').toHaveLength(1);
  await at(25, 1);
  expect(sentTexts(letters())[0], 'what is posted stays true').toContain('no longer: it costs more than $20.00 again');
  await at(20, 1);
  expect(sentTexts(letters()), 'once more').toHaveLength(2);
  await at(19, 1);
  expect(sentTexts(letters()), 'lower still').toHaveLength(3);
  expect(sentTexts(letters())[2]).toContain('below $20.00, the lowest');
});

test('watches are listed and removed by their own person only', async () => {
  const { house, app, folder, letters, inDirect } = await aHouseWithBen([watches]);
  expect(textOf(await inDirect('/alert list'))).toContain('No alerts yet');
  await inDirect(`/alert add offer:${uuid(1)} price:10`);
  await inDirect(`/alert add offer:${uuid(2)} price:10`);
  const replaced = await inDirect(`/alert add offer:${uuid(2)} price:12`);
  expect(textOf(replaced)).toContain('$12.00 or less');
  const list = await house.asBen('deals', '/alert list');
  expect(textOf(list)).toMatch(/Kettle 1\*\*\n\$10\.00 or less[\s\S]*Kettle 2\*\*\n\$12\.00 or less/);
  expect(textOf(list)).toContain('2 alerts');
  expect(list.visible_to).toBe(house.discord.people.ben.id);
  const id = (await house.complete('/alert remove id:', 'id')).find(({ name }) => name.startsWith('Kettle 2'))?.value;
  expect(textOf(await house.asAda('deals', `/alert remove id:${id}`))).toContain('You don’t have that alert.');
  expect(textOf(await house.asAda('deals', '/alert list'))).toContain('No alerts yet');
  expect(textOf(await house.asBen('deals', `/alert remove id:${id}`))).toContain('1 alert');
  folder.writeFeed('Home', [feedItem(1), feedItem(2, { SalePrice: { Minimum: 5, Maximum: 5 } })]);
  await lookAgain(house, app);
  expect(sentTexts(letters())).toEqual([]);
});

test('the hundredth watch is the last', async () => {
  const { house, folder, inDirect, app } = await aHouseWithBen([watches]);
  const items = Array.from({ length: MOST_WATCHES + 1 }, (_, index) => feedItem(index + 1));
  folder.writeFeed('Home', items);
  await lookAgain(house, app);
  for (let number = 1; number <= MOST_WATCHES; number += 1) await inDirect(`/alert add offer:${uuid(number)} price:5`);
  expect(textOf(await inDirect(`/alert add offer:${uuid(MOST_WATCHES + 1)} price:5`))).toContain(
    `You’ve reached the limit of ${MOST_WATCHES} alerts. Remove one to make room.`,
  );
  expect(
    textOf(await inDirect(`/alert add offer:${uuid(MOST_WATCHES)} price:6`)),
    'another price needs no room',
  ).toContain('$6.00');
  expect(textOf(await inDirect('/alert list'))).toContain(`${MOST_WATCHES} alerts`);
});

test('what makes no sense is refused in a sentence', async () => {
  const { inDirect } = await aHouseWithBen([watches]);
  expect(textOf(await inDirect('/alert add'))).toContain('Choose either an `offer`, or a `filter`');
  expect(textOf(await inDirect(`/alert add offer:${uuid(1)} filter:ssd`))).toContain('Choose either');
  expect(textOf(await inDirect('/alert add filter:ssd price:5'))).toContain('only work with an `offer`');
  expect(textOf(await inDirect('/alert add filter:" "'))).toContain('An empty filter would match everything');
  expect(textOf(await inDirect('/alert add filter:price:<x'))).toContain('mistake in the filter');
  expect(textOf(await inDirect('/alert add filter:ssd feed:Cellar'))).toContain('There’s no such feed');
  expect(textOf(await inDirect(`/alert add offer:${uuid(77)} price:5`))).toContain('no longer knows this offer');
  expect(textOf(await inDirect('/alert add filter:price:>=0'))).toContain('This matches every live offer');
});

test('direct messages that are closed are tried sparingly, shown at the next command, and made up for', async () => {
  const { house, app, folder, ben, letters, inDirect } = await aHouseWithBen([watches]);
  await inDirect('/alert add filter:blender');
  house.discord.setDirectMessages(ben, false);
  folder.writeFeed('Home', [feedItem(1), feedItem(2), feedItem(3, { Title: 'Blender' })]);
  await lookAgain(house, app);
  const tries = () => house.logLines.filter((line) => line.includes('messages-closed')).length;
  expect(tries()).toBe(1);
  await house.clock.advance(58 * 60_000);
  await app.settled();
  expect(tries(), 'for an hour, nothing is tried').toBe(1);

  await app.stop();
  const again = await house.startBot({ CATALOG_FEEDS: 'Home' });
  await lookAgain(house, again, 30_000);
  expect(tries(), 'not even by another start').toBe(1);

  await house.asBen('deals', '/status');
  const told = await house.discord.waitFor(() =>
    house.discord
      .messages(house.discord.channel('deals').id)
      .find((message) => message.visible_to === ben && textOf(message).includes('The bot can’t message you.')),
  );
  expect(textOf(told)).toContain('1 deal is waiting for you:\n- Blender');
  await house.asBen('deals', '/alert list');
  const said = house.discord
    .messages(house.discord.channel('deals').id)
    .filter((message) => textOf(message).includes('is waiting for you'));
  expect(said, 'once').toHaveLength(1);

  house.discord.setDirectMessages(ben, true);
  expect(textOf(await house.click(told, 'watch-retry'))).toContain('Your alerts');
  await again.settled();
  expect(sentTexts(letters())).toHaveLength(1);
  expect(textOf(await house.asBen('deals', '/alert list'))).not.toContain('can’t message you');
});

test.each([
  ['missingAccess', false],
  ['unknownChannel', false],
  ['missingAccess', true],
] as const)(
  'a direct channel that refuses with %s is opened anew before the next try (after a restart: %s)',
  async (error, isRestarted) => {
    const { house, app, folder, ben, letters, inDirect } = await aHouseWithBen([watches]);
    await inDirect('/alert add filter:blender');
    const { id } = house.discord.directChannel(ben);
    let isClosed = true;
    let opened = 0;
    house.discord.faults.failWhere(
      ({ method, path }) => {
        if (method === 'POST' && path.endsWith('/users/@me/channels')) {
          opened += 1;
          isClosed = false;
        }
        return isClosed && path.includes(`/channels/${id}`);
      },
      { kind: 'refused', error },
    );
    folder.writeFeed('Home', [feedItem(1), feedItem(2), feedItem(3, { Title: 'Blender' })]);
    await lookAgain(house, app);
    expect([sentTexts(letters()).length, opened]).toEqual([0, 0]);
    if (isRestarted) await app.stop();
    const running = isRestarted ? await house.startBot({ CATALOG_FEEDS: 'Home' }) : app;
    await lookAgain(house, running, 60 * 60_000);
    expect([sentTexts(letters()).length, opened]).toEqual([1, 1]);
  },
);

test('who takes no messages for a month is sent nothing more, and is forgotten after half a year', async () => {
  const { house, app, folder, ben, letters, inDirect } = await aHouseWithBen([watches]);
  let sweep: () => Promise<void> = async () => undefined;
  await app.stop();
  const again = await house.startBot(
    { CATALOG_FEEDS: 'Home' },
    {
      schedule(name, _cron, work) {
        if (name === 'sweep') sweep = work;
        return { stop: async () => undefined };
      },
    },
  );
  await inDirect('/alert add filter:blender');
  house.discord.setDirectMessages(ben, false);
  const blender = feedItem(3, { Title: 'Blender', EndDate: null });
  folder.writeFeed('Home', [feedItem(1), feedItem(2), blender]);
  await lookAgain(house, again);
  await house.clock.advance(30 * DAY_MS);
  await sweep();
  expect(textOf(await house.asBen('deals', '/alert list')), 'kept for a month').toContain('can’t message you');
  await house.clock.advance(1);
  await sweep();
  await again.settled();
  house.discord.setDirectMessages(ben, true);
  const kettle = (number: number) => feedItem(number, { Title: `Blender ${number}`, EndDate: null });
  folder.writeFeed('Home', [blender, kettle(4)]);
  await lookAgain(house, again);
  expect(sentTexts(letters()), 'paused, and what waited is dropped').toEqual([]);

  const told = await house.asBen('deals', '/alert list');
  await house.click(told, 'watch-retry');
  folder.writeFeed('Home', [blender, kettle(4), kettle(5)]);
  await lookAgain(house, again);
  expect(sentTexts(letters()), 'until they say that it works again').toHaveLength(1);
  house.discord.setDirectMessages(ben, false);
  folder.writeFeed('Home', [blender, kettle(4), kettle(5), kettle(6)]);
  await lookAgain(house, again);
  await house.clock.advance(180 * DAY_MS);
  await sweep();
  expect(textOf(await house.asBen('deals', '/alert list'))).toContain('1 alert');
  await house.clock.advance(1);
  await sweep();
  expect(textOf(await house.asBen('deals', '/alert list'))).toContain('No alerts yet');
});

test('people who can’t manage the server are offered a watch in place of a subscription', async () => {
  const { house, app, folder, ben, letters } = await aHouseWithBen([watches]);
  const card = await aButton(house, house.discord.channel('deals').id, 'subscribe:Home');
  const where = { personId: ben, channelId: card.channel_id };
  const { modal } = await house.discord.useComponent({ ...where, messageId: card.id, customId: 'subscribe:Home' });
  const { message } = await house.discord.submitModal({
    ...where,
    customId: modal?.custom_id ?? '',
    values: { filter: 'blender' },
  });
  expect(message?.visible_to).toBe(ben);
  folder.writeFeed('Home', [feedItem(1), feedItem(2), feedItem(3, { Title: 'Blender' })]);
  await lookAgain(house, app);
  expect(sentTexts(letters())).toHaveLength(1);
});

test('an event’s offers are chosen from, and a message’s menu watches its offer', async () => {
  const { house } = await aHouseWithBen([watches]);
  await house.asAda('deals', '/events');
  const { id } = house.discord.channel('deals');
  const several = await aButton(house, id, `watch-event:${uuid(1)}`);
  const choice = await house.click(several, `watch-event:${uuid(1)}`);
  expect(textOf(choice)).toContain('has several offers');
  const asked = await house.choose(choice, 'menu:open', `watch:${uuid(1002)}`);
  expect(textOf(asked)).toContain('Blender 2');
  const single = await aButton(house, id, `watch-event:${uuid(2)}`);
  expect(textOf(await house.click(single, `watch-event:${uuid(2)}`))).toContain('Blender 3');
  const [post] = house.announcements('deals');
  const menu = await house.onMessage(post as PageMessage, 'Alert me about this');
  expect(customIdsOf(menu)).toContain(`watch-for:${uuid(2)}:stock`);
});

test('quiet hours and the hourly limit hold for all watches of a person', async () => {
  const { house, app, folder, letters, inDirect } = await aHouseWithBen([watches]);
  await inDirect('/alert add filter:blender');
  const list = textOf(await inDirect('/alert settings quiet-hours:11:00-14:00 time-zone:UTC most-per-hour:1'));
  expect(list).toMatch(/Quiet hours.*11:00.14:00/);
  folder.writeFeed(
    'Home',
    [1, 2, 3].map((number) => feedItem(10 + number, { Title: `Blender ${number}` })),
  );
  await lookAgain(house, app);
  expect(sentTexts(letters())).toEqual([]);
  await house.clock.advance(3 * 3_600_000);
  await lookAgain(house, app);
  const got = sentTexts(letters());
  expect(got, 'all three together').toHaveLength(1);
  expect(got[0]).toMatch(/Blender 3[\s\S]*Blender 2[\s\S]*Blender 1/);
});
