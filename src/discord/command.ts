import {
  type AutocompleteInteraction,
  type ButtonInteraction,
  type ChannelSelectMenuInteraction,
  type ChatInputCommandInteraction,
  type Client,
  type Guild,
  GuildMember,
  type Interaction,
  type Message,
  type MessageContextMenuCommandInteraction,
  type ModalSubmitInteraction,
  type PermissionsBitField,
  type RoleSelectMenuInteraction,
  type StringSelectMenuInteraction,
  type User,
} from 'discord.js';
import {
  type APIApplicationCommandOptionChoice,
  type APIModalInteractionResponseCallbackData,
  ApplicationCommandType,
  ChannelType,
  PermissionFlagsBits,
  type RESTPostAPIChatInputApplicationCommandsJSONBody,
  type RESTPostAPIContextMenuApplicationCommandsJSONBody,
} from 'discord-api-types/v10';
import type { CallOptions } from '../catalog/catalog.ts';
import type { Clock } from '../shared/clock.ts';
import { UserError } from '../shared/errors.ts';
import type { ActionTable } from './action-table.ts';
import type { Card, CardContext, OfferButtons } from './cards/parts.ts';
import { type Action, markIn } from './custom-id.ts';
import { message, type Translator } from './i18n/translator.ts';

/** A form. Its `custom_id` is an action, whose `forms` handler receives the input. */
export interface Modal {
  modal: APIModalInteractionResponseCallbackData;
}

/** The reply to a person: a card, or a form, which must come before any deferral. */
export type Reply = Card | Modal;

/** Who sees an answer: everyone in the channel, or only the person. */
export type Audience = 'public' | 'private';

/** A mistake with a card from which the person can fix it. Nobody else sees that. */
export class FixableError extends UserError {
  readonly cardFor: (translator: Translator) => Card;

  constructor(cardFor: FixableError['cardFor'], ...parts: ConstructorParameters<typeof UserError>) {
    super(...parts);
    this.cardFor = cardFor;
  }
}

/** Handlers of buttons, menus and forms, on any message; `S` are the services that they share. */
export interface Handlers<S, A extends { do: string } = { do: string }> {
  /** Says how the actions' ids are read; absent where they are the core's. */
  table?: ActionTable;
  /** Handlers of buttons and menus. */
  actions?: { [D in A['do']]?: ActionHandler<Extract<A, { do: D }>, S> };
  /** Handlers of forms. */
  forms?: { [D in A['do']]?: FormHandler<Extract<A, { do: D }>, S> };
}

/** The common part of commands. */
interface AnyCommand<S, A extends { do: string }> extends Handlers<S, A> {
  answer: Audience;
}

type Choices = readonly APIApplicationCommandOptionChoice<string>[];

/**
 * A slash command: its definition for Discord and its handler. `execute` returns a card or a form, or throws; the
 * message of a UserError is shown to the person.
 */
export interface ChatCommand<S, A extends { do: string } = Action> extends AnyCommand<S, A> {
  data: RESTPostAPIChatInputApplicationCommandsJSONBody;
  execute(request: ChatRequest<S>): Promise<Reply>;
  /** At most 25 choices. Makes no network requests. */
  autocomplete?(request: AutocompleteRequest<S>): Choices | Promise<Choices>;
}

/** A command in the context menu of messages. */
export interface MessageCommand<S, A extends { do: string } = Action> extends AnyCommand<S, A> {
  data: RESTPostAPIContextMenuApplicationCommandsJSONBody & { type: ApplicationCommandType.Message };
  execute(request: MessageRequest<S>): Promise<Reply>;
}

/** Any command, whosever its actions are. */
export type Command<S> = ChatCommand<S, { do: string }> | MessageCommand<S, { do: string }>;

export function isMessageCommand<S>(command: Command<S>): command is MessageCommand<S, { do: string }> {
  return command.data.type === ApplicationCommandType.Message;
}

export function isChatCommand<S>(command: Command<S>): command is ChatCommand<S, { do: string }> {
  return !isMessageCommand(command);
}

export interface ActionHandler<A extends { do: string }, S> {
  /** Updates the card with the button, or answers the person in private. */
  answer: 'update' | 'private';
  /** A list's page can be entered in a form as well. */
  run(
    action: A,
    request: A extends { page: number } ? ComponentRequest<S> | FormRequest<S> : ComponentRequest<S>,
  ): Promise<Reply>;
}

export interface FormHandler<A extends { do: string }, S> {
  /** Updates the card from which the form was opened, or answers the person in private. */
  answer: 'update' | 'private';
  run(action: A, request: FormRequest<S>): Promise<Reply>;
}

/** The interaction with a button or menu of a card. */
export type ComponentInteraction =
  | ButtonInteraction
  | StringSelectMenuInteraction
  | RoleSelectMenuInteraction
  | ChannelSelectMenuInteraction;

/** An interaction that is answered with a message. */
export type RepliableInteraction =
  | ChatInputCommandInteraction
  | MessageContextMenuCommandInteraction
  | ComponentInteraction
  | ModalSubmitInteraction;

/** The parts that a request is made of, besides its interaction. */
export interface RequestParts<S> {
  /** The services that commands share. */
  services: S;
  /** Writes for the reader of the answer: the person where it is private, else the server. */
  translator: Translator;
  /** As in `CardContext`. */
  offerButtons: readonly OfferButtons[];
  clock: Clock;
}

/** A request that comes from a server. */
export interface InServer {
  readonly server: string;
}

/** One interaction of a person: who asks, where, in which language, and the services that answer. */
class BaseRequest<S, I extends Interaction> {
  readonly person: User;
  /** The id of the server; null in direct messages. */
  readonly server: string | null;
  /** The server as the gateway describes it; null also where the bot is not in it. */
  readonly guild: Guild | null;
  readonly channelId: string | null;
  /** The languages of the person and of the server, as Discord names them. */
  readonly locale: string;
  readonly serverLocale: string | null;
  /** The permissions of the person in the channel; null outside of a server. */
  readonly permissions: Readonly<PermissionsBitField> | null;
  readonly client: Client<true>;
  readonly services: S;
  readonly translator: Translator;
  readonly t: Translator['t'];
  protected readonly interaction: I;
  readonly #offerButtons: readonly OfferButtons[];
  readonly #clock: Clock;

  constructor(interaction: I, { services, translator, offerButtons, clock }: RequestParts<S>) {
    this.interaction = interaction;
    this.person = interaction.user;
    this.server = interaction.guildId;
    this.guild = interaction.guild;
    this.channelId = interaction.channelId;
    this.locale = interaction.locale;
    this.serverLocale = interaction.guildLocale;
    this.permissions = interaction.memberPermissions;
    this.client = interaction.client;
    this.services = services;
    this.translator = translator;
    this.t = (key, ...values) => translator.t(key, ...values);
    this.#offerButtons = offerButtons;
    this.#clock = clock;
  }

  /** The person in the server; null outside of one that the bot is in. */
  get member(): GuildMember | null {
    const { member } = this.interaction;
    return member instanceof GuildMember ? member : null;
  }

  /** The ids of the person's roles in the server, as they are now. */
  get roleIds(): string[] {
    return [...(this.member?.roles.cache.keys() ?? [])];
  }

  /** The reader, the present time and the buttons of features, for a card. */
  get cardContext(): CardContext {
    return { translator: this.translator, nowMs: this.#clock.now(), offerButtons: this.#offerButtons };
  }

  /** Whether the person may manage the server; false in direct messages. */
  get isManager(): boolean {
    return this.server !== null && this.permissions?.has(PermissionFlagsBits.ManageGuild) === true;
  }

  /**
   * This request, if it comes from a server that the person may manage.
   * @throws UserError outside of a server, and for people without Manage Server
   */
  asManager(): this & InServer {
    if (this.server === null) throw new UserError(message('permission.serverOnly'));
    if (!this.isManager) throw new UserError(message('permission.manager'));
    return this as this & InServer;
  }

  /**
   * Whether the person sees the channel. One that the gateway cache lacks and private threads, whose members are not
   * known, are taken for hidden from those who don't manage the server.
   */
  canSee(channelId: string): boolean {
    if (this.isManager) return true;
    const { member } = this;
    const channel = this.guild?.channels.cache.get(channelId);
    if (!channel || !member || channel.type === ChannelType.PrivateThread) return false;
    return channel.permissionsFor(member).has(PermissionFlagsBits.ViewChannel);
  }
}

/** Somebody types an option of a command. */
export class AutocompleteRequest<S> extends BaseRequest<S, AutocompleteInteraction> {
  get options(): AutocompleteInteraction['options'] {
    return this.interaction.options;
  }
}

/** The parts that a request for an answer is made of, besides its interaction. */
export interface AnswerParts<S> extends RequestParts<S> {
  /** Defers the answer and counts against the person's rate limit. @throws UserError where that is spent */
  spend: () => void;
}

/** A request for an answer, which may cost requests to the catalog. */
export class Request<S, I extends RepliableInteraction = RepliableInteraction> extends BaseRequest<S, I> {
  /**
   * For callers that make a request to the catalog themselves: defers the answer and counts the request against the
   * person's rate limit.
   * @throws UserError where the person's rate limit is spent
   */
  readonly spend: () => void;

  constructor(interaction: I, parts: AnswerParts<S>) {
    super(interaction, parts);
    this.spend = parts.spend;
  }

  /**
   * Options for a catalog call on behalf of the person. Where a request is needed, it is spent as by `spend`.
   * @param maxAgeMs the maximum age of a cached answer
   */
  asking(maxAgeMs: number): CallOptions {
    return { lane: 'interactive', maxAgeMs, beforeRequest: this.spend };
  }
}

/** A slash command. */
export class ChatRequest<S> extends Request<S, ChatInputCommandInteraction> {
  get options(): ChatInputCommandInteraction['options'] {
    return this.interaction.options;
  }
}

/** A command in the menu of a message. */
export class MessageRequest<S> extends Request<S, MessageContextMenuCommandInteraction> {
  get message(): Message {
    return this.interaction.targetMessage;
  }
}

/** A click on a button or a choice in a menu. */
export class ComponentRequest<S> extends Request<S, ComponentInteraction> {
  /** The message with the button or menu. */
  get message(): Message {
    return this.interaction.message;
  }

  /** All values that a menu shows, chosen or not; none for a button, and where the message has lost the menu. */
  get shown(): readonly string[] {
    const component: ComponentInteraction['component'] | undefined = this.interaction.component;
    return component && 'options' in component ? component.options.map(({ value }) => value) : [];
  }

  /** The chosen values of a menu; none for a button. */
  get values(): readonly string[] {
    return this.interaction.isButton() ? [] : this.interaction.values;
  }
}

/** A submitted form. */
export class FormRequest<S> extends Request<S, ModalSubmitInteraction> {
  get fields(): ModalSubmitInteraction['fields'] {
    return this.interaction.fields;
  }

  /** The mark with which the form was opened; '' for none. */
  get mark(): string {
    return markIn(this.interaction.customId);
  }

  /** The message from which the form was opened; null where a command opened it. */
  get message(): Message | null {
    return this.interaction.message;
  }
}
