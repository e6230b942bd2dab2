import { dirname, join } from 'node:path';
import { COMMANDS } from '../commands/index.ts';
import type { CommandServices } from '../commands/shared.ts';
import { CurrentState } from './bot/announcements/current-state.ts';
import { createDeliverer, type Deliverer } from './bot/announcements/deliver/deliverer.ts';
import { createExplainer } from './bot/announcements/explain/explain.ts';
import { newSubscription } from './bot/announcements/kinds/of-source.ts';
import { createPoller, type Poller } from './bot/announcements/poll/poller.ts';
import type { Catalog } from './bot/catalog/catalog.ts';
import { countedHttp } from './bot/catalog/counted-http.ts';
import { createHttp } from './bot/catalog/http.ts';
import { createCatalog } from './bot/catalog/index.ts';
import type { KnownOffer } from './bot/deals/known-offer.ts';
import { MOST_PER_HOUR, type Source } from './bot/deals/subscription.ts';
import { answerInteractions } from './bot/discord/answer-interactions.ts';
import { type Connection, connect, isConnected } from './bot/discord/client.ts';
import { type ConnectionProblems, createConnectionProblems } from './bot/discord/connection-problems.ts';
import { createCourier } from './bot/discord/courier.ts';
import { translatorFor } from './bot/discord/i18n/translator.ts';
import { nameOf } from './bot/discord/names.ts';
import { observeRest, shardsUp } from './bot/discord/observe-rest.ts';
import { watchPermissions } from './bot/discord/permission-changes.ts';
import { keepRegistering } from './bot/discord/registration.ts';
import { createRouter } from './bot/discord/router.ts';
import { createOfferBook, type WritableOfferBook } from './bot/offers/offer-book.ts';
import { createOfferSearch } from './bot/offers/search.ts';
import type { Job, Schedule } from './bot/operations/cron.ts';
import { type BotFacts, currentHealth, type Health, healthRoutes } from './bot/operations/health.ts';
import { createMetrics, createMetricsServer, type MetricFacts } from './bot/operations/metrics.ts';
import { createOpsServer } from './bot/operations/server.ts';
import { openStore, type Store } from './bot/store/store.ts';
import { createCatalogService } from './catalog-service/service.ts';
import { createSimulator } from './catalog-service/simulator/simulator.ts';
import { type Config, EMBEDDED_LIMITS, type InterfaceConfig } from './config.ts';
import type { LocalDiscord } from './local-discord/server/local-discord.ts';
import { interfaceFacts, measuredCourier, measuredDeliveries, subscriptionFacts } from './measured.ts';
import type { Clock } from './shared/clock.ts';
import { ConfigError } from './shared/errors.ts';
import type { Log } from './shared/log.ts';

/** The parts that a program or a test provides: time, cron, where to log, and the folder of the built page. */
export interface AppParts {
  clock: Clock;
  schedule: Schedule;
  log: Log;
  /** Dealbell's own version. */
  version: string;
  /** The folder of local Discord's built page. */
  pageDirectory: string;
}

export interface App {
  /**
   * Resolves with the address to open when all parts run. Also resolves when the server listens and Discord keeps the
   * bot waiting: the start then continues in the background. On an error, all parts that have started are stopped.
   */
  start(): Promise<string>;
  /**
   * Resolves with the reason why the bot can't continue. By then it sends nothing any more and only has to be stopped.
   */
  readonly failed: Promise<Error>;
  stop(): Promise<void>;
  health(): Health;
  /** The name of a channel or server; null where the bot does not know it. */
  nameOf(id: string): string | null;
  /** Processes all due work, as the cron job does. */
  tick(): Promise<void>;
  /** Resolves when no delivery is in progress. */
  settled(): Promise<void>;
  /** Local Discord; null where it is not in use or not running. */
  localDiscord(): LocalDiscord | null;
}

/** The parts of the bot that do not depend on Discord. */
interface Prepared {
  store: Store;
  catalog: Catalog;
  offers: WritableOfferBook;
  startedAtMs: number;
}

/** The sources that the first `npm start` announces in `#deals`. */
const DEMO_SOURCES: readonly Source[] = [{ kind: 'feed', feed: 'Electronics' }, { kind: 'dealcasts' }];
const DEMO_CATCH_UP = 3;
/** Fixed values: the embedded catalog has the same contents for everyone. */
const DEMO = { seed: 'dealbell', offers: 300 };
const EMBEDDED_KEY = 'embedded';
/** How long a start waits for a Discord that neither answers nor fails. */
const LONGEST_START_MS = 10_000;
/** When old records are deleted: once a day, at a quiet hour. */
const SWEEP_CRON = '17 9 * * *';

/** The composition root: creates and connects all parts. Nothing runs before `start`. */
export function createApp(config: Config, parts: AppParts): App {
  const { clock, schedule, log } = parts;
  /** Stops the parts that have started, the last first. */
  const undo: (() => unknown)[] = [];
  const stopping = new AbortController();
  let bot: {
    deliverer: Deliverer;
    poller: Poller;
    facts: () => BotFacts;
    figures: () => MetricFacts;
    nameOf: App['nameOf'];
  } | null = null;
  let localDiscord: LocalDiscord | null = null;
  const problems = createConnectionProblems(log);
  let tellFailure: (error: Error) => void = () => undefined;
  const failed = new Promise<Error>((resolve) => {
    tellFailure = resolve;
  });

  const healthSource = {
    facts: () => bot?.facts() ?? null,
    problems: () => problems.all(),
    isStopping: () => stopping.signal.aborted,
    clock,
  };
  const metrics = createMetrics(
    parts.version,
    () => clock.now(),
    () => bot?.figures() ?? null,
  );

  async function start(): Promise<string> {
    const startedAtMs = clock.now();
    const { signal } = stopping;
    // Opened before anything else starts, because another process may own the state.
    const store = await openStore(config.stateUrl, clock, {
      dealbell: parts.version,
      clock,
      log,
      signal,
      onLost: fail,
      onOperation: (operation, seconds) => metrics.storeOperation.observe({ operation }, seconds),
    });
    undo.push(() => store.close());
    await startMetrics();

    const { address, token, api } = await startDiscordSide();
    const catalog = await startCatalogSide(store);
    const offers = createOfferBook(await knownOffers(store), (feed) => store.resources.get(`feed:${feed}`));
    stopping.signal.throwIfAborted();

    const running = run({ store, catalog, offers, startedAtMs }, { token, api });
    undo.push(() => running.catch(() => undefined));
    running.catch((error: Error) => {
      if (!stopping.signal.aborted) fail(error);
    });
    await untilRunning(running, problems, clock);
    return address;
  }

  /**
   * Logs in, however long Discord takes; then starts to announce and to answer. Resolves when the commands are
   * registered.
   */
  async function run(
    { store, catalog, offers, startedAtMs }: Prepared,
    { token, api }: Pick<Connection, 'token' | 'api'>,
  ): Promise<void> {
    const { signal } = stopping;
    const client = await connect({
      token,
      api,
      clock,
      log,
      signal,
      mayLeave: store.confirm,
      onProblem: (problem) => problems.report('gateway', problem),
      onRefused: fail,
    });
    undo.push(() => client.destroy());

    const { subscriptions, deliveries } = store;
    observeRest(client, {
      onResponse: (status) => metrics.discordRequests.inc({ status }),
      onRateLimit: (scope) => metrics.rateLimits.inc({ scope }),
    });
    const courier = measuredCourier(createCourier(client, signal), deliveries, metrics);
    const wordsOf = (guildId: string) => translatorFor(client.guilds.cache.get(guildId)?.preferredLocale);
    const currentState = new CurrentState(offers, store);
    const deliverer = createDeliverer({
      store: { ...store, deliveries: measuredDeliveries(deliveries, metrics) },
      courier,
      wordsOf,
      currentState,
      clock,
      log,
    });
    undo.push(() => deliverer.stop());
    watchPermissions(client, deliverer);
    const { minIntervalMs } = config.poll;
    const poller = createPoller({
      catalog,
      offers,
      currentState,
      store,
      deliverer,
      minIntervalMs,
      clock,
      log,
      signal,
    });
    bot = {
      deliverer,
      poller,
      nameOf: (id) => nameOf(client, id),
      facts() {
        const { ended, oldestDueAtMs, limitedChannels, blockedChannels } = deliverer.status();
        return {
          isGatewayConnected: isConnected(client),
          stateTrouble: store.trouble(),
          announced: ended.sinceStart.posted,
          oldestDueAtMs: limitedChannels + blockedChannels > 0 ? null : oldestDueAtMs,
          readState: () => deliveries.ended(''),
          confirmLease: store.confirm,
          ...poller.status(),
        };
      },
      figures() {
        const { pending, oldestDueAtMs } = deliverer.status();
        return {
          outbox: { deliveries: pending, oldestDueAtMs },
          interfaces: interfaceFacts(catalog),
          shards: shardsUp(client),
          subscriptions: subscriptionFacts(subscriptions.all()),
        };
      },
    };

    const search = createOfferSearch(offers);
    undo.push(() => search.stop());
    const { feeds } = config.catalog;
    const explainer = createExplainer({ store, offers, currentState, poller, catalog, clock });
    const about = { version: parts.version, startedAtMs };
    const shared: CommandServices = {
      catalog,
      offers,
      search,
      subscriptions,
      looks: store.looks,
      deliveries,
      poller,
      currentState,
      deliverer,
      explainer,
      about,
      stateTrouble: store.trouble,
      feeds,
      mostSubscriptions: config.mostSubscriptionsPerServer,
      clock,
    };
    const router = createRouter({ commands: COMMANDS, shared, clock, log });
    answerInteractions(client, (interaction) => router.handle(interaction), {
      commands: new Set(COMMANDS.map(({ data }) => data.name)),
      clock,
      onAnswered({ command, channelId, tookMs }) {
        metrics.interaction.observe({ command }, tookMs / 1000);
        log[command === 'autocomplete' ? 'debug' : 'info']({ command, channel: channelId, tookMs }, 'answered');
      },
    });

    await setUpDemo(store);
    signal.throwIfAborted();
    undo.push(startPolling(poller, deliverer));
    await keepRegistering(
      client,
      COMMANDS.map(({ data }) => data),
      { clock, log, signal, onProblem: (problem) => problems.report('commands', problem) },
    );
  }

  /** Starts the server on PORT, and returns where to log in. */
  async function startDiscordSide(): Promise<{ address: string; token: string; api: string | null }> {
    const { host, port, discord } = config;
    if (discord.token !== null) {
      const ops = createOpsServer({ host, port, source: healthSource });
      const address = await ops.start().catch(refusedPlace(config));
      undo.push(() => ops.stop());
      return { address, token: discord.token, api: discord.api };
    }
    // Imported only here, because it loads Discord's published schemas: 15 MB of memory.
    const { createLocalDiscord } = await import('./local-discord/server/local-discord.ts');
    const local = createLocalDiscord({
      host,
      port,
      stateUrl: besideState(config.stateUrl, 'local-discord.sqlite'),
      clock,
      log: log.child({ part: 'local-discord' }),
      pageDirectory: parts.pageDirectory,
      routes: [healthRoutes(healthSource)],
    });
    await local.start().catch(refusedPlace(config));
    undo.push(() => local.stop());
    localDiscord = local;
    return { address: local.url, token: local.token, api: local.api };
  }

  async function startMetrics(): Promise<void> {
    const { host, metricsPort: port } = config;
    if (port === null) return;
    const server = createMetricsServer({ host, port, metrics });
    const address = await server.start().catch(refusedPlace({ host, port }, 'METRICS_PORT'));
    undo.push(() => server.stop());
    log.info({ address: `${address}/metrics` }, 'metrics are served');
  }

  /** Creates the client, and the embedded service for each interface without an outside address. */
  async function startCatalogSide(store: Store): Promise<Catalog> {
    const { v2, portal } = config.catalog;
    let embedded: { url: string; key: string } | null = null;
    if (!v2.outside || !portal.outside) {
      const service = createCatalogService({
        host: '127.0.0.1',
        port: 0,
        keys: [EMBEDDED_KEY],
        clock,
        log: log.child({ part: 'catalog-service' }),
        content: createSimulator({ ...DEMO, pace: 'demo' }),
        limits: EMBEDDED_LIMITS,
      });
      embedded = { url: await service.start(), key: EMBEDDED_KEY };
      undo.push(() => service.stop());
    }
    const http = countedHttp(createHttp(), (name, status) => metrics.catalogRequests.inc({ interface: name, status }));
    const side = ({ outside, limits }: InterfaceConfig) => ({ ...requireAddress(outside ?? embedded), ...limits });
    const catalog = createCatalog({ v2: side(v2), portal: side(portal), clock, log, spending: store.spending, http });
    undo.push(() => catalog.close());
    return catalog;
  }

  /** Subscribes the channel at the first start with all parts on loopback. */
  async function setUpDemo(store: Store): Promise<void> {
    if (!store.isNew) return;
    if (localDiscord && !config.catalog.portal.outside && !config.catalog.v2.outside) {
      for (const source of DEMO_SOURCES) {
        await store.subscriptions.save({
          ...newSubscription({
            id: source.kind,
            guildId: localDiscord.guildId,
            channelId: localDiscord.channel('deals').id,
            source,
            createdBy: localDiscord.people.ada.id,
            createdAtMs: clock.now(),
            catchUp: DEMO_CATCH_UP,
          }),
          // Higher than the embedded catalog's rate, so that the limit never silences the demo.
          mostPerHour: MOST_PER_HOUR,
        });
      }
    }
    await store.markSetUp();
  }

  function startPolling(poller: Poller, deliverer: Deliverer): () => Promise<void> {
    const run = () => poller.tick();
    const jobs: Job[] = [
      schedule('poll', config.poll.cron, run, log),
      schedule('sweep', SWEEP_CRON, () => sweep(poller, deliverer), log),
    ];
    // The first run is immediate and does not wait for cron's next moment.
    const first = run().catch((error: unknown) => log.error({ err: error }, 'the first look failed'));
    return async () => {
      await Promise.all([...jobs.map((job) => job.stop()), first]);
    };
  }

  function fail(error: Error): void {
    stopping.abort(error);
    tellFailure(error);
  }

  async function stop(): Promise<void> {
    stopping.abort(new Error('Dealbell is stopping.'));
    bot = null;
    for (const step of undo.splice(0).reverse()) {
      try {
        await step();
      } catch (error) {
        log.error({ err: error }, 'a part did not stop cleanly');
      }
    }
    localDiscord = null;
  }

  return {
    failed,
    async start() {
      try {
        return await start();
      } catch (error) {
        await stop();
        throw error;
      }
    },
    stop,
    health: () => currentHealth(healthSource),
    nameOf: (id) => bot?.nameOf(id) ?? null,
    async tick() {
      await bot?.poller.tick();
    },
    async settled() {
      await bot?.deliverer.settled();
    },
    localDiscord: () => localDiscord,
  };
}

/**
 * Resolves when the bot runs, when a problem keeps it from Discord, or when that takes long; rejects as `running` does.
 */
function untilRunning(running: Promise<void>, { first }: ConnectionProblems, clock: Clock): Promise<void> {
  return new Promise((resolve, reject) => {
    const callOff = clock.after(LONGEST_START_MS, resolve);
    Promise.race([running, first]).then(resolve, reject).finally(callOff);
  });
}

/** Deletes records that are too old to be needed. */
async function sweep(poller: Poller, deliverer: Deliverer): Promise<void> {
  await poller.sweep();
  await deliverer.sweep();
}

async function knownOffers({ offers }: Store): Promise<KnownOffer[]> {
  const records: KnownOffer[] = [];
  for await (const record of offers.all()) records.push(record);
  return records;
}

/** The reasons why a server can't listen, by error code, in terms of the settings. */
const REFUSALS = new Map([
  ['EADDRINUSE', 'something else listens there already. Set another one.'],
  ['EACCES', 'this user may not listen there. Set one above 1023.'],
  ['EADDRNOTAVAIL', 'this machine has no such address. Set HOST to one that it has.'],
  ['ENOTFOUND', 'there is no such host. Set HOST to an address of this machine.'],
]);

function refusedPlace(
  { host, port }: Pick<Config, 'host' | 'port'>,
  setting: 'PORT' | 'METRICS_PORT' = 'PORT',
): (error: unknown) => never {
  return (error) => {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    const reason = REFUSALS.get(code);
    if (reason === undefined) throw error;
    throw new ConfigError([`${setting} ${port} of HOST ${host} can't be had: ${reason}`], { cause: error });
  };
}

function requireAddress<T>(address: T | null): T {
  if (!address) throw new Error('An interface without an outside address has the embedded one.');
  return address;
}

/** The path of a file in the folder of the bot's state. */
function besideState(stateUrl: string, name: string): string {
  return `sqlite://${join(dirname(stateUrl.slice('sqlite://'.length)), name)}`;
}
