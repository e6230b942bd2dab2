import { MessageFlags } from 'discord-api-types/v10';
import { expect, test } from 'vitest';
import type { PageMessage } from '../../packages/local-discord/src/index.ts';
import { aCatalogFolder, event, feedItem } from '../helpers/catalog-folder.ts';
import { textOf } from '../helpers/discord-form.ts';
import { aHouse } from '../helpers/house.ts';
import { uuid } from '../helpers/things.ts';

const COMMAND = 'Offer details';

async function aHouseThatKnowsHome() {
  const folder = aCatalogFolder();
  const some = (count: number) => Array.from({ length: count }, (_, index) => feedItem(index + 1));
  folder.writeFeed('Home', some(7));
  const house = await aHouse({ content: () => folder.content });
  const app = await house.startBot();
  const seen = await house.asBen('deals', '/feed feed:Home');
  const asked = async (answer: Promise<PageMessage>) => (await Promise.all([answer, house.gather()]))[0];
  const deals = house.discord.channel('deals').id;
  const addTo = async (count: number) => {
    folder.writeFeed('Home', some(count));
    await house.clock.advance(120_000);
    await app.tick();
    await app.settled();
  };
  return { house, app, folder, seen, asked, deals, addTo };
}

const link = (number: number) => `https://www.example.com/offers/kettle-${number}`;

test.each<[string, Record<string, unknown>]>([
  ['its text', { content: `Look: ${link(3)}?ref=x!` }],
  ['an embed', { embeds: [{ title: 'A kettle', url: link(3) }] }],
  [
    'a button',
    {
      flags: MessageFlags.IsComponentsV2,
      components: [{ type: 1, components: [{ type: 2, style: 5, label: 'Buy', url: link(3) }] }],
    },
  ],
])('the menu of a message that links to an offer shows it in full: %s', async (_, body) => {
  const { house, asked, deals } = await aHouseThatKnowsHome();
  const detail = await asked(house.onMessage(await house.post(deals, body), COMMAND));
  expect(textOf(detail)).toContain(`## [Kettle 3](<${link(3)}>)`);
  expect(detail.visible_to).toBe(house.discord.people.ben.id);
});

test('it works on the bot’s announcements', async () => {
  const { house, asked, addTo } = await aHouseThatKnowsHome();
  await house.asAda('deals', '/subscription add feed feed:Home catch-up:0');
  await addTo(8);
  const [announced] = house.announcements('deals');
  if (!announced) throw new Error('Nothing was announced.');
  expect(textOf(await asked(house.onMessage(announced, COMMAND)))).toContain('## [Kettle 8]');
});

test('of a roll-up, all that it tells of can be chosen', async () => {
  const { house, asked, addTo } = await aHouseThatKnowsHome();
  await house.asAda('deals', '/subscription add feed feed:Home catch-up:0');
  await addTo(41);
  const rollUp = house.announcements('deals').at(-1);
  if (!rollUp) throw new Error('Nothing was announced.');
  expect(textOf(rollUp)).toContain('16 deals');
  const list = await house.onMessage(rollUp, COMMAND);
  expect(JSON.stringify(list.components).match(/"value":"offer:/g)).toHaveLength(16);
  const [chosen = ''] = JSON.stringify(list.components).match(/offer:[\da-f-]{36}:/) ?? [];
  expect(textOf(await asked(house.choose(list, 'menu:open', chosen)))).toContain('## [Kettle ');
});

test('of an event, its offers can be chosen', async () => {
  const { house, folder, app } = await aHouseThatKnowsHome();
  folder.writeEvents([]);
  await house.asAda('deals', '/subscription add events');
  const offers = [101, 102].map((number) => ({ Id: uuid(number), Title: `Vase ${number}`, Items: [] }));
  folder.writeEvents([event(1, { Offers: offers })]);
  await house.clock.advance(120_000);
  await app.tick();
  await app.settled();
  const [announced] = house.announcements('deals');
  if (!announced) throw new Error('Nothing was announced.');
  const list = JSON.stringify(await house.onMessage(announced, COMMAND));
  expect(list.match(/"label":"[^"]*"/g)).toEqual(['"label":"Vase 101"', '"label":"Vase 102"']);
});

test('a message about several offers asks which one', async () => {
  const { house, seen, asked, deals } = await aHouseThatKnowsHome();
  const list = await house.onMessage(await house.post(deals, { content: `${link(1)} ${link(2)} ${link(1)}` }), COMMAND);
  expect(textOf(list)).toBe('This message has several offers. Choose one.');
  expect(list.visible_to).toBe(house.discord.people.ben.id);
  const detail = await asked(house.choose(list, 'menu:open', `offer:${uuid(2)}:`));
  expect(textOf(detail)).toContain('## [Kettle 2]');
  // A page of a list, by what its menu leads to.
  expect(JSON.stringify(await house.onMessage(seen, COMMAND)).match(/"value":"offer:/g)).toHaveLength(5);
});

test('a message without an offer: a plain sentence', async () => {
  const { house, deals } = await aHouseThatKnowsHome();
  const message = await house.post(deals, { content: 'See https://www.example.com/offers/samovar' });
  const told = await house.onMessage(message, COMMAND);
  expect(textOf(told)).toContain('This message doesn’t link to a known offer.');
  expect(told.visible_to).toBe(house.discord.people.ben.id);
});

test('it works in direct messages', async () => {
  const { house, asked } = await aHouseThatKnowsHome();
  const { id } = house.discord.directChannel(house.discord.people.ben.id);
  const detail = await asked(house.onMessage(await house.post(id, { content: link(4) }), COMMAND));
  expect(textOf(detail)).toContain('## [Kettle 4]');
});
