import { GatewayCloseCodes } from 'discord-api-types/v10';

/**
 * Problem and remedy for the close codes after which a client must not reconnect.
 * @see https://discord.com/developers/docs/topics/opcodes-and-status-codes#gateway-gateway-close-event-codes
 */
const FATAL = new Map<number, string>([
  [
    GatewayCloseCodes.AuthenticationFailed,
    'it does not take DISCORD_TOKEN any more. Copy the token anew from the developer portal and start again.',
  ],
  [GatewayCloseCodes.InvalidShard, 'it does not know this part of the bot’s servers. Start again.'],
  [
    GatewayCloseCodes.ShardingRequired,
    'the bot is in too many servers for one connection. Run further bots with tokens of their own.',
  ],
  [GatewayCloseCodes.InvalidAPIVersion, 'this version of its interface is no more. Update Dealbell.'],
  [GatewayCloseCodes.InvalidIntents, 'it does not know what the bot listens to. Update Dealbell.'],
  [
    GatewayCloseCodes.DisallowedIntents,
    'the bot may not listen to what it asks for. Allow its intents in the developer portal and start again.',
  ],
]);

/** One sentence for the operator about a connection that will not be reopened. */
export function closedForGood(code: number): string {
  const reason = FATAL.get(code) ?? `the code is ${code}. Start again.`;
  return `Discord has closed the connection for good: ${reason}`;
}
