import type { APIApplicationCommand } from 'discord-api-types/v10';
import { CONTEXT } from './numbers.ts';

/**
 * Whether a command may be used in the server, or in the direct messages with the bot:
 * https://discord.com/developers/docs/interactions/application-commands#interaction-contexts
 */
export function isUsableIn(command: APIApplicationCommand, place: 'guild' | 'direct'): boolean {
  const allows = (context: number) => command.contexts?.some((one) => Number(one) === context);
  if (place === 'guild') return allows(CONTEXT.guild) ?? true;
  if (command.guild_id !== undefined) return false;
  return allows(CONTEXT.botDirect) ?? command.dm_permission !== false;
}
