import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { IDS, type LocalDiscord } from '../src/index.ts';
import { isInShard } from '../src/server/gateway-session.ts';
import { startDiscord } from './helpers.ts';
import { discordeno } from './libraries/discordeno.ts';
import { discordjs } from './libraries/discordjs.ts';
import { FORM, type LibraryBot } from './libraries/library.ts';
import { oceanic } from './libraries/oceanic.ts';
import { sapphire } from './libraries/sapphire.ts';

const LIBRARIES = [discordjs, sapphire, oceanic, discordeno];
const { deals } = IDS;
/** A message about a pin, which Discord itself posts. */
const PINNED = 6;

const standing = (discord: LocalDiscord) =>
  discord
    .messages(deals)
    .filter(({ type }) => type !== PINNED)
    .map(({ content }) => content);

/** Each has the bot do something, and looks at what local Discord shows then. */
const OPERATIONS: Record<string, (bot: LibraryBot, discord: LocalDiscord) => Promise<void>> = {
  'log in': async ({ id }) => expect(id).toBe(IDS.application),
  'post and edit': async (bot, discord) => {
    const id = await bot.post(deals, 'Hello');
    expect(standing(discord)).toEqual(['Hello']);
    await bot.edit(deals, id, 'Hello again');
    expect(standing(discord)).toEqual(['Hello again']);
    await bot.delete(deals, id);
  },
  files: async (bot, discord) => {
    const id = await bot.postFile(deals, 'deal.txt', '$5');
    expect(discord.messages(deals)[0]?.attachments).toMatchObject([{ filename: 'deal.txt', size: 2 }]);
    await bot.delete(deals, id);
  },
  react: async (bot, discord) => {
    const id = await bot.post(deals, 'Hello');
    await bot.react(deals, id, '👍');
    expect(discord.messages(deals)[0]?.reactors).toEqual({ '👍': [IDS.application] });
    await bot.delete(deals, id);
  },
  type: async (bot) => {
    await bot.type(deals);
  },
  pin: async (bot, discord) => {
    const id = await bot.post(deals, 'Hello');
    await bot.pin(deals, id);
    expect(discord.pins(deals).map((pinned) => pinned.id)).toEqual([id]);
    await bot.delete(deals, id);
  },
  publish: async (bot, discord) => {
    const id = await bot.post(IDS.announcements, 'A deal for all');
    const [follower] = discord.createFollowers(IDS.announcements, 1);
    await bot.publish(IDS.announcements, id);
    expect(discord.messages(follower?.id ?? '').at(-1)).toMatchObject({ content: 'A deal for all' });
  },
  'post in a forum': async (bot, discord) => {
    const id = await bot.postInForum(IDS.forum, 'A kettle', 'Look');
    expect(discord.messages(id)).toMatchObject([{ content: 'Look' }]);
  },
  'open a thread': async (bot, discord) => {
    const id = await bot.post(deals, 'Hello');
    const threadId = await bot.openThread(deals, id, 'About it');
    await bot.post(threadId, 'More');
    expect(discord.messages(threadId).map(({ content }) => content)).toContain('More');
    await bot.delete(deals, id);
  },
  'direct messages': async (bot, discord) => {
    const channelId = await bot.messagePerson(IDS.ada, 'Psst');
    expect(discord.messages(channelId).map(({ content }) => content)).toEqual(['Psst']);
  },
  'delete many at once': async (bot, discord) => {
    const ids = [await bot.post(deals, 'One'), await bot.post(deals, 'Two')];
    await bot.deleteAll(deals, ids);
    expect(standing(discord)).toEqual([]);
  },
  commands: async (bot, discord) => {
    bot.answer((name) => `Hello from ${name}`);
    await bot.register();
    const { message } = await discord.runCommand({ personId: IDS.ben, channelId: deals, text: '/greet' });
    expect(message).toMatchObject({ content: 'Hello from greet' });
  },
  autocomplete: async (bot, discord) => {
    bot.answer((name) => `Proposed for ${name}`);
    const typing = { personId: IDS.ben, channelId: deals, text: '/find what:a', focused: 'what' };
    expect(await discord.autocomplete(typing)).toEqual([{ name: 'Proposed for find', value: 'Proposed for find' }]);
  },
  'message commands': async (bot, discord) => {
    bot.answer((id) => `About ${id}`);
    const messageId = await bot.post(deals, 'What is it?');
    const asked = { personId: IDS.ben, channelId: deals, messageId, name: 'Explain' };
    expect((await discord.runMessageCommand(asked)).message).toMatchObject({ content: `About ${messageId}` });
  },
  'user commands': async (bot, discord) => {
    bot.answer((id) => `Invited ${id}`);
    const asked = { personId: IDS.ben, channelId: deals, userId: IDS.ada, name: 'Invite' };
    expect((await discord.runUserCommand(asked)).message).toMatchObject({ content: `Invited ${IDS.ada}` });
  },
  menus: async (bot, discord) => {
    bot.answer((value) => `You chose ${value}`);
    const messageId = await bot.postMenu(deals, ['this', 'that'], 'which');
    const choice = { personId: IDS.ben, channelId: deals, messageId, customId: 'which', values: ['that'] };
    expect((await discord.useComponent(choice)).message).toMatchObject({ content: 'You chose that' });
  },
  forms: async (bot, discord) => {
    bot.answer((text) => `You typed ${text}`);
    const person = { personId: IDS.ben, channelId: deals };
    const messageId = await bot.postButton(deals, 'Open', FORM);
    const { modal } = await discord.useComponent({ ...person, messageId, customId: FORM });
    expect(modal).toMatchObject({ title: 'Form' });
    const { message } = await discord.submitModal({ ...person, customId: FORM, values: { [FORM]: 'this' } });
    expect(message).toMatchObject({ content: 'You typed this' });
  },
  buttons: async (bot, discord) => {
    bot.answer((name) => `You pressed ${name}`);
    const messageId = await bot.postButton(deals, 'Press', 'it');
    const press = { personId: IDS.ben, channelId: deals, messageId, customId: 'it' };
    expect((await discord.useComponent(press)).message).toMatchObject({ content: 'You pressed it' });
  },
  'channels and overwrites': async (bot, discord) => {
    const id = await bot.createChannel(IDS.guild, 'big-drops');
    await bot.showChannel(id, IDS.ben);
    expect(discord.channel('big-drops')).toMatchObject({ id, permission_overwrites: [{ id: IDS.ben, allow: '1024' }] });
    await bot.deleteChannel(id);
    expect(() => discord.channel('big-drops')).toThrow('no channel');
  },
  webhooks: async (bot, discord) => {
    const webhook = await bot.createWebhook(deals, 'Price watch');
    await bot.postBy(webhook, 'A drop');
    const posted = discord.messages(deals).at(-1);
    expect(posted).toMatchObject({ content: 'A drop', author: { username: 'Price watch' }, webhook_id: webhook.id });
  },
  roles: async (bot, discord) => {
    const id = await bot.createRole(IDS.guild, 'Drops');
    await bot.giveRole(IDS.guild, IDS.ben, id);
    expect(discord.rolesOf(IDS.ben)).toEqual([id]);
    await bot.deleteRole(IDS.guild, id);
    expect(discord.rolesOf(IDS.ben)).toEqual([]);
  },
  "answer people's messages": async (bot, discord) => {
    bot.answer((content) => `You said ${content}`);
    discord.act({ personId: IDS.ben, do: 'post', channelId: deals, content: '!hello' });
    const look = () => discord.messages(deals).find(({ content }) => content === 'You said !hello');
    expect(await discord.waitFor(look)).toMatchObject({ referenced_message: { author: { id: IDS.ben } } });
  },
  'resume with replay': async (bot, discord) => {
    bot.answer((name) => `Hello again from ${name}`);
    discord.faults.reconnectGateway();
    const { message } = await discord.runCommand({ personId: IDS.ben, channelId: deals, text: '/greet' });
    expect(message).toMatchObject({ content: 'Hello again from greet' });
  },
  'find members': async (bot) => {
    expect(await bot.findMembers(IDS.guild, 'be')).toEqual([IDS.ben]);
  },
};

test.each(LIBRARIES)('a bot that is written with $name works as it is', async ({ logIn }) => {
  const { discord } = await startDiscord();
  discord.setPermissions(deals, {
    allow: [
      'addReactions',
      'manageMessages',
      'pinMessages',
      'attachFiles',
      'createPublicThreads',
      'sendMessagesInThreads',
    ],
  });
  const { permissions = '0' } = discord.roles().find(({ id }) => id === IDS.botRole) ?? {};
  discord.editRole(IDS.botRole, { permissions: [BigInt(permissions), 'manageChannels'] });
  const bot = await logIn(discord);
  for (const [what, isDone] of Object.entries(OPERATIONS)) {
    await isDone(bot, discord).catch((error: Error) => {
      throw new Error(`${what}: ${error.message}`, { cause: error });
    });
  }
});

test.each(LIBRARIES)('a bot that is written with $name answers in servers of both its shards', async ({ logIn }) => {
  const { discord, clock } = await startDiscord({ shards: 2 });
  // The shard of a server follows from the millisecond that made it.
  const first = discord.createGuild('Bazaar');
  await clock.advance(1);
  const second = discord.createGuild('Market');
  const channels = [first, second].map((guildId) => discord.createChannel('deals-here', 'text', { guildId }).id);
  const shards = [first, second].map((guildId) => [0, 1].find((index) => isInShard(guildId, { index, count: 2 })));
  expect(new Set(shards)).toEqual(new Set([0, 1]));
  const bot = await logIn(discord);
  bot.answer((name) => `Hello from ${name}`);
  await bot.register();
  for (const channelId of channels) {
    const { message } = await discord.runCommand({ personId: IDS.ben, channelId, text: '/greet' });
    expect(message).toMatchObject({ content: 'Hello from greet' });
  }
});

test('the README says what each library does here', () => {
  const versions = (JSON.parse(fileIn('package.json')) as { devDependencies: Record<string, string> }).devDependencies;
  const row = (...cells: string[]) => `| ${cells.join(' | ')} |`;
  const table = [
    row('', ...LIBRARIES.map(({ name }) => `${name} ${versions[name]}`)),
    row('---', ...LIBRARIES.map(() => '---')),
    ...Object.keys(OPERATIONS).map((what) => row(what, ...LIBRARIES.map(() => '✓'))),
  ];
  expect(fileIn('README.md')).toContain(table.join('\n'));
});

const fileIn = (name: string) => readFileSync(new URL(`../${name}`, import.meta.url), 'utf8');
