import { expect, test } from 'vitest';
import type { Fault, PageMessage } from '../../../packages/local-discord/src/index.ts';
import { IDS } from '../../../packages/local-discord/src/index.ts';
import { openStore } from '../../../src/store/store.ts';
import { feedItem } from '../../helpers/catalog-folder.ts';
import { buttonUrlsOf, customIdsOf, menusOf, textOf } from '../../helpers/discord-form.ts';
import { aSubscription } from '../../helpers/things.ts';
import { lookAgain } from '../../helpers/watching-ben.ts';
import { adaMakes, aHouseWithPings, isPanel } from './member-pings.ts';

test('members take and leave roles on the panel, and see which they have', async () => {
  const { house, discord, ssd, panelOf, choose } = await aHouseWithPings();
  const posted = await house.asAda('deals', '/pings panel');
  expect(textOf(posted)).toContain('✅ Members can choose their pings now.');
  expect(buttonUrlsOf(posted)).toEqual([expect.stringContaining(`/${IDS.deals}/${panelOf()?.id}`)]);
  const panel = panelOf() as PageMessage;
  expect(textOf(panel)).toContain('## Choose your pings');
  expect(textOf(panel)).toContain(
    `<@&${ssd.id}>\nHome feed → <#${IDS.deals}> · every post\n-# would have been pinged 1 time in the last 7 days`,
  );
  expect(panel.mention_roles, 'the panel rings nobody').toEqual([]);

  const taken = await choose(panel, 'toggle-pings:', ssd.id);
  expect(taken.visible_to).toBe(IDS.ben);
  expect(textOf(taken)).toContain(`✅ You’ll be pinged with <@&${ssd.id}>.`);
  expect(discord.rolesOf(IDS.ben)).toEqual([ssd.id]);
  expect(discord.auditLog().at(-1)).toEqual({ action: 'member-roles-edited', reason: 'ben chose their pings' });

  expect(textOf(await choose(panel, 'toggle-pings:')), 'the choice taken back in the client').toContain(
    '## Your pings',
  );
  expect(discord.rolesOf(IDS.ben)).toEqual([ssd.id]);
  // One click is not taken twice while it is on its way: the next one comes after another answer.
  expect(textOf(await house.asBen('deals', '/pings mine'))).toContain(`## Your pings\n<@&${ssd.id}>`);
  const left = await choose(panel, 'toggle-pings:', ssd.id);
  expect(textOf(left)).toContain(`✅ You won’t be pinged with <@&${ssd.id}> anymore.`);
  expect(discord.rolesOf(IDS.ben)).toEqual([]);

  const own = await house.asBen('deals', '/pings mine');
  expect(textOf(own)).toContain('You don’t have any.');
  expect(textOf(await choose(own, 'set-pings:1', ssd.id))).toContain(`<@&${ssd.id}>\nHome feed`);
  expect(discord.rolesOf(IDS.ben)).toEqual([ssd.id]);
  const none = await choose(own, 'set-pings:1');
  expect(textOf(none)).toContain('You don’t have any.');
  expect(discord.rolesOf(IDS.ben)).toEqual([]);
});

test('a choice leaves roles alone that are not offered', async () => {
  const { house, discord, ssd, choose } = await aHouseWithPings();
  discord.giveRole(IDS.ben, IDS.dealHunters);
  const own = await house.asBen('deals', '/pings mine');
  await choose(own, 'set-pings:1', ssd.id);
  expect(new Set(discord.rolesOf(IDS.ben))).toEqual(new Set([IDS.dealHunters, ssd.id]));
  await choose(own, 'set-pings:1');
  expect(discord.rolesOf(IDS.ben)).toEqual([IDS.dealHunters]);
});

test('the panel follows renamed, removed and new roles by itself, and shows how often each was rung', async () => {
  const { house, app, folder, discord, ssd, refresh, panelOf, deals, run } = await aHouseWithPings();
  await house.asAda('deals', '/pings panel');
  const first = panelOf();
  expect(textOf(first as PageMessage)).toContain('-# would have been pinged 1 time in the last 7 days');
  folder.writeFeed('Home', [feedItem(1), feedItem(2)]);
  await lookAgain(house, app);
  await run('pings-week');
  expect(textOf((await refresh()) as PageMessage), 'once a day').toContain('-# pinged 1 time in the last 7 days');
  discord.editRole(ssd.id, { name: 'Disks' });
  // The gateway tells of it before the command, on the same connection.
  await house.asBen('deals', '/pings mine');
  expect(JSON.stringify(await refresh())).toContain('"Disks"');
  const kettles = discord.createRole('Kettles', { mentionable: true });
  await house.asAda('deals', `/subscription add feed feed:Home catch-up:0 filter:kettle role:${kettles.id}`);
  const both = (await refresh()) as PageMessage;
  expect([both.id, textOf(both)]).toEqual([first?.id, expect.stringContaining(`<@&${kettles.id}>`)]);
  discord.deleteRole(ssd.id);
  await house.asBen('deals', '/pings mine');
  expect(textOf((await refresh()) as PageMessage)).not.toContain(ssd.id);
  expect(discord.messages(deals).filter(isPanel)).toHaveLength(1);
});

test('a role that nothing rings is not on the panel, and whoever manages it is told why', async () => {
  const { house, discord, ssd, refresh } = await aHouseWithPings();
  await house.asAda('deals', '/pings panel');
  const isOffered = async () => {
    // The gateway tells of changes before the command, on the same connection.
    await house.asBen('deals', '/pings mine');
    return JSON.stringify((await refresh()) ?? null).includes(ssd.id);
  };
  const told = async () => textOf(await house.asAda('deals', '/pings panel'));
  expect(await isOffered()).toBe(true);

  discord.editRole(ssd.id, { mentionable: false });
  expect(await isOffered()).toBe(false);
  expect(await told()).toContain(`The bot can’t ping <@&${ssd.id}> there.`);
  discord.editRole(ssd.id, { mentionable: true });
  expect(await isOffered()).toBe(true);

  const typed = { personId: IDS.ada, channelId: IDS.deals, text: '/subscription pause id:', focused: 'id' };
  const [{ value: id } = { value: '' }] = await discord.autocomplete(typed);
  await house.asAda('deals', `/subscription pause id:${id}`);
  expect(await isOffered()).toBe(false);
  expect(await told()).toContain(
    `Members can’t choose <@&${ssd.id}> now: its subscription in <#${IDS.deals}> is paused.`,
  );
  await house.asAda('deals', `/subscription resume id:${id}`);
  expect(await isOffered()).toBe(true);
});

test('a panel that is unchanged is not edited, one that moves leaves none behind, one that is deleted stays so', async () => {
  const { house, discord, refresh, panelOf, deals } = await aHouseWithPings();
  await house.asAda('deals', '/pings panel');
  const before = panelOf();
  await refresh();
  expect(panelOf()?.edited_timestamp).toBe(before?.edited_timestamp);
  const other = discord.createChannel('pings');
  await house.asAda('deals', `/pings panel channel:#pings`);
  expect(panelOf(), 'the one in #deals').toBeUndefined();
  const [moved] = discord.messages(other.id);
  discord.deleteMessage(moved?.id ?? '');
  discord.createRole('x');
  await house.asAda('deals', '/subscription add feed feed:Home catch-up:0 filter:x');
  await refresh();
  await refresh();
  expect([...discord.messages(other.id), ...discord.messages(deals)].filter(isPanel)).toEqual([]);
});

test('a panel that Discord does not edit is tried again by the next refresh, not before', async () => {
  const { house, discord, refresh, panelOf } = await aHouseWithPings();
  await house.asAda('deals', '/pings panel');
  const kettles = discord.createRole('Kettles', { mentionable: true });
  await house.asAda('deals', `/subscription add feed feed:Home catch-up:0 filter:kettle role:${kettles.id}`);
  let edits = 0;
  discord.faults.use(({ method, path }) => {
    if (method !== 'PATCH' || !path.endsWith(panelOf()?.id ?? '')) return undefined;
    edits += 1;
    return { kind: 'error', status: 500, accepted: false };
  });
  expect(textOf((await refresh()) as PageMessage)).not.toContain(kettles.id);
  expect(edits, 'the client itself tries four times').toBe(4);
  expect(house.logLines.join('')).toMatch(/"panel":.*"not edited yet"/);
  discord.faults.use(null);
  expect(textOf((await refresh()) as PageMessage)).toContain(kettles.id);
});

test('what a menu does not show is left alone: it was offered later', async () => {
  const { house, discord, ssd, choose, refresh } = await aHouseWithPings();
  const own = await house.asBen('deals', '/pings mine');
  const kettles = discord.createRole('Kettles', { mentionable: true });
  await house.asAda('deals', `/subscription add feed feed:Home catch-up:0 filter:kettle role:${kettles.id}`);
  await house.asAda('deals', '/pings panel');
  await choose((await refresh()) as PageMessage, 'toggle-pings', kettles.id);
  await choose(own, 'set-pings', ssd.id);
  expect(new Set(discord.rolesOf(IDS.ben))).toEqual(new Set([kettles.id, ssd.id]));
});

test('more roles than a menu holds are in several, each of which says what it is for', async () => {
  const { house, app, start, discord, ssd, deals, refresh, choose } = await aHouseWithPings();
  const names = Array.from({ length: 26 }, (_, index) => `Role ${String(index + 1).padStart(2, '0')}`);
  const roles = names.map((name) => discord.createRole(name, { mentionable: true }));
  await app.stop();
  const store = await openStore(house.environment['STATE_URL'] ?? '');
  for (const [index, filter] of ['lamp', 'rug', 'oven'].entries()) {
    const pings = roles.slice(index * 10, index * 10 + 10).map(({ id: roleId }) => ({ roleId, filter: '', kinds: [] }));
    const place = { guildId: discord.guildId, channelId: deals, target: 'channel' as const };
    await store.subscriptions.save(aSubscription(filter, { ...place, filter, pings }));
  }
  await store.close();
  await start();
  await house.asAda('deals', '/pings panel');
  const panel = (await refresh()) as PageMessage;
  const [first, second, ...others] = menusOf(panel);
  expect(others).toEqual([]);
  expect(first?.options.map(({ label }) => label)).toEqual(names.slice(0, 25));
  expect(second?.options.map(({ label }) => label)).toEqual(['Role 26', 'SSD deals']);
  expect([first?.placeholder, second?.placeholder]).toEqual([
    'Choose pings · Role 01 – Role 25',
    'Choose pings · Role 26 – SSD deals',
  ]);
  expect(second?.options.map(({ description }) => description)).toEqual([
    'Home feed · oven · would have been pinged 0 times in the last 7 days',
    'Home feed · would have been pinged 1 time in the last 7 days',
  ]);
  const limits = [first, second].map((menu) => [menu?.min_values, menu?.max_values]);
  expect(limits, 'one at a time: what was chosen before would be sent along').toEqual([
    [0, 1],
    [0, 1],
  ]);

  const [one, last] = [roles[0]?.id ?? '', roles[25]?.id ?? ''];
  await choose(panel, first?.custom_id ?? '', one);
  await choose(panel, second?.custom_id ?? '', last);
  await house.asBen('deals', '/pings mine');
  const own = await choose(panel, second?.custom_id ?? '', ssd.id);
  expect(new Set(discord.rolesOf(IDS.ben))).toEqual(new Set([one, last, ssd.id]));
  expect(textOf(own)).toContain(`✅ You’ll be pinged with <@&${ssd.id}>.`);

  // Beside the menus, a button leads to what each is for, on pages.
  const browsed = await choose(panel, 'my-pings');
  expect(browsed.visible_to).toBe(IDS.ben);
  expect(textOf(browsed)).toContain(`✅ <@&${one}>\nHome feed → <#${IDS.deals}> · \`lamp\` · every post`);
  expect(textOf(browsed)).toContain('27 roles · page 1 of 6');
  const end = await choose(browsed, 'last');
  expect(textOf(end)).toContain(`✅ <@&${last}>\nHome feed → <#${IDS.deals}> · \`oven\` · every post`);
  expect(menusOf(end).map(({ options }) => options.map((option) => [option.label, option.default]))).toEqual([
    [
      ['Role 26', true],
      ['SSD deals', true],
    ],
  ]);
  const set = await choose(end, 'set-pings:', ssd.id);
  expect(new Set(discord.rolesOf(IDS.ben)), 'other pages’ are left alone').toEqual(new Set([one, ssd.id]));
  expect(textOf(set)).toContain('page 6 of 6');
});

test.each<[string, (role: string, discord: Awaited<ReturnType<typeof aHouseWithPings>>['discord']) => void, RegExp]>([
  [
    'has become dangerous',
    (role, discord) => discord.editRole(role, { permissions: ['manageMessages'] }),
    /isn’t offered here anymore/,
  ],
  [
    'opens a channel',
    (role, discord) => discord.setPermissions(IDS.announcements, { allow: ['viewChannel'] }, role),
    /isn’t offered here anymore/,
  ],
  ['stands above the bot’s', (role, discord) => discord.editRole(role, { position: 50 }), /isn’t offered here anymore/],
  ['is gone', (role, discord) => discord.deleteRole(role), /isn’t offered here anymore/],
  [
    'can’t be given, as Manage Roles was taken away',
    (_, discord) =>
      discord.editRole(IDS.botRole, { permissions: ['viewChannel', 'sendMessages', 'readMessageHistory'] }),
    /lacks the Manage Roles permission/,
  ],
])('nobody takes a role that %s', async (_, spoil, sentence) => {
  const { house, discord, ssd, choose } = await aHouseWithPings();
  const own = await house.asBen('deals', '/pings mine');
  spoil(ssd.id, discord);
  // The gateway tells of it before the next interaction, on the same connection.
  expect(textOf(await choose(own, 'set-pings:1', ssd.id))).toMatch(sentence);
  expect(discord.rolesOf(IDS.ben)).toEqual([]);
});

test.each<[string, Fault]>([
  ['500', { kind: 'error', status: 500, accepted: false }],
  ['502', { kind: 'error', status: 502, accepted: false }],
  ['a 403 with an unknown code', { kind: 'refused', error: 'unheardOfDenial' }],
  ['a 400 with an unknown code', { kind: 'refused', error: 'unheardOf' }],
  ['a connection that breaks', { kind: 'drop', accepted: false }],
])(
  'a role whose change Discord answers with %s is named, holds no others back, and is taken by the next try',
  async (_, fault) => {
    const { house, discord, ssd, choose } = await aHouseWithPings();
    const other = discord.createRole('Another', { mentionable: true }).id;
    await house.asAda('deals', `/subscription add feed feed:Home catch-up:0 filter:kettle role:${other}`);
    const own = await house.asBen('deals', '/pings mine');
    const heal = discord.faults.failWhere(({ path }) => path.endsWith(`/roles/${other}`), fault);
    const text = textOf(await choose(own, 'set-pings:1', other, ssd.id));
    expect(text).toContain(`✅ You’ll be pinged with <@&${ssd.id}>.`);
    expect(text).toContain(`⚠ Discord didn’t change <@&${other}>. Try again in a moment.`);
    expect(discord.rolesOf(IDS.ben)).toEqual([ssd.id]);
    heal();
    await choose(await house.asBen('deals', '/pings mine'), 'set-pings:1', other, ssd.id);
    expect(new Set(discord.rolesOf(IDS.ben))).toEqual(new Set([other, ssd.id]));
  },
);

test('after Manage Roles is given back, roles can be taken again', async () => {
  const { house, discord, ssd, choose } = await aHouseWithPings();
  const own = await house.asBen('deals', '/pings mine');
  const talking = ['viewChannel', 'sendMessages', 'readMessageHistory'] as const;
  discord.editRole(IDS.botRole, { permissions: talking });
  expect(textOf(await choose(own, 'set-pings:1', ssd.id))).toContain('lacks the Manage Roles permission');
  discord.editRole(IDS.botRole, { permissions: [...talking, 'manageRoles'] });
  const again = await house.asBen('deals', '/pings mine');
  await choose(again, 'set-pings:1', ssd.id);
  expect(discord.rolesOf(IDS.ben)).toEqual([ssd.id]);
});

test('more than ten changes in ten seconds are refused, the eleventh after them is not', async () => {
  const { house, discord, ssd, choose: chooseIn } = await aHouseWithPings();
  const choose = async (...roleIds: string[]) =>
    chooseIn(await house.asBen('deals', '/pings mine'), 'set-pings:1', ...roleIds);
  for (let times = 0; times < 5; times += 1) {
    await choose(ssd.id);
    await choose();
  }
  const tooFast = 'You can make 10 changes in 10 seconds';
  expect(textOf(await choose(ssd.id))).toContain(tooFast);
  await house.clock.advance(9_999);
  expect(textOf(await choose(ssd.id))).toContain(tooFast);
  expect(discord.rolesOf(IDS.ben)).toEqual([]);
  await house.clock.advance(1);
  await choose(ssd.id);
  expect(discord.rolesOf(IDS.ben)).toEqual([ssd.id]);
});

test('who doesn’t manage roles makes no panel and no role', async () => {
  const { house, discord } = await aHouseWithPings();
  const sentence = /need the Manage Server permission/;
  expect(textOf(await house.asBen('deals', '/pings panel'))).toMatch(sentence);
  discord.giveRole(IDS.ben, IDS.managers);
  expect(textOf(await house.asBen('deals', '/pings panel')), 'Manage Server alone').toContain(
    'You need the Manage Roles permission to let members choose roles.',
  );
  expect(discord.roles()).toHaveLength(5);
});

test('a role for a filter is tried on the last days, made, and undone', async () => {
  const { house, app, folder, discord } = await aHouseWithPings();
  const before = discord.roles().length;
  folder.writeFeed('Home', [feedItem(1), feedItem(2, { Title: 'A fast SSD' })]);
  await lookAgain(house, app);
  const [choice] = await discord.autocomplete({
    personId: IDS.ada,
    channelId: IDS.deals,
    text: '/pings make id: filter:x',
    focused: 'id',
  });
  const command = `/pings make id:${choice?.value} filter:ssd name:"SSD lovers"`;
  const proposed = await house.asAda('deals', command);
  expect(textOf(proposed)).toContain('would have been pinged 1 time in the last 7 days\n- A fast SSD');
  expect(discord.roles(), 'nothing is made before it is wanted').toHaveLength(before);
  const made = await adaMakes(house, command);
  const role = discord.roles().find(({ name }) => name === 'SSD lovers');
  expect(role).toMatchObject({ position: 1, permissions: '0', mentionable: true });
  expect(textOf(made)).toContain(`✅ <@&${role?.id}> is ready.`);
  expect(textOf(made)).toContain('would have been pinged 1 time in the last 7 days\n- A fast SSD');
  expect(discord.auditLog()).toEqual([{ action: 'role-created', reason: 'ada made it for the filter ssd' }]);
  expect(textOf(await house.asBen('deals', '/pings mine'))).not.toContain('SSD lovers');

  const undo = customIdsOf(made).find((id) => id.startsWith('unmake-ping')) ?? '';
  const press = (personId: string) =>
    discord.useComponent({ personId, channelId: IDS.deals, messageId: made.id, customId: undo });
  expect(textOf((await press(IDS.ada)).message ?? {})).toContain('**@SSD lovers** is deleted');
  expect(discord.roles().map(({ name }) => name)).not.toContain('SSD lovers');
});

test('two presses at the same time make one role', async () => {
  const { house, discord } = await aHouseWithPings();
  const [choice] = await discord.autocomplete({
    personId: IDS.ada,
    channelId: IDS.deals,
    text: '/pings make id: filter:x',
    focused: 'id',
  });
  const proposed = await house.asAda('deals', `/pings make id:${choice?.value} filter:ssd name:SSDs`);
  const make = customIdsOf(proposed).find((id) => id.startsWith('make-ping')) ?? '';
  const press = () =>
    discord.useComponent({ personId: IDS.ada, channelId: IDS.deals, messageId: proposed.id, customId: make });
  await Promise.all([press(), press()]);
  expect(discord.roles().filter(({ name }) => name === 'SSDs')).toHaveLength(1);
});

test('a role that another subscription pings for the same filter is found, and used', async () => {
  const { house, discord } = await aHouseWithPings();
  const typed = { personId: IDS.ada, channelId: IDS.deals, text: '/pings make id: filter:x', focused: 'id' };
  const idOf = async (place: string) => {
    const choices = await discord.autocomplete(typed);
    return choices.find(({ name }) => name.includes(place))?.value;
  };
  await house.asAda('deals', '/subscription add feed feed:Home channel:#announcements catch-up:0');
  const [here, there] = [await idOf('#deals'), await idOf('#announcements')];
  await adaMakes(house, `/pings make id:${here} filter:"ssd price:<=80" name:SSDs`);
  const role = discord.roles().find(({ name }) => name === 'SSDs')?.id ?? '';
  const again = await house.asAda('deals', `/pings make id:${here} filter:"SSD price:<=80.00"`);
  expect(textOf(again)).toBe(`<@&${role}> is already pinged for this filter.`);
  const proposed = await house.asAda('deals', `/pings make id:${there} filter:"SSD price:<=80.00"`);
  expect(textOf(proposed)).toContain(`<@&${role}> is there for this filter already`);
  const use = customIdsOf(proposed).find((id) => id.startsWith('same-ping')) ?? '';
  const press = (personId: string) =>
    discord.useComponent({ personId, channelId: IDS.deals, messageId: proposed.id, customId: use });
  expect(textOf((await press(IDS.ada)).message ?? {})).toContain(`✅ <@&${role}> is ready.`);
  expect(discord.roles().filter(({ name }) => name === 'SSDs')).toHaveLength(1);
});

test('it says how often a role was really pinged: not three times where the hourly limit has let one through', async () => {
  const { house, app, folder, refresh, run } = await aHouseWithPings();
  await house.asAda('deals', '/pings panel');
  const typed = { personId: IDS.ada, channelId: IDS.deals, text: '/subscription pause id:', focused: 'id' };
  const [{ value: id } = { value: '' }] = await house.discord.autocomplete(typed);
  await house.asAda('deals', `/subscription edit id:${id} most-per-hour:1`);
  folder.writeFeed(
    'Home',
    [1, 2, 3, 4].map((number) => feedItem(number)),
  );
  await lookAgain(house, app);
  await run('pings-week');
  expect(textOf((await refresh()) as PageMessage)).toContain('-# pinged 1 time in the last 7 days');
});
