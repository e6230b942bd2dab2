import { expect, test } from 'vitest';
import { watches } from '../../../src/features/watches/index.ts';
import { aCatalogFolder, feedItem } from '../../helpers/catalog-folder.ts';
import { customIdsOf, textOf } from '../../helpers/discord-form.ts';
import { aHouse } from '../../helpers/house.ts';
import { fix, fixForm, inputsOf } from '../../helpers/mistake-form.ts';
import { aButton, aHouseOfDeals } from '../../helpers/panel.ts';
import { uuid } from '../../helpers/things.ts';
import { aHouseWithBen, lookAgain } from '../../helpers/watching-ben.ts';

test('whoever may not subscribe a channel is offered a watch for the feed', async () => {
  const { house } = await aHouseOfDeals({}, [watches]);
  const { id } = house.discord.channel('deals');
  const card = await aButton(house, id, 'subscribe:Home');
  const bens = { personId: house.discord.people.ben.id, channelId: id, messageId: card.id, customId: 'subscribe:Home' };
  expect((await house.discord.useComponent(bens)).modal).toMatchObject({ custom_id: 'watch-feed:Home' });
  expect(textOf(await house.asAda('deals', '/subscription list'))).toContain('No subscriptions yet');
});

test('a post of what has sold out leads to a watch for its return', async () => {
  const { house, app, folder } = await aHouseWithBen([watches]);
  const started = { StartDate: new Date(house.clock.now()).toISOString() };
  folder.writeFeed('Home', [feedItem(5, started)]);
  await lookAgain(house, app);
  folder.writeFeed('Home', [feedItem(5, { ...started, IsSoldOut: true })]);
  for (let look = 0; look < 4; look += 1) await lookAgain(house, app);
  const post = house.announcements('deals').find((one) => textOf(one).includes('Kettle 5'));
  expect(textOf(post ?? {})).toContain('Sold out after');
  const [, watch = '', ...noMore] = customIdsOf(post ?? {});
  expect(noMore).toEqual([]);
  if (!post) throw new Error('Nothing was announced.');
  const added = await house.click(await house.click(post, watch), `watch-for:${uuid(5)}:stock`);
  expect(textOf(added)).toContain('I’ll message you when **Kettle 5** is back in stock');
});

test('watches are among the metrics, by aim and state', async () => {
  const folder = aCatalogFolder();
  folder.writeFeed('Home', [feedItem(1)]);
  const house = await aHouse({ content: () => folder.content, features: [watches] });
  const app = await house.startBot({ METRICS_PORT: '0' });
  await house.asAda('deals', '/subscription add feed feed:Home catch-up:0');
  await house.tick(app);
  await house.asAda('deals', `/alert add offer:${uuid(1)} when:end`);
  const line = house.logLines.find((text) => text.includes('serving metrics')) ?? '{}';
  const text = await (await fetch((JSON.parse(line) as { address: string }).address)).text();
  expect(text).toContain('\ndealbell_watches{aim="end",state="active"} 1\n');
  expect(text).toContain('\ndealbell_watches{aim="end",state="closed"} 0\n');
  expect(text).toContain('\ndealbell_subscriptions{state="active"} 1\n');
});

test.each([
  [
    '/alert add offer:"no such words" when:stock',
    'offer',
    'No offers match **no such words**.',
    'kettle',
    'Several offers match **kettle**.',
  ],
  ['/alert add filter:price:<abc feed:Home', 'filter', 'There’s a mistake in the filter.', 'price:<50', 'price:<50'],
])('of %s with a mistake all is kept, and fixing it goes on', async (typed, option, said, right, shown) => {
  const { house } = await aHouseOfDeals({}, [watches]);
  await house.asAda('deals', '/feed feed:Home');
  const mistake = await house.asAda('deals', typed);
  expect(mistake.visible_to).toBe(house.discord.people.ada.id);
  expect(textOf(mistake)).toContain(`⚠ **${option}** · `);
  expect(textOf(mistake)).toContain(said);
  const [first] = inputsOf(await fixForm(house, mistake));
  expect(first).toMatchObject({ name: option });
  expect(typed).toContain(first?.value);
  const fixed = await fix(house, mistake, { [option]: right });
  expect(fixed.id).toBe(mistake.id);
  expect(textOf(fixed)).toContain(shown);
  expect(textOf(fixed)).not.toContain(`⚠ **${option}**`);
});

test('without the feature, stored watches stay as they are, and nothing is posted for them', async () => {
  const { house, app, folder, letters } = await aHouseWithBen([watches]);
  await house.asBen('deals', '/alert add filter:kettle');
  await house.asBen('deals', `/alert add offer:${uuid(1)} price:15`);
  const items = (...prices: number[]) =>
    prices.map((price, index) => feedItem(index + 1, { SalePrice: { Minimum: price, Maximum: price } }));
  folder.writeFeed('Home', items(20, 20, 20));
  await lookAgain(house, app);
  const [before] = letters().map(textOf);
  expect(before).toContain('Kettle 3');
  await app.stop();
  const without = await house.startBot({ CATALOG_FEEDS: 'Home' }, { features: [] });
  folder.writeFeed('Home', items(14, 20, 20, 20));
  for (let look = 0; look < 3; look += 1) await lookAgain(house, without);
  expect(house.announcements('deals').map(textOf).join()).toContain('Kettle 4');
  expect(letters()).toHaveLength(1);
  await without.stop();
  const again = await house.startBot({ CATALOG_FEEDS: 'Home' });
  expect(textOf(await house.asBen('deals', '/alert list'))).toContain('2 alerts');
  await lookAgain(house, again);
  expect(letters().map(textOf).join()).toContain('$15.00 or less');
});
