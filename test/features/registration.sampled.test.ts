import { getEventListeners } from 'node:events';
import { ApplicationCommandCreateRequestSchema } from 'discord-api-spec/zod';
import type { APIApplicationCommand } from 'discord-api-types/v10';
import { expect, test } from 'vitest';
import { commandsWith } from '../../commands/index.ts';
import { loginClient, startDiscord } from '../../packages/local-discord/test/helpers.ts';
import { areRegistered, keepRegistering } from '../../src/discord/registration.ts';
import { FEATURES } from '../../src/features/index.ts';
import { createLog } from '../../src/shared/log.ts';
import { sampled } from '../helpers/sampled.ts';

const wanted = commandsWith(FEATURES).map(({ data }) => data);
type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** Discord returns them like this: with ids and versions, with nulls and defaults for omitted fields, without false ones. */
function registered(): APIApplicationCommand[] {
  const commands = wanted.map((command, index) => ({
    id: String(index),
    application_id: '1',
    version: '1',
    guild_id: null,
    type: 1,
    nsfw: false,
    dm_permission: true,
    default_permission: true,
    default_member_permissions: null,
    description_localized: 'x',
    ...structuredClone(command),
    ...('description' in command ? {} : { description: '', description_localizations: null }),
  }));
  return commands as unknown as APIApplicationCommand[];
}

/** The paths of all values that are neither lists nor objects, and the paths of all values. */
function pathsIn(value: Json, at: readonly string[] = []): { leaves: string[][]; all: string[][] } {
  const here = at.length > 0 ? [[...at]] : [];
  if (typeof value !== 'object' || value === null) return { leaves: here, all: here };
  const inside = Object.entries(value).map(([name, child]) => pathsIn(child, [...at, name]));
  return { leaves: inside.flatMap(({ leaves }) => leaves), all: [...here, ...inside.flatMap(({ all }) => all)] };
}

/** A copy in which `change` was made to what holds the value at the path. */
function changed(
  value: Json,
  path: readonly string[],
  change: (holder: Json[] | Record<string, Json>, name: string) => void,
) {
  const copy = structuredClone(value);
  const holder = path.slice(0, -1).reduce<Json>((inner, name) => (inner as Record<string, Json>)[name] as Json, copy);
  change(holder as Record<string, Json>, path.at(-1) ?? '');
  return copy as unknown as typeof wanted;
}

function removeAt(holder: Json[] | Record<string, Json>, name: string): void {
  if (Array.isArray(holder)) holder.splice(Number(name), 1);
  else delete holder[name];
}

function alter(holder: Json[] | Record<string, Json>, name: string): void {
  const values = holder as Record<string, Json>;
  const value = values[name];
  if (typeof value === 'boolean') values[name] = !value;
  else if (typeof value === 'number') values[name] = value + 1;
  else values[name] = `${JSON.stringify(value)}1`;
}

/** The defaults that Discord assumes for omitted fields. */
function isDefault(path: readonly string[], value: unknown): boolean {
  const name = path.at(-1) ?? '';
  if (name === 'required' || name === 'autocomplete' || name === 'nsfw') return value === false;
  if (name === 'integration_types') return JSON.stringify(value) === '[0]';
  if (name === 'contexts') return JSON.stringify(value) === '[0,1,2]';
  return path.length === 2 && name === 'type' && value === 1;
}

const at = (value: Json, path: readonly string[]) =>
  path.reduce<unknown>((inner, name) => (inner as Record<string, unknown>)[name], value);

test.each(wanted)('Discord takes /$name', (data) => {
  // The schema wants a number where Discord's documentation, its answers and discord.js have a string of digits.
  const { default_member_permissions: permissions, ...rest } = data;
  const form = permissions == null ? rest : { ...rest, default_member_permissions: Number(permissions) };
  expect(ApplicationCommandCreateRequestSchema.safeParse(form).error?.issues ?? []).toEqual([]);
});

test('commands that are there already are not sent again', () => {
  expect(areRegistered(wanted, registered())).toBe(true);
  expect(areRegistered(wanted, registered().toReversed())).toBe(true);
});

test('each says in which places and installations it works: Discord has no default that holds for every application', () => {
  for (const { name, contexts, integration_types: installations } of wanted) {
    expect(contexts?.length, name).toBeGreaterThan(0);
    expect(installations?.length, name).toBeGreaterThan(0);
  }
});

test.each(wanted.map(({ name }, index) => [name, index] as const))(
  'they are sent when anything of /%s has changed, has come or has gone',
  (_, index) => {
    const command = [wanted[index]] as unknown as Json;
    const held = registered().slice(index, index + 1);
    const { leaves, all } = pathsIn(command);
    expect(leaves.length).toBeGreaterThan(5);
    for (const path of sampled(leaves, 60)) {
      expect(areRegistered(changed(command, path, alter), held), `altered: ${path.join('.')}`).toBe(false);
    }
    for (const path of sampled(all, 60)) {
      const isSame = isDefault(path, at(command, path));
      const fewer = changed(command, path, removeAt);
      expect(areRegistered(fewer, held), `gone: ${path.join('.')}`).toBe(isSame);
      // The other way round: what is wanted now was not when they were registered.
      const before = changed(held as unknown as Json, path, removeAt) as unknown as APIApplicationCommand[];
      expect(areRegistered(command as unknown as typeof wanted, before), `come: ${path.join('.')}`).toBe(isSame);
    }
  },
);

test.each([
  ['required', true],
  ['autocomplete', true],
  ['min_value', 0],
  ['max_value', 0],
  ['min_length', 0],
  ['max_length', 6000],
  ['channel_types', [0]],
  ['choices', [{ name: 'x', value: 'x' }]],
  ['options', [{ type: 3, name: 'x', description: 'x' }]],
  ['name_localizations', { de: 'x' }],
  ['description_localizations', { de: 'x' }],
])('they are sent when %s of an option is wanted no more', (property, value) => {
  const plain = {
    name: 'x',
    description: 'x',
    contexts: [0],
    options: [{ type: 3 as const, name: 'x', description: 'x' }],
  };
  const before = structuredClone(plain);
  Object.assign(before.options[0] ?? {}, { [property]: value });
  const answer = (command: object) => [{ id: '1', version: '1', ...command }] as unknown as APIApplicationCommand[];
  expect(areRegistered([plain], answer(plain))).toBe(true);
  expect(areRegistered([plain], answer(before))).toBe(false);
});

test.each([
  ['nsfw', true],
  ['default_member_permissions', '0'],
  ['contexts', [1]],
  ['integration_types', [0, 1]],
  ['dm_permission', false],
])('they are sent when %s of a command is wanted no more', (property, value) => {
  const plain = { name: 'x', description: 'x' };
  const answer = (command: object) => [{ id: '1', version: '1', ...command }] as unknown as APIApplicationCommand[];
  expect(areRegistered([plain], answer({ ...plain, contexts: null, dm_permission: true }))).toBe(true);
  expect(areRegistered([plain], answer({ ...plain, [property]: value }))).toBe(false);
});

test('what Discord fills in for what is left out, leaves out or orders anew is no change', () => {
  const command = { name: 'x', description: 'x', contexts: [1, 0], options: [] };
  const answers = [
    { contexts: [0, 1], options: undefined, dm_permission: true },
    { contexts: [0, 1], name_localizations: {}, description_localizations: { de: null }, nsfw: false },
    { contexts: [0, 1], default_member_permissions: null, integration_types: [0], new_property: 'x' },
  ];
  for (const answer of answers) {
    const held = { id: '1', version: '1', type: 1, ...command, ...answer } as unknown as APIApplicationCommand;
    expect(areRegistered([command], [held])).toBe(true);
  }
});

test('a second start registers nothing anew, and one with another description does', async () => {
  const { discord, clock } = await startDiscord();
  const client = await loginClient(discord);
  const puts: string[] = [];
  discord.faults.use(({ method, path }) => {
    if (method === 'PUT') puts.push(path);
    return undefined;
  });
  const log = createLog('silent');
  const listed: string[][] = [];
  const onListed = (commands: readonly APIApplicationCommand[]) => listed.push(commands.map(({ id }) => id));
  const problems: unknown[] = [];
  const onProblem = (problem: string | null) => problems.push(problem);
  const options = { log, clock, signal: new AbortController().signal, onListed, onProblem };
  await keepRegistering(client, wanted, options);
  expect(puts).toHaveLength(1);
  const ids = listed.at(-1);
  expect(listed).toEqual([[], expect.arrayContaining([expect.stringMatching(/^\d+$/)])]);
  expect(new Set(ids).size).toBe(wanted.length);
  await keepRegistering(client, wanted, options);
  expect(puts).toHaveLength(1);
  expect(listed.slice(2)).toEqual([ids]);
  const [first, ...others] = structuredClone(wanted);
  await keepRegistering(client, [{ ...first, description: 'Another' } as (typeof wanted)[number], ...others], options);
  expect(puts).toHaveLength(2);
  expect(problems).toEqual([null, null, null]);
  expect(getEventListeners(options.signal, 'abort'), 'nothing stays on the signal that ends the bot').toEqual([]);
});

test.each<[string, (commands: APIApplicationCommand[]) => void]>([
  ['one is missing', (commands) => commands.pop()],
  ['one is too many', (commands) => commands.push(structuredClone(commands[0]) as APIApplicationCommand)],
  ['a description differs', ([first]) => first && Object.assign(first, { description: 'x' })],
  ['a translation differs', ([first]) => first && Object.assign(first.description_localizations ?? {}, { de: 'x' })],
  [
    'a translation is too many',
    ([first]) => first && Object.assign(first.description_localizations ?? {}, { pl: 'x' }),
  ],
  ['an option is missing', ([first]) => first?.options?.pop()],
  [
    'a command has options that it should not have',
    (commands) => Object.assign(commands.find(({ name }) => name === 'dealcasts') ?? {}, { options: [{ name: 'x' }] }),
  ],
  [
    'a permission differs',
    (commands) =>
      Object.assign(commands.find(({ name }) => name === 'subscription') ?? {}, { default_member_permissions: '8' }),
  ],
])('they are sent when %s', (_, change) => {
  const commands = registered();
  change(commands);
  expect(areRegistered(wanted, commands)).toBe(false);
});
