import {
  Client,
  type ForumChannel,
  GatewayIntentBits,
  type Interaction,
  type Message,
  type TextChannel,
  WebhookClient,
} from 'discord.js';
import type { LocalDiscord } from '../../src/index.ts';
import { agent } from '../helpers.ts';
import { atEnd, commands, FORM, type Library, type LibraryBot } from './library.ts';

export const discordjs: Library = {
  name: 'discord.js',
  logIn: (discord) => logInWith(new Client(optionsOf(discord)), discord),
};

/** How any client that is built on discord.js reaches local Discord. */
export function optionsOf({ api }: LocalDiscord) {
  const intents = [GatewayIntentBits.Guilds, GatewayIntentBits.GuildMessages, GatewayIntentBits.MessageContent];
  return { intents, shards: 'auto', rest: { api, agent } } as const;
}

export async function logInWith(client: Client, discord: LocalDiscord): Promise<LibraryBot> {
  let answerOf = (name: string) => name;
  client.on('interactionCreate', (interaction: Interaction) => {
    if (interaction.isChatInputCommand()) void interaction.reply(answerOf(interaction.commandName));
    if (interaction.isContextMenuCommand()) void interaction.reply(answerOf(interaction.targetId));
    if (interaction.isStringSelectMenu()) void interaction.reply(answerOf(interaction.values.join()));
    if (interaction.isModalSubmit()) void interaction.reply(answerOf(interaction.fields.getTextInputValue(FORM)));
    if (interaction.isAutocomplete()) {
      const choice = answerOf(interaction.commandName);
      void interaction.respond([{ name: choice, value: choice }]);
    }
    if (!interaction.isButton()) return;
    const input = { type: 4, customId: FORM, label: 'Text', style: 1 } as const;
    if (interaction.customId !== FORM) void interaction.reply(answerOf(interaction.customId));
    else void interaction.showModal({ customId: FORM, title: 'Form', components: [{ type: 1, components: [input] }] });
  });
  client.on('messageCreate', (heard) => {
    if (heard.content.startsWith('!')) void heard.reply(answerOf(heard.content));
  });
  atEnd(() => client.destroy());
  const ready = new Promise<void>((resolve) => client.once('clientReady', () => resolve()));
  await client.login(discord.token);
  await ready;
  const channel = async (id: string) => (await client.channels.fetch(id)) as TextChannel;
  const message = async (channelId: string, id: string): Promise<Message> =>
    (await channel(channelId)).messages.fetch(id);
  const post = async (id: string, what: Parameters<TextChannel['send']>[0]) =>
    (await (await channel(id)).send(what)).id;
  return {
    id: client.user?.id ?? '',
    post,
    edit: async (channelId, id, content) => (await message(channelId, id)).edit(content),
    postFile: (channelId, name, text) => post(channelId, { files: [{ name, attachment: Buffer.from(text) }] }),
    postButton: (channelId, label, customId) =>
      post(channelId, { components: [{ type: 1, components: [{ type: 2, style: 1, label, customId }] }] }),
    postMenu: (channelId, choices, customId) => {
      const options = choices.map((choice) => ({ label: choice, value: choice }));
      return post(channelId, { components: [{ type: 1, components: [{ type: 3, customId, options }] }] });
    },
    react: async (channelId, id, emoji) => (await message(channelId, id)).react(emoji),
    type: async (channelId) => (await channel(channelId)).sendTyping(),
    pin: async (channelId, id) => (await message(channelId, id)).pin(),
    publish: async (channelId, id) => (await message(channelId, id)).crosspost(),
    postInForum: async (forumId, name, content) => {
      const forum = (await client.channels.fetch(forumId)) as ForumChannel;
      return (await forum.threads.create({ name, message: { content } })).id;
    },
    openThread: async (channelId, id, name) => (await (await message(channelId, id)).startThread({ name })).id,
    messagePerson: async (personId, content) => (await client.users.send(personId, content)).channelId,
    delete: async (channelId, id) => (await message(channelId, id)).delete(),
    deleteAll: async (channelId, ids) => (await channel(channelId)).bulkDelete(ids),
    register: async () => client.application?.commands.set(commands()),
    answer: (text) => {
      answerOf = text;
    },
    createChannel: async (guildId, name) => (await (await client.guilds.fetch(guildId)).channels.create({ name })).id,
    showChannel: async (channelId, personId) =>
      (await channel(channelId)).permissionOverwrites.create(personId, { ViewChannel: true }, { type: 1 }),
    deleteChannel: async (channelId) => (await channel(channelId)).delete(),
    createWebhook: async (channelId, name) => (await channel(channelId)).createWebhook({ name }),
    postBy: ({ id, token }, content) => new WebhookClient({ id, token }, optionsOf(discord)).send(content),
    createRole: async (guildId, name) => (await (await client.guilds.fetch(guildId)).roles.create({ name })).id,
    giveRole: async (guildId, personId, roleId) =>
      (await client.guilds.fetch(guildId)).members.addRole({ user: personId, role: roleId }),
    deleteRole: async (guildId, roleId) => (await client.guilds.fetch(guildId)).roles.delete(roleId),
    findMembers: async (guildId, query) => {
      const found = await (await client.guilds.fetch(guildId)).members.search({ query });
      return [...found.keys()];
    },
  };
}
