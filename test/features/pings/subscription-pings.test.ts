import { expect, test } from 'vitest';
import { IDS } from '../../../packages/local-discord/src/index.ts';
import { pings as feature } from '../../../src/features/pings/index.ts';
import { MOST_PINGS } from '../../../src/features/pings/ping.ts';
import { feedItem } from '../../helpers/catalog-folder.ts';
import { textOf } from '../../helpers/discord-form.ts';
import type { House } from '../../helpers/house.ts';
import { adaFills, adaGets, adaSends, adaUses, aHouseOfDeals, idIn } from '../../helpers/panel.ts';

const priced = (price: number) => ({ SalePrice: { Minimum: price, Maximum: price } });

/** A house with a subscription of the feed Home in #deals, and roles that anyone may mention. */
async function aSubscribedHouse(options = '') {
  const { house, app, folder } = await aHouseOfDeals({}, [feature]);
  const role = (name: string) => house.discord.createRole(name, { mentionable: true });
  const panel = await house.asAda('deals', `/subscription add feed feed:Home catch-up:0 ${options}`);
  const id = idIn(panel);
  const reopened = () => house.asAda('deals', `/subscription edit id:${id}`);
  const pings = async () => adaGets(house, await reopened(), `pings:${id}`);
  return {
    house,
    app,
    folder,
    role,
    id,
    reopened,
    pings,
    /** Chooses these roles in the panel's menu. */
    choose: async (roleIds: string[]) => adaGets(house, await reopened(), 'role', roleIds),
    /** Fills the form of a new ping, from the card of the pings. */
    add: async (values: Record<string, string | string[]>) => adaFills(house, await pings(), `ping:${id}:`, values),
    poll: async () => {
      await house.clock.advance(600_000);
      await app.tick();
      await app.settled();
    },
  };
}

const pinged = (house: House) => house.announcements('deals').map(({ mention_roles: roles }) => roles.toSorted());

test('each ping is tried on the last days while it is made, and a post rings exactly those that it is for', async () => {
  const { house, folder, role, pings, add, poll } = await aSubscribedHouse();
  const [all, cheap, drops] = [role('All'), role('Cheap'), role('Drops')];
  expect(textOf(await pings())).toContain('No role is pinged yet.');
  expect(textOf(await add({ role: all.id, filter: '' }))).toContain(
    `✅ <@&${all.id}> · would have been pinged 3 times in the last 7 days`,
  );
  const tried = textOf(await add({ role: cheap.id, filter: '"kettle 3" OR price:<10' }));
  expect(tried).toContain(`✅ <@&${cheap.id}> · would have been pinged 1 time in the last 7 days`);
  expect(tried).toContain(`<@&${all.id}> · every post`);
  const none = textOf(await add({ role: drops.id, filter: '', kinds: ['price-drop'] }));
  expect(none).toContain(`✅ <@&${drops.id}> · would have been pinged 0 times`);
  expect(none).toContain(`<@&${drops.id}> · Price drop`);

  folder.writeFeed('Home', [feedItem(4), feedItem(5, priced(5)), feedItem(1), feedItem(2), feedItem(3)]);
  await poll();
  const both = [all.id, cheap.id].toSorted();
  expect(pinged(house).toSorted((a, b) => a.length - b.length)).toEqual([[all.id], both]);
});

test('a ping is changed and removed in its form, and the panel’s menu keeps the others as they are', async () => {
  const { house, role, pings, add, choose, reopened, id } = await aSubscribedHouse();
  const [one, two, three] = [role('One'), role('Two'), role('Three')];
  await add({ role: one.id, filter: 'kettle' });
  const { modal } = await adaUses(house, await pings(), `ping:${id}:${one.id}`);
  expect(JSON.stringify(modal)).toContain('"value":"kettle"');
  const changed = await adaFills(house, await pings(), `ping:${id}:${one.id}`, { role: two.id, filter: 'pot' });
  expect(textOf(changed)).toContain(`<@&${two.id}> · \`pot\``);
  expect(textOf(changed)).not.toContain(`<@&${one.id}>`);
  const menu = await choose([two.id, three.id]);
  expect(textOf(menu)).toContain(`**Pings** <@&${two.id}> (\`pot\`), <@&${three.id}>`);
  await adaFills(house, await pings(), `ping:${id}:${two.id}`, { role: '', filter: 'pot' });
  expect(textOf(await reopened())).toContain(`**Pings** <@&${three.id}>\n`);
});

test('a mistake in the form keeps what was typed, over a restart too', async () => {
  const { house, app, role, pings, add, id } = await aSubscribedHouse();
  const one = role('One');
  const mistake = await add({ role: one.id, filter: 'prise:<5', kinds: ['new-offer', 'price-drop'] });
  expect(textOf(mistake)).toContain('There’s no field “prise”.');
  await app.stop();
  await house.startBot();
  const { modal } = await adaUses(house, mistake, `ping:${id}:`);
  expect(JSON.stringify(modal)).toContain('"value":"prise:<5"');
  expect(JSON.stringify(modal)).toContain(`{"id":"${one.id}","type":"role"}`);
  const mended = await adaFills(house, mistake, `ping:${id}:`, { filter: 'price:<5' });
  expect(textOf(mended)).toContain(`<@&${one.id}> · \`price:<5\` · New offer and Price drop`);
  expect(textOf(await add({ role: '', filter: '' }))).toContain('**role** · Choose a role to ping.');
  expect(textOf(await add({ role: one.id, filter: '' }))).toContain(`**role** · <@&${one.id}> is already pinged here.`);
  expect(textOf(await pings()).match(/would have been pinged/g)).toHaveLength(1);
});

test('there are ten pings at most', async () => {
  const { house, role, choose, pings, reopened, id } = await aSubscribedHouse();
  const roles = Array.from({ length: MOST_PINGS }, (_, index) => role(`Role ${index}`).id);
  await choose(roles);
  const full = await pings();
  for (const roleId of roles) expect(textOf(full)).toContain(`<@&${roleId}>`);
  await expect(adaUses(house, full, `ping:${id}:`)).rejects.toThrow('The card has no');
  role('Eleventh');
  expect(textOf(await house.asAda('deals', `/subscription edit id:${id} role:@Eleventh`))).toContain(
    'A subscription can ping 10 roles at most.',
  );
  expect(textOf(await house.asAda('deals', `/subscription edit id:${id} role:"@Role 3"`))).toContain('Saved');
  expect(textOf(await reopened())).not.toContain('Eleventh');
});

test.each([
  [
    'Managers',
    'the role has permissions that are for the server’s team (Manage Server, Manage Channels, Manage Webhooks, Manage Messages, and Manage Events)',
  ],
  ['Boosters', 'is managed by Discord or an app'],
  ['Crown', 'the role is above the bot’s highest role'],
  ['Loud', 'for the server’s team (Mention @everyone, @here, and All Roles)'],
  ['Dealbell', 'belongs to a bot'],
])('@%s can’t be pinged, by the command, the menu or the form, with the reason', async (name, reason) => {
  const { house, choose, add, reopened, id } = await aSubscribedHouse();
  house.discord.createRole('Boosters', { mentionable: true, managed: true });
  house.discord.createRole('Loud', { permissions: ['mentionEveryone'] });
  house.discord.editRole(house.discord.createRole('Crown', { mentionable: true }).id, { position: 99 });
  const roleId = house.discord.roles().find((role) => role.name === name)?.id ?? '';
  const told = [
    await house.asAda('deals', `/subscription edit id:${id} role:@${name}`),
    await choose([roleId]),
    await add({ role: roleId, filter: 'kettle' }),
    await house.asAda('deals', `/subscription add polls role:@${name}`),
  ];
  for (const answer of told) expect(textOf(answer)).toContain(reason);
  expect(textOf(await reopened())).toContain('**Pings** nobody');
});

test('a role that gets such a permission later, or is deleted, is not rung, as the panel and /status say', async () => {
  const { house, folder, role, choose, poll, reopened } = await aSubscribedHouse();
  const [good, gone, bad] = [role('Good'), role('Gone'), role('Bad')];
  await choose([good.id, gone.id, bad.id]);
  house.discord.editRole(bad.id, { permissions: ['manageMessages'] });
  house.discord.deleteRole(gone.id);
  await house.discord.waitFor(() => true);
  folder.writeFeed('Home', [feedItem(4), feedItem(1), feedItem(2), feedItem(3)]);
  await poll();
  expect(pinged(house)).toEqual([[good.id]]);
  expect(textOf(house.announcements('deals')[0] ?? {})).not.toContain(bad.id);
  const trouble = `⚠ The bot doesn’t ping <@&${bad.id}>: the role has permissions that are for the server’s team (Manage Messages).`;
  const deleted = '⚠ A role to ping was deleted';
  for (const answer of [await reopened(), await house.asBen('deals', '/status')]) {
    expect(textOf(answer)).toContain(trouble);
    expect(textOf(answer)).toContain(deleted);
  }
  house.discord.editRole(bad.id, { permissions: [] });
  await house.discord.waitFor(() => true);
  folder.writeFeed('Home', [feedItem(5), feedItem(4), feedItem(1), feedItem(2), feedItem(3)]);
  await poll();
  expect(pinged(house)[1]).toEqual([good.id, bad.id].toSorted());
});

test('one feed may be in a channel twice where the pings differ: one post rings the roles of both', async () => {
  const { house, folder, role, poll } = await aSubscribedHouse();
  const [one, two] = [role('One'), role('Two')];
  const add = (options: string) => house.asAda('deals', `/subscription add feed feed:Home catch-up:0 ${options}`);
  expect(textOf(await add('role:@One'))).toContain('will be posted');
  expect(textOf(await add('role:@Two'))).toContain('will be posted');
  for (const same of ['', 'role:@One', 'role:@Two mode:daily']) {
    expect(textOf(await add(same))).toContain('already gets Home feed with the same filter');
  }
  folder.writeFeed('Home', [feedItem(4), feedItem(1), feedItem(2), feedItem(3)]);
  await poll();
  expect(pinged(house)).toEqual([[one.id, two.id].toSorted()]);
});

test('a digest says of each role which of its deals concern it', async () => {
  const { house, folder, role, choose, add, poll } = await aSubscribedHouse('mode:hourly');
  const [all, cheap] = [role('All'), role('Cheap')];
  await choose([all.id]);
  expect(textOf(await add({ role: cheap.id, filter: 'price:<10' }))).toContain('would have been pinged 0 times');
  folder.writeFeed(
    'Home',
    [4, 5, 6, 7, 8].map((number) => feedItem(number, number > 6 ? priced(5) : {})),
  );
  await poll();
  expect(house.announcements('deals')).toEqual([]);
  for (let wait = 0; wait < 6; wait += 1) await poll();
  const [digest] = house.announcements('deals');
  expect(digest?.mention_roles.toSorted()).toEqual([all.id, cheap.id].toSorted());
  const lines = textOf(digest ?? {}).split('\n');
  expect(lines.find((line) => line.startsWith(`<@&${cheap.id}>`))).toMatch(/^<@&\d+> · Kettle [78], Kettle [78]$/);
  expect(lines.find((line) => line.startsWith(`<@&${all.id}>`))).toMatch(/^<@&\d+> · (Kettle \d, ){4}Kettle \d$/);
});

test('a ping that another manager changed while its form was open is not overwritten, and what was typed is kept', async () => {
  const { house, role, id, add, pings } = await aSubscribedHouse();
  const [all, other] = [role('All'), role('Other')];
  await add({ role: all.id, filter: 'kettle' });
  house.discord.giveRole(IDS.ben, IDS.managers);
  /** Ben changes the ping by the same form. */
  const meanwhile = async (values: Record<string, string>) => {
    let card = await house.asBen('deals', `/subscription edit id:${id}`);
    const at = { personId: IDS.ben, channelId: card.channel_id };
    const press = (customId: string) => house.discord.useComponent({ ...at, messageId: card.id, customId, values: [] });
    card = (await press(`pings:${id}`)).message ?? card;
    const { modal } = await press(`ping:${id}:${all.id}`);
    await house.discord.submitModal({ ...at, customId: modal?.custom_id ?? '', values });
  };
  const card = await pings();
  const opened = await adaUses(house, card, `ping:${id}:${all.id}`);
  await meanwhile({ role: all.id, filter: 'lamp' });
  const told = await adaSends(house, card, opened, { role: all.id, filter: 'toaster' });
  expect(textOf(told)).toContain(
    '⚠ **filter** · Someone else changed this while you had the form open. Now: `lamp`\nYou wrote:',
  );
  const again = await adaUses(house, told, `ping:${id}:${all.id}`);
  // The role that the form is about has no ping any more.
  await meanwhile({ role: other.id, filter: 'lamp' });
  const gone = await adaSends(house, told, again, { role: all.id, filter: 'toaster' });
  expect(textOf(gone)).toContain('⚠ **filter** · Someone else cleared this');
  const saved = await adaFills(house, gone, `ping:${id}:${all.id}`, { role: all.id, filter: 'toaster' });
  expect(textOf(saved)).toMatch(/lamp[\s\S]*toaster/);
});
