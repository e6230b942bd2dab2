import type { Logger } from 'pino';
import type { Clock } from '../../clock.ts';
import type { ReachedBy } from '../attachments.ts';
import { DiscordError } from '../discord-error.ts';
import type { ContentFaultHook, FaultHook } from '../faults.ts';
import type { Interactions } from '../interactions.ts';
import type { Messages } from '../messages.ts';
import { requirePermissions } from '../permissions.ts';
import type { Persistence } from '../persistence.ts';
import type { PrivilegedIntent } from '../privileged-intents.ts';
import type { RateLimits } from '../rate-limits.ts';
import { type Guild, IDS, type WorldChannel } from '../seed.ts';
import type { Snowflakes } from '../snowflake.ts';
import type { World } from '../world.ts';
import type { Answering } from './answering.ts';
import type { RequestLog } from './request-log.ts';

/** The dependencies of the REST routes. */
export interface RestContext {
  world: World;
  messages: Messages;
  interactions: Interactions;
  persistence: Persistence;
  rateLimits: RateLimits;
  snowflakes: Snowflakes;
  clock: Clock;
  log: Logger;
  decideFault: FaultHook;
  decideFaultByContent: ContentFaultHook;
  /** How many of each hour's publications somebody else makes in each announcement channel. */
  othersPublish: () => number;
  /** Makes the files that a text names reachable at the host that was asked. */
  reachedBy: ReachedBy;
  requests: RequestLog;
  answering: Answering;
  /** Filled with the operations that are there, as `GET /channels/:channelId`. */
  operations: string[];
  /** How many gateway connections a bot is told to make, all of which may begin at once. */
  shards: number;
  /** The application has these. */
  privilegedIntents: readonly PrivilegedIntent[];
}

export interface ChannelParams {
  Params: { channelId: string };
}

export interface MessageParams {
  Params: { channelId: string; messageId: string };
}

/** The channel, if the bot has all of `needed` there. @throws DiscordError 10003, 50001, 50013 */
export function botChannel(world: World, channelId: string, needed = 0n): WorldChannel {
  const channel = world.channel(channelId);
  requirePermissions(world, IDS.application, channel, needed);
  return channel;
}

/** @throws DiscordError 10004 (unknown guild) */
export function requireGuild(world: World, guildId: string): Guild {
  const found = world.findGuild(guildId);
  const isOut = guildId === world.guild.id && world.membership === 'removed';
  if (!found?.members.has(IDS.application) || isOut) throw new DiscordError('unknownGuild');
  return found;
}
