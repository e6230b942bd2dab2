import { ApplicationCommandCreateRequestSchema } from 'discord-api-spec/zod';
import type { APIApplicationCommand } from 'discord-api-types/v10';
import { expect, test } from 'vitest';
import { COMMANDS } from '../../commands/index.ts';
import { areRegistered } from '../../src/discord/registration.ts';

const wanted = COMMANDS.map(({ data }) => data);
/** As Discord gives them back: with ids and defaults of its own. */
const registered = () =>
  structuredClone(wanted).map((command, index) => ({
    id: String(index),
    application_id: '1',
    version: '1',
    type: 1,
    nsfw: false,
    dm_permission: true,
    contexts: null,
    ...command,
  })) as unknown as APIApplicationCommand[];

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
