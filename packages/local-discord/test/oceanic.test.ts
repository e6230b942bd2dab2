import { Client, type CommandInteraction, InteractionTypes } from 'oceanic.js';
import { expect, onTestFinished, test } from 'vitest';
import { IDS, type LocalDiscord } from '../src/index.ts';
import { startDiscord } from './helpers.ts';

/** A client of another library, as its documentation begins it; logged in and ready. */
async function anOceanicClient(discord: LocalDiscord): Promise<Client> {
  const client = new Client({
    auth: `Bot ${discord.token}`,
    rest: { baseURL: `${discord.api}/v10` },
    gateway: {
      intents: ['GUILDS', 'GUILD_MESSAGES', 'GUILD_MESSAGE_REACTIONS', 'GUILD_MESSAGE_TYPING', 'GUILD_MEMBERS'],
    },
  });
  client.on('error', () => undefined);
  onTestFinished(() => client.disconnect(false));
  const ready = new Promise<void>((resolve) => client.once('ready', () => resolve()));
  await client.connect();
  await ready;
  return client;
}

test('oceanic.js logs in, and posts, edits, reacts, types, pins and deletes', async () => {
  const { discord } = await startDiscord();
  discord.setPermissions(IDS.deals, { allow: ['addReactions', 'manageMessages', 'pinMessages', 'attachFiles'] });
  const client = await anOceanicClient(discord);
  expect(client.user.id).toBe(IDS.application);
  const seen: string[] = [];
  client.on('messageReactionAdd', (_, reactor, { emoji }) => void seen.push(`${reactor.id} added ${emoji.name}`));
  client.on('messageReactionRemove', (_, reactor, { emoji }) => void seen.push(`${reactor.id} removed ${emoji.name}`));
  client.on('typingStart', (...[, who]) => void seen.push(`${who.id} types`));
  client.on('messageDeleteBulk', (messages) => void seen.push(`${messages.length} deleted`));
  const { channels } = client.rest;

  const message = await channels.createMessage(IDS.deals, { content: 'Hello' });
  await channels.editMessage(IDS.deals, message.id, { content: 'Hello again' });
  await channels.createReaction(IDS.deals, message.id, '👍');
  expect(await channels.getMessage(IDS.deals, message.id)).toMatchObject({ content: 'Hello again' });
  const [reactor] = await channels.getReactions(IDS.deals, message.id, '👍');
  expect(reactor?.id).toBe(IDS.application);
  await channels.deleteReaction(IDS.deals, message.id, '👍');
  await channels.sendTyping(IDS.deals);
  await channels.pinMessage(IDS.deals, message.id);
  expect(discord.pins(IDS.deals).map(({ id }) => id)).toEqual([message.id]);
  const file = await channels.createMessage(IDS.deals, { files: [{ name: 'deal.txt', contents: Buffer.from('$5') }] });
  expect([...file.attachments.values()].map(({ filename }) => filename)).toEqual(['deal.txt']);
  const other = await channels.createMessage(IDS.deals, { content: 'And this' });
  await channels.deleteMessages(IDS.deals, [file.id, other.id]);
  await channels.deleteMessage(IDS.deals, message.id);
  // Discord's own message about the pin stays.
  expect(discord.messages(IDS.deals).map(({ type }) => type)).toEqual([6]);
  await expect
    .poll(() => seen)
    .toEqual([`${IDS.application} added 👍`, `${IDS.application} removed 👍`, `${IDS.application} types`, '2 deleted']);
});

test('oceanic.js registers a command and answers it, and finds members by their names', async () => {
  const { discord } = await startDiscord();
  const client = await anOceanicClient(discord);
  await client.application.createGlobalCommand({ type: 1, name: 'greet', description: 'Says hello' });
  client.on('interactionCreate', (interaction) => {
    if (interaction.type !== InteractionTypes.APPLICATION_COMMAND) return;
    void (interaction as CommandInteraction).createMessage({ content: `Hello, ${interaction.user.username}` });
  });
  const what = { personId: IDS.ben, channelId: IDS.deals, text: '/greet' };
  const { message } = await discord.runCommand(what);
  expect(message).toMatchObject({ content: 'Hello, ben', interaction: { name: 'greet', user: { id: IDS.ben } } });
  const [found, ...others] = await client.rest.guilds.searchMembers(IDS.guild, { query: 'be', limit: 5 });
  expect([found?.id, others]).toEqual([IDS.ben, []]);
  const first = await client.rest.guilds.getMembers(IDS.guild, { limit: 2 });
  expect(first).toHaveLength(2);
});
