import { dirname, join } from 'node:path';
import type { LocalDiscord } from '../../packages/local-discord/src/index.ts';
import { isOnPostgres, placeOf } from '../store/table/state-place.ts';
import type { AppContext, OutsideSides } from './context.ts';
import { healthRoutes } from './health.ts';
import { refusedPlace } from './refused-place.ts';
import { createOpsServer } from './server.ts';

/** Where the bot logs in, and what is served on PORT. */
export interface DiscordSide {
  /** The address to open. */
  address: string;
  token: string;
  /** Base address of the REST API; null for Discord's own. */
  api: string | null;
  /** null where the bot logs in to the real Discord. */
  local: LocalDiscord | null;
}

/**
 * Starts the server on PORT: local Discord, or health alone for a bot on the real Discord. Where another process serves
 * Discord, health alone is served on any free port of this machine.
 */
export async function startDiscordSide(context: AppContext, outside: OutsideSides | null): Promise<DiscordSide> {
  const { config } = context;
  const { host, port, discord } = config;
  if (outside)
    return { address: await startHealth(context, { host: '127.0.0.1', port: 0 }), ...outside.discord, local: null };
  if (discord.token === null) return startLocalDiscord(context);
  const address = await startHealth(context, { host, port });
  return { address, token: discord.token, api: discord.api, local: null };
}

async function startHealth(
  { healthSource, onStop }: AppContext,
  place: { host: string; port: number },
): Promise<string> {
  const ops = createOpsServer({ ...place, source: healthSource });
  const address = await ops.start().catch(refusedPlace(place));
  onStop(() => ops.stop());
  return address;
}

async function startLocalDiscord(context: AppContext): Promise<DiscordSide> {
  const { config, clock, log, pageDirectory, healthSource } = context;
  // Imported only here, because it loads Discord's published schemas: 15 MB of memory.
  const { createLocalDiscord } = await import('../../packages/local-discord/src/index.ts');
  const local = createLocalDiscord({
    host: config.host,
    port: config.port,
    stateUrl: besideState(config.stateUrl, 'local-discord.sqlite'),
    clock,
    log: log.child({ part: 'local-discord' }),
    pageDirectory,
    routes: [healthRoutes(healthSource)],
  });
  await local.start().catch(refusedPlace(config));
  context.onStop(() => local.stop());
  return { address: local.url, token: local.token, api: local.api, local };
}

/** The path of a file in the folder of the bot's state, or in the usual one where that is in none. */
export function besideState(stateUrl: string, name: string): string {
  return `sqlite://${join(isOnPostgres(stateUrl) ? 'data' : dirname(placeOf(stateUrl)), name)}`;
}
