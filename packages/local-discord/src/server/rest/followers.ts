import type { FastifyInstance } from 'fastify';
import { DiscordError } from '../discord-error.ts';
import { follow } from '../following.ts';
import { PERMISSION } from '../numbers.ts';
import { requirePermissions } from '../permissions.ts';
import { BOT_USER, type FollowerWebhook, IDS } from '../seed.ts';
import { Field } from '../validate/form.ts';
import { bodyOf } from './body.ts';
import { botChannel, type ChannelParams, type RestContext } from './context.ts';

interface WebhookParams {
  Params: { webhookId: string };
}

/**
 * Following announcement channels, and the webhooks that come of it: https://discord.com/developers/docs/resources/channel#follow-announcement-channel,
 * https://discord.com/developers/docs/resources/webhook
 */
export function followerRoutes(app: FastifyInstance, context: RestContext): void {
  const { world } = context;

  function find(webhookId: string): FollowerWebhook {
    const webhook = world.findWebhook(webhookId);
    if (!webhook) throw new DiscordError('unknownWebhook');
    requirePermissions(world, IDS.application, world.channel(webhook.channel_id), PERMISSION.manageWebhooks);
    return webhook;
  }

  app.post<ChannelParams>('/channels/:channelId/followers', async (request) => {
    const source = botChannel(world, request.params.channelId);
    const form = new Field(bodyOf(request).json);
    const targetId = form.at('webhook_channel_id').string({ min: 1, max: 20, required: true });
    form.done();
    const webhook = follow(context, source, world.channel(targetId ?? ''), BOT_USER);
    return { channel_id: source.id, webhook_id: webhook.id };
  });

  app.get<ChannelParams>('/channels/:channelId/webhooks', async ({ params }) =>
    world.webhooks(botChannel(world, params.channelId, PERMISSION.manageWebhooks).id),
  );

  app.get<WebhookParams>('/webhooks/:webhookId', async ({ params }) => find(params.webhookId));

  app.delete<WebhookParams>('/webhooks/:webhookId', async ({ params }, reply) => {
    world.deleteWebhook(find(params.webhookId));
    return reply.code(204).send();
  });
}
