import { Events, type Guild } from 'discord.js';
import { expect, test } from 'vitest';
import { IDS } from '../src/server/local-discord.ts';
import { call, loginClient, startDiscord } from './helpers.ts';

test('a bot is invited to another server of the same people, with roles and members of its own', async () => {
  const { discord } = await startDiscord();
  const client = await loginClient(discord);
  const joined = new Promise<Guild>((resolve) => client.once(Events.GuildCreate, resolve));
  const guildId = discord.createGuild('Bazaar');
  const guild = await joined;
  expect([guild.id, guild.name, guild.channels.cache.size]).toEqual([guildId, 'Bazaar', 0]);
  expect(guild.members.me?.roles.highest.name).toBe('Bot');

  const made = await guild.roles.create({ name: 'Bargains' });
  const bens = (guildId: string) => `/guilds/${guildId}/members/${IDS.ben}/roles/${made.id}`;
  expect((await call(discord, 'PUT', bens(guildId))).status).toBe(204);
  expect([discord.rolesOf(IDS.ben), discord.rolesOf(IDS.ben, guildId)]).toEqual([[], [made.id]]);
  expect((await call(discord, 'PUT', bens(IDS.guild))).body, 'a role of another server').toMatchObject({ code: 10011 });
  expect(discord.roles().map(({ name }) => name)).not.toContain('Bargains');
  discord.takeRole(IDS.ben, made.id);
  expect(discord.rolesOf(IDS.ben, guildId)).toEqual([]);
});

test('its channels are its own, for the bot and for people', async () => {
  const { discord } = await startDiscord();
  const guildId = discord.createGuild('Bazaar');
  const channel = discord.createChannel('bargains', 'text', { guildId });
  const client = await loginClient(discord);
  expect(client.guilds.cache.map(({ channels }) => channels.cache.map(({ name }) => name))).toEqual([
    ['deals', 'announcements', 'forum'],
    ['bargains'],
  ]);
  await (await client.guilds.fetch(guildId)).commands.create({ name: 'here', description: 'Where it is' });
  const replies: Promise<unknown>[] = [];
  client.on(Events.InteractionCreate, (interaction) => {
    if (!interaction.isChatInputCommand()) return;
    replies.push(interaction.reply(`${interaction.guildId} ${interaction.guild?.name}`));
  });
  const { message } = await discord.runCommand({ personId: IDS.ben, channelId: channel.id, text: '/here' });
  expect(message?.content).toBe(`${guildId} Bazaar`);
  const secret = discord.createRole('Secret', { guildId, permissions: ['manageMessages'] });
  discord.setPermissions(channel.id, { deny: ['viewChannel'] }, guildId);
  discord.giveRole(IDS.ben, discord.createRole('Everywhere', { permissions: ['viewChannel'] }).id);
  const ask = discord.runCommand({ personId: IDS.ben, channelId: channel.id, text: '/here' });
  await expect(ask, 'a role of the other server opens nothing here').rejects.toThrow("can't be seen");
  discord.setPermissions(channel.id, { allow: ['viewChannel'] }, secret.id);
  discord.giveRole(IDS.ben, secret.id);
  expect(
    (await discord.runCommand({ personId: IDS.ben, channelId: channel.id, text: '/here' })).message,
  ).not.toBeNull();
  await Promise.all(replies);
});

test('the page and the file know the first server alone', async () => {
  const { discord, stateUrl } = await startDiscord();
  const guildId = discord.createGuild('Bazaar');
  const channel = discord.createChannel('bargains', 'text', { guildId });
  const role = discord.createRole('Bargains', { guildId });
  discord.giveRole(IDS.ben, role.id);
  expect((await call(discord, 'POST', `/channels/${channel.id}/messages`, { content: 'Hello' })).status).toBe(200);
  const shown = await (await fetch(`${discord.url}/page/state`)).text();
  expect(shown).not.toMatch(/bargains/i);
  await discord.stop();
  const again = await startDiscord({ stateUrl });
  expect(again.discord.channels().map((one) => one.id)).not.toContain(channel.id);
  expect(again.discord.roles().map(({ id }) => id)).not.toContain(role.id);
  expect(again.discord.rolesOf(IDS.ben)).toEqual([]);
});
