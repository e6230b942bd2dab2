import type { FastifyInstance } from 'fastify';
import { DiscordError } from '../discord-error.ts';
import { readImageData } from '../member-pictures.ts';
import { PERMISSION } from '../numbers.ts';
import { isAllowed, requirePermissions } from '../permissions.ts';
import { IDS, type WorldWebhook } from '../seed.ts';
import { Field } from '../validate/form.ts';
import { newWebhook, requireWebhookPlace } from '../webhooks.ts';
import { bodyOf } from './body.ts';
import { botChannel, type ChannelParams, type RestContext, requireGuild } from './context.ts';

interface WebhookParams {
  Params: { webhookId: string };
}

/** The webhooks of channels, as the bot manages them: https://discord.com/developers/docs/resources/webhook */
export function channelWebhookRoutes(app: FastifyInstance, context: RestContext): void {
  const { world } = context;

  /** @throws DiscordError 10015, 50013 */
  function find(webhookId: string): WorldWebhook {
    const webhook = world.findWebhook(webhookId);
    if (!webhook) throw new DiscordError('unknownWebhook');
    requirePermissions(world, IDS.application, world.channel(webhook.channel_id), PERMISSION.manageWebhooks);
    return webhook;
  }

  app.post<ChannelParams>('/channels/:channelId/webhooks', async (request) => {
    const channel = botChannel(world, request.params.channelId, PERMISSION.manageWebhooks);
    const look = lookIn(new Field(bodyOf(request).json), context, true);
    const webhook = { ...newWebhook(context, channel), ...look };
    world.setWebhook(webhook);
    return webhook;
  });

  app.get<ChannelParams>('/channels/:channelId/webhooks', async ({ params }) =>
    world.webhooks(botChannel(world, params.channelId, PERMISSION.manageWebhooks).id),
  );

  app.get<{ Params: { guildId: string } }>('/guilds/:guildId/webhooks', async ({ params }) => {
    const { guild } = requireGuild(world, params.guildId);
    const channels = world.guildChannels(guild.id);
    const managed = channels.filter((one) => isAllowed(world, IDS.application, one, PERMISSION.manageWebhooks));
    if (managed.length === 0) throw new DiscordError('missingPermissions');
    return managed.flatMap(({ id }) => world.webhooks(id));
  });

  app.get<WebhookParams>('/webhooks/:webhookId', async ({ params }) => find(params.webhookId));

  app.patch<WebhookParams>('/webhooks/:webhookId', async (request) => {
    const webhook = find(request.params.webhookId);
    const form = new Field(bodyOf(request).json);
    const channelId = form.at('channel_id').snowflake();
    const look = lookIn(form, context);
    const channel = botChannel(world, channelId ?? webhook.channel_id, PERMISSION.manageWebhooks);
    if (channel.id !== webhook.channel_id) requireWebhookPlace(world, channel);
    const edited = { ...webhook, ...look, channel_id: channel.id };
    world.setWebhook(edited);
    return edited;
  });

  app.delete<WebhookParams>('/webhooks/:webhookId', async ({ params }, reply) => {
    world.deleteWebhook(find(params.webhookId));
    return reply.code(204).send();
  });
}

/** The name and the picture that a form gives a webhook. @throws DiscordError 50035 for the whole form */
export function lookIn(
  form: Field,
  { persistence }: RestContext,
  isNew = false,
): Partial<Pick<WorldWebhook, 'name' | 'avatar'>> {
  const field = form.at('name');
  const name = field.string({ min: 1, max: 80, required: isNew });
  const [taken] = /discord|clyde/i.exec(name ?? '') ?? [];
  if (taken) field.fail('USERNAME_INVALID_CONTAINS', `Username cannot contain "${taken.toLowerCase()}"`);
  const picture = readImageData(form.at('avatar'));
  form.done();
  if (picture) persistence.save(picture.hash, picture.file);
  return { ...(name !== undefined && { name }), ...(picture !== undefined && { avatar: picture?.hash ?? null }) };
}
