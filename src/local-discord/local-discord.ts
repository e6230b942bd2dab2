import type { APIUser } from 'discord-api-types/v10';
import { type FastifyInstance, type FastifyPluginAsync, fastify } from 'fastify';
import type { Clock } from '../clock.ts';
import type { Log } from '../log.ts';
import { createFaults, type Faults } from './faults.ts';
import { createGateway, serveGateway } from './gateway.ts';
import { dispatchChange, guildCreate } from './gateway-events.ts';
import { type Answer, createInteractions } from './interactions.ts';
import { createMessages } from './messages.ts';
import { CHANNEL, PERMISSION } from './numbers.ts';
import { isOwnOrigin } from './origin.ts';
import type {
  Autocomplete,
  Choices,
  PageMessage,
  PageUpdate,
  RunCommand,
  SubmitModal,
  UseComponent,
} from './page-api.ts';
import { attachmentFiles, pageFiles } from './page-files.ts';
import { pageRoutes } from './page-routes.ts';
import { createPeople } from './people.ts';
import { createPersistence } from './persistence.ts';
import { createRateLimits, DISCORD_LIMITS, type Limits } from './rate-limits.ts';
import { restApi } from './rest/index.ts';
import { ADA, BEN, BOT_USER, IDS, LOCAL_TOKEN } from './seed.ts';
import { createSnowflakes } from './snowflake.ts';
import { World, type WorldChannel } from './world.ts';

export { IDS, LOCAL_TOKEN } from './seed.ts';

export interface LocalDiscordOptions {
  host: string;
  /** 0 for any free one. */
  port: number;
  /** Where the server is kept: `sqlite://…`, a file of its own. */
  stateUrl: string;
  clock: Clock;
  log: Log;
  /** Discord's by default. */
  limits?: Partial<Limits>;
  /** Folder of the built page, served at `/`. */
  pageDirectory?: string;
  /** More routes on the same port. */
  routes?: readonly FastifyPluginAsync[];
}

export type PermissionName = keyof typeof PERMISSION;

export interface LocalDiscord {
  start(): Promise<void>;
  /** Within a second, whatever is connected. */
  stop(): Promise<void>;
  /** Address of the page. This and all below need a started server. */
  readonly url: string;
  /** What discord.js takes as `rest.api`. */
  readonly api: string;
  readonly token: string;
  readonly guildId: string;
  /** Ada may manage the server, Ben may not. */
  readonly people: { readonly ada: APIUser; readonly ben: APIUser };
  channel(name: string): WorldChannel;
  /** Oldest first. */
  messages(channelId: string): PageMessage[];

  /** These resolve when the bot has answered; after a deferred answer, when that is filled in. They reject with one sentence. */
  runCommand(what: RunCommand): Promise<Answer>;
  useComponent(what: UseComponent): Promise<Answer>;
  submitModal(what: SubmitModal): Promise<Answer>;
  autocomplete(what: Autocomplete): Promise<Choices['choices']>;

  /** Looks now and after everything that happens, until `look` finds something; rejects with the signal's reason. */
  waitFor<T>(look: () => T | undefined | null | false, signal?: AbortSignal): Promise<T>;
  /** Calls the listener with everything that happens. Returns what ends that. */
  onUpdate(listener: (update: PageUpdate) => void): () => void;

  /** Sets what is allowed and denied in a channel to a role, person or (by default) the bot; nothing of both clears it. */
  setPermissions(
    channelId: string,
    overwrite: { allow?: readonly PermissionName[]; deny?: readonly PermissionName[] },
    targetId?: string,
  ): void;
  createChannel(name: string, type?: 'text' | 'announcement' | 'forum'): WorldChannel;
  deleteChannel(channelId: string): void;
  deleteMessage(messageId: string): void;
  readonly faults: Faults;
}

/** A Discord on this machine, with one server and two people, for a bot that is told its address. */
export function createLocalDiscord(options: LocalDiscordOptions): LocalDiscord {
  const listeners = new Set<(update: PageUpdate) => void>();
  const tell = (update: PageUpdate) => {
    for (const listener of listeners) listener(update);
  };
  const faults = createFaults((code, how) => running().gateway.closeAll(code, how));
  let current: Awaited<ReturnType<typeof run>> | undefined;

  function running() {
    if (!current) throw new Error('Local Discord is not running: start it first.');
    return current;
  }

  function onUpdate(listener: (update: PageUpdate) => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  const discord: LocalDiscord = {
    async start() {
      if (current) throw new Error('Local Discord is running already.');
      current = await run(options, tell, onUpdate, faults.decide);
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
    onUpdate,

    channel(name) {
      const found = running()
        .world.channels()
        .find((channel) => channel.name === name);
      if (!found) throw new Error(`Local Discord has no channel "${name}".`);
      return found;
    },
    messages: (channelId) => running().world.messages(channelId),
    runCommand: async (what) => running().people.runCommand(what).answer,
    useComponent: async (what) => running().people.useComponent(what).answer,
    submitModal: async (what) => running().people.submitModal(what).answer,
    autocomplete: async (what) => (await running().people.autocomplete(what).answer).choices,

    waitFor(look, signal) {
      return new Promise((resolve, reject) => {
        const check = () => {
          try {
            const found = look();
            if (!found) return;
            end();
            resolve(found);
          } catch (error) {
            end();
            reject(error);
          }
        };
        const abort = () => {
          end();
          reject(signal?.reason);
        };
        const endUpdates = onUpdate(check);
        const end = () => {
          endUpdates();
          signal?.removeEventListener('abort', abort);
        };
        if (signal?.aborted) return abort();
        signal?.addEventListener('abort', abort);
        check();
      });
    },

    setPermissions(channelId, { allow = [], deny = [] }, targetId = IDS.application) {
      const { world } = running();
      const channel = world.channel(channelId);
      const bits = (names: readonly PermissionName[]) =>
        names.reduce((sum, name) => sum | PERMISSION[name], 0n).toString();
      const others = (channel.permission_overwrites ?? []).filter(({ id }) => id !== targetId);
      const type = world.roles.has(targetId) ? 0 : 1;
      const own = { id: targetId, type, allow: bits(allow), deny: bits(deny) } as const;
      const isNothing = allow.length + deny.length === 0;
      world.setChannel({ ...channel, permission_overwrites: isNothing ? others : [...others, own] });
    },
    createChannel(name, type = 'text') {
      const { world, snowflakes } = running();
      const common = {
        id: snowflakes.next(),
        guild_id: world.guild.id,
        name,
        position: world.channels().length,
        permission_overwrites: [],
        nsfw: false,
        parent_id: null,
        flags: 0,
        topic: null,
        last_message_id: null,
      };
      const forum = {
        default_reaction_emoji: null,
        default_sort_order: null,
        default_forum_layout: 0 as const,
        available_tags: [],
      };
      const channel: WorldChannel =
        type === 'forum' ? { ...common, ...forum, type: CHANNEL.forum } : { ...common, type: CHANNEL[type] };
      world.addChannel(channel);
      return channel;
    },
    deleteChannel: (channelId) => running().world.deleteChannel(channelId),
    deleteMessage(messageId) {
      const { world } = running();
      for (const channel of world.channels()) {
        const message = world.findMessage(channel.id, messageId);
        if (message) return world.deleteMessage(message);
      }
      throw new Error(`Local Discord has no message ${messageId}.`);
    },
  };
  return discord;
}

/** Starts everything and returns what is running. */
async function run(
  { host, port, stateUrl, clock, log, limits, pageDirectory, routes = [] }: LocalDiscordOptions,
  tell: (update: PageUpdate) => void,
  onUpdate: LocalDiscord['onUpdate'],
  decideFault: ReturnType<typeof createFaults>['decide'],
) {
  const persistence = createPersistence(stateUrl);
  const stored = await persistence.load();
  const world = new World(stored);
  if (!stored) persistence.recordChannels(world.channels());
  const snowflakes = createSnowflakes(clock);
  for (const id of world.ids()) snowflakes.startAfter(id);

  const app = fastify({ forceCloseConnections: true, routerOptions: { ignoreTrailingSlash: true } });
  const url = () => httpUrl(app, host);
  const gatewayUrl = () => `${url().replace(/^http/, 'ws')}/gateway`;
  const gateway = createGateway({
    clock,
    log,
    url: gatewayUrl,
    guildCreate: () => guildCreate(world),
    members: () => [...world.members.values()],
    onConnected: (connected) => tell({ type: 'bot', bot: connected ? BOT_USER : null }),
  });
  const messages = createMessages({ world, snowflakes, clock, attachments: persistence, url });
  const interactions = createInteractions({
    world,
    snowflakes,
    clock,
    dispatch: (payload) => gateway.dispatch('INTERACTION_CREATE', payload),
    isBotThere: () => gateway.hasSession(),
    tell,
  });
  const people = createPeople(world, interactions);
  const rateLimits = createRateLimits(clock, { ...DISCORD_LIMITS, ...limits });

  world.onChange((change) => {
    persistence.record(change);
    dispatchChange(world, gateway, change);
    for (const update of pageUpdates(world, change)) tell(update);
  });

  await app.register(async (own) => {
    own.addHook('onRequest', async (request, reply) => {
      if (isOwnOrigin(request.headers, host)) return;
      return reply
        .code(403)
        .send({ message: 'Requests from other sites are refused; open the page by its own address.' });
    });
    const context = {
      world,
      messages,
      interactions,
      persistence,
      rateLimits,
      snowflakes,
      clock,
      log,
      decideFault,
      gatewayUrl,
    };
    await own.register(restApi(context), { prefix: '/api/v10' });
    await own.register(pageRoutes({ world, people, isBotConnected: () => gateway.isConnected(), onUpdate }));
    pageFiles(own, pageDirectory);
    attachmentFiles(own, persistence);
  });
  for (const plugin of routes) await app.register(plugin);
  serveGateway(app.server, '/gateway', gateway, (request) => isOwnOrigin(request.headers, host));

  try {
    await app.listen({ host, port });
    await persistence.settled();
  } catch (error) {
    await app.close();
    await persistence.close();
    throw error;
  }

  return {
    world,
    people,
    gateway,
    snowflakes,
    url,
    async stop() {
      interactions.stop();
      gateway.stop();
      await app.close();
      await persistence.close();
    },
  };
}

function httpUrl(app: FastifyInstance, host: string): string {
  const address = app.server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  // Whoever listens everywhere is reached on this machine too.
  const name = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

/** What a page is told of a change. */
function pageUpdates(world: World, change: Parameters<Parameters<World['onChange']>[0]>[0]): PageUpdate[] {
  switch (change.type) {
    case 'message-created':
    case 'message-edited':
      return [{ type: 'message', message: change.message }];
    case 'message-deleted':
      return [{ type: 'message-deleted', channelId: change.message.channel_id, messageId: change.message.id }];
    case 'channel-created':
    case 'channel-edited':
    case 'channel-deleted':
      return [{ type: 'channels', channels: world.channels() }];
    case 'command-set':
    case 'command-deleted':
      return [{ type: 'commands', commands: world.allCommands() }];
  }
}
