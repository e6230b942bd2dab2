import type { FastifyInstance } from 'fastify';
import type { UploadedFile } from '../attachments.ts';
import { DiscordError } from '../discord-error.ts';
import type { Interaction } from '../interactions.ts';
import { asApiMessage } from '../messages.ts';
import { MESSAGE, MESSAGE_FLAG } from '../numbers.ts';
import type { PageMessage } from '../page-api.ts';
import { Field } from '../validate/form.ts';
import { type MessageEdit, validateMessageEdit, validateNewMessage } from '../validate/message.ts';
import { bodyOf } from './body.ts';
import type { RestContext } from './context.ts';
import { answerDraft } from './interaction-callbacks.ts';

interface WebhookParams {
  Params: { applicationId: string; token: string };
}

interface WebhookMessageParams {
  Params: { applicationId: string; token: string; messageId: string };
}

/**
 * Followups and edits of the first answer:
 * https://discord.com/developers/docs/interactions/receiving-and-responding#followup-messages
 */
export function webhookRoutes(app: FastifyInstance, { world, messages, interactions }: RestContext): void {
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

  app.post<WebhookParams>('/webhooks/:applicationId/:token', async (request) => {
    const interaction = interactions.byToken(request.params.applicationId, request.params.token);
    const { json, files } = bodyOf(request);
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
  });

  app.get<WebhookMessageParams>('/webhooks/:applicationId/:token/messages/:messageId', async ({ params }) =>
    asApiMessage(find(interactions.byToken(params.applicationId, params.token), params.messageId)),
  );

  app.patch<WebhookMessageParams>('/webhooks/:applicationId/:token/messages/:messageId', async (request) => {
    const { applicationId, token, messageId } = request.params;
    const interaction = interactions.byToken(applicationId, token);
    const message = find(interaction, messageId);
    const { json, files } = bodyOf(request);
    return asApiMessage(edit(interaction, message, validateMessageEdit(new Field(json), files, message), files));
  });

  app.delete<WebhookMessageParams>('/webhooks/:applicationId/:token/messages/:messageId', async (request, reply) => {
    const { applicationId, token, messageId } = request.params;
    const interaction = interactions.byToken(applicationId, token);
    world.deleteMessage(find(interaction, messageId));
    interactions.settle(interaction, 'answered');
    return reply.code(204).send();
  });
}
