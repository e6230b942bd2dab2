import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import { type FastifyInstance, type FastifyPluginAsync, fastify } from 'fastify';
import type { Logger } from 'pino';
import type { Clock } from '../clock.ts';
import { reachedFrom } from './attachments.ts';
import { crowd } from './crowd.ts';
import type { DemoState } from './demo-api.ts';
import type { ContentFaultHook, FaultHook } from './faults.ts';
import { keepCopies } from './following.ts';
import { createGateway, type Gateway, serveGateway } from './gateway.ts';
import { dispatchChange, guildCreate, guildOfChange } from './gateway-events.ts';
import { createInteractions } from './interactions.ts';
import { createMessages } from './messages.ts';
import { createOwner, type Owner } from './owner.ts';
import type { PageUpdate, PersonAction } from './page-api.ts';
import { attachmentFiles, pageFiles } from './page-files.ts';
import { pageRoutes } from './page-routes.ts';
import { pageUpdates, shownBot } from './page-state.ts';
import { createPeople, type People } from './people.ts';
import { createPersistence, type Persistence } from './persistence.ts';
import { createPersonActions } from './person-actions.ts';
import { PRIVILEGED_INTENTS, type PrivilegedIntent } from './privileged-intents.ts';
import { createRateLimits, DISCORD_LIMITS, type Limits } from './rate-limits.ts';
import { Answering } from './rest/answering.ts';
import type { RestContext } from './rest/context.ts';
import { restApi } from './rest/index.ts';
import type { RequestLog } from './rest/request-log.ts';
import { botUser, IDS } from './seed.ts';
import { createSnowflakes } from './snowflake.ts';
import { World } from './world.ts';

/**
 * Time within which a request must arrive whole, in milliseconds. Node checks every 30 s, answers a late request with
 * 408 and closes its connection. Discord remembers a nonce for longer, so that a slow repeat of a message isn't taken
 * for a new one.
 */
const REQUEST_TIMEOUT_MS = 60_000;

export interface LocalDiscordOptions {
  host: string;
  /** The port to listen on; 0 for any free one. */
  port: number;
  /** The place of the server's state: `sqlite://…`, a file of its own. */
  stateUrl: string;
  clock: Clock;
  log: Logger;
  /** Discord's limits by default. */
  limits?: Partial<Limits>;
  /** Folder of the built page, served at `/`. */
  pageDirectory?: string;
  /** The bot's name is `Bot` by default. */
  application?: { name: string };
  /** Number of additional servers, in which nobody does anything. */
  moreServers?: number;
  /** How many gateway connections a bot is told to make (1 by default). */
  shards?: number;
  /** The privileged intents that the application has (all by default); a client that asks for another is refused. */
  privilegedIntents?: readonly PrivilegedIntent[];
  /** How many of each hour's publications somebody else makes in each announcement channel (0 by default). */
  othersPublish?: number;
  /** More routes on the same port, for everyone. */
  routes?: readonly FastifyPluginAsync[];
  /** More routes for the page of this server and for programs, as its own are. */
  ownRoutes?: readonly FastifyPluginAsync[];
  /** The clock of connections, limits and interactions; `clock` by default, which dates what is stored and shown. */
  connectionClock?: Clock;
}

/** The parts that outlive a stop and a start. */
interface Surroundings {
  emit: (update: PageUpdate) => void;
  onUpdate: (listener: (update: PageUpdate) => void) => () => void;
  decideFault: FaultHook;
  decideFaultByContent: ContentFaultHook;
  othersPublish: () => number;
  demo: () => DemoState | null;
  requests: RequestLog;
}

/** The parts of a running server. */
export interface Server {
  world: World;
  people: People;
  act: (action: PersonAction) => void;
  owner: Owner;
  gateway: Gateway;
  operations: readonly string[];
  url(): string;
  breakConnections(): void;
  stop(): Promise<void>;
}

/**
 * Reads the state and listens.
 * @throws StorageError when the state can't be read; the system's error when the port is taken
 */
export async function startServer(options: LocalDiscordOptions, surroundings: Surroundings): Promise<Server> {
  const persistence = createPersistence(options.stateUrl);
  try {
    return await listen(options, surroundings, persistence);
  } catch (error) {
    await persistence.close();
    throw error;
  }
}

/** Loads the stored world, or creates the first one where none is stored. */
async function openWorld(persistence: Persistence, applicationName: string): Promise<World> {
  const stored = await persistence.load();
  const world = new World(stored, botUser(applicationName));
  if (!stored) persistence.recordFirst(world.channels(), world.roles.values());
  return world;
}

async function listen(
  options: LocalDiscordOptions,
  { emit, onUpdate, decideFault, decideFaultByContent, othersPublish, demo, requests }: Surroundings,
  persistence: Persistence,
): Promise<Server> {
  const { host, port, clock, log, limits, pageDirectory, moreServers = 0, shards = 1 } = options;
  const { privilegedIntents = PRIVILEGED_INTENTS, application = { name: 'Bot' } } = options;
  const { routes = [], ownRoutes = [], connectionClock = clock } = options;
  const world = await openWorld(persistence, application.name);
  const snowflakes = createSnowflakes(clock, world.ids());

  const app = fastify({
    forceCloseConnections: true,
    requestTimeout: REQUEST_TIMEOUT_MS,
    routerOptions: { ignoreTrailingSlash: true },
  });
  const url = () => httpUrl(app, host);
  const reachedBy = reachedFrom(url);
  const gateway = createGateway({
    clock: connectionClock,
    log,
    guildCreates: () => [
      ...world
        .guilds()
        .filter((at) => at !== world.first || world.membership !== 'removed')
        .filter(({ members }) => members.has(IDS.application))
        .map((at) => guildCreate(world, at)),
      ...crowd(world, moreServers),
    ],
    members: (guildId) => [...(world.findGuild(guildId)?.members.values() ?? [])],
    reachedBy,
    bot: world.bot,
    privilegedIntents,
    onConnected: (connected) => emit({ type: 'bot', bot: connected ? shownBot(world) : null }),
  });
  const messages = createMessages({ world, snowflakes, clock, attachments: persistence, url });
  const interactions = createInteractions({
    snowflakes,
    clock: connectionClock,
    dispatch: (payload) => gateway.dispatch('INTERACTION_CREATE', payload),
    isBotThere: () => gateway.hasSession(),
    emit,
  });
  const people = createPeople({ world, interactions, snowflakes, attachments: persistence, url });

  world.onChange((change) => {
    // What is of no server is stored too; of the servers, the first one alone.
    if ((guildOfChange(world, change) ?? world.first) === world.first) persistence.record(change);
    dispatchChange(world, gateway, change);
    for (const update of pageUpdates(world, change)) emit(update);
  });

  keepCopies(world);

  const act = createPersonActions({ world, messages, snowflakes, clock });
  const page = {
    log,
    world,
    people,
    act,
    isBotConnected: () => gateway.isConnected(),
    demo,
    requests,
    onUpdate,
    reachedBy,
  };
  const rest = {
    world,
    messages,
    interactions,
    persistence,
    rateLimits: createRateLimits(connectionClock, { ...DISCORD_LIMITS, ...limits }),
    snowflakes,
    clock,
    log,
    decideFault,
    decideFaultByContent,
    othersPublish,
    reachedBy,
    requests,
    answering: new Answering(),
    operations: [],
    shards,
    privilegedIntents,
  } satisfies RestContext;
  for (const plugin of [guardedRoutes(host, pageDirectory, rest, page, ownRoutes), ...routes])
    await app.register(plugin);
  serveGateway(app.server, '/gateway', gateway, (request) => isOwnOrigin(request.headers, host));

  await bind(app, { host, port }, persistence);

  return {
    world,
    people,
    act,
    gateway,
    operations: rest.operations,
    owner: createOwner({ world, snowflakes, clock, messages }),
    url,
    // Node no longer counts a WebSocket's connection among these, so the gateway's connections stay.
    breakConnections: () => app.server.closeAllConnections(),
    async stop() {
      interactions.stop();
      gateway.stop();
      // A bot gets the answers that it waits for: its test would end with a failure of the network.
      await rest.answering.done();
      await app.close();
      await persistence.close();
    },
  };
}

/** Routes for the page of this server and for programs; pages of other sites are refused. */
function guardedRoutes(
  host: string,
  pageDirectory: string | undefined,
  rest: RestContext,
  page: Parameters<typeof pageRoutes>[0],
  more: readonly FastifyPluginAsync[],
): FastifyPluginAsync {
  return async (app) => {
    app.addHook('onRequest', async (request, reply) => {
      if (isOwnOrigin(request.headers, host)) return;
      return reply
        .code(403)
        .send({ message: 'Requests from other sites are refused; open the page by its own address.' });
    });
    await app.register(restApi(rest), { prefix: '/api/v10' });
    await app.register(pageRoutes(page));
    for (const plugin of more) await app.register(plugin);
    pageFiles(app, pageDirectory);
    attachmentFiles(app, rest.persistence);
  };
}

async function bind(
  app: FastifyInstance,
  place: { host: string; port: number },
  persistence: Persistence,
): Promise<void> {
  try {
    await app.listen(place);
    await persistence.settled();
  } catch (error) {
    await app.close();
    throw error;
  }
}

function httpUrl(app: FastifyInstance, host: string): string {
  const address = app.server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  // A server that listens on all addresses is also reachable on this machine's loopback address.
  const name = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

/**
 * Whether a request comes from this server's own page or from a program that is no browser, which sends no Origin. A
 * page of another site must not act for the people here, not even one whose name resolves to this machine.
 * @param ownHost the name or address that this server was told to listen on
 */
function isOwnOrigin(headers: IncomingHttpHeaders, ownHost: string): boolean {
  const { host, origin } = headers;
  if (host === undefined || !URL.canParse(`http://${host}`)) return false;
  const { hostname } = new URL(`http://${host}`);
  // Another site can point a name at this machine, but not an address.
  const isAddress = isIP(hostname.replace(/^\[|\]$/g, '')) !== 0;
  if (!isAddress && hostname !== 'localhost' && hostname !== ownHost) return false;
  return origin === undefined || origin === `http://${host}`;
}
