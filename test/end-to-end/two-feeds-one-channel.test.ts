import { expect, test } from 'vitest';
import { feedItem } from '../helpers/catalog-folder.ts';
import { aHouseOfDeals } from '../helpers/panel.ts';

/** #deals gets Home and Tools, each by a subscription with these options. */
async function aChannelOfTwoFeeds(options: { Home: string; Tools: string }) {
  const { house, app, folder } = await aHouseOfDeals();
  for (const feed of ['Home', 'Tools'] as const)
    await house.asAda('deals', `/subscription add feed feed:${feed} catch-up:0 ${options[feed]}`);
  const show = async (feed: 'Home' | 'Tools') => {
    folder.writeFeed(feed, [feedItem(9), feed === 'Home' ? feedItem(1) : feedItem(4)]);
    await house.clock.advance(600_000);
    await app.tick();
    await app.settled();
  };
  return { show, posted: () => house.announcements('deals').length };
}

test('an instant post comes at once, although the other subscription’s digest waited first', async () => {
  const { show, posted } = await aChannelOfTwoFeeds({ Home: 'mode:daily', Tools: '' });
  await show('Home');
  expect(posted()).toBe(0);
  await show('Tools');
  expect(posted()).toBe(1);
});

test('what stands in the channel already is not posted again for another subscription', async () => {
  const { show, posted } = await aChannelOfTwoFeeds({ Home: '', Tools: 'filter:kettle' });
  await show('Home');
  await show('Tools');
  expect(posted()).toBe(1);
});
