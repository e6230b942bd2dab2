import type { Client } from 'discord.js';
import { type APIApplicationCommand, type RESTPutAPIApplicationCommandsJSONBody, Routes } from 'discord-api-types/v10';
import type { Log } from '../log.ts';

/** Without it, Discord leaves the localizations out. */
const WITH_LOCALIZATIONS = new URLSearchParams({ with_localizations: 'true' });

/**
 * Makes the registered commands the wanted ones. Discord counts creations, so nothing is sent where nothing differs.
 * @see https://discord.com/developers/docs/interactions/application-commands#registering-a-command
 */
export async function registerCommands(
  client: Client<true>,
  wanted: RESTPutAPIApplicationCommandsJSONBody,
  log: Log,
): Promise<void> {
  const route = Routes.applicationCommands(client.application.id);
  const registered = (await client.rest.get(route, { query: WITH_LOCALIZATIONS })) as APIApplicationCommand[];
  if (areRegistered(wanted, registered)) return;
  await client.rest.put(route, { body: wanted });
  log.info({ commands: wanted.length }, 'slash commands registered');
}

/** Whether Discord holds exactly these commands, whatever it adds to them by itself. */
export function areRegistered(
  wanted: RESTPutAPIApplicationCommandsJSONBody,
  registered: readonly APIApplicationCommand[],
): boolean {
  const byName = new Map(registered.map((command) => [command.name, command]));
  return wanted.length === registered.length && wanted.every((command) => agrees(command, byName.get(command.name)));
}

/** Whether everything that `wanted` says holds in `registered`. Lists are of equal length; false, null and absent are one. */
function agrees(wanted: unknown, registered: unknown): boolean {
  if (Array.isArray(wanted)) {
    const others = Array.isArray(registered) ? registered : [];
    return wanted.length === others.length && wanted.every((value, index) => agrees(value, others[index]));
  }
  if (typeof wanted === 'object' && wanted !== null) {
    const others: Readonly<Record<string, unknown>> = Object(registered);
    const given: Readonly<Record<string, unknown>> = { ...wanted };
    const extra = Object.entries(others).some(([name, value]) => OURS.has(name) && sizeOf(value) > sizeOf(given[name]));
    return !extra && Object.entries(wanted).every(([name, value]) => agrees(value, others[name]));
  }
  return wanted === registered || (!wanted && !registered);
}

/** What Discord never fills in by itself: if it holds more of one than is wanted, the command has changed. */
const OURS = new Set(['options', 'choices', 'channel_types', 'name_localizations', 'description_localizations']);
const sizeOf = (value: unknown) => Object.keys(Object(value)).length;
