import { Client, Permissions } from 'oceanic.js';
import { atEnd, commands, FORM, type Library } from './library.ts';

export const oceanic: Library = {
  name: 'oceanic.js',
  async logIn(discord) {
    let answerOf = (name: string) => name;
    const client = new Client({
      auth: `Bot ${discord.token}`,
      rest: { baseURL: `${discord.api}/v10` },
      gateway: { intents: ['GUILDS', 'GUILD_MESSAGES', 'MESSAGE_CONTENT'], maxShards: 'auto' },
    });
    client.on('error', () => undefined);
    client.on('interactionCreate', (interaction) => {
      if (interaction.isAutocompleteInteraction()) {
        const choice = answerOf(interaction.data.name);
        void interaction.result([{ name: choice, value: choice }]);
      }
      if (interaction.isCommandInteraction())
        void interaction.createMessage({ content: answerOf(interaction.data.targetID ?? interaction.data.name) });
      if (interaction.isModalSubmitInteraction())
        void interaction.createMessage({ content: answerOf(interaction.data.components.getTextInput(FORM) ?? '') });
      if (!interaction.isComponentInteraction()) return;
      const { data } = interaction;
      const input = { type: 4, customID: FORM, label: 'Text', style: 1 } as const;
      if (data.customID === FORM)
        void interaction.createModal({ customID: FORM, title: 'Form', components: [{ type: 1, components: [input] }] });
      else if ('values' in data) void interaction.createMessage({ content: answerOf(data.values.raw.join()) });
      else void interaction.createMessage({ content: answerOf(data.customID) });
    });
    client.on('messageCreate', ({ channelID, content, id }) => {
      if (!content.startsWith('!')) return;
      void client.rest.channels.createMessage(channelID, {
        content: answerOf(content),
        messageReference: { messageID: id },
      });
    });
    atEnd(() => client.disconnect(false));
    const ready = new Promise<void>((resolve) => client.once('ready', () => resolve()));
    await client.connect();
    await ready;
    const { channels, guilds, webhooks } = client.rest;
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
      postMenu: async (channelId, choices, customID) => {
        const options = choices.map((choice) => ({ label: choice, value: choice }));
        const menu = { type: 3, customID, options } as const;
        return idOf(await channels.createMessage(channelId, { components: [{ type: 1, components: [menu] }] }));
      },
      react: (channelId, messageId, emoji) => channels.createReaction(channelId, messageId, emoji),
      type: (channelId) => channels.sendTyping(channelId),
      pin: (channelId, messageId) => channels.pinMessage(channelId, messageId),
      publish: (channelId, messageId) => channels.crosspostMessage(channelId, messageId),
      postInForum: async (forumId, name, content) =>
        idOf(await channels.startThreadInThreadOnlyChannel(forumId, { name, message: { content } })),
      openThread: async (channelId, messageId, name) =>
        idOf(await channels.startThreadFromMessage(channelId, messageId, { name, autoArchiveDuration: 60 })),
      messagePerson: async (personId, content) => {
        const id = idOf(await channels.createDM(personId));
        await channels.createMessage(id, { content });
        return id;
      },
      delete: (channelId, messageId) => channels.deleteMessage(channelId, messageId),
      deleteAll: (channelId, messageIds) => channels.deleteMessages(channelId, messageIds),
      register: () => client.application.bulkEditGlobalCommands(commands()),
      answer: (text) => {
        answerOf = text;
      },
      createChannel: async (guildId, name) => idOf(await guilds.createChannel(guildId, 0, { name })),
      showChannel: (channelId, personId) =>
        channels.editPermission(channelId, personId, { type: 1, allow: Permissions.VIEW_CHANNEL }),
      deleteChannel: (channelId) => channels.delete(channelId),
      createWebhook: async (channelId, name) => {
        const { id, token } = await webhooks.create(channelId, { name });
        return { id, token: token ?? '' };
      },
      postBy: ({ id, token }, content) => webhooks.execute(id, token, { content }),
      createRole: async (guildId, name) => idOf(await guilds.createRole(guildId, { name })),
      giveRole: (guildId, personId, roleId) => guilds.addMemberRole(guildId, personId, roleId),
      deleteRole: (guildId, roleId) => guilds.deleteRole(guildId, roleId),
      findMembers: async (guildId, query) => (await guilds.searchMembers(guildId, { query })).map(idOf),
    };
  },
};
