import { expect, test } from 'vitest';
import { aCatalogFolder, feedItem } from '../helpers/catalog-folder.ts';
import { textOf } from '../helpers/discord-form.ts';
import { aHouse } from '../helpers/house.ts';
import { onlyFeatured } from '../helpers/only-featured.ts';

/** Two channels that want featured offers alone: #deals says so by its flag, #announcements by its filter. */
async function aHouseOfFeatured() {
  const folder = aCatalogFolder();
  folder.writeFeed('Home', [feedItem(1)]);
  const house = await aHouse({ features: [onlyFeatured], content: () => folder.content });
  const app = await house.startBot();
  const panel = await house.asAda('deals', '/subscription add feed feed:Home catch-up:0 featured:true');
  await house.asAda('announcements', '/subscription add feed feed:Home catch-up:0 filter:featured:true');
  const shows = async (...items: unknown[]) => {
    folder.writeFeed('Home', [feedItem(1), ...items]);
    await house.clock.advance(120_000);
    await app.tick();
    await app.settled();
  };
  const posted = () =>
    ['deals', 'announcements'].map((name) =>
      house.announcements(name).map((post) => /Kettle \d/.exec(textOf(post))?.[0]),
    );
  return { house, panel, shows, posted };
}

test('an offer whose flag is unreadable at first and wanted then is announced once, by a setting as by a filter', async () => {
  const { shows, posted } = await aHouseOfFeatured();
  await shows(feedItem(2, { IsFeatured: 'maybe' }), feedItem(3, { IsFeatured: 'maybe' }));
  expect(posted()).toEqual([[], []]);
  for (let answer = 0; answer < 3; answer += 1) await shows(feedItem(2, { IsFeatured: true }), feedItem(3));
  expect(posted()).toEqual([['Kettle 2'], ['Kettle 2']]);
});

test('what the setting does not choose is not announced, and a subscription for all is another one', async () => {
  const { house, panel, shows, posted } = await aHouseOfFeatured();
  expect(textOf(panel)).toMatch(/0 of 1 .*\n[\s\S]*\*\*Featured\*\* offers alone/);
  await shows(feedItem(2), feedItem(3, { IsFeatured: true }));
  expect(posted()).toEqual([['Kettle 3'], ['Kettle 3']]);
  expect(textOf(await house.asAda('deals', '/subscription list'))).toContain('featured:true');
  await house.asAda('deals', '/subscription add feed feed:Home catch-up:0');
  await shows(feedItem(2), feedItem(3, { IsFeatured: true }), feedItem(4));
  expect(posted()).toEqual([['Kettle 3', 'Kettle 4'], ['Kettle 3']]);
});
