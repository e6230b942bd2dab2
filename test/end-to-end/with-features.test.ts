import { expect, test } from 'vitest';
import { commandsWith } from '../../commands/index.ts';
import { FEATURES } from '../../src/features/index.ts';
import { aCatalogFolder, feedItem } from '../helpers/catalog-folder.ts';
import { textOf } from '../helpers/discord-form.ts';
import { aHouse } from '../helpers/house.ts';

test('the bot starts with all its features, answers, and posts each deal once', async () => {
  const folder = aCatalogFolder();
  folder.writeFeed('Home', [feedItem(1)]);
  const house = await aHouse({ content: () => folder.content, features: FEATURES });
  const app = await house.startBot();
  expect(textOf(await house.asAda('deals', '/help'))).toContain('Find a deal');
  await house.asAda('deals', '/subscription add feed feed:Home catch-up:1');
  await app.settled();
  folder.writeFeed('Home', [feedItem(1), feedItem(2)]);
  await house.clock.advance(120_000);
  await house.tick(app);
  await app.settled();
  const posted = house.announcements('deals').map((message) => textOf(message));
  expect(posted.filter((text) => text.includes('Kettle 1'))).toHaveLength(1);
  expect(posted.filter((text) => text.includes('Kettle 2'))).toHaveLength(1);
  const registered = commandsWith(FEATURES).map(({ data }) => data.name);
  expect(new Set(registered).size).toBe(registered.length);
});
