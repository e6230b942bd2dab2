import { Client, type CommandInteraction, type ComponentInteraction, InteractionTypes } from 'oceanic.js';
import { atEnd, type Library } from './library.ts';

export const oceanic: Library = {
  name: 'oceanic.js',
  async logIn(discord) {
    let answerOf = (name: string) => name;
    const client = new Client({
      auth: `Bot ${discord.token}`,
      rest: { baseURL: `${discord.api}/v10` },
      gateway: { intents: ['GUILDS', 'GUILD_MESSAGES'] },
    });
    client.on('error', () => undefined);
    client.on('interactionCreate', (interaction) => {
      const isCommand = interaction.type === InteractionTypes.APPLICATION_COMMAND;
      const used = interaction as CommandInteraction | ComponentInteraction;
      const { data } = used as { data: { name?: string; customID?: string } };
      void used.createMessage({ content: answerOf((isCommand ? data.name : data.customID) ?? '') });
    });
    atEnd(() => client.disconnect(false));
    const ready = new Promise<void>((resolve) => client.once('ready', () => resolve()));
    await client.connect();
    await ready;
    const { channels, guilds } = client.rest;
    const idOf = ({ id }: { id: string }) => id;
    return {
      id: client.user.id,
      post: async (channelId, content) => idOf(await channels.createMessage(channelId, { content })),
      edit: (channelId, messageId, content) => channels.editMessage(channelId, messageId, { content }),
      postFile: async (channelId, name, text) =>
        idOf(await channels.createMessage(channelId, { files: [{ name, contents: Buffer.from(text) }] })),
      postButton: async (channelId, label, customID) => {
        const button = { type: 2, style: 1, label, customID } as const;
        return idOf(await channels.createMessage(channelId, { components: [{ type: 1, components: [button] }] }));
      },
      react: (channelId, messageId, emoji) => channels.createReaction(channelId, messageId, emoji),
      type: (channelId) => channels.sendTyping(channelId),
      pin: (channelId, messageId) => channels.pinMessage(channelId, messageId),
      openThread: async (channelId, messageId, name) =>
        idOf(await channels.startThreadFromMessage(channelId, messageId, { name, autoArchiveDuration: 60 })),
      messagePerson: async (personId, content) => {
        const id = idOf(await channels.createDM(personId));
        await channels.createMessage(id, { content });
        return id;
      },
      delete: (channelId, messageId) => channels.deleteMessage(channelId, messageId),
      deleteAll: (channelId, messageIds) => channels.deleteMessages(channelId, messageIds),
      register: (name, description) => client.application.createGlobalCommand({ type: 1, name, description }),
      answer: (text) => {
        answerOf = text;
      },
      findMembers: async (guildId, query) => (await guilds.searchMembers(guildId, { query })).map(idOf),
    };
  },
};
