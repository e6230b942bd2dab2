import { type APIApplicationCommandSubcommandOption, ApplicationCommandOptionType } from 'discord-api-types/v10';
import { expect, test } from 'vitest';
import { commandsWith } from '../../commands/index.ts';
import type { AddedSubcommand, Command } from '../../commands/shared.ts';
import type { Feature } from '../../src/app/feature.ts';
import { noticeCard } from '../../src/discord/cards/parts.ts';
import { UserError } from '../../src/shared/errors.ts';
import { aCatalogFolder } from '../helpers/catalog-folder.ts';
import { textOf } from '../helpers/discord-form.ts';
import { aHouse } from '../helpers/house.ts';

const { Subcommand: SUBCOMMAND, String: TEXT } = ApplicationCommandOptionType;

function aSubcommand(name: string, changes: Partial<AddedSubcommand> = {}): AddedSubcommand {
  const option = (of: string) => ({ type: TEXT, name: of, description: of, autocomplete: true }) as const;
  const data: APIApplicationCommandSubcommandOption = {
    type: SUBCOMMAND,
    name,
    description: name,
    options: [option('feed'), option('whom')],
  };
  const execute: AddedSubcommand['execute'] = async (request) =>
    noticeCard(`${name} ${request.options.getString('whom') ?? 'nobody'} of ${request.asManager().server}`);
  return { to: 'subscription', after: 'list', data, execute, ...changes };
}

const namesIn = (subcommands: readonly AddedSubcommand[]) => {
  const data = commandsWith([{ subcommands }]).find(({ data: { name } }) => name === 'subscription')?.data;
  return data && 'options' in data ? data.options?.map(({ name }) => name) : undefined;
};

test('people see an added subcommand behind the one that it names, else last', () => {
  const own = namesIn([]);
  expect(own?.slice(0, 4)).toEqual(['add', 'edit', 'list', 'pause']);
  expect(namesIn([aSubcommand('greet'), aSubcommand('bow', { after: 'greet' })])?.slice(2, 6)).toEqual([
    'list',
    'greet',
    'bow',
    'pause',
  ]);
  expect(namesIn([aSubcommand('greet', { after: 'no-such' })])).toEqual([...(own ?? []), 'greet']);
});

test('what is added to a command that does not exist, or to one of a menu, adds nothing', () => {
  const without = commandsWith([]).map(({ data }) => data);
  const added = [aSubcommand('greet', { to: 'no-such' }), aSubcommand('greet', { to: 'Offer details' })];
  expect(without.map(({ name }) => name)).toContain('Offer details');
  expect(commandsWith([{ subcommands: added }]).map(({ data }) => data)).toEqual(without);
});

test('commands of features stand before the command that they name, in the order of features, or behind all', () => {
  const named = (name: string) => [{ ...GREET, data: { ...GREET.data, name } }];
  const features = [{ commands: named('last') }, { commands: named('one') }, { commands: named('two') }];
  const placed = features.map((feature, at) => ({ ...feature, ...(at > 0 && { commandsBefore: 'status' }) }));
  const [core, all] = [commandsWith([]), commandsWith(placed)].map((commands) => commands.map(({ data }) => data.name));
  const before = core?.indexOf('status') ?? 0;
  expect(all).toEqual([...(core ?? []).toSpliced(before, 0, 'one', 'two').slice(0, -1), 'last', 'help']);
});

/** A command for everybody, whose own subcommand nobody may use. */
const GREET: Command = {
  data: {
    name: 'greet',
    description: 'Greets',
    options: [{ type: SUBCOMMAND, name: 'all', description: 'Greets all' }],
  },
  answer: 'private',
  execute: () => Promise.reject(new UserError('Nobody may do that.')),
  autocomplete: (request) => [{ name: `of ${request.options.getSubcommand()}`, value: 'all' }],
};

async function aHouseWith(...subcommands: AddedSubcommand[]) {
  const greetings: Feature = { name: 'greetings', commands: [GREET] };
  const more: Feature = { name: 'more', subcommands };
  const house = await aHouse({ content: () => aCatalogFolder().content, features: [greetings, more] });
  await house.startBot();
  return house;
}

test('an added subcommand answers for itself, and checks for itself who asks; the command’s own go on', async () => {
  const house = await aHouseWith(aSubcommand('one', { to: 'greet' }));
  expect(textOf(await house.asAda('deals', '/greet one whom:Cleo'))).toContain('one Cleo');
  expect(textOf(await house.asBen('deals', '/greet one'))).toContain('Manage Server');
  expect(textOf(await house.asAda('deals', '/greet all'))).toContain('Nobody may do that.');
  expect(commandsWith([{ commands: [GREET] }]).at(-2)?.data).toEqual(GREET.data);
});

test('an added subcommand completes its options itself, or leaves that to the command', async () => {
  const itself = { to: 'greet', autocomplete: () => [{ name: 'Cleo', value: 'cleo' }] };
  const house = await aHouseWith(aSubcommand('one', itself), aSubcommand('two', { to: 'greet' }));
  const choose = async (text: string) => (await house.complete(text, 'whom')).map(({ name }) => name);
  expect(await choose('/greet one whom:C')).toEqual(['Cleo']);
  expect(await choose('/greet two whom:C')).toEqual(['of two']);
});
