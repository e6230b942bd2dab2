import { Events, GatewayIntentBits, Partials } from 'discord.js';
import { expect, test } from 'vitest';
import { IDS } from '../src/server/local-discord.ts';
import { deferred, loginClient, startDiscord } from './helpers.ts';

test('the bot writes to a person, and edits what it wrote', async () => {
  const { discord } = await startDiscord();
  const client = await loginClient(discord);
  const ada = await client.users.fetch(IDS.ada);
  const message = await ada.send('Your subscription is blocked');
  expect(message.guildId).toBeNull();
  expect(message.channelId).toBe(discord.directChannel(IDS.ada).id);
  await message.edit('It goes on again');
  expect(discord.messages(message.channelId)).toMatchObject([{ content: 'It goes on again' }]);
  expect((await ada.createDM()).id).toBe(message.channelId);
  expect((await message.channel.messages.fetch()).size).toBe(1);
});

test('who takes no direct messages gets none, until they do', async () => {
  const { discord } = await startDiscord();
  const client = await loginClient(discord);
  const ben = await client.users.fetch(IDS.ben);
  discord.setDirectMessages(IDS.ben, false);
  await expect(ben.send('Hello')).rejects.toMatchObject({ status: 403, code: 50007 });
  discord.setDirectMessages(IDS.ben, true);
  await ben.send('Hello');
  expect(discord.messages(discord.directChannel(IDS.ben).id)).toHaveLength(1);
});

test('nobody but a person of the server has direct messages', async () => {
  const { discord } = await startDiscord();
  const client = await loginClient(discord);
  await expect(client.users.createDM('1100000000000000999')).rejects.toMatchObject({ code: 50033 });
});

test('direct channels are no channels of the server, and outlive a restart', async () => {
  const { discord, stateUrl } = await startDiscord();
  const client = await loginClient(discord, [GatewayIntentBits.Guilds]);
  const message = await (await client.users.fetch(IDS.ada)).send('Hello');
  const guild = await client.guilds.fetch(IDS.guild);
  expect((await guild.channels.fetch()).has(message.channelId)).toBe(false);
  await client.destroy();
  await discord.stop();
  const again = await startDiscord({ stateUrl });
  expect(again.discord.messages(again.discord.directChannel(IDS.ada).id)).toMatchObject([{ content: 'Hello' }]);
});

test('only who listens to direct messages is told of them', async () => {
  const { discord } = await startDiscord();
  const heard = deferred<string | null>();
  const listener = await loginClient(discord, [GatewayIntentBits.DirectMessages], { partials: [Partials.Channel] });
  listener.once(Events.MessageCreate, ({ guildId }) => heard.resolve(guildId));
  await (await listener.users.fetch(IDS.ada)).send('Hello');
  expect(await heard.promise).toBeNull();
});

test('a command is used in direct messages where it says so, and comes without a server', async () => {
  const { discord } = await startDiscord();
  const client = await loginClient(discord);
  await client.application.commands.set([
    { name: 'anywhere', description: 'Anywhere', contexts: [0, 1] },
    { name: 'here', description: 'In the server', contexts: [0] },
    { name: 'undecided', description: 'By default', defaultMemberPermissions: '32' },
  ]);
  const got: unknown[] = [];
  client.on('interactionCreate', (interaction) => {
    if (!interaction.isChatInputCommand()) return;
    const { guildId, memberPermissions, user, context } = interaction;
    got.push([interaction.commandName, guildId, memberPermissions, user.id, context, interaction.inGuild()]);
    interaction.reply('Done').catch(() => undefined);
  });
  const channelId = discord.directChannel(IDS.ben).id;
  const run = (text: string, personId: string = IDS.ben) => discord.runCommand({ personId, channelId, text });
  expect((await run('/anywhere')).message).toMatchObject({ channel_id: channelId, content: 'Done' });
  await run('/undecided');
  expect(got).toEqual([
    ['anywhere', null, null, IDS.ben, 1, false],
    ['undecided', null, null, IDS.ben, 1, false],
  ]);
  await expect(run('/here')).rejects.toThrow("/here can't be used in the direct messages");
  await expect(run('/anywhere', IDS.ada)).rejects.toThrow("the direct messages can't be seen by that person");
});

test('the languages of the person and of the server travel with an interaction', async () => {
  const { discord } = await startDiscord();
  const client = await loginClient(discord);
  await client.application.commands.set([{ name: 'hello', description: 'Hello' }]);
  const got: unknown[] = [];
  client.on('interactionCreate', (interaction) => {
    got.push([interaction.locale, interaction.guildLocale]);
    if (interaction.isRepliable()) interaction.reply('Done').catch(() => undefined);
  });
  const run = (personId: string, channelId: string = IDS.deals) =>
    discord.runCommand({ personId, channelId, text: '/hello' });
  discord.setLocale(IDS.ada, 'de');
  await run(IDS.ada);
  await run(IDS.ben);
  const updated = deferred<string>();
  client.once(Events.GuildUpdate, (_before, after) => updated.resolve(after.preferredLocale));
  discord.setGuildLocale('fr');
  expect(await updated.promise).toBe('fr');
  await run(IDS.ada);
  await run(IDS.ben);
  await run(IDS.ada, discord.directChannel(IDS.ada).id);
  expect(got).toEqual([
    ['de', 'en-US'],
    ['en-US', 'en-US'],
    ['de', 'fr'],
    ['fr', 'fr'],
    ['de', null],
  ]);
});
