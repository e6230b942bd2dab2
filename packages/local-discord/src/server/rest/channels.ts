import type { APIOverwrite } from 'discord-api-types/v10';
import type { FastifyInstance } from 'fastify';
import { DiscordError } from '../discord-error.ts';
import { CHANNEL, PERMISSION } from '../numbers.ts';
import { isAllowed, requirePermissions } from '../permissions.ts';
import { requireOwned } from '../roles.ts';
import { IDS, newChannel, newForum, type WorldChannel } from '../seed.ts';
import { withState } from '../thread-life.ts';
import { Field } from '../validate/form.ts';
import { isDirect, isThread } from '../world.ts';
import { bodyOf } from './body.ts';
import { botChannel, type ChannelParams, type RestContext, requireGuild } from './context.ts';

/** The types of channels that a server can be given here. */
const MADE = [CHANNEL.text, CHANNEL.announcement, CHANNEL.forum] as const;
/** The most channels of a server: https://discord.com/developers/docs/topics/opcodes-and-status-codes */
const MOST_CHANNELS = 500;
const OVERWRITE = '/channels/:channelId/permissions/:overwriteId';

interface OverwriteParams {
  Params: ChannelParams['Params'] & { overwriteId: string };
}

/** https://discord.com/developers/docs/resources/channel#overwrite-object */
function overwriteIn(form: Field, id: string): APIOverwrite {
  const bitsOf = (name: string) => (form.at(name).bits() ?? 0n).toString();
  return { id, type: form.at('type').oneOf([0, 1]) ?? 0, allow: bitsOf('allow'), deny: bitsOf('deny') };
}

/** https://discord.com/developers/docs/resources/channel */
export function channelRoutes(app: FastifyInstance, { world, clock, snowflakes }: RestContext): void {
  function requireManaging(channel: WorldChannel): void {
    const needed = isThread(channel) ? PERMISSION.manageThreads : PERMISSION.manageChannels;
    requirePermissions(world, IDS.application, channel, needed);
  }

  app.post<{ Params: { guildId: string } }>('/guilds/:guildId/channels', async (request, reply) => {
    const at = requireGuild(world, request.params.guildId);
    requireOwned(at, PERMISSION.manageChannels);
    const form = new Field(bodyOf(request).json);
    const name = form.at('name').string({ min: 1, max: 100, required: true }) ?? '';
    const type = form.at('type').oneOf(MADE) ?? CHANNEL.text;
    const topic = form.at('topic').string({ max: type === CHANNEL.forum ? 4096 : 1024 });
    const position = form.at('position').integer({ min: 0 });
    const overwrites = form
      .at('permission_overwrites')
      .list({ max: MOST_CHANNELS })
      .map((field) => {
        const id = field.at('id');
        if (id.isAbsent) id.required();
        return overwriteIn(field, id.snowflake() ?? '');
      });
    const tags = form.at('available_tags').list({ max: 20 });
    const named = tags.map((tag) => ({
      id: snowflakes.next(),
      name: tag.at('name').string({ min: 1, max: 20, required: true }) ?? '',
    }));
    form.done();
    for (const { allow, deny } of overwrites) requireOwned(at, BigInt(allow) | BigInt(deny));
    const others = world.guildChannels(at.guild.id).filter((channel) => !isThread(channel));
    if (others.length >= MOST_CHANNELS) throw new DiscordError('tooManyChannels');
    const given = { id: snowflakes.next(), guild_id: at.guild.id, position: position ?? others.length };
    // Only forums have names with spaces and capitals.
    const slug = name.toLowerCase().replaceAll(/\s+/g, '-');
    const made =
      type === CHANNEL.forum ? newForum({ ...given, name }, named) : newChannel({ ...given, name: slug, type });
    const channel = { ...made, permission_overwrites: overwrites, ...(topic !== undefined && { topic }) };
    world.addChannel(channel);
    return reply.code(201).send(channel);
  });

  /** A channel whose overwrites the bot may change. @throws DiscordError 10003, 50013, 50024 */
  function overwritten(channelId: string) {
    const channel = botChannel(world, channelId, PERMISSION.manageRoles);
    if (isDirect(channel) || isThread(channel)) throw new DiscordError('wrongChannelType');
    return channel;
  }

  app.put<OverwriteParams>(OVERWRITE, async (request, reply) => {
    const { channelId, overwriteId } = request.params;
    const channel = overwritten(channelId);
    const form = new Field(bodyOf(request).json);
    const own = overwriteIn(form, overwriteId);
    form.done();
    const at = world.guildAt(channel);
    const isThere = own.type === 0 ? at.roles.has(own.id) : at.members.has(own.id);
    if (!isThere) throw new DiscordError('unknownOverwrite');
    requireOwned(at, BigInt(own.allow) | BigInt(own.deny));
    const others = (channel.permission_overwrites ?? []).filter(({ id }) => id !== own.id);
    world.setChannel({ ...channel, permission_overwrites: [...others, own] });
    return reply.code(204).send();
  });

  app.delete<OverwriteParams>(OVERWRITE, async ({ params }, reply) => {
    const channel = overwritten(params.channelId);
    const all = channel.permission_overwrites ?? [];
    const others = all.filter(({ id }) => id !== params.overwriteId);
    if (others.length === all.length) throw new DiscordError('unknownOverwrite');
    world.setChannel({ ...channel, permission_overwrites: others });
    return reply.code(204).send();
  });

  app.get<ChannelParams>('/channels/:channelId', async (request) => botChannel(world, request.params.channelId));

  app.patch<ChannelParams>('/channels/:channelId', async (request) => {
    const channel = botChannel(world, request.params.channelId);
    if (isDirect(channel)) throw new DiscordError('wrongChannelType');
    const form = new Field(bodyOf(request).json);
    const name = form.at('name').string({ min: 1, max: 100 });
    const topic = form.at('topic').string({ max: 1024 });
    const archived = form.at('archived').isAbsent ? undefined : form.at('archived').boolean();
    const locked = form.at('locked').isAbsent ? undefined : form.at('locked').boolean();
    const tags = form.at('applied_tags').list({ max: 5 });
    form.done();
    if (!isThread(channel)) {
      requireManaging(channel);
      const edited = { ...channel, ...(name !== undefined && { name }), ...(topic !== undefined && { topic }) };
      world.setChannel(edited);
      return edited;
    }
    const { archived: wasArchived = false, locked: wasLocked = false } = channel.thread_metadata ?? {};
    const isManager = isAllowed(world, IDS.application, channel, PERMISSION.manageThreads);
    // Unless the thread is locked, everyone who may write in it may open it again, and its owner may change it.
    const onlyOpens = archived === false && locked === undefined && name === undefined && tags.length === 0;
    const mayWrite = isAllowed(world, IDS.application, channel, PERMISSION.sendMessagesInThreads);
    const isOwn = channel.owner_id === IDS.application && locked === undefined;
    if (!isManager && (wasLocked || !(isOwn || (onlyOpens && mayWrite)))) requireManaging(channel);
    if (wasArchived && archived === undefined) throw new DiscordError('archivedThread');
    const edited = withState(
      {
        ...channel,
        ...(name !== undefined && { name }),
        ...(!form.at('applied_tags').isAbsent && { applied_tags: tags.map((tag) => String(tag.value)) }),
      },
      { archived, locked },
      clock.now(),
    );
    world.setChannel(edited);
    return edited;
  });

  app.delete<ChannelParams>('/channels/:channelId', async (request) => {
    const channel = botChannel(world, request.params.channelId);
    // A direct channel is only closed: its messages stay, and the next message opens it again.
    if (isDirect(channel)) return channel;
    requireManaging(channel);
    world.deleteChannel(channel.id);
    return channel;
  });
}
