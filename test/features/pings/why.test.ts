import { describe, expect, test } from 'vitest';
import { FEATURES } from '../../../src/features/index.ts';
import { feedItem } from '../../helpers/catalog-folder.ts';
import { textOf } from '../../helpers/discord-form.ts';
import type { House } from '../../helpers/house.ts';
import { adaFills, adaGets, aHouseOfDeals, idIn } from '../../helpers/panel.ts';
import { uuid } from '../../helpers/things.ts';

/** What Ada is told of an offer in a subscription. */
async function whyOf(house: House, number: number, subscription: string): Promise<string> {
  return textOf(await house.asAda('deals', `/why offer:${uuid(number)} subscription:${subscription}`));
}

/** A house whose #deals follows Home with a ping of each of these roles, and has got a new offer. */
async function aPingedHouse() {
  const { house, app, folder } = await aHouseOfDeals({}, FEATURES);
  const panel = await house.asAda('deals', '/subscription add feed feed:Home catch-up:0');
  const id = idIn(panel);
  const role = (name: string) => house.discord.createRole(name, { mentionable: true });
  const show = async (...items: Record<string, unknown>[]) => {
    folder.writeFeed('Home', [...items, feedItem(1), feedItem(2), feedItem(3)]);
    await house.clock.advance(600_000);
    await app.tick();
    await app.settled();
  };
  return { house, panel, id, role, show };
}

describe.skipIf(!FEATURES.some(({ name }) => name === 'why'))('/why and the test of a subscription', () => {
  test('each ping says what it did', async () => {
    const { house, id, role, show } = await aPingedHouse();
    const [all, cheap, drops] = [role('All'), role('Cheap'), role('Drops')];
    for (const values of [
      { role: all.id, filter: '' },
      { role: cheap.id, filter: '"kettle 3" OR price:<10' },
      { role: drops.id, filter: '', kinds: ['price-drop'] },
    ]) {
      const pings = await adaGets(house, await house.asAda('deals', `/subscription edit id:${id}`), `pings:${id}`);
      await adaFills(house, pings, `ping:${id}:`, values);
    }
    await show(feedItem(4), feedItem(5, { SalePrice: { Minimum: 5, Maximum: 5 } }));
    const why = await whyOf(house, 4, id);
    expect(why).toContain(`🔔 <@&${all.id}> · was pinged`);
    expect(why).toContain(`🔕 <@&${cheap.id}> · not pinged: doesn’t match \`"kettle 3" OR price:<10\``);
    expect(why).toContain(`🔕 <@&${drops.id}> · not pinged: the ping is for other kinds of posts`);
    expect(await whyOf(house, 5, id)).toContain(`🔔 <@&${cheap.id}> · was pinged`);
  });

  test('a role that the bot may not ring any more says what keeps it from that', async () => {
    const { house, panel, id, role, show } = await aPingedHouse();
    const [good, bad] = [role('Good'), role('Bad')];
    await adaGets(house, panel, 'role', [good.id, bad.id]);
    house.discord.editRole(bad.id, { permissions: ['manageMessages'] });
    await house.discord.waitFor(() => true);
    await show(feedItem(4));
    const why = await whyOf(house, 4, id);
    const trouble = `⚠ The bot doesn’t ping <@&${bad.id}>: the role has permissions that are for the server’s team (Manage Messages).`;
    expect(why).toContain(`🔔 <@&${good.id}> · was pinged`);
    expect(why).toContain(`🔕 <@&${bad.id}> · not pinged: the role was gone or off limits for the bot ${trouble}`);
  });

  test('of a digest that an instant post overtakes, the pings of both subscriptions are told the post', async () => {
    const { house, app, folder } = await aHouseOfDeals({}, FEATURES);
    const show = async (feed: 'Home' | 'Tools') => {
      folder.writeFeed(feed, [feedItem(9), feed === 'Home' ? feedItem(1) : feedItem(4)]);
      await house.clock.advance(600_000);
      await app.tick();
      await app.settled();
    };
    const added = async (feed: string, option: string) => {
      const role = house.discord.createRole(feed, { mentionable: true });
      const command = `/subscription add feed feed:${feed} catch-up:0 role:${role.id} ${option}`;
      return { roleId: role.id, id: idIn(await house.asAda('deals', command)) };
    };
    const both = [await added('Home', 'mode:daily'), await added('Tools', '')];
    await show('Home');
    await show('Tools');
    for (const { roleId, id } of both) {
      const told = await whyOf(house, 9, id);
      expect(told).toContain('Posted <t:');
      expect(told).toContain(`🔔 <@&${roleId}> · was pinged`);
    }
  });

  test('the test of a subscription says which role the bot can’t ping', async () => {
    const { house } = await aHouseOfDeals({}, FEATURES);
    const role = house.discord.createRole('Quiet people');
    const panel = await house.asAda('deals', '/subscription add feed feed:Home words:kettle catch-up:0');
    await adaGets(house, panel, 'role', [role.id]);
    const problems = textOf(await house.asAda('announcements', `/subscription test id:${idIn(panel)}`));
    expect(problems).toContain(`The bot can’t ping <@&${role.id}> there.`);
  });
});
