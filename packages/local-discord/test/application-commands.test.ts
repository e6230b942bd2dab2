import { ApplicationCommandCreateRequestSchema } from 'discord-api-spec/zod';
import { expect, test } from 'vitest';
import { IDS } from '../src/server/local-discord.ts';
import { call, loginClient, startDiscord } from './helpers.ts';

const GLOBAL = `/applications/${IDS.application}/commands` as const;
const GUILD = `/applications/${IDS.application}/guilds/${IDS.guild}/commands` as const;
const FEED = { name: 'feed', description: 'A feed' };

test('the real client registers, changes and removes commands', async () => {
  const { discord } = await startDiscord();
  const { commands } = (await loginClient(discord)).application;
  const feed = await commands.create(FEED);
  expect(feed).toMatchObject({ name: 'feed', guildId: null, description: 'A feed' });
  const edited = await commands.edit(feed, { description: 'One feed' });
  expect(edited).toMatchObject({ id: feed.id, description: 'One feed' });
  const set = await commands.set([FEED, { name: 'offer', description: 'An offer' }]);
  expect(set.map(({ name }) => name)).toEqual(['feed', 'offer']);
  expect(set.get(feed.id)?.name).toBe('feed');
  await commands.delete(feed);
  expect((await commands.fetch()).map(({ name }) => name)).toEqual(['offer']);
  expect((await commands.fetch({ guildId: IDS.guild })).size).toBe(0);
});

test('a name that exists is overwritten, which is no creation', async () => {
  const { discord } = await startDiscord({ limits: { createCommand: { requests: 2, perMs: 86_400_000 } } });
  expect((await call(discord, 'POST', GUILD, FEED)).status).toBe(201);
  expect((await call(discord, 'POST', GUILD, FEED)).status).toBe(200);
  expect((await call(discord, 'POST', GUILD, { ...FEED, name: 'b' })).status).toBe(201);
  expect(await call(discord, 'POST', GUILD, { ...FEED, name: 'c' })).toMatchObject({
    status: 429,
    body: { code: 30034, retry_after: 86_400 },
  });
  expect((await call(discord, 'POST', GLOBAL, { ...FEED, name: 'c' })).status).toBe(201);
});

test('unknown applications, guilds and commands are told apart', async () => {
  const { discord } = await startDiscord();
  expect((await call(discord, 'GET', '/applications/1/commands')).body).toMatchObject({ code: 10002 });
  expect((await call(discord, 'GET', `/applications/${IDS.application}/guilds/1/commands`)).body).toMatchObject({
    code: 10004,
  });
  expect((await call(discord, 'DELETE', `${GLOBAL}/1`)).body).toMatchObject({ code: 10063 });
});

test('a hundred commands are enough', async () => {
  const { discord } = await startDiscord();
  const many = Array.from({ length: 100 }, (_, index) => ({ ...FEED, name: `c${index}` }));
  expect((await call(discord, 'PUT', GUILD, many)).status).toBe(200);
  expect((await call(discord, 'POST', GUILD, FEED)).body).toMatchObject({ code: 30032 });
  expect((await call(discord, 'PUT', GUILD, [...many, FEED])).body).toMatchObject({ code: 50035 });
});

const text = (name: string, more: object = {}) => ({ type: 3, name, description: 'Text', ...more });
const choices = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ name: `n${index}`, value: `v${index}` }));

/** The mistake, the place that Discord names, and whether its published schema refuses it too. */
const WRONG: [string, object, string, boolean][] = [
  ['an upper-case name', { ...FEED, name: 'Feed' }, 'name', false],
  ['a name with a space', { ...FEED, name: 'a feed' }, 'name', false],
  ['too long a name', { ...FEED, name: 'x'.repeat(33) }, 'name', true],
  ['a name that is an object', { ...FEED, name: { toString: 1 } }, 'name', true],
  ['a list as a name', { ...FEED, name: [{ toString: 1 }] }, 'name', true],
  ['an option whose name is an object', { ...FEED, options: [text({ toString: 1 } as never)] }, 'options.0.name', true],
  [
    'a translated name with a space',
    { ...FEED, name_localizations: { de: 'ein Feed' } },
    'name_localizations.de',
    false,
  ],
  ['a name in no language', { ...FEED, name_localizations: { xx: 'feed' } }, 'name_localizations.xx', false],
  ['no name in a menu', { name: ' ', type: 3 }, 'name', false],
  ['permissions that are an object', { ...FEED, default_member_permissions: {} }, 'default_member_permissions', false],
  ['no description', { name: 'feed' }, 'description', false],
  ['too long a description', { ...FEED, description: 'x'.repeat(101) }, 'description', true],
  ['26 options', { ...FEED, options: Array.from({ length: 26 }, (_, index) => text(`o${index}`)) }, 'options', true],
  ['26 choices', { ...FEED, options: [text('o', { choices: choices(26) })] }, 'options.0.choices', true],
  [
    'a required option after an optional one',
    { ...FEED, options: [text('a'), text('b', { required: true })] },
    'options.1',
    false,
  ],
  ['two options of one name', { ...FEED, options: [text('a'), text('a')] }, 'options.1.name', false],
  [
    'choices and autocompletion',
    { ...FEED, options: [text('a', { autocomplete: true, choices: choices(1) })] },
    'options.0',
    false,
  ],
  [
    'a subcommand beside an option',
    { ...FEED, options: [text('a'), { type: 1, name: 'b', description: 'B' }] },
    'options',
    false,
  ],
  [
    'more than 8,000 characters',
    {
      ...FEED,
      options: [1, 2].map((number) =>
        text(`o${number}`, {
          choices: choices(25).map(({ name, value }) => ({ name: name.padEnd(90, 'x'), value: value.padEnd(90, 'y') })),
        }),
      ),
    },
    '',
    false,
  ],
];

test.for(WRONG)('%s is refused', async ([, command, place, bySchema]) => {
  const { discord } = await startDiscord();
  const { status, body } = await call(discord, 'POST', GUILD, command);
  expect({ status, code: body['code'] }).toEqual({ status: 400, code: 50035 });
  let found = body['errors'] as Record<string, never> | undefined;
  for (const key of place.split('.').filter(Boolean)) found = found?.[key];
  expect(found, JSON.stringify(body)).toHaveProperty('_errors');
  if (bySchema) expect(ApplicationCommandCreateRequestSchema.safeParse(command).error).toBeDefined();
});

test('a mistake under an odd key is told as any other, and changes nothing for the next request', async () => {
  const { discord } = await startDiscord();
  const put = async (body: string) => {
    const headers = { authorization: `Bot ${discord.token}`, 'content-type': 'application/json' };
    const response = await fetch(`${discord.api}/v10${GUILD}`, { method: 'PUT', headers, body });
    return { status: response.status, body: await response.text() };
  };
  const wrong = await put('[{"name":"a","description":"A","name_localizations":{"__proto__":5}}]');
  expect(wrong.status).toBe(400);
  expect(wrong.body).toContain('"name_localizations":{"__proto__":{"_errors":[');
  expect((await put('[{"name":{"toString":1},"description":"A"}]')).status).toBe(400);
  expect((await put('{}')).status).toBe(400);
  expect((await put(JSON.stringify([FEED]))).status).toBe(200);
});
