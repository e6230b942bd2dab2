import type { FastifyInstance } from 'fastify';
import { PERMISSION } from '../numbers.ts';
import { requirePermissions } from '../permissions.ts';
import { BOT_USER, IDS } from '../seed.ts';
import { Field } from '../validate/form.ts';
import { isThread, type WorldChannel } from '../world.ts';
import { bodyOf } from './body.ts';
import { botChannel, type ChannelParams, type RestContext } from './context.ts';

/** https://discord.com/developers/docs/resources/channel */
export function channelRoutes(app: FastifyInstance, { world, clock }: RestContext): void {
  const mayManage = (channel: WorldChannel) =>
    requirePermissions(
      world,
      IDS.application,
      channel,
      isThread(channel) ? PERMISSION.manageThreads : PERMISSION.manageChannels,
    );

  app.get<ChannelParams>('/channels/:channelId', async (request) => botChannel(world, request.params.channelId));

  app.patch<ChannelParams>('/channels/:channelId', async (request) => {
    const channel = botChannel(world, request.params.channelId);
    const ownThread = isThread(channel) && channel.owner_id === BOT_USER.id;
    if (!ownThread) mayManage(channel);
    const form = new Field(bodyOf(request).json);
    const name = form.at('name').string({ min: 1, max: 100 });
    const topic = form.at('topic').string({ max: 1024 });
    const archived = form.at('archived').boolean();
    const locked = form.at('locked').boolean();
    const tags = form.at('applied_tags').list({ max: 5 });
    form.done();
    const edited = { ...channel, ...(name !== undefined && { name }) };
    if (isThread(edited)) {
      if (!form.at('applied_tags').isAbsent) edited.applied_tags = tags.map((tag) => String(tag.value));
      const metadata = edited.thread_metadata;
      if (metadata) {
        const becameArchived = !form.at('archived').isAbsent && archived !== metadata.archived;
        edited.thread_metadata = {
          ...metadata,
          ...(!form.at('archived').isAbsent && { archived: archived ?? false }),
          ...(!form.at('locked').isAbsent && { locked: locked ?? false }),
          ...(becameArchived && { archive_timestamp: new Date(clock.now()).toISOString() }),
        };
      }
    } else if (topic !== undefined) edited.topic = topic;
    world.setChannel(edited);
    return edited;
  });

  app.delete<ChannelParams>('/channels/:channelId', async (request) => {
    const channel = botChannel(world, request.params.channelId);
    mayManage(channel);
    world.deleteChannel(channel.id);
    return channel;
  });
}
