import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { HOUR_MS } from '../../src/shared/time.ts';
import { aCatalogFolder, feedItem } from '../helpers/catalog-folder.ts';
import { textOf } from '../helpers/discord-form.ts';
import { aHouse } from '../helpers/house.ts';
import { adaGets } from '../helpers/panel.ts';

/** A post in a channel where somebody else has used up the publications of the hour. */
async function aPostNotPublished() {
  const folder = aCatalogFolder();
  folder.writeFeed('Home', []);
  const house = await aHouse({ content: () => folder.content });
  house.discord.othersPublish = 10;
  const app = await house.startBot();
  await house.asAda('announcements', '/subscription add feed feed:Home publish:True catch-up:0');
  await app.tick();
  folder.writeFeed('Home', [feedItem(1)]);
  await house.clock.advance(120_000);
  await app.tick();
  return { house, app };
}

test('where somebody else uses up the publications of the hour, a post comes at once, and everybody is told that it is published later', async () => {
  const { house, app } = await aPostNotPublished();
  const { discord, clock } = house;
  const isPublished = () => house.announcements('announcements').map(({ flags = 0 }) => (flags & 1) === 1);
  await discord.waitFor(() => isPublished().length === 1 || undefined);
  await clock.untilSleeping((ms) => ms > HOUR_MS - 1_000 && ms <= HOUR_MS + 50);
  expect(isPublished()).toEqual([false]);

  const status = await house.asAda('announcements', '/status');
  expect(textOf(status)).toMatch(
    /📣 1 post waits to be published: Discord allows ten an hour per channel\. Next at <t:\d+:t>\./,
  );
  expect(textOf(await adaGets(house, status, 'status:bot'))).toContain('1 post not published yet');
  expect(house.logLines.filter((line) => line.includes('not published yet'))).toHaveLength(1);

  discord.othersPublish = 0;
  await clock.advance(HOUR_MS + 50);
  await app.settled();
  while (!isPublished()[0]) await setImmediate();
  expect(textOf(await house.asAda('announcements', '/status'))).not.toContain('📣');
});
