import { isDeepStrictEqual } from 'node:util';
import type { Client } from 'discord.js';
import {
  type APIApplicationCommand,
  ApplicationCommandType,
  ApplicationIntegrationType,
  InteractionContextType,
  type RESTPutAPIApplicationCommandsJSONBody,
  Routes,
} from 'discord-api-types/v10';
import type { Clock } from '../shared/clock.ts';
import type { Log } from '../shared/log.ts';
import { HOUR_MS } from '../shared/time.ts';
import { reasonOf, retryUnlessRefused } from './connection-problems.ts';

/** Discord omits the localizations without this parameter. */
const WITH_LOCALIZATIONS = new URLSearchParams({ with_localizations: 'true' });

/** Discord limits creations per day, so an hour more or less makes no difference. */
const BACK_OFF = { firstMs: 10_000, factor: 2, longestMs: HOUR_MS };

/**
 * Registers the commands, with retries for however long Discord takes.
 * @param onProblem called with a sentence on why they are not registered yet, and with null once they are
 */
export async function keepRegistering(
  client: Client<true>,
  wanted: RESTPutAPIApplicationCommandsJSONBody,
  options: RegistrationOptions & { clock: Clock; onProblem: (problem: string | null) => void },
): Promise<void> {
  const { clock, signal, onProblem } = options;
  const onFailure = (error: unknown) => onProblem(`Registering the slash commands failed: ${reasonOf(error)}.`);
  await retryUnlessRefused(() => registerCommands(client, wanted, options), { ...BACK_OFF, clock, signal, onFailure });
  onProblem(null);
}

interface RegistrationOptions {
  log: Log;
  signal: AbortSignal;
  /** Called with all registered commands, whenever Discord lists them. */
  onListed: (commands: readonly APIApplicationCommand[]) => void;
}

/**
 * Registers the commands. Discord counts creations, so nothing is sent where nothing differs.
 * @see https://discord.com/developers/docs/interactions/application-commands#registering-a-command
 */
async function registerCommands(
  client: Client<true>,
  wanted: RESTPutAPIApplicationCommandsJSONBody,
  { log, signal, onListed }: RegistrationOptions,
): Promise<void> {
  const route = Routes.applicationCommands(client.application.id);
  // discord.js leaves its listener on the signal it is given, and the bot's signal outlives every attempt.
  const attempt = { signal: AbortSignal.any([signal]) };
  const listed = await client.rest.get(route, { query: WITH_LOCALIZATIONS, ...attempt });
  const registered = listed as APIApplicationCommand[];
  onListed(registered);
  if (areRegistered(wanted, registered)) return;
  onListed((await client.rest.put(route, { body: wanted, ...attempt })) as APIApplicationCommand[]);
  log.info({ commands: wanted.length }, 'slash commands registered');
}

/** Whether Discord holds exactly these commands; fields that Discord adds by itself are ignored. */
export function areRegistered(
  wanted: RESTPutAPIApplicationCommandsJSONBody,
  registered: readonly APIApplicationCommand[],
): boolean {
  return wanted.length === registered.length && isDeepStrictEqual(definitionsOf(wanted), definitionsOf(registered));
}

type Properties = Readonly<Record<string, unknown>>;

/** The definition of each command by type and name, which together are unique. */
function definitionsOf(commands: readonly object[]): Map<string, Properties> {
  return new Map(
    commands.map((command) => {
      const definition = definitionOf(command as Properties);
      return [JSON.stringify([definition['type'], definition['name']]), definition];
    }),
  );
}

/**
 * The fields that a command's author sets, with Discord's defaults filled in; ids, versions and other fields that
 * Discord adds are left out. Equal definitions need no registration.
 * @see https://discord.com/developers/docs/interactions/application-commands#application-command-object
 */
function definitionOf(command: Properties): Properties {
  return {
    ...namesOf(command),
    type: command['type'] ?? ApplicationCommandType.ChatInput,
    nsfw: command['nsfw'] ?? false,
    default_member_permissions: command['default_member_permissions'] ?? null,
    integration_types: sorted(command['integration_types'] ?? [ApplicationIntegrationType.GuildInstall]),
    contexts: sorted(command['contexts'] ?? (command['dm_permission'] === false ? ONLY_SERVERS : EVERYWHERE)),
    options: listOf(command['options']).map(optionOf),
  };
}

const ONLY_SERVERS = [InteractionContextType.Guild];
const EVERYWHERE = [...ONLY_SERVERS, InteractionContextType.BotDM, InteractionContextType.PrivateChannel];

/** @see https://discord.com/developers/docs/interactions/application-commands#application-command-object-application-command-option-structure */
function optionOf(option: Properties): Properties {
  return {
    ...namesOf(option),
    type: option['type'],
    required: option['required'] ?? false,
    autocomplete: option['autocomplete'] ?? false,
    min_value: option['min_value'] ?? null,
    max_value: option['max_value'] ?? null,
    min_length: option['min_length'] ?? null,
    max_length: option['max_length'] ?? null,
    channel_types: sorted(option['channel_types']),
    choices: listOf(option['choices']).map((choice) => ({ ...namesOf(choice), value: choice['value'] })),
    options: listOf(option['options']).map(optionOf),
  };
}

function namesOf(named: Properties): Properties {
  return {
    name: named['name'],
    name_localizations: localizationsOf(named['name_localizations']),
    description: named['description'] ?? '',
    description_localizations: localizationsOf(named['description_localizations']),
  };
}

/** By language. Discord uses null for "none", for one language or for all. */
function localizationsOf(texts: unknown): Properties {
  return Object.fromEntries(Object.entries(Object(texts)).filter(([, text]) => text !== null && text !== undefined));
}

const listOf = (list: unknown): readonly Properties[] => (Array.isArray(list) ? list : []);
/** Sorted for comparison, because Discord treats them as sets. */
const sorted = (values: unknown): unknown[] =>
  Array.isArray(values) ? values.toSorted((a, b) => Number(a) - Number(b)) : [];
