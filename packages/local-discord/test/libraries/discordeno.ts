import {
  createBot,
  Intents,
  type InteractionCallbackData,
  type InteractionResponse,
  InteractionTypes,
  OverwriteTypes,
} from '@discordeno/bot';
import { atEnd, commands, FORM, type Library } from './library.ts';

export const discordeno: Library = {
  name: '@discordeno/bot',
  async logIn(discord) {
    let answerOf = (name: string) => name;
    const ready = new Set<number>();
    let onReady = () => {};
    const isReady = new Promise<void>((resolve) => {
      onReady = () => ready.size === bot.gateway.totalShards && resolve();
    });
    const bot = createBot({
      token: discord.token,
      intents: Intents.Guilds | Intents.GuildMessages | Intents.MessageContent,
      rest: { token: discord.token, proxy: { baseUrl: discord.api, authorization: `Bot ${discord.token}` } },
      desiredProperties: {
        interaction: { id: true, token: true, type: true, data: true },
        component: { type: true, customId: true, value: true, components: true },
        message: { id: true, channelId: true, content: true },
        user: { id: true },
        channel: { id: true },
      },
      loggerFactory: () => ({ ...console, debug() {}, info() {}, warn() {}, error() {}, fatal() {} }),
      events: {
        ready: ({ shardId }) => {
          ready.add(shardId);
          onReady();
        },
        messageCreate: async ({ id, channelId, content }) => {
          if (!content.startsWith('!')) return;
          await bot.rest.sendMessage(channelId, {
            content: answerOf(content),
            messageReference: { messageId: id, failIfNotExists: true },
          });
        },
        interactionCreate: async ({ id, token, type, data }) => {
          const { name = '', customId, values, targetId, components } = data ?? {};
          const respond = (response: InteractionResponse) => bot.rest.sendInteractionResponse(id, token, response);
          const choice = answerOf(name);
          if (type === InteractionTypes.ApplicationCommandAutocomplete)
            return void (await respond({ type: 8, data: { choices: [{ name: choice, value: choice }] } }));
          const input = { type: 4, customId: FORM, label: 'Text', style: 1 } as const;
          const form = { customId: FORM, title: 'Form', components: [{ type: 1, components: [input] }] };
          if (type === InteractionTypes.MessageComponent && customId === FORM)
            return void (await respond({ type: 9, data: form as InteractionCallbackData }));
          const typed = components?.[0]?.components?.[0]?.value;
          const content = answerOf(typed ?? values?.join() ?? targetId?.toString() ?? customId ?? name);
          await respond({ type: 4, data: { content } });
        },
      },
    });
    atEnd(() => bot.shutdown());
    await bot.start();
    await isReady;
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
      postMenu: async (channelId, choices, customId) => {
        const options = choices.map((choice) => ({ label: choice, value: choice }));
        const menu = { type: 3, customId, options } as const;
        return idOf(await rest.sendMessage(channelId, { components: [{ type: 1, components: [menu] }] }));
      },
      react: (channelId, messageId, emoji) => rest.addReaction(channelId, messageId, emoji),
      type: (channelId) => rest.triggerTypingIndicator(channelId),
      pin: (channelId, messageId) => rest.pinMessage(channelId, messageId),
      publish: (channelId, messageId) => rest.publishMessage(channelId, messageId),
      postInForum: async (forumId, name, content) =>
        idOf(await rest.createForumThread(forumId, { name, autoArchiveDuration: 60, message: { content } })),
      openThread: async (channelId, messageId, name) =>
        idOf(await rest.startThreadWithMessage(channelId, messageId, { name, autoArchiveDuration: 60 })),
      messagePerson: async (personId, content) => {
        const id = idOf(await rest.getDmChannel(personId));
        await rest.sendMessage(id, { content });
        return id;
      },
      delete: (channelId, messageId) => rest.deleteMessage(channelId, messageId),
      deleteAll: (channelId, messageIds) => rest.deleteMessages(channelId, messageIds),
      register: () => rest.upsertGlobalApplicationCommands(commands()),
      answer: (text) => {
        answerOf = text;
      },
      createChannel: async (guildId, name) => idOf(await rest.createChannel(guildId, { name })),
      showChannel: (channelId, personId) =>
        rest.editChannelPermissionOverrides(channelId, {
          id: BigInt(personId),
          type: OverwriteTypes.Member,
          allow: ['VIEW_CHANNEL'],
        }),
      deleteChannel: (channelId) => rest.deleteChannel(channelId),
      createWebhook: async (channelId, name) => {
        const { id, token = '' } = await rest.createWebhook(channelId, { name });
        return { id: String(id), token };
      },
      postBy: ({ id, token }, content) => rest.executeWebhook(id, token, { content }),
      createRole: async (guildId, name) => idOf(await rest.createRole(guildId, { name })),
      giveRole: (guildId, personId, roleId) => rest.addRole(guildId, personId, roleId),
      deleteRole: (guildId, roleId) => rest.deleteRole(guildId, roleId),
      findMembers: async (guildId, name) => (await rest.searchMembers(guildId, name)).map(({ user }) => idOf(user)),
    };
  },
};
