import { expect, test } from 'vitest';
import { whyAndPreview } from '../../../src/features/why/index.ts';
import { aCatalogFolder, event, feedItem } from '../../helpers/catalog-folder.ts';
import { customIdsOf, textOf } from '../../helpers/discord-form.ts';
import { aHouse, type House } from '../../helpers/house.ts';

async function idOf(house: House): Promise<string> {
  const [offered] = await house.discord.autocomplete({
    personId: house.discord.people.ada.id,
    channelId: house.discord.channel('deals').id,
    text: '/subscription preview id:',
    focused: 'id',
  });
  return String(offered?.value);
}

test('/subscription preview plays the week again for whoever manages the server, page by page, and asks the catalog nothing', async () => {
  const folder = aCatalogFolder();
  const old = feedItem(2, { StartDate: '2026-11-01T10:00:00Z' });
  folder.writeFeed('Home', [feedItem(1), old]);
  const house = await aHouse({ features: [whyAndPreview], content: () => folder.content });
  const app = await house.startBot();
  await house.asAda('deals', '/subscription add feed feed:Home catch-up:0');
  folder.writeFeed('Home', [feedItem(1), old, ...[3, 4, 5, 6, 7].map((number) => feedItem(number))]);
  await house.clock.advance(120_000);
  await app.tick();
  await app.settled();
  const asked = () => house.logLines.filter((line) => line.includes('"path":')).length;
  const before = asked();

  const first = await house.asAda('deals', `/subscription preview id:${await idOf(house)}`);
  expect(first.visible_to).toBe(house.discord.people.ada.id);
  expect(textOf(first)).toContain('▰▰▰▰▰▰▰▰▰▰ **6**');
  expect(textOf(first)).toContain('Monitored since');
  expect(textOf(first)).toContain('6 announcements · page 1 of 2');
  const next = customIdsOf(first).find((id) => id.startsWith('next>')) ?? '';
  const { discord } = house;
  const turn = { channelId: first.channel_id, messageId: first.id, customId: next, values: [] };
  const second = await discord.useComponent({ personId: discord.people.ada.id, ...turn });
  expect(second.message && textOf(second.message)).toContain('page 2 of 2');
  expect(asked()).toBe(before);

  const button = { ...turn, personId: discord.people.ben.id };
  const refused = await discord.useComponent(button).then(({ message }) => message && textOf(message), String);
  expect(refused).not.toContain('page 2 of 2');
});

test('of events only those that are still there are known', async () => {
  const folder = aCatalogFolder();
  folder.writeEvents([event(1), event(2, { Site: 'wine.example.com' })]);
  const house = await aHouse({ features: [whyAndPreview], content: () => folder.content });
  await house.startBot();
  await house.asAda('deals', '/subscription add events catch-up:0');
  const told = textOf(await house.asAda('deals', `/subscription preview id:${await idOf(house)}`));
  expect(told).toContain('Only items that are still live can be shown.');
  expect(told).toContain('2 announcements');
  expect(told).toContain('### Event 1');
});
