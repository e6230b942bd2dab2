import type {
  AutocompleteInteraction,
  ButtonInteraction,
  ChannelSelectMenuInteraction,
  ChatInputCommandInteraction,
  MessageContextMenuCommandInteraction,
  ModalSubmitInteraction,
  RoleSelectMenuInteraction,
  StringSelectMenuInteraction,
} from 'discord.js';
import type {
  APIApplicationCommandOptionChoice,
  APIModalInteractionResponseCallbackData,
  ApplicationCommandType,
  RESTPostAPIChatInputApplicationCommandsJSONBody,
  RESTPostAPIContextMenuApplicationCommandsJSONBody,
} from 'discord-api-types/v10';
import type { CallOptions } from '../catalog/catalog.ts';
import type { Card } from './cards/parts.ts';
import type { Action } from './custom-id.ts';
import type { Translator } from './i18n/translator.ts';

/** A form. Its `custom_id` is an action, whose `forms` handler receives the input. */
export interface Modal {
  modal: APIModalInteractionResponseCallbackData;
}

/** The reply to a person: a card, or a form, which must come before any deferral. */
export type Reply = Card | Modal;

/** The context of one interaction. */
export interface CommandContext {
  /**
   * Options for a catalog call on behalf of the person. Where a request is needed, the answer is deferred and the
   * request counts against the person's rate limit.
   * @param maxAgeMs the maximum age of a cached answer
   */
  asking(maxAgeMs: number): CallOptions;
  /** The same for callers that make the request themselves. @throws UserError where the person's rate limit is spent */
  spend(): void;
}

/** Who sees an answer: everyone in the channel, or only the person. */
export type Audience = 'public' | 'private';

/** The common part of commands; `S` are the services that they share. */
interface AnyCommand<S> {
  answer: Audience;
  /** Handlers of this command's buttons and menus, on any message. */
  actions?: { [D in Action['do']]?: ActionHandler<Extract<Action, { do: D }>, S> };
  /** Handlers of this command's forms. */
  forms?: { [D in Action['do']]?: FormHandler<Extract<Action, { do: D }>, S> };
}

/**
 * A slash command: its definition for Discord and its handler. `execute` returns a card or a form, or throws; the
 * message of a UserError is shown to the person. `words` is the translator of the reader: the person where the answer
 * is private, else the server.
 */
export interface ChatCommand<S> extends AnyCommand<S> {
  data: RESTPostAPIChatInputApplicationCommandsJSONBody;
  execute(
    interaction: ChatInputCommandInteraction,
    shared: S,
    translator: Translator,
    context: CommandContext,
  ): Promise<Reply>;
  /** At most 25 choices. Makes no network requests. */
  autocomplete?(
    interaction: AutocompleteInteraction,
    shared: S,
    translator: Translator,
  ): APIApplicationCommandOptionChoice<string>[];
}

/** A command in the context menu of messages. */
export interface MessageCommand<S> extends AnyCommand<S> {
  data: RESTPostAPIContextMenuApplicationCommandsJSONBody & { type: ApplicationCommandType.Message };
  execute(
    interaction: MessageContextMenuCommandInteraction,
    shared: S,
    translator: Translator,
    context: CommandContext,
  ): Promise<Reply>;
}

export type Command<S> = ChatCommand<S> | MessageCommand<S>;

/** The interaction with a button or menu of a card. */
export type ComponentInteraction =
  | ButtonInteraction
  | StringSelectMenuInteraction
  | RoleSelectMenuInteraction
  | ChannelSelectMenuInteraction;

export interface ActionHandler<A extends Action, S> {
  /** Updates the card with the button, or answers the person in private. */
  answer: 'update' | 'private';
  run(
    action: A,
    // A list's page can be entered in a form as well.
    interaction: A extends { page: number } ? ComponentInteraction | ModalSubmitInteraction : ComponentInteraction,
    shared: S,
    translator: Translator,
    context: CommandContext,
  ): Promise<Reply>;
}

export interface FormHandler<A extends Action, S> {
  /** Updates the card from which the form was opened, or answers the person in private. */
  answer: 'update' | 'private';
  run(
    action: A,
    interaction: ModalSubmitInteraction,
    shared: S,
    translator: Translator,
    context: CommandContext,
  ): Promise<Reply>;
}
