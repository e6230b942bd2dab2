import { ComponentType } from 'discord-api-types/v10';
import { expect, test } from 'vitest';
import { IDS, type PageMessage } from '../../../packages/local-discord/src/index.ts';
import { feedItem } from '../../helpers/catalog-folder.ts';
import { menusOf, textOf } from '../../helpers/discord-form.ts';
import { aButton } from '../../helpers/panel.ts';
import { lookAgain } from '../../helpers/watching-ben.ts';
import { aHouseWithPings, isPanel } from './member-pings.ts';

/** The same, where the bot is also in Bazaar, whose #bargains follows the feed and rings a role of that server. */
async function aHouseInTwoServers() {
  const all = await aHouseWithPings();
  const { house, discord } = all;
  const guildId = discord.createGuild('Bazaar');
  const bargains = discord.createChannel('bargains', 'text', { guildId });
  const bazaar = discord.createRole('Bazaar deals', { mentionable: true, guildId });
  await house.asAda('bargains', `/subscription add feed feed:Home catch-up:0 role:${bazaar.id}`);
  /** The id of the only subscription of a channel's server. */
  const subscriptionIn = async (channelId: string) => {
    const typed = { personId: IDS.ada, channelId, text: '/pings make id: filter:x', focused: 'id' };
    const [only] = await discord.autocomplete(typed);
    return String(only?.value);
  };
  return { ...all, guildId, bargains, bazaar, subscriptionIn };
}

test('a person sees, takes and leaves in each server what that server offers', async () => {
  const { house, discord, deals, bargains, bazaar, ssd, guildId, choose } = await aHouseInTwoServers();
  await house.asAda('deals', '/pings panel');
  await house.asAda('bargains', '/pings panel');
  const panels = [deals, bargains.id].map((id) => discord.messages(id).find(isPanel) as PageMessage);
  const valuesOf = (message: PageMessage) =>
    menusOf(message).flatMap(({ options }) => options.map(({ value }) => value));
  expect(panels.map(valuesOf)).toEqual([[ssd.id], [bazaar.id]]);
  expect(panels.map(textOf)).toEqual([expect.not.stringContaining(bazaar.id), expect.not.stringContaining(ssd.id)]);
  const own = [await house.asBen('deals', '/pings mine'), await house.asBen('bargains', '/pings mine')];
  expect(own.map(valuesOf)).toEqual([[ssd.id], [bazaar.id]]);

  const roles = () => [discord.rolesOf(IDS.ben), discord.rolesOf(IDS.ben, guildId)];
  await choose(panels[0] as PageMessage, 'toggle-pings', ssd.id);
  expect(roles()).toEqual([[ssd.id], []]);
  expect(textOf(await house.asBen('bargains', '/pings mine'))).toContain('You don’t have any.');
  await choose(panels[1] as PageMessage, 'toggle-pings', bazaar.id);
  expect(roles()).toEqual([[ssd.id], [bazaar.id]]);
  await choose(await house.asBen('deals', '/pings mine'), 'set-pings');
  expect(roles()).toEqual([[], [bazaar.id]]);
});

test('menus and buttons with ids of the other server change nothing', async () => {
  const { house, discord, deals, bargains, bazaar, ssd, guildId, choose, subscriptionIn } = await aHouseInTwoServers();
  const forge = (channelId: string, customId: string, roleId: string) => {
    const options = [{ label: 'x', value: roleId }];
    const menu = { type: ComponentType.StringSelect, custom_id: customId, min_values: 0, options };
    return house.post(channelId, { components: [{ type: ComponentType.ActionRow, components: [menu] }] });
  };
  for (const [channelId, roleId] of [
    [bargains.id, ssd.id],
    [deals, bazaar.id],
  ] as const) {
    for (const customId of ['toggle-pings:x:1', 'set-pings:1']) {
      const answer = await choose(await forge(channelId, customId, roleId), customId, roleId);
      expect(textOf(answer)).toContain('That role isn’t offered here anymore');
    }
  }
  expect([discord.rolesOf(IDS.ben), discord.rolesOf(IDS.ben, guildId)]).toEqual([[], []]);

  const theirs = await subscriptionIn(deals);
  for (const customId of [`pings:${theirs}`, `ping:${theirs}:${ssd.id}`, `unmake-ping:${theirs}:${ssd.id}`]) {
    const button = await aButton(house, bargains.id, customId);
    const click = { personId: IDS.ada, channelId: bargains.id, messageId: button.id, customId };
    expect(textOf((await discord.useComponent(click)).message ?? {})).toContain('This server has no such subscription');
  }
  const made = await house.asAda('bargains', `/pings make id:${theirs} filter:ssd`);
  expect(textOf(made)).toContain('This server has no such subscription');
  expect(discord.roles().map(({ id }) => id)).toContain(ssd.id);
  expect(discord.auditLog()).toEqual([]);
});

test('a deal rings in each server the roles of that server', async () => {
  const { house, app, folder, deals, bargains, discord, bazaar, ssd } = await aHouseInTwoServers();
  folder.writeFeed('Home', [feedItem(1), feedItem(2)]);
  await lookAgain(house, app);
  const posts = [deals, bargains.id].map((id) => discord.messages(id).filter((one) => !one.interaction_metadata));
  expect(posts.map((all) => all.map((one) => one.mention_roles))).toEqual([[[ssd.id]], [[bazaar.id]]]);
});
