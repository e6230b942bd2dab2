import { type Bot, type Prepared, runBot } from './app/bot.ts';
import { startCatalogSide } from './app/catalog-side.ts';
import type { AppContext, AppParts } from './app/context.ts';
import { type DiscordSide, startDiscordSide } from './app/discord-side.ts';
import { refusedPlace } from './app/refused-place.ts';
import type { KnownOffer } from './bot/deals/known-offer.ts';
import { type ConnectionProblems, createConnectionProblems } from './bot/discord/connection-problems.ts';
import { createCourier } from './bot/discord/courier.ts';
import { createTranslators } from './bot/discord/i18n/translator.ts';
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
import type { Config } from './config.ts';
import type { Clock } from './shared/clock.ts';
import type { Log } from './shared/log.ts';

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
  localDiscord(): DiscordSide['local'];
}

/** How long a start waits for a Discord that neither answers nor fails. */
const LONGEST_START_MS = 10_000;

/** The composition root: creates and connects all parts. Nothing runs before `start`. */
export function createApp(config: Config, parts: AppParts): App {
  const { clock, log } = parts;
  /** Stops the parts that have started, the last first. */
  const undo: (() => unknown)[] = [];
  const stopping = new AbortController();
  const { signal } = stopping;
  let bot: Bot | null = null;
  let localDiscord: DiscordSide['local'] = null;
  let reportFailure: (error: Error) => void = () => undefined;
  const failed = new Promise<Error>((resolve) => {
    reportFailure = resolve;
  });
  const problems = createConnectionProblems(log);
  const context: AppContext = {
    ...parts,
    config,
    problems,
    metrics: createMetrics(
      parts.version,
      () => clock.now(),
      () => bot?.figures() ?? null,
    ),
    healthSource: {
      facts: () => bot?.facts() ?? null,
      problems: () => problems.all(),
      isStopping: () => signal.aborted,
      clock,
    },
    signal,
    onStop: (stop) => undo.push(stop),
    fail(error) {
      stopping.abort(error);
      reportFailure(error);
    },
  };

  async function start(): Promise<string> {
    const { discordSide, ...prepared } = await prepare(context);
    localDiscord = discordSide.local;
    const running = runBot(context, prepared, discordSide, (created) => {
      bot = created;
    });
    undo.push(() => running.catch(() => undefined));
    running.catch((error: Error) => {
      if (!signal.aborted) context.fail(error);
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
    let commandIds: ReadonlyMap<string, string> = new Map();
    const translators = createTranslators((name) => commandIds.get(name));
    const wordsOf = (guildId: string) => translators(client.guilds.cache.get(guildId)?.preferredLocale);
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
    const router = createRouter({ commands: COMMANDS, shared, translators, clock, log });
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
      {
        clock,
        log,
        signal,
        onProblem: (problem) => problems.report('commands', problem),
        onListed(commands) {
          commandIds = new Map(commands.map(({ name, id }) => [name, id]));
        },
      },
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
    await stopAll(undo, log);
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
    health: () => currentHealth(context.healthSource),
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

async function prepare(context: AppContext): Promise<Prepared & { discordSide: DiscordSide }> {
  const startedAtMs = context.clock.now();
  // Opened before anything else starts, because another process may own the state.
  const store = await openState(context);
  await startMetrics(context);
  const discordSide = await startDiscordSide(context);
  const catalog = await startCatalogSide(context, store);
  const offers = createOfferBook(await knownOffers(store), (feed) => store.resources.get(`feed:${feed}`));
  context.signal.throwIfAborted();
  return { store, discordSide, catalog, offers, startedAtMs };
}

async function stopAll(undo: (() => unknown)[], log: Log): Promise<void> {
  for (const stop of undo.splice(0).reverse()) {
    try {
      await stop();
    } catch (error) {
      log.error({ err: error }, 'a component did not stop cleanly');
    }
  }
}

async function openState({ config, clock, log, version, signal, metrics, fail, onStop }: AppContext): Promise<Store> {
  const store = await openStore(config.stateUrl, clock, {
    dealbell: version,
    clock,
    log,
    signal,
    onLost: fail,
    onOperation: (operation, seconds) => metrics.storeOperation.observe({ operation }, seconds),
  });
  onStop(() => store.close());
  return store;
}

async function startMetrics({ config, metrics, log, onStop }: AppContext): Promise<void> {
  const { host, metricsPort: port } = config;
  if (port === null) return;
  const server = createMetricsServer({ host, port, metrics });
  const address = await server.start().catch(refusedPlace({ host, port }, 'METRICS_PORT'));
  onStop(() => server.stop());
  log.info({ address: `${address}/metrics` }, 'serving metrics');
}

async function knownOffers({ offers }: Store): Promise<KnownOffer[]> {
  const records: KnownOffer[] = [];
  for await (const record of offers.all()) records.push(record);
  return records;
}
