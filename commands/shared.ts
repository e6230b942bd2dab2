import type { Guild } from 'discord.js';
import {
  type APIActionRowComponent,
  type APIApplicationCommandSubcommandOption,
  type APIButtonComponentWithCustomId,
  type APIComponentInMessageActionRow,
  ApplicationIntegrationType,
  InteractionContextType,
  PermissionFlagsBits,
} from 'discord-api-types/v10';
import type { CurrentState } from '../src/announcements/current-state.ts';
import type { Deliverer } from '../src/announcements/deliver/deliverer.ts';
import type { Explainer } from '../src/announcements/explain/explain.ts';
import type { Poller } from '../src/announcements/poll/poller.ts';
import type { Catalog } from '../src/catalog/catalog.ts';
import type { EventListFilter } from '../src/deals/event.ts';
import type { FieldSetting, FlagSetting, FlagStep, Setting } from '../src/deals/settings.ts';
import type { Subscription } from '../src/deals/subscription.ts';
import type { ActionOf, ActionTable, FeatureAction } from '../src/discord/action-table.ts';
import type { PersonalReasons } from '../src/discord/cards/announced.ts';
import type { HelpLines } from '../src/discord/cards/help-card.ts';
import type { CardButton, OfferButtons } from '../src/discord/cards/parts.ts';
import type { PanelButton } from '../src/discord/cards/subscription-card.ts';
import type * as discord from '../src/discord/command.ts';
import type { ChatCommand, Handlers, InServer, MessageCommand, Modal, Reply } from '../src/discord/command.ts';
import type { Translator, Translators } from '../src/discord/i18n/translator.ts';
import type { TargetChannel } from '../src/discord/permissions.ts';
import type { OfferBook } from '../src/offers/offer-book.ts';
import type { OfferSearch } from '../src/offers/search.ts';
import type { Clock } from '../src/shared/clock.ts';
import type { LocalizedText } from '../src/shared/errors.ts';
import type { Log } from '../src/shared/log.ts';
import type { DeliveryStore } from '../src/store/deliveries.ts';
import type { PostingPauseStore } from '../src/store/server-records.ts';
import type { Store } from '../src/store/store.ts';
import type { SubscriptionStore } from '../src/store/subscriptions.ts';

/** Services of features, for commands. Each feature adds its own. */
// biome-ignore lint/suspicious/noEmptyInterface: Features add members by declaration merging.
export interface FeatureServices {}

export interface CommandServices extends FeatureServices {
  catalog: Catalog;
  offers: OfferBook;
  search: OfferSearch;
  subscriptions: SubscriptionStore;
  /** All settings of a subscription, those of features included. */
  settings: readonly Setting[];
  /** The flags of features among them. */
  flags: readonly FeatureFlag[];
  /** Other fields of features among them. */
  fields: readonly FeatureField[];
  transact: Store['transact'];
  deliveries: DeliveryStore;
  poller: Poller;
  currentState: CurrentState;
  deliverer: Deliverer;
  /** The backups in the folder that is set. */
  backups: { make(): Promise<string>; newestMs(): Promise<number | null> };
  postingPause: PostingPauseStore;
  /** Shows and changes people's own subscriptions; null where no feature lets people have them. */
  personal: PersonalSubscriptions | null;
  /** See `FeatureCommands.readFilter`. */
  readFilter: NonNullable<FeatureCommands['readFilter']>;
  noMatch: NoMatch;
  /** See `FeatureCommands.troubles`; of all features, each sentence once. */
  troublesOf: Required<FeatureCommands>['troubles'];
  /** Buttons of features on the panels of subscriptions. */
  panelButtons: readonly PanelButton[];
  /** The version of Dealbell, and when this process started: epoch milliseconds. */
  about: { version: string; startedAtMs: number; epoch: number };
  /** Why the state can't be written; null while it can. */
  stateProblem: Store['writeProblem'];
  explainer: Explainer;
  /** How the ids of features' actions are read. */
  actionTables: readonly ActionTable[];
  /** The names of the catalog's feeds, in its spelling. */
  feeds: readonly string[];
  /** The most subscriptions that a server may have. */
  mostSubscriptions: number;
  /** Features' buttons below lists of events. */
  eventListButtons: readonly EventListButton[];
  /** Features' lines of the status. */
  statusLines: readonly StatusLines[];
  translators: Translators;
  clock: Clock;
  log: Log;
}

/** Makes a button for a list of the events that match the filter. */
type EventListButton = (filter: EventListFilter, translator: Translator) => CardButton;

export type Command = ChatCommand<CommandServices>;
export type MessageMenuCommand = MessageCommand<CommandServices>;

/**
 * Ways out where a filter matches nothing now.
 * @example
 * noMatch: { lines: async () => [message('greeting.none')], meant: (filter) => (filter === 'helo' ? 'hello' : null) }
 */
export interface NoMatch {
  /** What the panel says of a subscription whose filter takes none of what is live. @param count how much that is */
  lines(subscription: Subscription, count: number, request: Request): Promise<readonly LocalizedText[]>;
  /** The filter that may have been meant; null for none. */
  meant(filter: string, request: Request): string | null;
}

/** A feature's part of the commands. */
export interface FeatureCommands {
  /** Slash and menu commands, with their buttons and forms. */
  readonly commands?: readonly discord.Command<CommandServices>[];
  /** The core's command before which people see them; absent where that is behind all of the core's. */
  readonly commandsBefore?: string;
  /** Buttons on cards of an offer, after those of the features before it. */
  readonly offerButtons?: OfferButtons;
  /**
   * A button below the lists of events that aren't empty.
   * @example
   * eventListButton: ({ type }, t) => actionButton(t.t('button.greet'), act({ do: 'greet', type }))
   */
  eventListButton?: EventListButton;
  /** Buttons and forms that belong to none of its commands. */
  readonly handlers?: readonly Handlers<CommandServices>[];
  /**
   * Buttons on the panel of a subscription.
   * @example
   * panelButtons: [{ row: 'actions', label: (translator) => translator.t('button.greet'), action: (id) => act({ do: 'greet', subscriptionId: id }) }]
   */
  readonly panelButtons?: readonly PanelButton[];
  /** Subcommands of commands that are not its own. */
  readonly subcommands?: readonly AddedSubcommand[];
  /**
   * Its additions to lines of the first page of /help for this reader. They are left out where the reader does not see the line.
   * @example
   * helpLines: ({ translator }) => ({ manage: translator.command('greet') })
   */
  helpLines?(request: Request): HelpLines;
  /** Subscriptions of people, in direct messages. At most one feature has them. */
  readonly personal?: PersonalSubscriptions;
  /**
   * Why something of it in a subscription doesn't work now, for the panel of the subscription and for /status, which members
   * read, too.
   * @example
   * troubles: async ({ channelId }, { guild }) => (mayGreet(guild, channelId) ? [] : [message('greeting.notAllowed')])
   */
  troubles?(subscription: Subscription, request: Request): Promise<readonly LocalizedText[]>;
  /**
   * Reads a filter that somebody typed in another form than its own; null where it is in its own. At most one feature does.
   * @param request of the person who typed it
   * @example
   * readFilter: (typed) => (typed === 'cheap' ? { filter: 'price:<20', note: 'Cheap is below $20.', forWords: 'Write "cheap".' } : null)
   */
  readonly readFilter?: (typed: string, request: Request | AutocompleteRequest) => ReadFilter | null;
  /** Ways out where a filter matches nothing now. At most one feature knows some. */
  readonly noMatch?: NoMatch;
  /** Flags that its subscriptions can have. */
  readonly flags?: readonly FeatureFlag[];
  /** Other fields that its subscriptions can have. `FeatureRecords.subscriptionFields` reads them. */
  readonly fields?: readonly FeatureField[];
}

/** A filter in its own form, and a line for the person who typed it otherwise, as safe Markdown. */
export interface ReadFilter {
  filter: string;
  note: string;
  /** How to search for the words themselves, where no button does. */
  forWords: string;
}

/**
 * A flag that a feature adds to subscriptions, with all that commands say of it.
 * @example
 * flags: [{ ...GREETING, on: { step: 'greet', label: message('button.greet') }, off: … }]
 */
export interface FeatureFlag extends FlagSetting {
  /** The buttons of the panel that turn it on and off. */
  on: FlagButton;
  off: FlagButton;
  /** Warnings on the panel. @param where the subscription's channel */
  warnings?(subscription: Subscription, where: TargetChannel): Promise<readonly LocalizedText[]>;
  /** Why it doesn't work now, for the panel and /status. */
  troubles?(subscription: Subscription, services: CommandServices): readonly LocalizedText[];
  /** The requests for it that Discord keeps answering with an error, for /status. */
  heldUp?(subscription: Subscription, services: CommandServices): readonly LocalizedText[];
}

/**
 * A field that a feature adds to subscriptions, with all that commands do with it.
 * @example
 * fields: [{ ...GREETED, read: async (roleId) => (before) => ({ ...before, greeted: [...(before.greeted ?? []), roleId] }) }]
 */
export interface FeatureField extends FieldSetting {
  /**
   * The change that the typed text of its option makes to a subscription.
   * @throws UserError, also in the change, where it holds no value
   */
  read?(typed: string, guild: Guild | null): Promise<(before: Subscription) => Subscription>;
  /** The subscription as it is saved for the person. */
  savedBy?(subscription: Subscription, request: ManagerRequest): Subscription;
  /** @throws UserError with what keeps the subscription in a file from being used in the server */
  requireUsable?(subscription: Subscription, guild: Guild | null): void;
  /** Its menu on the panel of a subscription. */
  menu?(subscription: Subscription, request: Request): APIActionRowComponent<APIComponentInMessageActionRow>;
}

interface FlagButton {
  step: FlagStep;
  label: LocalizedText;
}

/**
 * The subscriptions whose place is a person: what other commands show of them, and change.
 * @example
 * personal: { nameOf: ({ filter }) => filter, reason: (what) => `🔔 ${what}`, require: requireOwn, change: changeOwn, … }
 */
export interface PersonalSubscriptions extends PersonalReasons {
  /** One of the person's. @throws UserError where they have none with this id */
  require(id: string, request: Request): Subscription;
  /**
   * Changes one, and keeps what the bot recorded about it in the meantime. Resolves with the result.
   * @throws UserError where it would duplicate another one, or was removed in the meantime
   */
  change(
    before: Subscription,
    alter: (subscription: Subscription) => Subscription,
    request: Request,
  ): Promise<Subscription>;
  /** Says why the filter of one can't be changed that goes by none. */
  notByFilter: LocalizedText;
  /** Asks for a new one of the feed's offers. @param filter the one to begin with */
  form(feed: string, translator: Translator, filter?: string): Modal;
  /** The button that asks for one of the feed's offers that match a filter; null where it can't carry that. */
  alertButton(feed: string, filter: string, translator: Translator): APIButtonComponentWithCustomId | null;
  /** Shows the person all of theirs. */
  button(translator: Translator): CardButton;
}

/**
 * A subcommand that a feature adds to a slash command of the core or of another feature. Without that command, there is
 * none of it.
 * @example
 * subcommands: [{ to: 'subscription', after: 'list', data: { type: SUBCOMMAND, name: 'greet', ...described('command.greet') }, execute: greet }]
 */
export interface AddedSubcommand {
  /** The command's name. */
  to: string;
  /** The name of the subcommand or group behind which people see it; the last place where there is none of that name. */
  after: string;
  data: APIApplicationCommandSubcommandOption;
  /** Checks by itself who asks: nothing of the command's own runs before. */
  execute(request: ChatRequest): Promise<Reply>;
  /** Completes its options. Absent: the command does, where an option means the same as in its own subcommands. */
  autocomplete?: Command['autocomplete'];
}

/**
 * Lines of a feature in the status.
 * @example
 * status: { ofBot: ({ t }) => t('greetings.sent', { count }) }
 */
export interface StatusLines {
  /** A line of a server's, for those who manage it; null for none. */
  ofServer?(guildId: string, translator: Translator): string | null;
  /** A line of the whole bot's, for its owner; null for none. */
  ofBot?(translator: Translator): string | null;
}

/** A slash command of a feature, whose buttons are those of a table of its own. */
export type FeatureCommand<Table extends ActionTable> = ChatCommand<
  CommandServices,
  ActionOf<Table> & FeatureAction
> & {
  table: Table;
};

export type Request = discord.Request<CommandServices>;
export type ChatRequest = discord.ChatRequest<CommandServices>;
export type ComponentRequest = discord.ComponentRequest<CommandServices>;
export type FormRequest = discord.FormRequest<CommandServices>;
export type AutocompleteRequest = discord.AutocompleteRequest<CommandServices>;
/** A request by somebody who may manage the server: only `asManager` makes one. */
export type ManagerRequest = Request & InServer;

export type { InServer };

/** A subcommand for people who may manage the server. */
export interface Subcommand {
  data: APIApplicationCommandSubcommandOption;
  execute(request: ChatRequest & InServer): Promise<Reply>;
}

const { GuildInstall, UserInstall } = ApplicationIntegrationType;

/**
 * For commands that need no server: they also work in direct messages, and for people who have installed the bot for
 * themselves, in any server and any conversation.
 * @see https://discord.com/developers/docs/interactions/application-commands#interaction-contexts
 */
export const ANYWHERE = {
  integration_types: [GuildInstall, UserInstall],
  contexts: [InteractionContextType.Guild, InteractionContextType.BotDM, InteractionContextType.PrivateChannel],
};

/** For commands that only people use who may manage a server. */
export const FOR_MANAGERS = {
  default_member_permissions: String(PermissionFlagsBits.ManageGuild),
  integration_types: [GuildInstall],
  contexts: [InteractionContextType.Guild],
};
