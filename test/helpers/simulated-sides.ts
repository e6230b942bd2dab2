import { createSimulator, startCatalogService } from '../../packages/catalog-service/src/index.ts';
import { type LocalDiscord, startLocalDiscord } from '../../packages/local-discord/src/index.ts';

export interface SimulatedSides {
  discord: LocalDiscord;
  /** The settings of a bot that uses both; it is limited nowhere. */
  environment: Record<string, string>;
  stop: () => Promise<void>;
}

/** Starts local Discord, with the page where its built folder is given, and a catalog with the simulated store. */
export async function startSimulatedSides(pageDirectory?: string): Promise<SimulatedSides> {
  const discord = await startLocalDiscord({
    application: { name: 'Dealbell' },
    privilegedIntents: [],
    ...(pageDirectory !== undefined && { pageDirectory }),
  });
  const catalog = await startCatalogService({
    content: createSimulator({ seed: 'dealbell', offers: 300, pace: 'demo' }),
  });
  const ofInterface = (name: string) => ({
    [`CATALOG_${name}_URL`]: catalog.origin,
    [`CATALOG_${name}_KEY`]: 'local',
    [`CATALOG_${name}_RATE`]: '50',
    [`CATALOG_${name}_BURST`]: '100',
    [`CATALOG_${name}_QUOTA`]: '1000000',
  });
  return {
    discord,
    environment: {
      DISCORD_TOKEN: discord.token,
      DISCORD_API: discord.api,
      ...ofInterface('PORTAL'),
      ...ofInterface('V2'),
      PORT: '0',
    },
    async stop() {
      await discord.stop();
      await catalog.stop();
    },
  };
}
