import { Client, DiscordjsErrorCodes } from 'discord.js';
import { expect, onTestFinished, test } from 'vitest';
import { IDS } from '../src/server/local-discord.ts';
import { call, loginClient, startDiscord } from './helpers.ts';

test('the real client logs in and finds the server, its channels and its people', async () => {
  const { discord } = await startDiscord();
  const client = await loginClient(discord);

  expect(client.user.id).toBe(IDS.application);
  expect(client.application.id).toBe(IDS.application);
  const guild = client.guilds.cache.get(discord.guildId);
  expect(guild?.available).toBe(true);
  expect(guild?.channels.cache.map(({ name, type }) => [name, type])).toEqual([
    ['deals', 0],
    ['announcements', 5],
    ['forum', 15],
  ]);
  expect(guild?.members.cache.map(({ displayName }) => displayName)).toEqual(['Bot', 'Ada', 'Ben', 'Cleo']);
  const ada = guild?.members.cache.get(discord.people.ada.id);
  const ben = guild?.members.cache.get(discord.people.ben.id);
  expect(ada?.permissions.has('ManageGuild')).toBe(true);
  expect(ben?.permissions.has('ManageGuild')).toBe(false);
});

test('another token is refused, on the gateway and by REST', async () => {
  const { discord } = await startDiscord();
  const client = new Client({ intents: [1], rest: { api: discord.api } });
  onTestFinished(() => client.destroy());

  await expect(client.login('another.token')).rejects.toMatchObject({ code: DiscordjsErrorCodes.TokenInvalid });
  const response = await fetch(`${discord.api}/v10/users/@me`, { headers: { authorization: 'Bot another' } });
  expect(response.status).toBe(401);
  expect(await response.json()).toEqual({ message: '401: Unauthorized', code: 0 });
  expect((await fetch(`${discord.api}/v10/gateway`)).status, 'it asks for no token').toBe(200);
});

test('a message is sent, edited, read, and deleted', async () => {
  const { discord } = await startDiscord();
  const client = await loginClient(discord);
  const channel = await client.channels.fetch(IDS.deals);
  if (!channel?.isSendable()) throw new Error('not a text channel');

  const message = await channel.send({ content: 'First', embeds: [{ title: 'A deal' }] });
  expect(message.author.id).toBe(client.user.id);
  await message.edit('Second');
  expect((await channel.messages.fetch({ message: message.id, force: true })).content).toBe('Second');
  expect(discord.messages(IDS.deals).map(({ content }) => content)).toEqual(['Second']);
  await message.delete();
  expect(discord.messages(IDS.deals)).toEqual([]);
  expect((await call(discord, 'GET', `/channels/${IDS.deals}/messages/${message.id}`)).body).toMatchObject({
    code: 10008,
  });
});

test('the real client reads channels, roles, members and users', async () => {
  const { discord } = await startDiscord();
  const client = await loginClient(discord);
  const guild = await client.guilds.fetch({ guild: discord.guildId, force: true });
  expect((await guild.channels.fetch()).map((channel) => channel?.name)).toEqual(['deals', 'announcements', 'forum']);
  expect((await guild.roles.fetch()).map(({ name }) => name)).toEqual(['@everyone', 'Deal Hunters', 'Managers', 'Bot']);
  expect((await guild.members.fetch({ user: IDS.ben, force: true })).displayName).toBe('Ben');
  expect((await guild.members.fetchMe({ force: true })).id).toBe(IDS.application);
  const ada = await client.users.fetch(IDS.ada, { force: true });
  expect(ada.globalName).toBe('Ada');
  await expect(client.users.fetch('1100000000000000999')).rejects.toMatchObject({ code: 10013 });
  await expect(guild.members.fetch('1100000000000000999')).rejects.toMatchObject({ code: 10007 });
  await expect(client.channels.fetch('1100000000000000999')).rejects.toMatchObject({ code: 10003 });
  expect((await client.application.fetch()).name).toBe('Bot');
});

test('a bot that is removed is told, sees nothing of the server any more, and is back when it is invited again', async () => {
  const { discord } = await startDiscord();
  const client = await loginClient(discord);
  const removed = new Promise<string>((resolve) => {
    client.once('guildDelete', ({ id }) => resolve(id));
  });
  discord.setMembership('removed');
  expect(await removed).toBe(IDS.guild);
  const post = () => call(discord, 'POST', `/channels/${IDS.deals}/messages`, { content: 'Anybody there?' });
  expect(await post()).toMatchObject({ status: 403, body: { code: 50_001 } });
  expect((await call(discord, 'GET', `/guilds/${IDS.guild}`)).body).toMatchObject({ code: 10_004 });
  expect((await loginClient(discord)).guilds.cache.size).toBe(0);

  const invited = new Promise<string>((resolve) => {
    client.once('guildCreate', ({ id }) => resolve(id));
  });
  discord.setMembership('member');
  expect(await invited).toBe(IDS.guild);
  expect(await post()).toMatchObject({ status: 200 });
});
