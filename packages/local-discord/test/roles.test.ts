import { type GuildMember, PermissionFlagsBits, type Role } from 'discord.js';
import { describe, expect, test } from 'vitest';
import { IDS } from '../src/server/local-discord.ts';
import { call, loginClient, startDiscord } from './helpers.ts';

const ROLES = `/guilds/${IDS.guild}/roles`;
const MANY = { requests: 1000, perMs: 1 };
const BENS = `/guilds/${IDS.guild}/members/${IDS.ben}/roles`;

test('the bot makes a role below all others, renames it, gives it and takes it, and says why', async () => {
  const { discord, stateUrl } = await startDiscord();
  const client = await loginClient(discord);
  const guild = await client.guilds.fetch(IDS.guild);
  const made = await guild.roles.create({ name: 'SSD deals', mentionable: true, reason: 'Ada made it: “SSD”' });
  expect(made).toMatchObject({ name: 'SSD deals', position: 1, mentionable: true });
  expect(discord.roles().map(({ name, position }) => `${position} ${name}`)).toEqual([
    '4 Bot',
    '3 Managers',
    '2 Deal Hunters',
    '1 SSD deals',
    '0 @everyone',
  ]);
  expect(guild.roles.cache.get(IDS.botRole)?.position, 'the client was told').toBe(4);
  const renamed = new Promise<Role>((resolve) => {
    client.once('roleUpdate', (_, role) => resolve(role));
  });
  await made.edit({ name: 'SSDs', reason: 'Shorter' });
  expect((await renamed).name).toBe('SSDs');
  const ben = await guild.members.fetch(IDS.ben);
  await ben.roles.add(made.id, 'Ben asked');
  await ben.roles.add(made.id, 'twice is once');
  expect(discord.rolesOf(IDS.ben)).toEqual([made.id]);
  await discord.stop();
  const again = await startDiscord({ stateUrl });
  expect(again.discord.rolesOf(IDS.ben)).toEqual([made.id]);
  expect((await call(again.discord, 'DELETE', `${BENS}/${made.id}`)).status).toBe(204);
  expect(again.discord.rolesOf(IDS.ben)).toEqual([]);
});

test('the audit log names what was done and the reason, and keeps the newest hundred', async () => {
  const { discord } = await startDiscord({ limits: { global: MANY, memberRoles: MANY } });
  const client = await loginClient(discord);
  const guild = await client.guilds.fetch(IDS.guild);
  const made = await guild.roles.create({ name: 'Öl', reason: 'für „Öl“' });
  await made.delete();
  expect(discord.auditLog()).toEqual([
    { action: 'role-created', reason: 'für „Öl“' },
    { action: 'role-deleted', reason: null },
  ]);
  const one = `${BENS}/${IDS.dealHunters}`;
  for (let times = 0; times < 50; times += 1) {
    await call(discord, 'PUT', one);
    await call(discord, 'DELETE', one);
  }
  expect(discord.auditLog()).toHaveLength(100);
  expect(discord.auditLog()[0]).toMatchObject({ action: 'member-roles-edited' });
});

describe('refuses', () => {
  test.each<[string, string, string, number, number]>([
    ['a role above the bot’s', 'PUT', `${BENS}/ABOVE`, 403, 50013],
    ['its own role', 'PUT', `${BENS}/${IDS.botRole}`, 400, 50028],
    ['@everyone', 'PUT', `${BENS}/${IDS.guild}`, 400, 50028],
    ['a role that is gone', 'PUT', `${BENS}/1`, 404, 10011],
    ['a person who is no member', 'PUT', `/guilds/${IDS.guild}/members/1/roles/${IDS.dealHunters}`, 404, 10007],
    ['another server', 'PUT', `/guilds/1/members/${IDS.ben}/roles/${IDS.dealHunters}`, 404, 10004],
    ['deleting @everyone', 'DELETE', `${ROLES}/${IDS.guild}`, 400, 50028],
    ['deleting a role above', 'DELETE', `${ROLES}/ABOVE`, 403, 50013],
  ])('%s', async (_, method, path, status, code) => {
    const { discord } = await startDiscord();
    const above = discord.createRole('Above');
    discord.editRole(above.id, { position: 99 });
    const refused = await call(discord, method, path.replace('ABOVE', above.id));
    expect([refused.status, refused.body['code']]).toEqual([status, code]);
  });

  test('everything without Manage Roles, also to administrators’ roles, and permissions that it lacks itself', async () => {
    const { discord } = await startDiscord();
    const ban = { name: 'Ban', permissions: String(PermissionFlagsBits.BanMembers) };
    expect((await call(discord, 'POST', ROLES, ban)).body['code']).toBe(50013);
    discord.editRole(IDS.botRole, { permissions: ['viewChannel', 'sendMessages'] });
    for (const [method, path, body] of [
      ['POST', ROLES, { name: 'x' }],
      ['PATCH', `${ROLES}/${IDS.dealHunters}`, { name: 'x' }],
      ['DELETE', `${ROLES}/${IDS.dealHunters}`, undefined],
      ['PUT', `${BENS}/${IDS.dealHunters}`, undefined],
      ['DELETE', `${BENS}/${IDS.dealHunters}`, undefined],
    ] as const) {
      expect((await call(discord, method, path, body)).body['code'], `${method} ${path}`).toBe(50013);
    }
    discord.editRole(IDS.botRole, { permissions: ['administrator'] });
    expect((await call(discord, 'POST', ROLES, ban)).status).toBe(200);
  });

  test('a name that is too long, and the 251st role', async () => {
    const { discord } = await startDiscord();
    expect((await call(discord, 'POST', ROLES, { name: 'x'.repeat(101) })).body['code']).toBe(50035);
    while (discord.roles().length < 250) discord.createRole('x');
    expect((await call(discord, 'POST', ROLES, { name: 'x' })).body['code']).toBe(30005);
  });

  test('the eleventh change of members’ roles in ten seconds', async () => {
    const { discord, clock } = await startDiscord();
    const change = () => call(discord, 'PUT', `${BENS}/${IDS.dealHunters}`);
    for (let times = 0; times < 10; times += 1) expect((await change()).status).toBe(204);
    expect((await change()).status).toBe(429);
    await clock.advance(9_999);
    expect((await change()).status).toBe(429);
    await clock.advance(1);
    expect((await change()).status).toBe(204);
  });
});

test('a deleted role is nobody’s, and a member’s change is told to those alone who may know members', async () => {
  const { discord } = await startDiscord();
  const changesOf = async (intents: number[]) => {
    const client = await loginClient(discord, intents);
    const changes: string[] = [];
    client.on('guildMemberUpdate', (_, { id }: GuildMember) => changes.push(id));
    return { client, changes };
  };
  const [simple, privileged] = [await changesOf([1]), await changesOf([1, 2])];
  const told = new Promise<void>((resolve) => {
    privileged.client.once('roleDelete', () => resolve());
  });
  discord.giveRole(IDS.ben, IDS.dealHunters);
  discord.deleteRole(IDS.dealHunters);
  await told;
  expect(discord.rolesOf(IDS.ben)).toEqual([]);
  expect(simple.changes).toEqual([]);
  expect(new Set(privileged.changes)).toEqual(new Set([IDS.ben, IDS.cleo]));
});

test('the page shows which roles each person has, as they change', async () => {
  const { discord } = await startDiscord();
  const rolesOf = async () => {
    const state = (await (await fetch(`${discord.url}/page/state`)).json()) as { people: { roles: string[] }[] };
    return state.people.map(({ roles }) => roles);
  };
  expect(await rolesOf()).toEqual([[IDS.managers], [], [IDS.dealHunters]]);
  discord.giveRole(IDS.ben, IDS.dealHunters);
  expect(await rolesOf()).toEqual([[IDS.managers], [IDS.dealHunters], [IDS.dealHunters]]);
});
