import { expect, test } from 'vitest';
import { pings } from '../../../src/features/pings/index.ts';
import { feedItem } from '../../helpers/catalog-folder.ts';
import { textOf } from '../../helpers/discord-form.ts';
import { aHouseWithPrices, costs } from '../../helpers/house-with-prices.ts';
import { adaFills, adaGets, idIn } from '../../helpers/panel.ts';

test('a role for lowest prices is rung with the post of the drop, which says that it is one', async () => {
  const { house, panel, look } = await aHouseWithPrices([pings]);
  const role = (name: string) => house.discord.createRole(name, { mentionable: true });
  const [all, low, cheap] = [role('All'), role('Low'), role('Cheap')];
  const id = idIn(panel);
  const open = async () => adaGets(house, await house.asAda('deals', `/subscription edit id:${id}`), `pings:${id}`);
  for (const [{ id: role }, filter] of [
    [all, ''],
    [low, 'low:ever'],
    [cheap, 'price:<5'],
  ] as const) {
    await adaFills(house, await open(), `ping:${id}:`, { role, filter });
  }
  await look(1, feedItem(1, costs(15)));
  await look(1, feedItem(1, costs(10)));
  const posts = house.announcements('deals').map((message) => [message.mention_roles.toSorted(), textOf(message)]);
  expect(posts.at(-1)).toEqual([[all.id, low.id].toSorted(), expect.stringContaining('Lowest price')]);
  await look(2, feedItem(1, costs(10)));
  expect(house.announcements('deals')).toHaveLength(posts.length);
});
