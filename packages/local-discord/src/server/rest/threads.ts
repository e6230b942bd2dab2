import type {
  APIGuildForumChannel,
  APIMessage,
  APIThreadChannel,
  APIUser,
  RESTPostAPIGuildForumThreadsJSONBody,
} from 'discord-api-types/v10';
import type { FastifyInstance } from 'fastify';
import type { UploadedFile } from '../attachments.ts';
import { DiscordError } from '../discord-error.ts';
import { asApiMessage } from '../messages.ts';
import { CHANNEL, MESSAGE_FLAG, PERMISSION, REQUIRE_TAG } from '../numbers.ts';
import type { PageMessage } from '../page-api.ts';
import { isAllowed, requirePermissions } from '../permissions.ts';
import { type GuildChannel, IDS, type WorldChannel } from '../seed.ts';
import { newThread, requireRoom } from '../thread-life.ts';
import { Field } from '../validate/form.ts';
import { validateNewMessage } from '../validate/message.ts';
import { isDirect, isThread } from '../world.ts';
import { bodyOf } from './body.ts';
import { botChannel, type ChannelParams, type MessageParams, type RestContext, requireGuild } from './context.ts';
import { limited } from './limit.ts';

const ARCHIVE_MINUTES = [60, 1440, 4320, 10080] as const;
/** Number of archived threads in one response: the default, and the maximum. */
const LISTED = { usual: 50, most: 100 } as const;

/**
 * https://discord.com/developers/docs/resources/channel#start-thread-in-forum-or-media-channel and the endpoints after
 * it
 */
export function threadRoutes(app: FastifyInstance, context: RestContext): void {
  const { world, snowflakes } = context;

  app.post<ChannelParams>(
    '/channels/:channelId/threads',
    { preHandler: limited(context, 'createThread') },
    async (request, reply) => {
      const parent = botChannel(world, request.params.channelId);
      const { json, files } = bodyOf(request);
      reply.code(201);
      if (parent.type !== CHANNEL.forum) {
        if (isThread(parent) || isDirect(parent)) throw new DiscordError('wrongChannelType');
        requirePermissions(world, IDS.application, parent, PERMISSION.createPublicThreads);
        const thread = threadFrom(context, parent, new Field(json), { id: snowflakes.next() });
        world.addChannel(thread);
        return thread;
      }
      requirePermissions(world, IDS.application, parent, PERMISSION.sendMessages);
      return startPost(context, parent, json, files);
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
      const thread = threadFrom(context, parent, new Field(bodyOf(request).json), { id: message.id });
      world.addChannel(thread);
      world.setMessage({ ...message, flags: (message.flags ?? 0) | MESSAGE_FLAG.hasThread });
      return reply.code(201).send(thread);
    },
  );

  app.get<{ Params: { guildId: string } }>('/guilds/:guildId/threads/active', async (request) => {
    const { guild } = requireGuild(world, request.params.guildId);
    const seen = world
      .guildChannels(guild.id)
      .filter((channel) => isThread(channel) && isAllowed(world, IDS.application, channel, 0n));
    return { threads: seen.filter((thread) => !isArchived(thread)), members: [], has_more: false };
  });

  app.get<ChannelParams & { Querystring: { before?: string; limit?: string } }>(
    '/channels/:channelId/threads/archived/public',
    async (request) => {
      const parent = botChannel(world, request.params.channelId, PERMISSION.readMessageHistory);
      const { before, limit } = request.query;
      const query = new Field({ ...(limit !== undefined && { limit: Number(limit) }) });
      const number = query.at('limit').integer({ min: 2, max: LISTED.most }) ?? LISTED.usual;
      query.done();
      const archived = world
        .channels()
        .filter(isThread)
        .filter((thread) => thread.parent_id === parent.id && isArchived(thread))
        .filter((thread) => before === undefined || archivedAt(thread) < Date.parse(before))
        .sort((one, other) => archivedAt(other) - archivedAt(one));
      return { threads: archived.slice(0, number), members: [], has_more: archived.length > number };
    },
  );
}

/** A thread as the form describes it. @throws DiscordError 50035, 160006 */
function threadFrom(
  { world, clock }: RestContext,
  parent: GuildChannel,
  form: Field,
  { id, ...more }: Partial<APIThreadChannel> & { id: string },
): APIThreadChannel {
  const name = form.at('name').string({ min: 1, max: 100, required: true });
  const archiveAfter = form.at('auto_archive_duration').oneOf(ARCHIVE_MINUTES) ?? 1440;
  form.at('rate_limit_per_user').integer({ min: 0, max: 21_600 });
  form.done();
  requireRoom(world);
  return { ...newThread({ world, clock }, parent, { id, name: name ?? '', archiveAfter }), ...more };
}

/**
 * Creates a post in a forum: a thread and its first message.
 * @param by who posts it, and what else its message has
 */
export function startPost(
  context: RestContext,
  parent: APIGuildForumChannel,
  json: unknown,
  files: UploadedFile[],
  by: { author: APIUser; more?: Partial<PageMessage> } = { author: context.world.bot },
): APIThreadChannel & { message: APIMessage } {
  const { world, messages, snowflakes } = context;
  const form = new Field(json);
  const post = json as RESTPostAPIGuildForumThreadsJSONBody;
  const known = parent.available_tags.map(({ id }) => id);
  const tags = form.at('applied_tags').list({ max: 5 });
  for (const tag of tags) tag.oneOf(known, true);
  form.at('message').object(true);
  const thread = threadFrom(context, parent, form, {
    id: snowflakes.next(),
    applied_tags: tags.map((tag) => String(tag.value)),
  });
  if (((parent.flags ?? 0) & REQUIRE_TAG) !== 0 && tags.length === 0) throw new DiscordError('tagRequired');
  // A nonce has no effect here: Discord supports it for Create Message only.
  const { nonce: _, ...body } = validateNewMessage(form.at('message'), files);
  const first = messages.compose({
    channel: parent,
    author: by.author,
    body: { ...body, ...(post.message.attachments && { attachments: post.message.attachments }) },
    files,
    more: { ...by.more, id: thread.id, channel_id: thread.id },
  });
  world.addChannel(thread);
  world.addMessage(first);
  world.setChannel({ ...parent, last_message_id: thread.id });
  return { ...(world.channel(thread.id) as APIThreadChannel), message: asApiMessage(first) };
}

function isArchived(channel: WorldChannel): boolean {
  return isThread(channel) && channel.thread_metadata?.archived === true;
}

/** The time at which the thread was last archived or opened again, in milliseconds since the epoch. */
function archivedAt(thread: APIThreadChannel): number {
  return Date.parse(thread.thread_metadata?.archive_timestamp ?? '');
}
