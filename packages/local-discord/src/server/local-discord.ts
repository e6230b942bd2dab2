import type { APIRole, APIUser } from 'discord-api-types/v10';
import type { DemoState } from './demo-api.ts';
import { createFaults, type Faults } from './faults.ts';
import type { Answer } from './interactions.ts';
import type { Owner } from './owner.ts';
import type {
  Autocomplete,
  Choices,
  PageEvent,
  PageMessage,
  PageUpdate,
  PersonAction,
  RunCommand,
  RunMessageCommand,
  RunUserCommand,
  SubmitModal,
  UseComponent,
} from './page-api.ts';
import { type ApiRequest, RequestLog } from './rest/request-log.ts';
import { eventsOf } from './scheduled-events.ts';
import { ADA, BEN, type GuildChannel, IDS, LOCAL_TOKEN, type WorldChannel, type WorldWebhook } from './seed.ts';
import { type LocalDiscordOptions, type Server, startServer } from './server.ts';
import { type Look, waitFor } from './wait-for.ts';
import type { AuditEntry } from './world.ts';

export { IDS } from './seed.ts';
export type { LocalDiscordOptions } from './server.ts';

export interface LocalDiscord extends Owner {
  start(): Promise<void>;
  /** Resolves within a second, whatever is still connected. */
  stop(): Promise<void>;
  /** URL of the page. This property and all below need a started server. */
  readonly url: string;
  /** The value for discord.js's option `rest.api`. */
  readonly api: string;
  readonly token: string;
  readonly guildId: string;
  /** Ada may manage the server, Ben may not. */
  readonly people: { readonly ada: APIUser; readonly ben: APIUser };
  /** The channel of this name, of the first server that has one. */
  channel(name: string): GuildChannel;
  /** All channels, threads and direct messages included. */
  channels(): WorldChannel[];
  /** The channel's messages, oldest first. */
  messages(channelId: string): PageMessage[];
  /** The channel's pinned messages, the one that was pinned last first. */
  pins(channelId: string): PageMessage[];
  /** The webhooks of a channel, those by which it follows others too, the oldest first. */
  webhooks(channelId: string): WorldWebhook[];
  /** The scheduled events of a server, by default the first one, that aren't over; the earliest first. */
  events(guildId?: string): PageEvent[];
  /** The roles of the first server, the highest first. */
  roles(): APIRole[];
  /** The ids of a member's roles in a server, by default the first one, without @everyone. */
  rolesOf(personId: string, guildId?: string): readonly string[];
  /** The newest hundred changes that the bot made to roles, oldest first. */
  auditLog(): readonly AuditEntry[];

  /**
   * These resolve when the bot has answered; after a deferred answer, when it is filled in. They reject with one
   * sentence.
   */
  runCommand(what: RunCommand): Promise<Answer>;
  /** Runs a message command, which Discord lists under Apps in a message's menu. */
  runMessageCommand(what: RunMessageCommand): Promise<Answer>;
  /** Runs a user command, which Discord lists under Apps in a person's menu. */
  runUserCommand(what: RunUserCommand): Promise<Answer>;
  useComponent(what: UseComponent): Promise<Answer>;
  submitModal(what: SubmitModal): Promise<Answer>;
  autocomplete(what: Autocomplete): Promise<Choices['choices']>;
  /** Does what a person does without the bot. Throws an Error of one sentence where they can't. */
  act(action: PersonAction): void;

  /** Calls `look` now and after each update until it finds something. Rejects with the signal's reason. */
  waitFor<T>(look: Look<T>, signal?: AbortSignal): Promise<T>;
  /** Calls the listener with each update. Returns a function that removes it. */
  onUpdate(listener: (update: PageUpdate) => void): () => void;

  /** Calls the listener with each request of a bot as it is answered. Returns a function that removes it. */
  onRequest(listener: (request: ApiRequest) => void): () => void;
  /** The operations of Discord's API that are there, as `GET /channels/:channelId`. */
  readonly operations: readonly string[];

  readonly faults: Faults;
  /** How many of each hour's publications somebody else makes in each announcement channel: Discord allows ten in all. */
  othersPublish: number;
  /** Shows the page a new state of the demo that it is part of. */
  showDemo(demo: DemoState): void;
}

/** Creates a Discord on this machine, with one server and two people, for a bot that is configured with its URL. */
export function createLocalDiscord(options: LocalDiscordOptions): LocalDiscord {
  const listeners = new Set<(update: PageUpdate) => void>();
  const emit = (update: PageUpdate) => {
    for (const listener of listeners) listener(update);
  };
  const faults = createFaults({
    closeGateway: (code, how) => running().gateway.closeAll(code, how),
    reconnectGateway: () => running().gateway.reconnectAll(),
    breakConnections: () => running().breakConnections(),
    invalidateSessions: ({ resumable }) => running().gateway.invalidateAll(resumable),
  });
  let current: Server | undefined;
  let demo: DemoState | null = null;
  const othersPublish = () => discord.othersPublish;

  function running(): Server {
    if (!current) throw new Error('Local Discord is not running: start it first.');
    return current;
  }

  function onUpdate(listener: (update: PageUpdate) => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  const requests = new RequestLog();

  const discord: LocalDiscord = {
    async start() {
      if (current) throw new Error('Local Discord is running already.');
      current = await startServer(options, {
        emit,
        onUpdate,
        decideFault: faults.decide,
        decideFaultByContent: faults.decideByContent,
        othersPublish,
        demo: () => demo,
        requests,
      });
    },
    async stop() {
      const stopping = current;
      current = undefined;
      await stopping?.stop();
    },
    get url() {
      return running().url();
    },
    get api() {
      return `${running().url()}/api`;
    },
    token: LOCAL_TOKEN,
    guildId: IDS.guild,
    people: { ada: ADA, ben: BEN },
    faults,
    othersPublish: options.othersPublish ?? 0,
    onUpdate,
    showDemo(next) {
      demo = next;
      emit({ type: 'demo', demo });
    },

    channel(name) {
      const found = running()
        .world.guildChannels()
        .find((channel) => channel.name === name);
      if (!found) throw new Error(`Local Discord has no channel "${name}".`);
      return found;
    },
    channels: () => running().world.channels(),
    messages: (channelId) => running().world.messages(channelId),
    pins: (channelId) => running().world.pins(channelId),
    webhooks: (channelId) => running().world.webhooks(channelId),
    events: (guildId = IDS.guild) => eventsOf(running().world.findGuild(guildId)),
    roles: () => [...running().world.roles.values()].toSorted((a, b) => b.position - a.position),
    rolesOf: (personId, guildId = IDS.guild) => running().world.findGuild(guildId)?.members.get(personId)?.roles ?? [],
    auditLog: () => running().world.auditLog,
    runCommand: async (what) => running().people.runCommand(what).answer,
    runMessageCommand: async (what) => running().people.runMessageCommand(what).answer,
    runUserCommand: async (what) => running().people.runUserCommand(what).answer,
    useComponent: async (what) => running().people.useComponent(what).answer,
    submitModal: async (what) => running().people.submitModal(what).answer,
    act: (action) => running().act(action),
    autocomplete: async (what) => (await running().people.autocomplete(what).answer).choices,

    onRequest: (listener) => requests.onRequest(listener),
    get operations() {
      return running().operations;
    },

    waitFor: (look, signal) => waitFor(look, onUpdate, signal),

    ...ownerOf(() => running().owner),
  };
  return discord;
}

/** The owner of the server that runs at the time of the call. */
function ownerOf(owner: () => Owner): Owner {
  return {
    setPermissions: (...given) => owner().setPermissions(...given),
    createGuild: (name) => owner().createGuild(name),
    createFollowers: (...given) => owner().createFollowers(...given),
    createChannel: (...given) => owner().createChannel(...given),
    convertChannel: (...given) => owner().convertChannel(...given),
    deleteTag: (...given) => owner().deleteTag(...given),
    deleteChannel: (channelId) => owner().deleteChannel(channelId),
    deleteMessage: (messageId) => owner().deleteMessage(messageId),
    createThread: (...given) => owner().createThread(...given),
    restoreChannel: (channel) => owner().restoreChannel(channel),
    requireTag: (...given) => owner().requireTag(...given),
    setThread: (...given) => owner().setThread(...given),
    setMembership: (membership) => owner().setMembership(membership),
    createRole: (...given) => owner().createRole(...given),
    deleteRole: (roleId) => owner().deleteRole(roleId),
    editRole: (...given) => owner().editRole(...given),
    giveRole: (...given) => owner().giveRole(...given),
    takeRole: (...given) => owner().takeRole(...given),
    setGuildLocale: (locale) => owner().setGuildLocale(locale),
    setLocale: (...given) => owner().setLocale(...given),
    setDirectMessages: (...given) => owner().setDirectMessages(...given),
    directChannel: (personId) => owner().directChannel(personId),
  };
}
