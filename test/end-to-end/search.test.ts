import { expect, test } from 'vitest';
import { aCatalogFolder, feedItem } from '../helpers/catalog-folder.ts';
import { customIdsOf, textOf } from '../helpers/discord-form.ts';
import { aHouse } from '../helpers/house.ts';
import { adaGets } from '../helpers/panel.ts';
import { uuid } from '../helpers/things.ts';

async function aHouseThatKnowsHome() {
  const folder = aCatalogFolder();
  folder.writeFeed('Home', [
    ...Array.from({ length: 6 }, (_, index) => feedItem(index + 1)),
    feedItem(7, { Title: 'Copper Samovar', SalePrice: { Minimum: 90, Maximum: 90 } }),
    feedItem(8, { Title: 'Tin Samovar', IsSoldOut: true }),
  ]);
  const house = await aHouse({ content: () => folder.content });
  const app = await house.startBot({ CATALOG_FEEDS: 'Home' });
  await house.asBen('deals', '/feed feed:Home');
  return { house, app };
}

test('/search finds by words, whatever is mistyped, and marks what is sold out', async () => {
  const { house } = await aHouseThatKnowsHome();
  const found = await house.asBen('deals', '/search words:samovr');
  expect(textOf(found)).toContain('Offers for “samovr”');
  expect(textOf(found)).toMatch(/### \[Copper Samovar\][\s\S]*### ~~\[Tin Samovar\]/);
  expect(textOf(found)).toContain('**Sold out**');
  expect(textOf(found)).toMatch(/2 offers · as of <t:\d+:R>/);
  expect(textOf(await house.asBen('deals', '/search words:saucepan'))).toContain('No matching offers');
});

test('the pages of /search turn after a restart, and without a catalog', async () => {
  const { house, app } = await aHouseThatKnowsHome();
  const first = await house.asBen('deals', '/search words:kettle');
  expect(textOf(first)).toContain('6 offers · page 1 of 2');
  await app.stop();
  // Nobody listens on the discard port of loopback.
  await house.startBot({ CATALOG_PORTAL_URL: 'http://127.0.0.1:9' });
  const next = customIdsOf(first).find((id) => id.startsWith('next>')) ?? '';
  expect(next).toBe('next>search:2:kettle');
  const second = await house.click(first, next);
  expect(second.id).toBe(first.id);
  expect(textOf(second)).toContain('page 2 of 2');
});

test('what is too long for the buttons of /search is cut at a word, and that is said', async () => {
  const { house } = await aHouseThatKnowsHome();
  const words = Array.from({ length: 20 }, (_, index) => `kettle${index}`).join(' ');
  const found = textOf(await house.asBen('deals', `/search words:"${words}"`));
  expect(found).toContain('Offers for “kettle0 kettle1 kettle2 kettle3 kettle4 kettle5 kettle6 kettle7”');
  expect(found).toContain('Only these first words were searched.');
  const endless = textOf(await house.asBen('deals', `/search words:${'x'.repeat(200)}`));
  expect(endless).toContain(`“${'x'.repeat(67)}”`);
});

test('/search completes titles', async () => {
  const { house } = await aHouseThatKnowsHome();
  expect(await house.complete('/search words:copp', 'words')).toEqual([
    { name: 'Copper Samovar', value: 'Copper Samovar' },
  ]);
});

test('/offer says while one types what is sold out', async () => {
  const { house } = await aHouseThatKnowsHome();
  expect((await house.complete('/offer offer:samovar', 'offer')).map(({ name }) => name)).toEqual([
    'Copper Samovar · $90.00',
    'Tin Samovar · Sold out · $20.00 −50%',
  ]);
});

test('an offer of a list is opened from its menu', async () => {
  const { house } = await aHouseThatKnowsHome();
  const found = await house.asBen('deals', '/search words:samovar');
  const [detail] = await Promise.all([house.choose(found, 'menu:open', `offer:${uuid(7)}:`), house.gather()]);
  expect(textOf(detail)).toContain('Copper Samovar');
  expect(detail.visible_to).toBe(house.discord.people.ben.id);
  const only = await house.asBen('deals', '/search words:copper');
  expect(customIdsOf(only)).toContain(`offer:${uuid(7)}:`);
});

test('what a list shows can be posted in its channel, by who manages the server', async () => {
  const { house } = await aHouseThatKnowsHome();
  const found = await house.asAda('deals', '/search words:samovar filter:price:<999');
  const post = 'subscribe:Home:samovar price:<999';
  expect(customIdsOf(found)).toContain(post);
  expect(textOf(await house.click(found, post)), 'pressed by Ben').toContain('Manage Server');
  expect(textOf(await adaGets(house, found, post))).toContain('`samovar price:<999`');
  const list = await house.asAda('deals', '/feed feed:Home filter:samovar');
  expect(textOf(await adaGets(house, list, 'subscribe:Home:samovar'))).toContain('Home feed will be posted in');
  expect(textOf(await adaGets(house, list, 'subscribe:Home:samovar'))).toContain('already');
});
