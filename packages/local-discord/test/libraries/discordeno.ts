import { createBot, Intents } from '@discordeno/bot';
import { atEnd, type Library } from './library.ts';

export const discordeno: Library = {
  name: '@discordeno/bot',
  async logIn(discord) {
    let answerOf = (name: string) => name;
    let onReady = () => {};
    const ready = new Promise<void>((resolve) => {
      onReady = resolve;
    });
    const bot = createBot({
      token: discord.token,
      intents: Intents.Guilds | Intents.GuildMessages,
      rest: { token: discord.token, proxy: { baseUrl: discord.api, authorization: `Bot ${discord.token}` } },
      desiredProperties: {
        interaction: { id: true, token: true, data: true },
        message: { id: true },
        user: { id: true },
        channel: { id: true },
      },
      loggerFactory: () => ({ ...console, debug() {}, info() {}, warn() {}, error() {}, fatal() {} }),
      events: {
        ready: () => onReady(),
        interactionCreate: async ({ id, token, data }) => {
          const content = answerOf(data?.name ?? data?.customId ?? '');
          await bot.rest.sendInteractionResponse(id, token, { type: 4, data: { content } });
        },
      },
    });
    atEnd(() => bot.shutdown());
    await bot.start();
    await ready;
    const { rest } = bot;
    const idOf = ({ id }: { id: string }) => String(id);
    return {
      id: String(bot.id),
      post: async (channelId, content) => idOf(await rest.sendMessage(channelId, { content })),
      edit: (channelId, messageId, content) => rest.editMessage(channelId, messageId, { content }),
      postFile: async (channelId, name, text) =>
        idOf(await rest.sendMessage(channelId, { files: [{ name, blob: new Blob([text]) }] })),
      postButton: async (channelId, label, customId) => {
        const button = { type: 2, style: 1, label, customId } as const;
        return idOf(await rest.sendMessage(channelId, { components: [{ type: 1, components: [button] }] }));
      },
      react: (channelId, messageId, emoji) => rest.addReaction(channelId, messageId, emoji),
      type: (channelId) => rest.triggerTypingIndicator(channelId),
      pin: (channelId, messageId) => rest.pinMessage(channelId, messageId),
      openThread: async (channelId, messageId, name) =>
        idOf(await rest.startThreadWithMessage(channelId, messageId, { name, autoArchiveDuration: 60 })),
      messagePerson: async (personId, content) => {
        const id = idOf(await rest.getDmChannel(personId));
        await rest.sendMessage(id, { content });
        return id;
      },
      delete: (channelId, messageId) => rest.deleteMessage(channelId, messageId),
      deleteAll: (channelId, messageIds) => rest.deleteMessages(channelId, messageIds),
      register: (name, description) => rest.upsertGlobalApplicationCommands([{ type: 1, name, description }]),
      answer: (text) => {
        answerOf = text;
      },
      findMembers: async (guildId, name) => (await rest.searchMembers(guildId, name)).map(({ user }) => idOf(user)),
    };
  },
};
