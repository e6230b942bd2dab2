import type { APIThreadChannel, RESTPostAPIGuildForumThreadsJSONBody } from 'discord-api-types/v10';
import type { FastifyInstance } from 'fastify';
import { DiscordError } from '../discord-error.ts';
import { asApiMessage } from '../messages.ts';
import { CHANNEL, MESSAGE_FLAG, PERMISSION } from '../numbers.ts';
import { requirePermissions } from '../permissions.ts';
import { BOT_USER, IDS } from '../seed.ts';
import { Field } from '../validate/form.ts';
import { validateNewMessage } from '../validate/message.ts';
import { isThread, type WorldChannel } from '../world.ts';
import { bodyOf } from './body.ts';
import { botChannel, type ChannelParams, type MessageParams, type RestContext } from './context.ts';
import { limited } from './limit.ts';

const ARCHIVE_MINUTES = [60, 1440, 4320, 10080] as const;
/** Of a forum channel: a post needs a tag. */
const REQUIRE_TAG = 1 << 4;

/** https://discord.com/developers/docs/resources/channel#start-thread-in-forum-or-media-channel and its neighbours */
export function threadRoutes(app: FastifyInstance, context: RestContext): void {
  const { world, messages, snowflakes, clock } = context;

  function newThread(parent: WorldChannel, form: Field, id: string, more: Partial<APIThreadChannel>): APIThreadChannel {
    const name = form.at('name').string({ min: 1, max: 100, required: true });
    const archiveAfter = form.at('auto_archive_duration').oneOf(ARCHIVE_MINUTES) ?? 1440;
    form.at('rate_limit_per_user').integer({ min: 0, max: 21_600 });
    form.done();
    const now = new Date(clock.now()).toISOString();
    return {
      id,
      type: parent.type === CHANNEL.announcement ? CHANNEL.announcementThread : CHANNEL.publicThread,
      guild_id: world.guild.id,
      parent_id: parent.id,
      owner_id: BOT_USER.id,
      name: name ?? '',
      last_message_id: null,
      flags: 0,
      message_count: 0,
      member_count: 1,
      total_message_sent: 0,
      rate_limit_per_user: 0,
      thread_metadata: {
        archived: false,
        auto_archive_duration: archiveAfter,
        archive_timestamp: now,
        locked: false,
        create_timestamp: now,
      },
      ...more,
    } as APIThreadChannel;
  }

  app.post<ChannelParams>(
    '/channels/:channelId/threads',
    { preHandler: limited(context, 'createThread') },
    async (request, reply) => {
      const parent = botChannel(world, request.params.channelId);
      const { json, files } = bodyOf(request);
      const form = new Field(json);
      reply.code(201);
      if (parent.type !== CHANNEL.forum) {
        if (isThread(parent)) throw new DiscordError('wrongChannelType');
        requirePermissions(world, IDS.application, parent, PERMISSION.createPublicThreads);
        const thread = newThread(parent, form, snowflakes.next(), {});
        world.addChannel(thread);
        return thread;
      }
      requirePermissions(world, IDS.application, parent, PERMISSION.sendMessages);
      const post = json as RESTPostAPIGuildForumThreadsJSONBody;
      const known = parent.available_tags.map(({ id }) => id);
      const tags = form.at('applied_tags').list({ max: 5 });
      for (const tag of tags) tag.oneOf(known, true);
      form.at('message').object(true);
      const thread = newThread(parent, form, snowflakes.next(), { applied_tags: tags.map((tag) => String(tag.value)) });
      if (((parent.flags ?? 0) & REQUIRE_TAG) !== 0 && tags.length === 0) throw new DiscordError('tagRequired');
      // A nonce has no effect here: Discord knows it for Create Message only.
      const { nonce: _, ...body } = validateNewMessage(form.at('message'), files);
      const first = messages.compose({
        channel: parent,
        author: BOT_USER,
        body: { ...body, ...(post.message.attachments && { attachments: post.message.attachments }) },
        files,
        more: { id: thread.id, channel_id: thread.id },
      });
      world.addChannel(thread);
      world.addMessage(first);
      world.setChannel({ ...parent, last_message_id: thread.id });
      return { ...world.channel(thread.id), message: asApiMessage(first) };
    },
  );

  app.post<MessageParams>(
    '/channels/:channelId/messages/:messageId/threads',
    { preHandler: limited(context, 'createThread') },
    async (request, reply) => {
      const parent = botChannel(world, request.params.channelId, PERMISSION.createPublicThreads);
      if (parent.type !== CHANNEL.text && parent.type !== CHANNEL.announcement)
        throw new DiscordError('wrongChannelType');
      const message = world.message(parent.id, request.params.messageId);
      if (world.findChannel(message.id)) throw new DiscordError('messageHasThread');
      const thread = newThread(parent, new Field(bodyOf(request).json), message.id, {});
      world.addChannel(thread);
      world.setMessage({ ...message, flags: (message.flags ?? 0) | MESSAGE_FLAG.hasThread });
      return reply.code(201).send(thread);
    },
  );

  app.get<{ Params: { guildId: string } }>('/guilds/:guildId/threads/active', async () => {
    const threads = world.channels().filter(isThread);
    return { threads: threads.filter((thread) => !thread.thread_metadata?.archived), members: [] };
  });
}
