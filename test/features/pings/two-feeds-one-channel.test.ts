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
  const show = async (feed: 'Home' | 'Tools', changes: Record<string, unknown> = {}) => {
    folder.writeFeed(feed, [feedItem(9, changes), feed === 'Home' ? feedItem(1) : feedItem(4)]);
    await house.clock.advance(600_000);
    await app.tick();
    await app.settled();
  };
  const rung = () => house.announcements('deals').map(({ mention_roles: roles }) => roles.toSorted());
  return { house, app, home, tools, show, rung };
}

test('an instant post rings both subscriptions’ roles and comes at once, although the other one’s digest waited first', async () => {
  const { home, tools, show, rung } = await aChannelOfTwoFeeds({ Home: 'mode:daily', Tools: '' });
  await show('Home');
  expect(rung()).toEqual([]);
  await show('Tools');
  expect(rung()).toEqual([[home.roleId, tools.roleId].toSorted()]);
});

test('what stands in the channel already is not posted again for another subscription: a reply rings its role, once', async () => {
  const { house, home, tools, show, rung } = await aChannelOfTwoFeeds({ Home: '', Tools: 'filter:kettle' });
  await show('Home');
  const [post] = house.announcements('deals');
  await show('Tools');
  expect(rung()).toEqual([[home.roleId], [tools.roleId]]);
  const [, reply] = house.announcements('deals');
  expect(reply?.content).toBe(`🔔 <@&${tools.roleId}>`);
  expect(reply?.message_reference?.message_id).toBe(post?.id);
  await show('Tools');
  await show('Home');
  expect(rung()).toHaveLength(2);
});

test.each([
  ['once quiet hours are over', {}, true],
  ['never where the deal is over by then', { IsSoldOut: true }, false],
])('a role that must be quiet is rung %s', async (_, changes, isRung) => {
  const quiet = { Home: '', Tools: 'quiet-hours:11-14 time-zone:UTC' };
  const { house, app, tools, show, rung } = await aChannelOfTwoFeeds(quiet);
  await show('Home');
  await show('Tools');
  for (const feed of ['Home', 'Tools'] as const) await show(feed, changes);
  expect(rung()).toHaveLength(1);
  await house.clock.advance(2 * 3_600_000);
  await app.settled();
  expect(rung().slice(1)).toEqual(isRung ? [[tools.roleId]] : []);
});
