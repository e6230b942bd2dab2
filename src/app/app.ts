import { setMaxListeners } from 'node:events';
import type { Catalog } from '../catalog/catalog.ts';
import { askCatalog, createCatalog } from '../catalog/index.ts';
import { askDiscord } from '../discord/client.ts';
import { type ConnectionProblems, createConnectionProblems } from '../discord/connection-problems.ts';
import { createOfferBook } from '../offers/offer-book.ts';
import { type Clock, systemClock } from '../shared/clock.ts';
import { AppError } from '../shared/errors.ts';
import type { Log } from '../shared/log.ts';
import { Reachability } from '../shared/reachability.ts';
import { openStore, type Store } from '../store/store.ts';
import { startBackups } from './backups.ts';
import { type Bot, type BotPlan, type Prepared, runBot } from './bot.ts';
import { type Config, completeConfig } from './config.ts';
import type { AppContext, AppParts, CompleteContext } from './context.ts';
import { currentHealth, type Health } from './health.ts';
import { createMetrics, createMetricsServer } from './metrics.ts';
import { openOperatorSocket, operatorSocketOf } from './operator-socket.ts';
import { createOpsServer, refusedPlace } from './server.ts';

export interface App {
  /**
   * Resolves with the address of the health checks when all parts run. Also resolves when the server listens and Discord keeps the
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
  /** The day's requests to the catalog, the planner's next polls, and people's subscriptions; null while the bot is starting. */
  plan(): BotPlan | null;
  /** Processes all due work, as the cron job does. */
  tick(): Promise<void>;
  /** Resolves when no delivery is in progress. */
  settled(): Promise<void>;
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
  // Every feed and every waiting call to the catalog listens to it: Node would warn of a leak where there is none.
  setMaxListeners(0, signal);
  let bot: Bot | null = null;
  let reportFailure: (error: Error) => void = () => undefined;
  const failed = new Promise<Error>((resolve) => {
    reportFailure = resolve;
  });
  const problems = createConnectionProblems(log);
  const reachability = createReachability(config, parts);
  const context: AppContext = {
    ...parts,
    config,
    problems,
    reachability,
    metrics: createMetrics(
      parts.version,
      () => clock.now(),
      () => bot?.figures() ?? null,
      () => reachability.away(),
      parts.features.flatMap(({ gauges }) => gauges ?? []),
    ),
    healthSource: {
      facts: () => bot?.facts() ?? null,
      problems: () => problems.all(),
      away: () => reachability.away(),
      isStopping: () => signal.aborted,
      clock,
    },
    core: () => bot?.core ?? null,
    signal,
    operatorJobs: () => bot?.operatorJobs ?? null,
    isStarting: () => bot === null && !signal.aborted,
    onStop: (stop) => undo.push(stop),
    fail(error) {
      stopping.abort(error);
      reportFailure(error);
    },
  };

  async function start(): Promise<string> {
    const { complete, address, ...prepared } = await prepare(context);
    const running = runBot(complete, prepared, (created) => {
      bot = created;
    });
    undo.push(() => running.catch(() => undefined));
    running.catch((error: Error) => {
      if (!signal.aborted) context.fail(error);
    });
    await untilRunning(running, problems, clock);
    return address;
  }

  async function stop(): Promise<void> {
    stopping.abort(new Error('Dealbell is stopping.'));
    bot = null;
    await stopAll(undo, log);
  }

  return {
    failed,
    async start() {
      try {
        return await start();
      } catch (error) {
        const isStopped = signal.aborted;
        await stop();
        const facts = { config, networkClock: systemClock, ...parts };
        if (!isStopped)
          await Promise.allSettled(parts.features.map(async (feature) => feature.startFailed?.(error, facts)));
        throw error;
      }
    },
    stop,
    health: () => currentHealth(context.healthSource),
    nameOf: (id) => bot?.nameOf(id) ?? null,
    plan: () => bot?.plan() ?? null,
    async tick() {
      await bot?.core.poller.tick();
    },
    async settled() {
      await bot?.core.deliverer.settled();
    },
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

async function prepare(context: AppContext): Promise<Prepared & { complete: CompleteContext; address: string }> {
  const startedAtMs = context.clock.now();
  // While this process stands by, its health and metrics have to be served as well.
  const standingBy = context.isStandby ? await startHealth(context) : null;
  // Opened before anything else starts, because another process may own the state.
  if (context.isStandby) await startMetrics(context);
  const store = await openState(context);
  context.healthSource.isStandingBy = false;
  context.metrics.leading.set(1);
  if (!context.isStandby) await startMetrics(context);
  await openToOperator(context);
  const backups = await startBackups(context, store);
  const { config, firstSubscriptions, firstPrices } = (await context.complete?.()) ?? {
    config: context.config,
    firstSubscriptions: null,
    firstPrices: [],
  };
  const complete: CompleteContext = { ...context, config: completeConfig(config) };
  const address = standingBy ?? (await startHealth(complete));
  const catalog = openCatalog(complete, store);
  const offers = createOfferBook(await store.offers.all(), (feed) => store.resources.get(`feed:${feed}`));
  context.signal.throwIfAborted();
  return { store, backups, firstSubscriptions, firstPrices, complete, address, catalog, offers, startedAtMs };
}

/** Asks only for what is set: a program that drives the bot provides the rest later. */
function createReachability({ discord, catalog }: Config, { networkClock = systemClock, log }: AppParts): Reachability {
  const { v2, portal } = catalog;
  return new Reachability({
    clock: networkClock,
    log,
    asks: {
      ...(discord.token !== null && { discord: askDiscord(discord.api) }),
      ...(v2.address && portal.address && { catalog: askCatalog({ v2: v2.address, portal: portal.address }) }),
    },
  });
}

/** Serves the health checks, and what features serve beside them. Resolves with their address. */
async function startHealth({ config, features, healthSource, core, log, onStop }: AppContext): Promise<string> {
  const { host, port, trustedProxies } = config;
  const routes = features.flatMap((feature) => feature.routes?.({ config, log, core }) ?? []);
  const server = createOpsServer({ host, port, trustedProxies, source: healthSource, routes });
  const address = await server.start().catch(refusedPlace({ host, port }));
  onStop(() => server.stop());
  return address;
}

function openCatalog({ config, clock, log, metrics, onStop }: CompleteContext, { spending }: Store): Catalog {
  const { v2, portal } = config.catalog;
  const catalog = createCatalog({
    v2: { ...v2.address, ...v2.limits },
    portal: { ...portal.address, ...portal.limits },
    clock,
    log,
    spending,
    onReply: (name, status) => metrics.catalogRequests.inc({ interface: name, status }),
  });
  onStop(() => catalog.close());
  return catalog;
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

async function openState(context: AppContext): Promise<Store> {
  const { config, clock, log, version, features, signal, metrics, fail, onStop, isStandby = false } = context;
  const { healthSource, reachability, networkClock = systemClock, isStarting } = context;
  healthSource.isStandingBy = isStandby;
  const opening = openStore(
    config.stateUrl,
    clock,
    {
      dealbell: version,
      clock,
      networkClock,
      log,
      signal,
      onLost: fail,
      onAway: (isAway) => {
        healthSource.isWaitingForDatabase = isAway && isStarting();
      },
      isPatient: isStarting,
      reachability,
      isStandby,
      onOperation: (operation, seconds) => metrics.storeOperation.observe({ operation }, seconds),
    },
    features.flatMap(({ records }) => records ?? []),
  );
  // Also in the middle of its opening: the state is given back then.
  onStop(() =>
    opening.then(
      (store) => store.close(),
      () => undefined,
    ),
  );
  const store = await opening;
  // Two processes that both believe to hold the state can be told apart in the log by it.
  log.setBindings({ epoch: store.epoch });
  return store;
}

/** Lets the operator's commands reach this process. It announces without, where the file system has no sockets. */
async function openToOperator({ config, operatorJobs, log, onStop }: AppContext): Promise<void> {
  const path = operatorSocketOf(config.stateUrl);
  const problems = ['Dealbell is starting. Nothing was changed: try again.'];
  const starting = { result: 'refused' as const, problems };
  const logged = (error: unknown): never => {
    if (!(error instanceof AppError)) log.error({ err: error }, "an operator's command failed");
    throw error;
  };
  try {
    const stop = await openOperatorSocket(path, {
      run: async (job, asked, waiting) => (await operatorJobs()?.run(job, asked, waiting).catch(logged)) ?? starting,
    });
    onStop(stop);
  } catch (error) {
    log.warn({ err: error, path }, "the operator's commands can't reach this process");
  }
}

async function startMetrics({ config, metrics, log, onStop }: AppContext): Promise<void> {
  const { host, metricsPort: port } = config;
  if (port === null) return;
  const server = createMetricsServer({ host, port, metrics });
  const address = await server.start().catch(refusedPlace({ host, port }, 'METRICS_PORT'));
  onStop(() => server.stop());
  log.info({ address: `${address}/metrics` }, 'serving metrics');
}
