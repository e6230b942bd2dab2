import type { APIApplicationCommand } from 'discord-api-types/v10';
import type { FastifyInstance } from 'fastify';
import { DiscordError } from '../discord-error.ts';
import { COMMAND } from '../numbers.ts';
import { IDS } from '../seed.ts';
import { mostOf, validateCommand, validateCommandList } from '../validate/command.ts';
import { Field, isRecord } from '../validate/form.ts';
import { bodyOf } from './body.ts';
import { type RestContext, requireGuild } from './context.ts';

interface Params {
  Params: { applicationId: string; guildId?: string; commandId?: string };
}

interface Listing {
  Querystring: { with_localizations?: string };
}

const PATHS = [
  '/applications/:applicationId/commands',
  '/applications/:applicationId/guilds/:guildId/commands',
] as const;

/** https://discord.com/developers/docs/interactions/application-commands#endpoints */
export function applicationCommandRoutes(app: FastifyInstance, { world, snowflakes, rateLimits }: RestContext): void {
  /** @returns the guild the commands belong to; undefined for global ones */
  function scope({ applicationId, guildId }: Params['Params']): string | undefined {
    if (applicationId !== IDS.application) throw new DiscordError('unknownApplication');
    if (guildId !== undefined) requireGuild(world, guildId);
    return guildId;
  }

  function find(params: Params['Params']): APIApplicationCommand {
    const command = world.commands(scope(params)).find(({ id }) => id === params.commandId);
    if (!command) throw new DiscordError('unknownCommand');
    return command;
  }

  /** Stores the definition under its name. Only a new name counts as a creation. */
  function put(definition: unknown, guildId: string | undefined): { command: APIApplicationCommand; created: boolean } {
    const given = isRecord(definition) ? definition : {};
    const existing = world.commands(guildId).find((command) => isSame(command, given));
    if (!existing) {
      const taken = rateLimits.take('createCommand', guildId ?? 'global');
      if (!taken.allowed) throw new DiscordError('tooManyCommandCreations', { retryAfterMs: taken.resetAfterMs });
    }
    const fresh = {
      id: existing?.id ?? snowflakes.next(),
      application_id: IDS.application,
      version: snowflakes.next(),
      ...(guildId !== undefined && { guild_id: guildId }),
    };
    const command = { ...withDefaults(given, guildId), ...fresh } as APIApplicationCommand;
    world.setCommand(command);
    return { command, created: !existing };
  }

  for (const path of PATHS) {
    app.get<Params & Listing>(path, async ({ params, query }) => {
      const commands = world.commands(scope(params));
      return query.with_localizations === 'true' ? commands : commands.map(withoutLocalizations);
    });

    app.post<Params>(path, async (request, reply) => {
      const guildId = scope(request.params);
      const form = new Field(bodyOf(request).json);
      validateCommand(form);
      form.done();
      const others = world.commands(guildId).filter((command) => !isSame(command, form.value));
      if (isFull(others, form.at('type').value)) throw new DiscordError('tooManyCommands');
      const { command, created } = put(form.value, guildId);
      return reply.code(created ? 201 : 200).send(command);
    });

    app.put<Params>(path, async (request) => {
      const guildId = scope(request.params);
      const form = new Field(bodyOf(request).json);
      const definitions = validateCommandList(form);
      form.done();
      for (const command of world.commands(guildId)) {
        if (!definitions.some(({ value }) => isSame(command, value))) world.deleteCommand(command);
      }
      return definitions.map((definition) => put(definition.value, guildId).command);
    });

    app.get<Params>(`${path}/:commandId`, async (request) => find(request.params));

    app.patch<Params>(`${path}/:commandId`, async (request) => {
      const command = find(request.params);
      const form = new Field(bodyOf(request).json);
      validateCommand(form, command.type);
      form.done();
      const edited = { ...command, ...pickDefinition(form.value), version: snowflakes.next() };
      world.setCommand(edited);
      return edited;
    });

    app.delete<Params>(`${path}/:commandId`, async (request, reply) => {
      world.deleteCommand(find(request.params));
      return reply.code(204).send();
    });
  }
}

/** Commands of different types may share a name. */
function isSame(command: APIApplicationCommand, definition: unknown): boolean {
  const { name, type = COMMAND.chatInput } = isRecord(definition) ? definition : {};
  return command.name === name && Number(command.type) === type;
}

/** Whether `others` leave no room for one more command of the type. */
function isFull(others: readonly APIApplicationCommand[], type: unknown): boolean {
  return others.filter((command) => Number(command.type) === (type ?? COMMAND.chatInput)).length >= mostOf(type);
}

/** Removes the localizations, which Discord lists only on request. */
function withoutLocalizations(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutLocalizations);
  if (!isRecord(value)) return value;
  const kept = Object.entries(value).filter(([key]) => !key.endsWith('_localizations'));
  return Object.fromEntries(kept.map(([key, child]) => [key, withoutLocalizations(child)]));
}

const DEFINITION = [
  'type',
  'name',
  'name_localizations',
  'description',
  'description_localizations',
  'options',
  'default_member_permissions',
  'dm_permission',
  'contexts',
  'integration_types',
  'nsfw',
] as const;

/** The fields of a request that define a command. */
function pickDefinition(given: unknown): Partial<APIApplicationCommand> {
  const from = isRecord(given) ? given : {};
  return Object.fromEntries(DEFINITION.filter((key) => from[key] !== undefined).map((key) => [key, from[key]]));
}

function withDefaults(given: Record<string, unknown>, guildId: string | undefined): Record<string, unknown> {
  const global = { dm_permission: true, contexts: null, integration_types: [0] };
  return {
    type: COMMAND.chatInput,
    name_localizations: null,
    description: '',
    description_localizations: null,
    default_member_permissions: null,
    nsfw: false,
    ...(guildId === undefined && global),
    ...pickDefinition(given),
  };
}
