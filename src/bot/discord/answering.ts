import { DiscordAPIError, type Message } from 'discord.js';
import { MessageFlags, RESTJSONErrorCodes } from 'discord-api-types/v10';
import { noticeCard } from './cards/notice-card.ts';
import type { Card } from './cards/parts.ts';
import type { Audience, Modal } from './command.ts';
import type { Translator } from './i18n/translator.ts';
import type { RepliableInteraction } from './request.ts';

/**
 * The answer to one interaction. The answers given so far decide the next call: reply, edit, update or follow-up. An
 * answer never pings anybody.
 * @see https://discord.com/developers/docs/interactions/receiving-and-responding
 */
export interface InteractionResponse {
  /** Tells Discord that the answer comes later; further calls do nothing. A failure surfaces when the answer is given. */
  defer(): void;
  /** Shows the progress meanwhile: privately, or in the place of the answer. */
  progress(card: Card): Promise<void>;
  finish(card: Card): Promise<void>;
  /** Shows why there is no answer; privately where a public card would otherwise be replaced. */
  refuse(card: Card): Promise<void>;
  open(modal: Modal): Promise<void>;
  /** Adds a private message to the answer. */
  followUp(card: Card): Promise<unknown>;
}

/** @param translator for the person */
export function createInteractionResponse(
  interaction: RepliableInteraction,
  audience: Audience | 'update',
  translator: Translator,
): InteractionResponse {
  const updatable = audience === 'update' ? updatableOf(interaction) : null;
  const isPrivate = audience !== 'public';
  let deferred: Promise<unknown> | null = null;
  let interim: Promise<Message> | null = null;

  function followUp(card: Card): Promise<unknown> {
    const body = bodyOf(card, true);
    return interaction.deferred || interaction.replied ? interaction.followUp(body) : interaction.reply(body);
  }

  async function edit(card: Card): Promise<void> {
    try {
      if (updatable && !deferred) await updatable.update(bodyOf(card));
      else await interaction.editReply(bodyOf(card));
    } catch (error) {
      if (!(error instanceof DiscordAPIError && error.code === RESTJSONErrorCodes.UnknownMessage)) throw error;
      await followUp(noticeCard(translator.t('failure.messageDeleted')));
    }
  }

  return {
    defer() {
      deferred ??= updatable
        ? updatable.deferUpdate()
        : interaction.deferReply(isPrivate ? { flags: MessageFlags.Ephemeral } : {});
      deferred.catch(() => undefined);
    },
    async progress(card) {
      await deferred;
      interim = updatable ? interaction.followUp(bodyOf(card, true)) : interaction.editReply(bodyOf(card));
      interim.catch(() => undefined);
      await interim;
    },
    async finish(card) {
      await deferred;
      const said = await interim?.catch(() => null);
      if (updatable || deferred) await edit(card);
      else await interaction.reply(bodyOf(card, isPrivate));
      if (updatable && said) await interaction.deleteReply(said);
    },
    async refuse(card) {
      await deferred;
      const said = await interim?.catch(() => null);
      if (updatable && said) await interaction.editReply({ ...bodyOf(card), message: said });
      else if (deferred && !updatable) await edit(card);
      else await followUp(card);
    },
    async open(modal) {
      if (deferred || interaction.isModalSubmit()) {
        throw new Error('A form opens at once or not at all, and none from another.');
      }
      await interaction.showModal(modal.modal);
    },
    followUp,
  };
}

/** The interaction, where it has a message that it can update; else null. */
function updatableOf(interaction: RepliableInteraction) {
  if (interaction.isMessageComponent()) return interaction;
  return interaction.isModalSubmit() && interaction.isFromMessage() ? interaction : null;
}

function bodyOf({ components, files = [] }: Card, isPrivate = false) {
  const flags = isPrivate ? MessageFlags.IsComponentsV2 | MessageFlags.Ephemeral : MessageFlags.IsComponentsV2;
  return {
    components,
    allowedMentions: { parse: [] },
    flags,
    ...(files.length > 0 && { files: files.map(({ name, content: attachment }) => ({ name, attachment })) }),
  } as const;
}
