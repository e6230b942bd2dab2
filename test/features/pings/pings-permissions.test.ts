import { PermissionFlagsBits } from 'discord-api-types/v10';
import { expect, test } from 'vitest';
import { IDS, type PageMessage } from '../../../packages/local-discord/src/index.ts';
import { parseConfig } from '../../../src/app/config.ts';
import { checkSetup } from '../../../src/app/operator/check-setup.ts';
import { BAD_ANSWERS } from '../../../src/discord/bad-answers.ts';
import { pings } from '../../../src/features/pings/index.ts';
import { systemClock } from '../../../src/shared/clock.ts';
import { untilConnected } from '../../helpers/bot-connection.ts';
import { menusOf, textOf } from '../../helpers/discord-form.ts';
import { adaMakes, aHouseWithPings } from './member-pings.ts';

type Pings = Awaited<ReturnType<typeof aHouseWithPings>>;

const TALKING = ['viewChannel', 'sendMessages', 'readMessageHistory'] as const;
const NO_MANAGE_ROLES =
  'The bot lacks the Manage Roles permission, so it can’t give or make roles. Turn it on for the bot’s role in Server Settings > Roles.';

/** What keeps members from a ping, and what mends it. */
const TROUBLES: [name: string, spoil: (all: Pings) => void, mend: (all: Pings) => void, sentence: RegExp][] = [
  [
    'stands above the bot’s',
    ({ discord, ssd }) => discord.editRole(ssd.id, { position: 50 }),
    ({ discord, ssd }) => discord.editRole(ssd.id, { position: 1 }),
    /above the bot’s/,
  ],
  [
    'has become dangerous',
    ({ discord, ssd }) => discord.editRole(ssd.id, { permissions: ['manageMessages'] }),
    ({ discord, ssd }) => discord.editRole(ssd.id, { permissions: [] }),
    /Manage Messages/,
  ],
  [
    'opens a channel',
    ({ discord, ssd }) => discord.setPermissions(IDS.announcements, { allow: ['viewChannel'] }, ssd.id),
    ({ discord, ssd }) => discord.setPermissions(IDS.announcements, {}, ssd.id),
    /gives permissions in (?:<#1100000000000000012>|#announcements)\./,
  ],
];

/** The same, and those of the bot itself or that can't be shown on a panel. */
const ALL_TROUBLES: typeof TROUBLES = [
  ...TROUBLES,
  [
    'can’t be given, as Manage Roles was taken away',
    ({ discord }) => discord.editRole(IDS.botRole, { permissions: TALKING }),
    ({ discord }) => discord.editRole(IDS.botRole, { permissions: [...TALKING, 'manageRoles'] }),
    /^Pings in Bargain Corner: The bot lacks the Manage Roles permission, .* in Server Settings > Roles\.$/,
  ],
];

/** What `check-setup` finds wrong with pings. The bot has to be stopped. */
async function failures({ house }: Pings): Promise<string[]> {
  const checks = await checkSetup(parseConfig(house.environment), systemClock, [pings]);
  return checks.flatMap(({ part, result, detail }) =>
    part === 'channel' && result === 'failed' && detail.startsWith('Pings') ? [detail] : [],
  );
}

test.each(TROUBLES)('a role that %s leaves the panel, is named with the reason, and comes back', async (...given) => {
  const [, spoil, mend, sentence] = given;
  const all = await aHouseWithPings();
  const { house, ssd, refresh } = all;
  await house.asAda('deals', '/pings panel');
  spoil(all);
  // The gateway tells of it before the next command, on the same connection.
  const posted = textOf(await house.asAda('deals', '/pings panel'));
  expect(posted).toContain('✅ Members can choose');
  expect(posted).toMatch(sentence);
  expect(textOf(await house.asBen('deals', '/pings mine'))).toContain('There are no pings to choose yet.');
  const without = (await refresh()) as PageMessage | undefined;
  expect(without, 'a panel without roles has no menu').toBeUndefined();
  mend(all);
  expect(textOf(await house.asAda('deals', '/pings panel'))).not.toContain('⚠');
  expect(textOf((await refresh()) as PageMessage)).toContain(`<@&${ssd.id}>`);
});

test.each(ALL_TROUBLES)('check-setup names a role that %s, until that is mended', async (...given) => {
  const [, spoil, mend, sentence] = given;
  const all = await aHouseWithPings();
  await all.house.asAda('deals', '/pings panel');
  await all.app.stop();
  expect(await failures(all)).toEqual([]);
  spoil(all);
  expect(await failures(all)).toEqual([expect.stringMatching(sentence)]);
  mend(all);
  expect(await failures(all)).toEqual([]);
});

test('without Manage Roles, the panel and new roles are refused by its name; once it is back, both work', async () => {
  const { house, discord, refresh, ssd } = await aHouseWithPings();
  await house.asAda('deals', '/pings panel');
  const before = discord.roles().length;
  discord.editRole(IDS.botRole, { permissions: TALKING });
  const typed = { personId: IDS.ada, channelId: IDS.deals, text: '/pings make id: filter:x', focused: 'id' };
  const [choice] = await discord.autocomplete(typed);
  const make = `/pings make id:${choice?.value} filter:kettle`;
  for (const command of ['/pings panel', make]) {
    expect(textOf(await house.asAda('deals', command))).toContain(NO_MANAGE_ROLES);
  }
  expect(discord.roles()).toHaveLength(before);
  discord.editRole(IDS.botRole, { permissions: [...TALKING, 'manageRoles'] });
  expect(textOf(await adaMakes(house, make))).toContain('is ready');
  expect(textOf(await house.asAda('deals', '/pings panel'))).toContain('✅');
  expect(textOf((await refresh()) as PageMessage)).toContain(`<@&${ssd.id}>`);
});

test('what Discord refuses before the gateway has told of it is said with the permission and the order', async () => {
  const { house, discord, ssd, choose } = await aHouseWithPings();
  const own = await house.asBen('deals', '/pings mine');
  discord.faults.failNext(({ method }) => method === 'PUT', { kind: 'refused', error: 'missingPermissions' });
  expect(textOf(await choose(own, 'set-pings', ssd.id))).toContain(
    `Discord doesn’t let the bot give <@&${ssd.id}>. In Server Settings > Roles, the bot’s role needs Manage Roles and a place above it.`,
  );
  discord.faults.failNext(({ method }) => method === 'PUT', { kind: 'refused', error: 'unknownRole' });
  expect(textOf(await choose(await house.asBen('deals', '/pings mine'), 'set-pings', ssd.id))).not.toContain('✅');
  expect(discord.rolesOf(IDS.ben)).toEqual([]);
});

test('check-setup names a role that was deleted', async () => {
  const all = await aHouseWithPings();
  await all.house.asAda('deals', '/pings panel');
  all.discord.deleteRole(all.ssd.id);
  await all.app.stop();
  expect(await failures(all)).toEqual([
    'Pings in Bargain Corner: A role to ping was deleted, so it isn’t pinged. Choose another one.',
  ]);
});

const EVERYONE = ['sendMessages', 'readMessageHistory', 'useApplicationCommands'] as const;
/** Permissions that @everyone lacks in the first server, the way Discord's client calls them. */
const ADDED: [name: string, bits: bigint][] = [
  ['View Channels', PermissionFlagsBits.ViewChannel],
  ['Pin Messages', 1n << 51n],
  ['Bypass Slowmode', 1n << 52n],
  ['Create Events', 1n << 44n],
  ['Create Invite', 1n],
  ['Priority Speaker', PermissionFlagsBits.PrioritySpeaker],
  ['Use External Apps', PermissionFlagsBits.UseExternalApps],
  ['View Server Insights', PermissionFlagsBits.ViewGuildInsights],
  ['a permission that this version doesn’t know', 1n << 60n],
  ['Pin Messages, Bypass Slowmode, and a permission that this version doesn’t know', (3n << 51n) | (1n << 60n)],
  ['Administrator', PermissionFlagsBits.Administrator],
];

test('a role is offered only while its permissions add nothing to @everyone’s', async () => {
  const { house, discord, ssd, choose } = await aHouseWithPings();
  // A gate: @everyone sees the channels only of which that says so.
  discord.setPermissions(IDS.deals, { allow: ['viewChannel'] }, IDS.guild);
  discord.editRole(IDS.guild, { permissions: EVERYONE });
  for (const [name, bits] of ADDED) {
    const own = await house.asBen('deals', '/pings mine');
    expect(menusOf(own), name).toHaveLength(1);
    discord.editRole(ssd.id, { permissions: ['sendMessages', bits] });
    const taken = await choose(own, 'set-pings:1', ssd.id);
    expect(textOf(taken), name).toContain('isn’t offered here anymore');
    expect(discord.rolesOf(IDS.ben), name).toEqual([]);
    expect(await offered(house), name).toEqual([]);
    expect(textOf(await house.asAda('deals', '/pings panel')), name).toContain(`(${name})`);
    discord.editRole(ssd.id, { permissions: ['sendMessages'] });
  }
  const linked = discord.createRole('Linked', { mentionable: true, tags: { guild_connections: null } });
  const added = await house.asAda('deals', `/subscription add feed feed:Home catch-up:0 filter:x role:${linked.id}`);
  expect(textOf(added)).toContain(`Members can’t choose <@&${linked.id}>: only Discord gives it.`);
  expect(await offered(house)).toEqual([ssd.id]);
  const own = await house.asBen('deals', '/pings mine');
  discord.editRole(IDS.guild, { permissions: ['readMessageHistory', 'useApplicationCommands'] });
  expect(textOf(await choose(own, 'set-pings:1', ssd.id)), 'what @everyone lost').toContain('isn’t offered');
});

test('a role that is allowed in a channel what @everyone may there is not offered: others may be denied it', async () => {
  const { house, discord, ssd } = await aHouseWithPings();
  discord.setPermissions(IDS.deals, { deny: ['attachFiles'] }, ssd.id);
  expect(await offered(house), 'denials open nothing').toEqual([ssd.id]);
  discord.setPermissions(IDS.deals, { allow: ['sendMessages'] }, ssd.id);
  expect(await offered(house)).toEqual([]);
});

test('where the bot doesn’t see all channels, only roles that it made are offered', async () => {
  const { house, discord, ssd } = await aHouseWithPings();
  discord.setPermissions(IDS.announcements, { deny: ['viewChannel'] });
  expect(textOf(await house.asAda('deals', '/pings panel'))).toContain(
    `Members can’t choose <@&${ssd.id}>: there are channels that the bot doesn’t see, and the role may open one.`,
  );
  expect(await offered(house)).toEqual([]);
  await adaMakes(house, `/pings make id:${await subscriptionId(house)} filter:kettle name:Kettles`);
  const kettles = discord.roles().find(({ name }) => name === 'Kettles')?.id ?? '';
  expect(await offered(house)).toEqual([kettles]);
  discord.setPermissions(IDS.forum, { allow: ['viewChannel'] }, kettles);
  expect(await offered(house)).toEqual([]);
});

test('a role is offered only after somebody who may give it has set up its ping, or the panel', async () => {
  const { house, discord, ssd } = await aHouseWithPings();
  const helpers = discord.createRole('Helpers', { permissions: ['manageGuild', 'manageRoles'] });
  const low = discord.createRole('Low', { mentionable: true });
  const high = discord.createRole('High', { mentionable: true });
  discord.editRole(low.id, { position: 1 });
  discord.editRole(helpers.id, { position: 2 });
  discord.editRole(high.id, { position: 3 });
  discord.editRole(ssd.id, { position: 4 });
  discord.editRole(IDS.botRole, { position: 9 });
  const add = (role: string, filter: string) =>
    house.asBen('deals', `/subscription add feed feed:Home catch-up:0 filter:${filter} role:${role}`);
  // Manage Server alone lets nobody give a role.
  discord.giveRole(IDS.ben, IDS.managers);
  await add(low.id, 'lamp');
  expect(await offered(house)).toEqual([ssd.id]);
  discord.takeRole(IDS.ben, IDS.managers);
  discord.giveRole(IDS.ben, helpers.id);
  await add(high.id, 'high');
  expect(await offered(house), 'a role above theirs').toEqual([ssd.id]);
  await add(low.id, 'rug');
  expect(await offered(house)).toEqual([low.id, ssd.id]);
  const posted = textOf(await house.asBen('deals', '/pings panel'));
  expect(posted).toContain(
    `Members can’t choose <@&${high.id}> yet: nobody who can give it has offered it. Someone with Manage Roles and a role above it can, with`,
  );
  expect(posted).not.toContain(low.id);
  expect(textOf(await house.asAda('deals', '/pings panel'))).not.toContain('⚠');
  expect(await offered(house)).toEqual([high.id, low.id, ssd.id]);
  // Whoever changes the ping later takes nothing back.
  discord.takeRole(IDS.ben, helpers.id);
  discord.giveRole(IDS.ben, IDS.managers);
  const pings = `/subscription edit id:${await subscriptionId(house)} role:${ssd.id}`;
  await house.asBen('deals', pings);
  expect(await offered(house)).toEqual([high.id, low.id, ssd.id]);
});

test('where members choose on a panel, whoever sets up a ping is told that they can’t choose it', async () => {
  const { house, discord } = await aHouseWithPings();
  const gate = discord.createRole('Verified', { mentionable: true, permissions: [1n << 52n] });
  const add = async (filter: string) =>
    textOf(await house.asAda('deals', `/subscription add feed feed:Home catch-up:0 filter:${filter} role:${gate.id}`));
  expect(await add('lamp')).not.toContain('⚠ Members');
  await house.asAda('deals', '/pings panel');
  expect(await add('rug')).toContain(
    `⚠ Members can’t choose <@&${gate.id}>: it has permissions that @everyone lacks (Bypass Slowmode).`,
  );
});

test('the panel follows channels that go and come back, and what changed while the gateway was away', async () => {
  const { house, discord, ssd, refresh } = await aHouseWithPings();
  await house.asAda('deals', '/pings panel');
  const isShown = async () => {
    // The gateway tells of a change before the command, on the same connection.
    await house.asBen('deals', '/pings mine');
    const panel = await refresh();
    return panel !== undefined && textOf(panel).includes(ssd.id);
  };
  const opened = { ...discord.channel('announcements') };
  discord.setPermissions(opened.id, { allow: ['viewChannel'] }, ssd.id);
  expect(await isShown()).toBe(false);
  const opening = discord.channel('announcements') as Parameters<typeof discord.restoreChannel>[0];
  discord.deleteChannel(opened.id);
  expect(await isShown(), 'the channel that it opened is gone').toBe(true);
  discord.restoreChannel(opening);
  expect(await isShown(), 'a new channel that it opens').toBe(false);
  discord.deleteChannel(opened.id);
  expect(await isShown()).toBe(true);

  const gone = untilConnected(house, false);
  const back = gone.then(() => untilConnected(house, true));
  discord.faults.closeGateway(4000, { forget: true });
  await gone;
  discord.editRole(ssd.id, { permissions: [1n << 52n] });
  await house.clock.advance(120_000);
  await back;
  expect(await isShown(), 'changed while no session was there').toBe(false);
});

const UNAVAILABLE = { kind: 'error', status: 500, accepted: false } as const;
const DENIED = { kind: 'refused', error: 'missingPermissions' } as const;

test('a panel that the bot may not edit is asked for once, and again once its channel has changed', async () => {
  const { house, discord, deals, refresh } = await aHouseWithPings();
  await house.asAda('deals', '/pings panel');
  const kettles = discord.createRole('Kettles', { mentionable: true });
  await house.asAda('deals', `/subscription add feed feed:Home catch-up:0 filter:kettle role:${kettles.id}`);
  let asked = 0;
  const heal = discord.faults.failWhere(({ method }) => {
    if (method === 'PATCH') asked += 1;
    return method === 'PATCH';
  }, DENIED);
  for (let minutes = 0; minutes < 5; minutes += 1) await refresh();
  expect(asked).toBe(1);
  heal();
  discord.setPermissions(deals, { allow: ['viewChannel', 'sendMessages'] });
  // The gateway tells of it before the command, on the same connection.
  await house.asBen('deals', '/pings mine');
  expect(textOf((await refresh()) as PageMessage)).toContain(kettles.id);
});

test('a panel whose edit Discord answers badly each time steps aside, and shows its next state at once', async () => {
  const { house, discord, refresh } = await aHouseWithPings();
  await house.asAda('deals', '/pings panel');
  const ringFor = async (name: string) => {
    const role = discord.createRole(name, { mentionable: true });
    await house.asAda('deals', `/subscription add feed feed:Home catch-up:0 filter:${name} role:${role.id}`);
    return role.id;
  };
  const kettles = await ringFor('Kettles');
  let asked = 0;
  const heal = discord.faults.failWhere(({ method }) => {
    if (method === 'PATCH') asked += 1;
    return method === 'PATCH';
  }, UNAVAILABLE);
  for (let minutes = 0; minutes < 2 * BAD_ANSWERS; minutes += 1) {
    await refresh();
    // Another request succeeds.
    await house.asBen('deals', '/pings mine');
  }
  const before = asked;
  await refresh();
  expect(asked, 'while it has stepped aside').toBe(before);
  heal();
  const lamps = await ringFor('Lamps');
  const shown = textOf((await refresh()) as PageMessage);
  expect([shown.includes(kettles), shown.includes(lamps)]).toEqual([true, true]);
});

type House = Pings['house'];

/** The roles that Ben may choose now, by name. */
async function offered(house: House): Promise<string[]> {
  const card = await house.asBen('deals', '/pings mine');
  return menusOf(card).flatMap(({ options }) => options.map(({ value }) => value));
}

/** The first subscription that Ada can choose. */
async function subscriptionId({ discord }: House): Promise<string> {
  const typed = { personId: IDS.ada, channelId: IDS.deals, text: '/pings make id: filter:x', focused: 'id' };
  const [choice] = await discord.autocomplete(typed);
  return String(choice?.value);
}
