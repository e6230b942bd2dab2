import type {
  AutocompleteInteraction,
  ButtonInteraction,
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

/** A form to fill in. Its `custom_id` is an action, whose `forms` handler takes what was filled in. */
export interface Modal {
  modal: APIModalInteractionResponseCallbackData;
}

/** What a person is shown: a card, or a form where nothing has been waited for yet. */
export type Reply = Card | Modal;

/** One interaction on its way to its answer. */
export interface CommandContext {
  /**
   * How to ask the catalog on behalf of the person: where that takes a request, Discord is told that the answer comes
   * later, and the request counts against what the person may spend.
   * @param maxAgeMs an answer at most this old is good enough
   */
  asking(maxAgeMs: number): CallOptions;
  /** The same for what asks by itself. @throws UserError where the person has spent too much lately */
  spend(): void;
}

/** Who sees an answer: everyone in the channel, or the person who asked. */
export type Audience = 'public' | 'private';

/** What is common to the commands; `S` are the parts that they share. */
interface AnyCommand<S> {
  answer: Audience;
  /** What this command's buttons and menus do, wherever they stand. */
  actions?: { [D in Action['do']]?: ActionHandler<Extract<Action, { do: D }>, S> };
  /** What becomes of this command's forms once they are filled in. */
  forms?: { [D in Action['do']]?: FormHandler<Extract<Action, { do: D }>, S> };
}

/**
 * A slash command: its data as Discord gets it, and what it does.
 * `execute` answers with a card or a form, or throws: a UserError's sentence is shown to the person. `words` are those of
 * whoever reads the answer: the person where it is private, else the server.
 */
export interface ChatCommand<S> extends AnyCommand<S> {
  data: RESTPostAPIChatInputApplicationCommandsJSONBody;
  execute(
    interaction: ChatInputCommandInteraction,
    shared: S,
    translator: Translator,
    context: CommandContext,
  ): Promise<Reply>;
  /** At most 25 choices. May ask nobody outside. */
  autocomplete?(
    interaction: AutocompleteInteraction,
    shared: S,
    translator: Translator,
  ): APIApplicationCommandOptionChoice<string>[];
}

/** A command in the menu of a message. */
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

/** What a person does with a button or a menu of a card. */
export type ComponentInteraction = ButtonInteraction | StringSelectMenuInteraction | RoleSelectMenuInteraction;

export interface ActionHandler<A extends Action, S> {
  /** Turns the card that the button stands on into another, or answers the person who clicked. */
  answer: 'update' | 'private';
  run(
    action: A,
    interaction: ComponentInteraction,
    shared: S,
    translator: Translator,
    context: CommandContext,
  ): Promise<Reply>;
}

export interface FormHandler<A extends Action, S> {
  /** Turns the card from which the form was opened into another, or answers the person who sent it. */
  answer: 'update' | 'private';
  run(
    action: A,
    interaction: ModalSubmitInteraction,
    shared: S,
    translator: Translator,
    context: CommandContext,
  ): Promise<Reply>;
}
