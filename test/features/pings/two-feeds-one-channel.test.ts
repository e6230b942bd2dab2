import { expect, test } from 'vitest';
import { pings } from '../../../src/features/pings/index.ts';
import { feedItem } from '../../helpers/catalog-folder.ts';
import { aHouseOfDeals } from '../../helpers/panel.ts';

/** #deals gets Home and Tools, each by a subscription with these options and a ping of its own. */
async function aChannelOfTwoFeeds(options: { Home: string; Tools: string }) {
  const { house, app, folder } = await aHouseOfDeals({}, [pings]);
  const subscribed = async (feed: 'Home' | 'Tools') => {
    const role = house.discord.createRole(feed, { mentionable: true });
    const added = `/subscription add feed feed:${feed} catch-up:0 role:${role.id} ${options[feed]}`;
    await house.asAda('deals', added);
    return { roleId: role.id };
  };
  const [home, tools] = [await subscribed('Home'), await subscribed('Tools')];
  const show = async (feed: 'Home' | 'Tools') => {
    folder.writeFeed(feed, [feedItem(9), feed === 'Home' ? feedItem(1) : feedItem(4)]);
    await house.clock.advance(600_000);
    await app.tick();
    await app.settled();
  };
  const rung = () => house.announcements('deals').map(({ mention_roles: roles }) => roles.toSorted());
  return { house, home, tools, show, rung };
}

test('an instant post rings both subscriptions’ roles and comes at once, although the other one’s digest waited first', async () => {
  const { home, tools, show, rung } = await aChannelOfTwoFeeds({ Home: 'mode:daily', Tools: '' });
  await show('Home');
  expect(rung()).toEqual([]);
  await show('Tools');
  expect(rung()).toEqual([[home.roleId, tools.roleId].toSorted()]);
});

test('what stands in the channel already is not posted again for another subscription', async () => {
  const { home, show, rung } = await aChannelOfTwoFeeds({ Home: '', Tools: 'filter:kettle' });
  await show('Home');
  await show('Tools');
  expect(rung()).toEqual([[home.roleId]]);
});
