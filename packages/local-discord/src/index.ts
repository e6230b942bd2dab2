import { pino } from 'pino';
import { systemClock } from './clock.ts';
import { createLocalDiscord, type LocalDiscord } from './server/local-discord.ts';
import type { LocalDiscordOptions } from './server/server.ts';

export { type Clock, systemClock } from './clock.ts';
export type {
  DemoAction,
  DemoCounters,
  DemoHappening,
  DemoOffer,
  DemoPlace,
  DemoPlan,
  DemoResult,
  DemoState,
  DemoStory,
  DemoTime,
} from './server/demo-api.ts';
export type { Fault, FaultHook } from './server/faults.ts';
export type { Answer } from './server/interactions.ts';
export { createLocalDiscord, IDS, type LocalDiscord } from './server/local-discord.ts';
export { CHANNEL, PERMISSION, REQUIRE_TAG } from './server/numbers.ts';
export type {
  Choices,
  PageEvent,
  PageMessage,
  PageProblem,
  PageState,
  PageUpdate,
  PersonAction,
} from './server/page-api.ts';
export type { ApiRequest } from './server/rest/request-log.ts';
export { LOCAL_TOKEN, newChannel } from './server/seed.ts';
export type { LocalDiscordOptions } from './server/server.ts';
export { compareSnowflakes } from './server/snowflake.ts';

/**
 * Starts a Discord on this machine, with one server and three people. Without options it listens on any free port, keeps
 * everything in memory and logs nothing.
 * @example
 * const discord = await startLocalDiscord();
 * await new Client({ intents: [], rest: { api: discord.api } }).login(discord.token);
 * const { message } = await discord.runCommand({ personId: IDS.ada, channelId: IDS.deals, text: '/help' });
 * await discord.stop();
 */
export async function startLocalDiscord(options: Partial<LocalDiscordOptions> = {}): Promise<LocalDiscord> {
  const discord = createLocalDiscord({
    host: '127.0.0.1',
    port: 0,
    stateUrl: 'sqlite://:memory:',
    clock: systemClock,
    log: pino({ level: 'silent' }),
    ...options,
  });
  await discord.start();
  return discord;
}
