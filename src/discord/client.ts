import { type CacheFactory, Client, Events, GatewayIntentBits, LimitedCollection, Options, Status } from 'discord.js';
import { UserError } from '../errors.ts';
import type { Log } from '../log.ts';
import { closedForGood } from './close-codes.ts';
import { createRestOptions } from './rest-options.ts';

/**
 * Logs in and resolves when the gateway is ready.
 * @param api base address of the REST API; null for Discord's own
 * @param mayLeave asked before each request leaves: none does where it rejects
 * @throws UserError where Discord does not take the token, or can't be reached
 */
export async function connect(
  token: string,
  api: string | null,
  log: Log,
  mayLeave: () => Promise<void> = async () => undefined,
): Promise<Client<true>> {
  const client = new Client({
    intents: [GatewayIntentBits.Guilds],
    rest: { ...createRestOptions(mayLeave), ...(api !== null && { api }) },
    // Cards are spelled as Discord spells them: nothing needs to go through their names again.
    jsonTransformer: (card) => card,
    makeCache: keptCaches(),
  });
  client.on(Events.Error, (error) => log.error({ err: error }, 'gateway error'));
  client.on(Events.Warn, (message) => log.warn({ message }, 'gateway warning'));
  client.on(Events.ShardDisconnect, ({ code }) => log.error({ code }, closedForGood(code)));
  client.on(Events.ShardReconnecting, () => log.debug('gateway reconnecting'));
  client.on(Events.ShardResume, () => log.info('gateway resumed'));
  const ready = new Promise<Client<true>>((resolve) => {
    client.once(Events.ClientReady, resolve);
  });
  try {
    await client.login(token);
  } catch (cause) {
    await client.destroy();
    if (cause instanceof Error && 'code' in cause && cause.code === 'TokenInvalid') {
      throw new UserError('Discord does not take DISCORD_TOKEN. Copy the token anew from the developer portal.');
    }
    throw new UserError(`Discord could not be logged in to${api === null ? '' : ` at ${api}`}.`, { cause });
  }
  return ready;
}

/** Of which nothing is kept. */
const UNKEPT = new Set([
  'MessageManager',
  'ReactionManager',
  'ThreadMemberManager',
  'PresenceManager',
  'VoiceStateManager',
  'GuildEmojiManager',
  'GuildStickerManager',
  'GuildInviteManager',
]);

/** Only what decisions are made from is kept: servers, channels, roles, and the bot itself as a member. */
function keptCaches(): CacheFactory {
  const kept = Options.cacheWithLimits({
    GuildMemberManager: { maxSize: 50, keepOverLimit: (member) => member.id === member.client.user.id },
    UserManager: { maxSize: 50, keepOverLimit: (user) => user.id === user.client.user.id },
  });
  // It takes nothing in, so one is enough: with one for each channel, a thousand servers would have tens of thousands.
  const nothing = new LimitedCollection<never, never>({ maxSize: 0 });
  return (managerType, holds, manager) => (UNKEPT.has(managerType.name) ? nothing : kept(managerType, holds, manager));
}

/** Whether the gateway connection stands. */
export function isConnected(client: Client): boolean {
  return client.isReady() && client.ws.shards.every((shard) => shard.status === Status.Ready);
}
