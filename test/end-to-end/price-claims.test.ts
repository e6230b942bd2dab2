import { expect, test } from 'vitest';
import { feedItem } from '../helpers/catalog-folder.ts';
import { textOf } from '../helpers/discord-form.ts';
import { aHouseWithPrices, costs } from '../helpers/house-with-prices.ts';

const LOW = /📉 \*\*Lowest price since we started watching\*\* \([A-Z][a-z]{2} \d+, \d{4}\)/;

test('the announcement of the drop says at once that it is the lowest price: the offer itself has confirmed it before', async () => {
  const { house, look } = await aHouseWithPrices([]);
  const [drop, ...others] = house.announcements('deals');
  expect(others).toEqual([]);
  expect(textOf(drop ?? { components: [] })).toMatch(LOW);
  await look(1, feedItem(1, costs(15)));
  expect(house.announcements('deals'), 'no edit follows').toEqual([drop]);
});

test('a post claims no low any more once another listing of its product is cheaper', async () => {
  const { house, look } = await aHouseWithPrices([]);
  await look(1, feedItem(1, costs(15)));
  const [drop] = house.announcements('deals');
  expect(textOf(drop ?? { components: [] })).toContain('Lowest price since we started watching');
  const cheaper = { ...feedItem(2, costs(10)), Title: 'Kettle 1' };
  await look(2, feedItem(1, costs(15)), cheaper);
  const [edited, other] = house.announcements('deals');
  expect(edited?.id).toBe(drop?.id);
  expect(textOf(edited ?? { components: [] })).toContain('$15.00');
  expect(textOf(edited ?? { components: [] })).not.toContain('Lowest price');
  expect(textOf(other ?? { components: [] })).toContain('Lowest price since we started watching');
});
