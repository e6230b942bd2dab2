import { expect, test } from 'vitest';
import { aCatalogFolder, feedItem } from '../helpers/catalog-folder.ts';
import { customIdsOf, textOf } from '../helpers/discord-form.ts';
import { aHouse } from '../helpers/house.ts';
import { uuid } from '../helpers/things.ts';

test('too many at once: the surplus is one post, whose whole list opens and turns, in the next run too', async () => {
  const folder = aCatalogFolder();
  folder.writeFeed('Home', []);
  const house = await aHouse({ content: () => folder.content });
  const app = await house.startBot();
  await house.asAda('deals', '/subscription add feed feed:Home');
  folder.writeFeed(
    'Home',
    Array.from({ length: 45 }, (_, index) => feedItem(index + 1)),
  );
  await house.clock.advance(120_000);
  await app.tick();
  await app.settled();
  const posts = house.announcements('deals');
  expect(posts).toHaveLength(19);
  const rollUp = posts[18];
  if (!rollUp) throw new Error('There is no roll-up.');
  expect(textOf(rollUp)).toContain('27 deals in Home · hourly limit');
  await app.stop();

  await house.startBot();
  const open = customIdsOf(rollUp).find((id) => id.startsWith('roll-up:')) ?? '';
  const first = await house.click(rollUp, open);
  expect(textOf(first)).toContain('page 1 of 6');
  const second = await house.click(first, customIdsOf(first).find((id) => id.startsWith('next>')) ?? '');
  expect(textOf(second)).toContain('page 2 of 6');
  expect(second.id).toBe(first.id);
});

test('a digest says what it holds, its menu opens each, and the whole list tells what is so by then', async () => {
  const folder = aCatalogFolder();
  folder.writeFeed('Home', []);
  const house = await aHouse({ content: () => folder.content });
  const app = await house.startBot();
  await house.asAda('deals', '/subscription add feed feed:Home mode:hourly');
  folder.writeFeed('Home', [feedItem(1), feedItem(2)]);
  await house.clock.advance(120_000);
  await app.tick();
  await house.clock.advance(3_600_000);
  await app.settled();
  const [digest, ...others] = house.announcements('deals');
  if (!digest) throw new Error('There is no digest.');
  expect(others).toEqual([]);
  expect(textOf(digest)).toContain('-# Hourly digest · 2 deals in Home');
  const [answer] = await Promise.all([house.choose(digest, 'menu:open', `offer:${uuid(2)}:`), house.gather()]);
  expect(answer.visible_to).toBe(house.discord.people.ben.id);
  expect(textOf(answer)).toContain('[Kettle 2]');

  folder.writeFeed('Home', [feedItem(1, { IsSoldOut: true }), feedItem(2)]);
  await house.clock.advance(120_000);
  await app.tick();
  await app.settled();
  const list = textOf(await house.click(digest, customIdsOf(digest).find((id) => id.startsWith('roll-up:')) ?? ''));
  expect(list).toContain('## Hourly digest · 2 deals in Home');
  expect(list).toMatch(/~~\[Kettle 1\].*~~[\s\S]*\*\*Sold out after \d+ (minutes|hours?|days?)\*\*/);
  expect(list).not.toContain('~~[Kettle 2]');
});
