import { createCatalogService, createSimulator } from '../../packages/catalog-service/src/index.ts';
import type { DemoPlace } from '../../packages/local-discord/src/index.ts';
import { createLocalDiscord, IDS, type LocalDiscord } from '../../packages/local-discord/src/index.ts';
import { systemClock } from '../shared/clock.ts';
import { AppError } from '../shared/errors.ts';
import type { Log } from '../shared/log.ts';
import { createPermissions } from './actions.ts';
import { createAdjustableClock, timeAhead } from './adjustable-clock.ts';
import { alterableStore } from './alterable-store.ts';
import { type BotProcess, createBotProcess } from './bot-process.ts';
import { DemoFailure } from './failure.ts';
import { createFaults } from './faults.ts';
import { botHealth } from './health.ts';
import { type Kept, readKept, writeKept } from './kept.ts';
import { createLevers } from './levers.ts';
import { createMeasurement } from './measurement.ts';
import { createNewestOffer } from './newest-offer.ts';
import { openPlaces } from './places.ts';
import type { BotPlanMessage, Surroundings } from './protocol.ts';
import { createQuota } from './quota.ts';
import { leverRoutes, pictureRoutes } from './routes.ts';

export interface DemoOptions {
  host: string;
  port: number;
  /** Where local Discord keeps its server (`sqlite://…`), and the file of what the demo itself keeps. */
  discordStateUrl: string;
  keptPath: string;
  log: Log;
  /** The folder of the built page. */
  pageDirectory: string;
  /** The path of the bot's built program. */
  botProgram: string;
  /** Explains why a server can't listen, in terms of the settings. */
  refusedPlace: (error: unknown) => never;
}

/** Everything that runs where nothing is connected: local Discord and the catalog in this process, the bot in one of its own. */
export interface Demo {
  /** Resolves with the address to open when all parts run. On an error, all parts that have started are stopped. */
  start(): Promise<string>;
  /** Resolves with the reason why the demo can't continue. */
  readonly failed: Promise<Error>;
  stop(): Promise<void>;
}

/** Fixed values: the demo's catalog has the same contents for everyone. */
const STORE = { seed: 'dealbell', offers: 300, pace: 'demo' } as const;
const CATALOG_KEY = 'embedded';

export function createDemo(options: DemoOptions): Demo {
  const kept = readKept(options.keptPath);
  const parts = createParts(options, kept, startServers);
  const { discord, catalog, bot, levers, measurement } = parts;

  /** Starts the servers, which needs the bot's state to be free. */
  async function startServers(): Promise<Surroundings> {
    await discord.start().catch(options.refusedPlace);
    const url = await catalog.start();
    const channelIds = openPlaces(discord, kept.channelIds);
    parts.setPlaces(channelIds);
    measurement.start(channelIds);
    levers.start();
    return {
      discord: { token: discord.token, api: discord.api },
      catalog: { url, key: CATALOG_KEY },
      guildId: discord.guildId,
      personId: discord.people.ada.id,
      roleId: IDS.dealHunters,
      channelIds,
    };
  }

  async function stop(): Promise<void> {
    levers.stop();
    await bot.stop();
    await discord.stop();
    await catalog.stop();
  }

  const failed = Promise.race([parts.failed, bot.failed]);
  return {
    failed,
    async start() {
      try {
        await Promise.race([bot.start(), failed.then((error) => Promise.reject(error))]);
        return discord.url;
      } catch (error) {
        await stop();
        throw error;
      }
    },
    stop,
  };
}

/** Makes all parts; nothing runs yet. */
function createParts(options: DemoOptions, { aheadMs }: Kept, startServers: () => Promise<Surroundings>) {
  const { log, keptPath } = options;
  const clock = createAdjustableClock(timeAhead(aheadMs));
  const now = () => clock.now();
  const quota = createQuota(now);
  const catalogRates = {};
  const store = alterableStore(createSimulator(STORE));
  const newest = createNewestOffer(store, now);
  let places: Record<DemoPlace, string> | null = null;
  let plan: BotPlanMessage | null = null;
  let reportFailure: (error: Error) => void = () => undefined;
  const failed = new Promise<Error>((resolve) => {
    reportFailure = resolve;
  });
  const giveUp = (error: unknown) => {
    reportFailure(failureOf(error));
    throw error;
  };

  const discord: LocalDiscord = createLocalDiscord({
    host: options.host,
    port: options.port,
    stateUrl: options.discordStateUrl,
    clock,
    connectionClock: systemClock,
    log: log.child({ part: 'local-discord' }),
    pageDirectory: options.pageDirectory,
    routes: [botHealth(() => bot.health())],
    ownRoutes: [leverRoutes((action) => levers.perform(action)), pictureRoutes((name) => store.picture?.(name))],
  });
  const measurement = createMeasurement({ discord, newest, now });
  const catalog = createCatalogService({
    host: '127.0.0.1',
    port: 0,
    keys: [CATALOG_KEY],
    clock,
    log: log.child({ part: 'catalog-service' }),
    content: store,
    limits: quota.limits,
    faults: { seed: STORE.seed, rates: catalogRates },
    pictureOrigin: () => discord.url,
    onServed: (path, text) => measurement.served(path, text),
  });
  const bot: BotProcess = createBotProcess({
    program: options.botProgram,
    log,
    time: () => clock.setting,
    environment: () => quota.environment(),
    surroundings: once(() => startServers().catch(giveUp)),
    onPlan(next) {
      plan = next;
    },
    onChange: () => levers.show(),
  });
  const faults = createFaults({
    discord,
    channelId: () => places?.deals,
    catalogRates,
    kill: () => bot.kill(),
    onChange: () => levers.show(),
  });
  const levers = createLevers({
    discord,
    clock,
    quota,
    store,
    newest,
    measurement,
    bot,
    faults,
    permissions: createPermissions(discord, () => places),
    places: () => places,
    plan: () => plan,
    keep: (ahead) => writeKept(keptPath, { aheadMs: ahead, channelIds: places ?? {} }),
  });
  const setPlaces = (found: Record<DemoPlace, string>) => {
    places = found;
  };
  return { discord, catalog, bot, levers, measurement, failed, setPlaces };
}

/** An error of this file's classes in a form that the program that loaded the file knows. */
function failureOf(error: unknown): Error {
  if (error instanceof AppError) return new DemoFailure(error.message, 1);
  return error instanceof Error ? error : new Error(String(error));
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
