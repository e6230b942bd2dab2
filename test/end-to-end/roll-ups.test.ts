import { expect, test } from 'vitest';
import { aCatalogFolder, feedItem } from '../helpers/catalog-folder.ts';
import { customIdsOf, textOf } from '../helpers/discord-form.ts';
import { aHouse } from '../helpers/house.ts';

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
