import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type CacheFactory,
  Client,
  DefaultRestOptions,
  DefaultUserAgent,
  DiscordAPIError,
  DiscordjsErrorCodes,
  Events,
  GatewayCloseCodes,
  GatewayIntentBits,
  type Guild,
  LimitedCollection,
  Options,
  Routes,
  SimpleShardingStrategy,
  type WebSocketOptions,
  WebSocketShardStatus,
} from 'discord.js';
import { backOffMs } from '../shared/backoff.ts';
import type { Clock } from '../shared/clock.ts';
import { DiscordRefusedError } from '../shared/errors.ts';
import type { Log } from '../shared/log.ts';
import { type Ask, askServer } from '../shared/reachability.ts';
import { MINUTE_MS } from '../shared/time.ts';
import { reasonOf, retryUnlessRefused } from './connection-problems.ts';
import { createRestOptions, type MayLeave } from './rest.ts';

/** The client of a bot that has logged in. */
export type BotClient = Client<true>;
/** A server that the bot is in. */
export type BotServer = Guild;

export interface Connection {
  token: string;
  /** Base address of the REST API; null for Discord's own. */
  api: string | null;
  /** How many requests Discord allows the bot in any second. */
  requestsPerSecond: number;
  clock: Clock;
  log: Log;
  /** Cancels login attempts and closes every connection. */
  signal: AbortSignal;
  /** As for `createRestOptions`. Absent where no other process could send. */
  mayLeave?: MayLeave;
  /** How long Discord may take for an answer: milliseconds, by default as for `createRestOptions`. */
  answeredWithinMs?: number;
  /** Why Discord can't be reached, in a sentence; null once it can. */
  onProblem: (problem: string | null) => void;
  /** Called after login, when Discord closes the connection and allows no reconnection. */
  onRefused: (error: DiscordRefusedError) => void;
}

/**
 * Problem and remedy for the close codes after which a client must not reconnect.
 * @see https://discord.com/developers/docs/topics/opcodes-and-status-codes#gateway-gateway-close-event-codes
 */
const CLOSED_FOR_GOOD = new Map<number, string>([
  [
    GatewayCloseCodes.AuthenticationFailed,
    'DISCORD_TOKEN is no longer valid. Copy the token again from the developer portal, then restart.',
  ],
  [GatewayCloseCodes.InvalidShard, 'the shard is invalid. Restart the bot.'],
  [
    GatewayCloseCodes.ShardingRequired,
    'the bot is in too many servers for its number of connections. Restart the bot.',
  ],
  [GatewayCloseCodes.InvalidAPIVersion, 'this API version is no longer supported. Update Dealbell.'],
  [GatewayCloseCodes.InvalidIntents, 'an intent is invalid. Update Dealbell.'],
  [
    GatewayCloseCodes.DisallowedIntents,
    'the bot’s intents aren’t allowed. Enable them in the developer portal, then restart.',
  ],
]);

/** A bot that was refused temporarily retries within minutes; login itself uses none of the day's sessions. */
const LOGIN_BACK_OFF = { firstMs: 1_000, factor: 2, longestMs: 300_000 };

/**
 * Logs in and resolves when the gateway is ready, with retries for however long Discord takes.
 * @throws DiscordRefusedError where Discord rejects the token or the connection; the signal's reason
 */
export function connect(connection: Connection): Promise<BotClient> {
  const { api, clock, signal, onProblem } = connection;
  const where = api === null ? 'Discord' : `Discord at ${api}`;
  const onFailure = (error: unknown) => onProblem(`Logging in to ${where} failed: ${reasonOf(error)}.`);
  return retryUnlessRefused(() => connectOnce(connection), { ...LOGIN_BACK_OFF, clock, signal, onFailure });
}

/** Uses a new client, because one that has failed can't be reused. */
async function connectOnce({
  token,
  api,
  requestsPerSecond,
  clock,
  log,
  signal,
  mayLeave = async () => undefined,
  answeredWithinMs,
  onProblem,
  onRefused,
}: Connection): Promise<BotClient> {
  const failed = new AbortController();
  // The bot's signal outlives every attempt: a listener on it would stay after an attempt that failed.
  const attempt = AbortSignal.any([signal, failed.signal]);
  const client = new Client({
    intents: [GatewayIntentBits.Guilds],
    // As many gateway connections as Discord asks for: a single one is refused from 2,500 servers on.
    shards: 'auto',
    rest: {
      ...createRestOptions({
        requestsPerSecond,
        mayLeave,
        onUnauthorized: () => void checkToken(),
        ...(answeredWithinMs !== undefined && { answeredWithinMs }),
      }),
      ...(api !== null && { api }),
    },
    // Cards use Discord's field names already, so no conversion is needed.
    jsonTransformer: (card) => card,
    makeCache: keptCaches(),
    ws: {
      buildStrategy: spaceLogins(clock, attempt, () => onProblem(GATEWAY_AWAY)),
    },
  });
  client.on(Events.Error, (error) => log.error({ err: error }, 'gateway error'));
  client.on(Events.ShardError, (error) => log.debug({ reason: reasonOf(error) }, 'gateway connection failed'));
  client.on(Events.Warn, (message) => log.warn({ message }, 'gateway warning'));
  client.on(Events.ShardReconnecting, () => log.debug('gateway reconnecting'));
  client.on(Events.ShardReady, () => onProblem(null));
  client.on(Events.ShardResume, () => {
    onProblem(null);
    log.info('gateway resumed');
  });
  let isChecking = false;
  /**
   * Verifies the token: a single 401 proves nothing, but discord.js then forgets the token and sends no more requests.
   */
  async function checkToken(): Promise<void> {
    if (isChecking || !client.isReady()) return;
    isChecking = true;
    try {
      // discord.js forgets the token after it has read the response.
      await nextTurn();
      client.rest.setToken(token);
      await client.rest.get(Routes.user(), { signal: AbortSignal.any([signal]) });
      log.warn('Discord answered 401 once although the token is valid');
    } catch (error) {
      if (error instanceof DiscordAPIError && error.status === 401) onRefused(new DiscordRefusedError(TOKEN_REFUSED));
    } finally {
      client.rest.setToken(token);
      isChecking = false;
    }
  }

  try {
    const ready = await new Promise<BotClient>((resolve, reject) => {
      attempt.addEventListener('abort', () => reject(attempt.reason as Error), { once: true });
      client.once(Events.ClientReady, resolve);
      client.on(Events.ShardDisconnect, ({ code }) => {
        const error = new DiscordRefusedError(closedForGood(code));
        log.error({ code }, error.message);
        reject(error);
        if (client.isReady()) onRefused(error);
      });
      client.login(token).catch(reject);
    });
    return ready;
  } catch (error) {
    failed.abort();
    void client.destroy();
    if (error instanceof Error && 'code' in error && error.code === DiscordjsErrorCodes.TokenInvalid) {
      throw new DiscordRefusedError(TOKEN_REFUSED);
    }
    throw error;
  }
}

const TOKEN_REFUSED = 'Discord rejected DISCORD_TOKEN. Copy the token again from the developer portal.';
const GATEWAY_AWAY = "Discord's gateway takes no connection that lasts.";

/** Managers that cache nothing. */
const UNKEPT = new Set([
  'MessageManager',
  // One manager per channel. Threads are in the server's channel cache as well.
  'ThreadManager',
  'ReactionManager',
  'ThreadMemberManager',
  'PresenceManager',
  'VoiceStateManager',
  'GuildEmojiManager',
  'GuildStickerManager',
  'GuildInviteManager',
  'GuildBanManager',
  'GuildScheduledEventManager',
  'GuildSoundboardSoundManager',
  'AutoModerationRuleManager',
  'StageInstanceManager',
]);

/** Caches only the data that decisions need: servers, channels, roles, and the bot itself as a member. */
function keptCaches(): CacheFactory {
  const kept = Options.cacheWithLimits({
    GuildMemberManager: { maxSize: 50, keepOverLimit: (member) => member.id === member.client.user.id },
    UserManager: { maxSize: 50, keepOverLimit: (user) => user.id === user.client.user.id },
  });
  // One shared empty collection suffices: with one per channel, a thousand servers would have tens of thousands.
  const nothing = new LimitedCollection<never, never>({ maxSize: 0 });
  return (managerType, holds, manager) => (UNKEPT.has(managerType.name) ? nothing : kept(managerType, holds, manager));
}

/** One sentence for the operator about a connection that will not be reopened. */
function closedForGood(code: number): string {
  const reason = CLOSED_FOR_GOOD.get(code) ?? `close code ${code}. Restart the bot.`;
  return `Discord closed the connection for good: ${reason}`;
}

type BuildStrategy = NonNullable<WebSocketOptions['buildStrategy']>;

/** A session that lasts at least this long is not a failure: Discord ends sessions now and then. */
const LASTING_MS = MINUTE_MS;
/** Even if every login fails, this allows fewer than the 1,000 sessions that a bot may begin a day. */
const BACK_OFF = { firstMs: 1_000, factor: 2, longestMs: 120_000 };

/** The wait before the next login after `failures` short-lived sessions in a row: milliseconds. The first retry is immediate. */
function loginDelayMs(failures: number): number {
  return failures < 2 ? 0 : backOffMs(failures - 1, BACK_OFF);
}

/**
 * Goes on listening to connections that are destroyed before they are open. discord.js does not, and their failure would end
 * the process.
 */
class ShardingStrategy extends SimpleShardingStrategy {
  override destroy(...options: Parameters<SimpleShardingStrategy['destroy']>): Promise<void> {
    for (const shard of this['shards'].values()) shard['connection']?.addEventListener('error', () => undefined);
    return super.destroy(...options);
  }
}

/**
 * Spaces a client's logins at the gateway: discord.js connects again half a second after each failure, for ever, even for a
 * client that was destroyed in that half second. A session that is resumed counts towards no limit, so it never waits.
 * @param signal aborted with the client: no connection begins after that
 * @param onWait called before each wait
 */
function spaceLogins(clock: Clock, signal: AbortSignal, onWait: () => void): BuildStrategy {
  return (manager) => {
    const strategy = new ShardingStrategy(manager);
    const retrieveSessionInfo = manager.options.retrieveSessionInfo.bind(manager.options);
    /** By shard; `atMs` is when the login began, by the monotonic clock. */
    const latest = new Map<number, { failures: number; atMs: number }>();

    async function untilMayLogIn(shardId: number): Promise<void> {
      const last = latest.get(shardId);
      const lastedMs = last ? clock.monotonicMs() - last.atMs : Number.POSITIVE_INFINITY;
      const failures = last && lastedMs < LASTING_MS ? last.failures + 1 : 0;
      const delayMs = loginDelayMs(failures);
      if (delayMs > 0) {
        onWait();
        await clock.sleep(delayMs, signal);
      }
      latest.set(shardId, { failures, atMs: clock.monotonicMs() });
    }

    // A shard requests its session before it connects, and also with each event: it is idle only before it connects.
    manager.options.retrieveSessionInfo = async (shardId) => {
      const status = (await strategy.fetchStatus()).get(shardId);
      if (status === undefined || signal.aborted) return NEVER;
      const session = await retrieveSessionInfo(shardId);
      if (session || status !== WebSocketShardStatus.Idle) return session;
      await untilMayLogIn(shardId).catch(() => NEVER);
      return null;
    };
    return strategy;
  };
}

const NEVER = new Promise<never>(() => undefined);

/**
 * Asks Discord's REST API and its gateway for a sign of life. It needs no token, so it costs none of the bot's requests.
 * @param api base address of the REST API; null for Discord's own
 * @see https://discord.com/developers/docs/events/gateway#get-gateway
 */
export function askDiscord(api: string | null): Ask {
  const { api: usual, version } = DefaultRestOptions;
  const headers = { 'user-agent': DefaultUserAgent };
  return async (signal) => {
    const body = await askServer(`${api ?? usual}/v${version}/gateway`, { headers, signal });
    const { url } = JSON.parse(body) as { url?: string };
    // A request that asks for no WebSocket is refused, which says as much.
    if (url !== undefined) await askServer(url.replace(/^ws/, 'http'), { headers, signal });
  };
}
