import type { Guild } from 'discord.js';
import {
  type APIApplicationCommandSubcommandOption,
  ApplicationIntegrationType,
  InteractionContextType,
  PermissionFlagsBits,
} from 'discord-api-types/v10';
import type { Audit } from '../src/announcements/audit/audit.ts';
import type { Calendar } from '../src/announcements/calendar/calendar.ts';
import type { CurrentState } from '../src/announcements/current-state.ts';
import type { Deliverer } from '../src/announcements/deliver/deliverer.ts';
import type { Explainer } from '../src/announcements/explain/explain.ts';
import type { Poller } from '../src/announcements/poll/poller.ts';
import type { Catalog } from '../src/catalog/catalog.ts';
import type { ChartRenderer } from '../src/discord/charts/chart-renderer.ts';
import type * as discord from '../src/discord/command.ts';
import type { ChatCommand, InServer, MessageCommand, Reply } from '../src/discord/command.ts';
import type { OfferBook } from '../src/offers/offer-book.ts';
import type { OfferSearch } from '../src/offers/search.ts';
import type { Clock } from '../src/shared/clock.ts';
import type { Log } from '../src/shared/log.ts';
import type { DeliveryStore } from '../src/store/deliveries.ts';
import type { PersonalData } from '../src/store/personal-data.ts';
import type { PriceStore } from '../src/store/prices.ts';
import type {
  ImportStore,
  LookStore,
  PendingRoleStore,
  PeopleStore,
  PostingPauseStore,
} from '../src/store/server-records.ts';
import type { Store } from '../src/store/store.ts';
import type { SubscriptionStore } from '../src/store/subscriptions.ts';
import type { RoleChanges } from './pings/role-changes.ts';

export interface CommandServices {
  catalog: Catalog;
  offers: OfferBook;
  search: OfferSearch;
  subscriptions: SubscriptionStore;
  people: PeopleStore;
  personalData: {
    of(personId: string): Promise<PersonalData>;
    /** Nothing of the person may be under way. */
    forget(personId: string): Promise<void>;
  };
  looks: LookStore;
  hubs: Store['hubs'];
  imports: ImportStore;
  roleChanges: Pick<RoleChanges, 'count'>;
  /** The messages in which members take roles. */
  pingsPanels: { put(guild: Guild, channelId: string): Promise<string>; isIn(guildId: string): boolean };
  /** The roles that are being made. */
  pendingRoles: Pick<PendingRoleStore, 'save' | 'remove'>;
  prices: Pick<PriceStore, 'among'>;
  charts: Pick<ChartRenderer, 'render'>;
  transact: Store['transact'];
  deliveries: Pick<DeliveryStore, 'add' | 'join' | 'withdraw' | 'findRollUp' | 'ended' | 'pending' | 'pendingRollUp'>;
  poller: Poller;
  currentState: Pick<CurrentState, 'of' | 'seen' | 'stock' | 'board'>;
  deliverer: Pick<Deliverer, 'abandon' | 'kick' | 'retry' | 'status' | 'limitOf' | 'publishingOf' | 'setAside'>;
  audit: Audit;
  calendar: Pick<Calendar, 'troubleIn' | 'refusedIn'>;
  /** The backups in the folder that is set. */
  backups: { make(): Promise<string>; newestMs(): Promise<number | null> };
  postingPause: PostingPauseStore;
  /** The version of Dealbell, and when this process started: epoch milliseconds. */
  about: { version: string; startedAtMs: number; epoch: number };
  /** Why the state can't be written; null while it can. */
  stateProblem: Store['writeProblem'];
  explainer: Explainer;
  /** The names of the catalog's feeds, in its spelling. */
  feeds: readonly string[];
  /** The most subscriptions that a server may have. */
  mostSubscriptions: number;
  clock: Clock;
  log: Log;
}

export type Command = ChatCommand<CommandServices>;
export type MessageMenuCommand = MessageCommand<CommandServices>;

export type Request = discord.Request<CommandServices>;
export type ChatRequest = discord.ChatRequest<CommandServices>;
export type ComponentRequest = discord.ComponentRequest<CommandServices>;
export type MessageRequest = discord.MessageRequest<CommandServices>;
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
