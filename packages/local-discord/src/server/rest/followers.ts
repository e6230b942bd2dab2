import type { FastifyInstance } from 'fastify';
import { follow } from '../following.ts';
import { Field } from '../validate/form.ts';
import { bodyOf } from './body.ts';
import { botChannel, type ChannelParams, type RestContext } from './context.ts';

/** https://discord.com/developers/docs/resources/channel#follow-announcement-channel */
export function followerRoutes(app: FastifyInstance, context: RestContext): void {
  const { world } = context;
  app.post<ChannelParams>('/channels/:channelId/followers', async (request) => {
    const source = botChannel(world, request.params.channelId);
    const form = new Field(bodyOf(request).json);
    const targetId = form.at('webhook_channel_id').string({ min: 1, max: 20, required: true });
    form.done();
    const webhook = follow(context, source, world.channel(targetId ?? ''), world.bot);
    return { channel_id: source.id, webhook_id: webhook.id };
  });
}
