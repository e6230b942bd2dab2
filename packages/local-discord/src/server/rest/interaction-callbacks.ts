import type { APIApplicationCommandOptionChoice } from 'discord-api-types/v10';
import type { FastifyInstance } from 'fastify';
import type { UploadedFile } from '../attachments.ts';
import { DiscordError } from '../discord-error.ts';
import { deprecatedFields, type Interaction, interactionMetadata, visibleTo } from '../interactions.ts';
import { asApiMessage, type Draft } from '../messages.ts';
import { CALLBACK, INTERACTION, MESSAGE, MESSAGE_FLAG, OPTION } from '../numbers.ts';
import type { PageMessage, PageModal } from '../page-api.ts';
import { IDS } from '../seed.ts';
import { validateChoices } from '../validate/command.ts';
import { validateModal } from '../validate/components.ts';
import { Field } from '../validate/form.ts';
import { type MessageBody, validateMessageEdit, validateNewMessage } from '../validate/message.ts';
import type { World } from '../world.ts';
import { bodyOf } from './body.ts';
import type { RestContext } from './context.ts';

interface CallbackRequest {
  Params: { interactionId: string; token: string };
  Querystring: { with_response?: string };
}

/** The callback types that may answer each type of interaction; a modal's depend on where it was opened. */
function allowedCallbacks(interaction: Interaction): readonly number[] {
  const messages = [CALLBACK.message, CALLBACK.deferredMessage];
  const updates = [CALLBACK.deferredUpdate, CALLBACK.update];
  if (interaction.type === INTERACTION.autocomplete) return [CALLBACK.autocomplete];
  if (interaction.type === INTERACTION.command) return [...messages, CALLBACK.modal];
  if (interaction.type === INTERACTION.component) return [...messages, ...updates, CALLBACK.modal];
  return interaction.source ? [...messages, ...updates] : messages;
}

/** https://discord.com/developers/docs/interactions/receiving-and-responding#create-interaction-response */
export function interactionCallbackRoutes(app: FastifyInstance, context: RestContext): void {
  const { world, interactions } = context;

  app.post<CallbackRequest>('/interactions/:interactionId/:token/callback', async (request, reply) => {
    const interaction = interactions.toAnswer(request.params.interactionId, request.params.token);
    const { json, files } = bodyOf(request);
    const form = new Field(json);
    const type = form.at('type').oneOf(allowedCallbacks(interaction), true);
    form.done();
    const message = answer(context, interaction, type, form.at('data'), files);
    if (request.query.with_response !== 'true') return reply.code(204).send();
    const flags = message?.flags ?? 0;
    return {
      interaction: {
        id: interaction.id,
        type: interaction.type,
        channel_id: interaction.channelId,
        ...world.guildOf(interaction.channelId),
        ...(message && {
          response_message_id: message.id,
          response_message_loading: (flags & MESSAGE_FLAG.loading) !== 0,
          response_message_ephemeral: (flags & MESSAGE_FLAG.ephemeral) !== 0,
        }),
      },
      resource: { type, ...(message && { message: asApiMessage(message) }) },
    };
  });
}

/** Carries the answer out. Returns the message that was created or changed. */
function answer(
  { world, messages, interactions }: RestContext,
  interaction: Interaction,
  type: number | undefined,
  data: Field,
  files: readonly UploadedFile[],
): PageMessage | undefined {
  /** Creates a message, which `@original` refers to from then on. */
  function post(body: MessageBody, state: 'answered' | 'deferred'): PageMessage {
    const how = { type: typeOfAnswer(interaction), to: interaction.source };
    const message = messages.compose(answerDraft(world, interaction, body, files, how));
    interaction.original = { channelId: message.channel_id, messageId: message.id };
    world.addMessage(message);
    interactions.settle(interaction, state, { message });
    return message;
  }

  switch (type) {
    case CALLBACK.message:
      return post(validateNewMessage(data, files), 'answered');
    case CALLBACK.deferredMessage: {
      const flags = Number(data.at('flags').integer() ?? 0) & MESSAGE_FLAG.ephemeral;
      data.done();
      return post({ flags: flags | MESSAGE_FLAG.loading }, 'deferred');
    }
    case CALLBACK.deferredUpdate:
      interaction.original = interaction.source;
      interactions.settle(interaction, 'deferred');
      return sourceMessage(world, interaction);
    case CALLBACK.update: {
      const message = sourceMessage(world, interaction);
      const edited = messages.revise(message, validateMessageEdit(data, files, message), files);
      interaction.original = interaction.source;
      world.setMessage(edited);
      interactions.settle(interaction, 'answered', { message: edited });
      return edited;
    }
    case CALLBACK.autocomplete: {
      validateChoices(data, interaction.choiceType ?? OPTION.string);
      data.done();
      const choices = data.at('choices').value as APIApplicationCommandOptionChoice[];
      interactions.settle(interaction, 'answered', { choices });
      return undefined;
    }
    default: {
      validateModal(data);
      data.done();
      const modal = data.value as PageModal;
      interactions.showModal(interaction, modal);
      interactions.settle(interaction, 'answered', { modal });
      return undefined;
    }
  }
}

/** The message whose component was used. @throws DiscordError 10008 when it is deleted */
function sourceMessage(world: World, { source }: Interaction): PageMessage {
  const message = source && world.findMessage(source.channelId, source.messageId);
  if (!message) throw new DiscordError('unknownMessage');
  return message;
}

/**
 * The draft of a message that answers an interaction, for `compose`.
 * @param how type of the message, and the message it refers to
 */
export function answerDraft(
  world: World,
  interaction: Interaction,
  body: MessageBody,
  files: readonly UploadedFile[],
  { type, to }: { type: number; to: Interaction['source'] },
): Draft {
  const flags = body.flags ?? 0;
  const reference = to && {
    type: 0,
    channel_id: to.channelId,
    message_id: to.messageId,
    ...world.guildOf(to.channelId),
  };
  return {
    channel: world.channel(interaction.channelId),
    author: world.bot,
    body,
    files,
    more: {
      type,
      application_id: IDS.application,
      webhook_id: IDS.application,
      interaction_metadata: interactionMetadata(world, interaction),
      ...deprecatedFields(world, interaction),
      ...(reference && { message_reference: reference }),
      flags: flags & ANSWER_FLAGS,
      visible_to: visibleTo(interaction, flags),
    },
  };
}

function typeOfAnswer({ type, target, targetUser, source }: Interaction): number {
  if (type !== INTERACTION.command) return source ? MESSAGE.reply : MESSAGE.default;
  return (target ?? targetUser) === undefined ? MESSAGE.chatInputCommand : MESSAGE.contextMenuCommand;
}

/** The flags that a bot may set on an answer; deferring sets `loading`. */
const ANSWER_FLAGS =
  MESSAGE_FLAG.suppressEmbeds |
  MESSAGE_FLAG.suppressNotifications |
  MESSAGE_FLAG.componentsV2 |
  MESSAGE_FLAG.ephemeral |
  MESSAGE_FLAG.loading;
