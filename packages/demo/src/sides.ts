import type { FastifyPluginAsync } from 'fastify';
import type { Logger } from 'pino';
import { createSimulator, startCatalogService } from '../../catalog-service/src/index.ts';
import { type LocalDiscord, startLocalDiscord } from '../../local-discord/src/index.ts';
import { besideState } from './kept.ts';
import type { BotSettings, Supplement } from './protocol.ts';
import { isFreeAt, portFor, refusedPlace } from './settings.ts';
import {
  CATALOG_KEY,
  catalogVariables,
  discordVariables,
  STORE,
  type Surroundings,
  UNLIMITED,
} from './surroundings.ts';

interface SidesOptions {
  settings: BotSettings;
  log: Logger;
  /** The folder of the built page. */
  pageDirectory: string;
  /** The bot's health checks, served on the page's port. */
  health: FastifyPluginAsync;
}

/** Starts what is missing beside a real Discord or a real catalog. It has no levers: they can't change what is real. */
export function createSides({ settings, log, pageDirectory, health }: SidesOptions): Surroundings {
  const { missing, host } = settings;
  const stops: (() => Promise<void>)[] = [];
  let discord: LocalDiscord | null = null;
  let supplement: Promise<Supplement> | null = null;

  async function startDiscord(): Promise<Supplement['settings']> {
    const started = await startLocalDiscord({
      application: { name: 'Dealbell' },
      host,
      port: await portFor(settings, isFreeAt(host)),
      stateUrl: `sqlite://${besideState(settings, 'local-discord.sqlite')}`,
      log: log.child({ part: 'local-discord' }),
      pageDirectory,
      routes: [health],
    }).catch(refusedPlace(settings));
    stops.push(() => started.stop());
    discord = started;
    return discordVariables(started);
  }

  async function startCatalog(): Promise<ReturnType<typeof catalogVariables>> {
    const catalog = await startCatalogService({
      keys: [CATALOG_KEY],
      log: log.child({ part: 'catalog-service' }),
      content: createSimulator(STORE),
      limits: UNLIMITED,
    });
    stops.push(() => catalog.stop());
    const simulated = (['PORTAL', 'V2'] as const).filter((name) => missing.includes(`CATALOG_${name}_URL`));
    return catalogVariables(catalog.origin, simulated);
  }

  async function start(): Promise<Supplement> {
    const ofDiscord = missing.includes('DISCORD_TOKEN') ? await startDiscord() : {};
    const isCatalogMissing = missing.some((name) => name !== 'DISCORD_TOKEN');
    const ofCatalog = isCatalogMissing ? await startCatalog() : { defaults: {}, settings: {} };
    return {
      defaults: ofCatalog.defaults,
      settings: { ...ofCatalog.settings, ...ofDiscord },
      firstSubscriptions: null,
      firstPrices: [],
    };
  }

  return {
    time: () => null,
    complete() {
      supplement ??= start();
      return supplement;
    },
    page: () => discord?.url ?? null,
    onBot: () => undefined,
    onPlan: () => undefined,
    async stop(stopBot) {
      await stopBot();
      for (const stop of stops) await stop();
    },
  };
}
