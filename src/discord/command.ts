import type {
  APIApplicationCommandOptionChoice,
  APIModalInteractionResponseCallbackData,
  ApplicationCommandType,
  RESTPostAPIChatInputApplicationCommandsJSONBody,
  RESTPostAPIContextMenuApplicationCommandsJSONBody,
} from 'discord-api-types/v10';
import type { Card } from './cards/parts.ts';
import type { Action } from './custom-id.ts';
import type { AutocompleteRequest, ChatRequest, ComponentRequest, FormRequest, MessageRequest } from './request.ts';

/** A form. Its `custom_id` is an action, whose `forms` handler receives the input. */
export interface Modal {
  modal: APIModalInteractionResponseCallbackData;
}

/** The reply to a person: a card, or a form, which must come before any deferral. */
export type Reply = Card | Modal;

/** Who sees an answer: everyone in the channel, or only the person. */
export type Audience = 'public' | 'private';

/** The common part of commands; `S` are the services that they share. */
interface AnyCommand<S> {
  answer: Audience;
  /** Handlers of this command's buttons and menus, on any message. */
  actions?: { [D in Action['do']]?: ActionHandler<Action & { do: D }, S> };
  /** Handlers of this command's forms. */
  forms?: { [D in Action['do']]?: FormHandler<Action & { do: D }, S> };
}

/**
 * A slash command: its definition for Discord and its handler. `execute` returns a card or a form, or throws; the
 * message of a UserError is shown to the person.
 */
export interface ChatCommand<S> extends AnyCommand<S> {
  data: RESTPostAPIChatInputApplicationCommandsJSONBody;
  execute(request: ChatRequest<S>): Promise<Reply>;
  /** At most 25 choices. Makes no network requests. */
  autocomplete?(request: AutocompleteRequest<S>): APIApplicationCommandOptionChoice<string>[];
}

/** A command in the context menu of messages. */
export interface MessageCommand<S> extends AnyCommand<S> {
  data: RESTPostAPIContextMenuApplicationCommandsJSONBody & { type: ApplicationCommandType.Message };
  execute(request: MessageRequest<S>): Promise<Reply>;
}

export type Command<S> = ChatCommand<S> | MessageCommand<S>;

export interface ActionHandler<A extends Action, S> {
  /** Updates the card with the button, or answers the person in private. */
  answer: 'update' | 'private';
  /** A list's page can be entered in a form as well. */
  run(
    action: A,
    request: A extends { page: number } ? ComponentRequest<S> | FormRequest<S> : ComponentRequest<S>,
  ): Promise<Reply>;
}

export interface FormHandler<A extends Action, S> {
  /** Updates the card from which the form was opened, or answers the person in private. */
  answer: 'update' | 'private';
  run(action: A, request: FormRequest<S>): Promise<Reply>;
}
