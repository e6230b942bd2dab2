import type { FastifyInstance } from 'fastify';
import type { UploadedFile } from '../attachments.ts';
import { DiscordError } from '../discord-error.ts';
import type { Interaction } from '../interactions.ts';
import { asApiMessage } from '../messages.ts';
import { MESSAGE, MESSAGE_FLAG } from '../numbers.ts';
import type { PageMessage } from '../page-api.ts';
import { IDS, type IncomingWebhook } from '../seed.ts';
import { Field } from '../validate/form.ts';
import { type MessageEdit, validateMessageEdit, validateNewMessage } from '../validate/message.ts';
import { webhookByToken } from '../webhooks.ts';
import { bodyOf, type RequestBody } from './body.ts';
import { lookIn } from './channel-webhooks.ts';
import type { RestContext } from './context.ts';
import { answerDraft } from './interaction-callbacks.ts';
import { editWebhookMessage, executeWebhook, messageOfWebhook } from './webhook-messages.ts';

/** `webhookId`: that of a webhook, or the application's for the token of an interaction. */
interface WebhookParams {
  Params: { webhookId: string; token: string };
  Querystring: { wait?: string; thread_id?: string };
}

interface WebhookMessageParams {
  Params: WebhookParams['Params'] & { messageId: string };
  Querystring: WebhookParams['Querystring'];
}

/**
 * Routes that need no more than the token in their path: webhooks (https://discord.com/developers/docs/resources/webhook), and
 * followups and edits of the first answer to an interaction
 * (https://discord.com/developers/docs/interactions/receiving-and-responding#followup-messages).
 */
export function webhookRoutes(app: FastifyInstance, context: RestContext): void {
  const { world, messages, interactions } = context;
  /** The webhook of a path; null where the path is an interaction's. @throws DiscordError 10015, 50027 */
  const webhookIn = ({ webhookId, token }: WebhookParams['Params']) =>
    webhookId === IDS.application ? null : webhookByToken(world, webhookId, token);

  /** Finds the interaction's message by its id or as `@original`. */
  function find(interaction: Interaction, messageId: string): PageMessage {
    const isOriginal = messageId === '@original' || messageId === interaction.original?.messageId;
    const place = isOriginal ? interaction.original : { channelId: interaction.channelId, messageId };
    const message = place ? world.findMessage(place.channelId, place.messageId) : undefined;
    const isOwn = isOriginal || message?.interaction_metadata?.id === interaction.id;
    if (!message || !isOwn) throw new DiscordError('unknownMessage');
    return message;
  }

  function edit(
    interaction: Interaction,
    message: PageMessage,
    change: MessageEdit,
    files: readonly UploadedFile[],
  ): PageMessage {
    const edited = messages.revise(message, change, files);
    world.setMessage(edited);
    interactions.settle(interaction, 'answered', { message: edited });
    return edited;
  }

  /** Fills in the first answer, or adds another message. */
  function followUp(interaction: Interaction, { json, files }: RequestBody) {
    const body = validateNewMessage(new Field(json), files);
    const original =
      interaction.original && world.findMessage(interaction.original.channelId, interaction.original.messageId);
    // The first followup to a deferred answer fills that answer in.
    if (original && (original.flags ?? 0) & MESSAGE_FLAG.loading) {
      const { content, embeds, components, allowed_mentions, flags = 0 } = body;
      const kept = (original.flags ?? 0) & MESSAGE_FLAG.ephemeral;
      const change = { content, embeds, components, allowed_mentions, flags: flags | kept } as MessageEdit;
      return asApiMessage(edit(interaction, original, change, files));
    }
    const answer = { ...body, flags: (body.flags ?? 0) & ~MESSAGE_FLAG.loading };
    const how = original ? { type: MESSAGE.reply, to: interaction.original } : { type: MESSAGE.default, to: null };
    const message = messages.compose(answerDraft(world, interaction, answer, files, how));
    world.addMessage(message);
    interactions.settle(interaction, 'answered', { message });
    return asApiMessage(message);
  }

  const path = '/webhooks/:webhookId/:token';

  app.post<WebhookParams>(path, async (request, reply) => {
    const { params, query } = request;
    const webhook = webhookIn(params);
    if (!webhook) return followUp(interactions.byToken(params.webhookId, params.token), bodyOf(request));
    const message = executeWebhook(context, webhook, bodyOf(request), query.thread_id);
    return query.wait === 'true' ? message : reply.code(204).send();
  });

  /** Who has a webhook's token needs no permission, and sees nobody's name. */
  app.get<WebhookParams>(path, async ({ params }) =>
    withoutUser(webhookByToken(world, params.webhookId, params.token)),
  );

  app.patch<WebhookParams>(path, async (request) => {
    const webhook = webhookByToken(world, request.params.webhookId, request.params.token);
    const edited = { ...webhook, ...lookIn(new Field(bodyOf(request).json), context) };
    world.setWebhook(edited);
    return withoutUser(edited);
  });

  app.delete<WebhookParams>(path, async ({ params }, reply) => {
    world.deleteWebhook(webhookByToken(world, params.webhookId, params.token));
    return reply.code(204).send();
  });

  app.get<WebhookMessageParams>(`${path}/messages/:messageId`, async ({ params, query }) => {
    const webhook = webhookIn(params);
    return asApiMessage(
      webhook
        ? messageOfWebhook(context, webhook, params.messageId, query.thread_id)
        : find(interactions.byToken(params.webhookId, params.token), params.messageId),
    );
  });

  app.patch<WebhookMessageParams>(`${path}/messages/:messageId`, async (request) => {
    const { webhookId, token, messageId } = request.params;
    const body = bodyOf(request);
    const webhook = webhookIn(request.params);
    if (webhook) {
      const own = messageOfWebhook(context, webhook, messageId, request.query.thread_id);
      return editWebhookMessage(context, own, body);
    }
    const interaction = interactions.byToken(webhookId, token);
    const message = find(interaction, messageId);
    const change = validateMessageEdit(new Field(body.json), body.files, message);
    return asApiMessage(edit(interaction, message, change, body.files));
  });

  app.delete<WebhookMessageParams>(`${path}/messages/:messageId`, async ({ params, query }, reply) => {
    const webhook = webhookIn(params);
    if (webhook) {
      world.deleteMessage(messageOfWebhook(context, webhook, params.messageId, query.thread_id));
      return reply.code(204).send();
    }
    const interaction = interactions.byToken(params.webhookId, params.token);
    world.deleteMessage(find(interaction, params.messageId));
    interactions.settle(interaction, 'answered');
    return reply.code(204).send();
  });
}

function withoutUser(webhook: IncomingWebhook): Omit<IncomingWebhook, 'user'> {
  const { user: _, ...shown } = webhook;
  return shown;
}
