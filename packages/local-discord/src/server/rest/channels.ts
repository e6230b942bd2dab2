import type { FastifyInstance } from 'fastify';
import { DiscordError } from '../discord-error.ts';
import { PERMISSION } from '../numbers.ts';
import { isAllowed, requirePermissions } from '../permissions.ts';
import { BOT_USER, IDS, type WorldChannel } from '../seed.ts';
import { withState } from '../thread-life.ts';
import { Field } from '../validate/form.ts';
import { isDirect, isThread } from '../world.ts';
import { bodyOf } from './body.ts';
import { botChannel, type ChannelParams, type RestContext } from './context.ts';

/** https://discord.com/developers/docs/resources/channel */
export function channelRoutes(app: FastifyInstance, { world, clock }: RestContext): void {
  function requireManaging(channel: WorldChannel): void {
    const needed = isThread(channel) ? PERMISSION.manageThreads : PERMISSION.manageChannels;
    requirePermissions(world, IDS.application, channel, needed);
  }

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
    const isOwn = channel.owner_id === BOT_USER.id && locked === undefined;
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
