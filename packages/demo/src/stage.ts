import type { FastifyPluginAsync } from 'fastify';
import type { Logger } from 'pino';
import { createSimulator, startCatalogService } from '../../catalog-service/src/index.ts';
import { IDS, startLocalDiscord, systemClock } from '../../local-discord/src/index.ts';
import { createPermissions } from './actions.ts';
import { alterableStore } from './alterable-store.ts';
import type { BotProcess } from './bot-process.ts';
import { createDemoClock, timeAhead } from './demo-clock.ts';
import { createFaults } from './faults.ts';
import { firstPrices } from './first-prices.ts';
import { firstSubscriptions } from './first-subscriptions.ts';
import { besideState, type Kept, readKept, writeKept } from './kept.ts';
import { createLevers, type Levers } from './levers.ts';
import { createMeasurement, type Measurement, type SetUp } from './measurement.ts';
import { createNewestOffer } from './newest-offer.ts';
import { openPlaces } from './places.ts';
import type { BotPlan, BotSettings, Supplement } from './protocol.ts';
import { createQuota } from './quota.ts';
import { leverRoutes, pictureRoutes } from './routes.ts';
import { isFreeAt, portFor, refusedPlace } from './settings.ts';
import { createStory } from './story.ts';
import { CATALOG_KEY, catalogVariables, discordVariables, STORE, type Surroundings } from './surroundings.ts';

interface StageOptions {
  settings: BotSettings;
  log: Logger;
  /** The folder of the built page. */
  pageDirectory: string;
  /** The bot's health checks, served on the page's port. */
  health: FastifyPluginAsync;
  bot: BotProcess;
}

/** The servers and levers of a stage that has started. */
interface StartedStage {
  page: string;
  levers: Levers;
  measurement: Measurement;
  supplement: Omit<Supplement, 'settings'> & { settings: Record<string, string> };
  stop(): Promise<void>;
}

/** Simulates both Discord and the catalog, on a time and with faults that the page's levers move. */
export function createStage(options: StageOptions): Surroundings {
  const keptPath = besideState(options.settings, 'demo.json');
  const kept = readKept(keptPath);
  const clock = createDemoClock(timeAhead(kept.aheadMs));
  const quota = createQuota(() => clock.now());
  let plan: BotPlan | null = null;
  let starting: Promise<StartedStage> | null = null;
  let stage: StartedStage | null = null;

  async function start(): Promise<StartedStage> {
    const keep = (next: Kept) => writeKept(keptPath, next);
    stage = await startStage({ ...options, clock, quota, kept, plan: () => plan, keep });
    return stage;
  }

  return {
    time: () => clock.setting,
    async complete() {
      starting ??= start();
      const { supplement } = await starting;
      return { ...supplement, settings: { ...supplement.settings, ...quota.settings() } };
    },
    page: () => stage?.page ?? null,
    onBot: () => stage?.levers.show(),
    onPlan(next) {
      plan = next;
      stage?.measurement.plan(next);
    },
    async stop(stopBot) {
      stage?.levers.stop();
      await stopBot();
      await stage?.stop();
    },
  };
}

interface StagePlan extends StageOptions {
  clock: ReturnType<typeof createDemoClock>;
  quota: ReturnType<typeof createQuota>;
  /** The demo has kept this from its former starts. */
  kept: Kept;
  plan: () => BotPlan | null;
  keep: (kept: Kept) => void;
}

async function startStage(parts: StagePlan): Promise<StartedStage> {
  const { settings, log, pageDirectory, health, bot, clock, quota, kept, plan, keep } = parts;
  const now = () => clock.now();
  const catalogRates = {};
  const store = alterableStore(createSimulator(STORE));
  const newest = createNewestOffer(store, now);
  let levers: Levers | null = null;
  let measurement: Measurement | null = null;

  const discord = await startLocalDiscord({
    application: { name: 'Dealbell' },
    host: settings.host,
    port: await portFor(settings, isFreeAt(settings.host)),
    stateUrl: `sqlite://${besideState(settings, 'local-discord.sqlite')}`,
    clock,
    connectionClock: systemClock,
    log: log.child({ part: 'local-discord' }),
    // The bot needs none.
    privilegedIntents: [],
    pageDirectory,
    routes: [health],
    ownRoutes: [leverRoutes(() => levers), pictureRoutes((name) => store.picture?.(name))],
  }).catch(refusedPlace(settings));
  const catalog = await startCatalogService({
    keys: [CATALOG_KEY],
    clock,
    log: log.child({ part: 'catalog-service' }),
    content: store,
    limits: quota.limits,
    faults: { seed: STORE.seed, rates: catalogRates },
    pictureOrigin: () => discord.url,
    onServed: (path, text) => measurement?.served(path, text),
  }).catch(async (error: unknown) => {
    await discord.stop();
    throw error;
  });

  const channelIds = openPlaces(discord, kept.channelIds);
  let { setUp } = kept;
  const onOriginal = (original: SetUp) => {
    setUp = original;
  };
  const watching = createMeasurement({
    discord,
    newest,
    now,
    channelIds,
    original: setUp,
    onOriginal,
    onTwice: (address, why) => log.warn(`counted as posted twice: ${address}, ${why}`),
  });
  measurement = watching;
  const faults = createFaults({
    discord,
    channelId: channelIds.deals,
    catalogRates,
    kill: () => bot.kill(),
    onBreak: (is) => story.broke(is),
    onChange: () => levers?.show(),
  });
  const story = createStory({
    channelId: channelIds.deals,
    messages: () => discord.messages(channelIds.deals),
    bot: () => bot.state(),
    outages: faults.outages,
    nowMs: Date.now,
  });
  levers = createLevers({
    discord,
    clock,
    quota,
    store,
    newest,
    measurement,
    bot,
    faults,
    story,
    permissions: createPermissions(discord, channelIds),
    places: channelIds,
    plan,
    keep: (aheadMs) => keep({ aheadMs, channelIds, setUp }),
  });
  levers.start();

  const { guildId, people } = discord;
  const ofCatalog = catalogVariables(catalog.origin, ['PORTAL', 'V2']);
  return {
    page: discord.url,
    levers,
    measurement: watching,
    supplement: {
      defaults: ofCatalog.defaults,
      settings: { ...ofCatalog.settings, ...discordVariables(discord) },
      firstSubscriptions: {
        text: firstSubscriptions({ guildId, roleId: IDS.dealHunters, channelIds }, settings.feeds),
        createdBy: people.ada.id,
      },
      firstPrices: firstPrices(store, now()),
    },
    async stop() {
      await discord.stop();
      await catalog.stop();
    },
  };
}
