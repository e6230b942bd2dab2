import { expect, test } from 'vitest';
import { feedItem } from '../helpers/catalog-folder.ts';
import { textOf } from '../helpers/discord-form.ts';
import { aHouseOfDeals, idIn } from '../helpers/panel.ts';
import { uuid } from '../helpers/things.ts';

/** #deals gets Home and Tools, each by a subscription with these options and a ping of its own. */
async function aChannelOfTwoFeeds(options: { Home: string; Tools: string }) {
  const { house, app, folder } = await aHouseOfDeals();
  const subscribed = async (feed: 'Home' | 'Tools') => {
    const role = house.discord.createRole(feed, { mentionable: true });
    const added = `/subscription add feed feed:${feed} catch-up:0 role:${role.id} ${options[feed]}`;
    const id = idIn(await house.asAda('deals', added));
    return {
      roleId: role.id,
      why: async () => textOf(await house.asAda('deals', `/why offer:${uuid(9)} subscription:${id}`)),
    };
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
  expect(await home.why()).toContain('Queued for the digest');
  await show('Tools');
  expect(rung()).toEqual([[home.roleId, tools.roleId].toSorted()]);
  for (const { roleId, why } of [home, tools]) {
    const told = await why();
    expect(told).toContain('Posted <t:');
    expect(told).toContain(`🔔 <@&${roleId}> · was pinged`);
  }
});

test('what stands in the channel already is posted for another subscription, and nothing else is said of it', async () => {
  const { home, tools, show, rung } = await aChannelOfTwoFeeds({ Home: '', Tools: 'filter:kettle' });
  await show('Home');
  await show('Tools');
  expect(rung()).toEqual([[home.roleId]]);
  const told = await tools.why();
  expect(told).toContain('Posted for another subscription in this channel');
  for (const other of ['no record', 'pinged', 'Filter results']) expect(told).not.toContain(other);
});
