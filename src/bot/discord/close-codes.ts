import { GatewayCloseCodes } from 'discord-api-types/v10';

/**
 * Problem and remedy for the close codes after which a client must not reconnect.
 * @see https://discord.com/developers/docs/topics/opcodes-and-status-codes#gateway-gateway-close-event-codes
 */
const FATAL = new Map<number, string>([
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

/** One sentence for the operator about a connection that will not be reopened. */
export function closedForGood(code: number): string {
  const reason = FATAL.get(code) ?? `close code ${code}. Restart the bot.`;
  return `Discord closed the connection for good: ${reason}`;
}
