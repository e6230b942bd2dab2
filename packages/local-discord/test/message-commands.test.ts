import { ApplicationCommandType, type Interaction, MessageType } from 'discord.js';
import { expect, test } from 'vitest';
import { IDS } from '../src/server/local-discord.ts';
import { call, loginClient, startDiscord } from './helpers.ts';

const COMMANDS = `/applications/${IDS.application}/commands`;
const inMenu = (name: string) => ({ name, type: ApplicationCommandType.Message }) as const;

async function withBot(handler: (interaction: Interaction) => Promise<unknown>) {
  const started = await startDiscord();
  const client = await loginClient(started.discord);
  // The answer may be there before its sender hears so, and then the test is over.
  client.on('interactionCreate', (interaction) => void handler(interaction).catch(() => undefined));
  const { body } = await call(started.discord, 'POST', `/channels/${IDS.deals}/messages`, { content: 'A deal' });
  return { ...started, client, messageId: String(body['id']) };
}

test('a command from the menu of a message arrives with the message', async () => {
  const got: unknown[] = [];
  const { discord, client, messageId } = await withBot(async (interaction) => {
    if (!interaction.isMessageContextMenuCommand()) throw new Error('unexpected');
    got.push([interaction.commandName, interaction.targetId, interaction.targetMessage.content]);
    await interaction.reply('Done');
  });
  await client.application.commands.set([inMenu('Why this post?'), { name: 'why', description: 'Why' }]);
  const answer = await discord.runMessageCommand({
    personId: IDS.ben,
    channelId: IDS.deals,
    messageId,
    name: 'Why this post?',
  });
  expect(got).toEqual([['Why this post?', messageId, 'A deal']]);
  expect(answer.message).toMatchObject({
    type: MessageType.ContextMenuCommand,
    interaction_metadata: { type: 2, user: { id: IDS.ben }, target_message_id: messageId },
  });
});

test('a command of a menu is no slash command, and needs what it needs', async () => {
  const { discord, client, messageId } = await withBot(async () => undefined);
  await client.application.commands.set([{ ...inMenu('mute'), defaultMemberPermissions: '32' }]);
  const place = { personId: IDS.ben, channelId: IDS.deals };
  await expect(discord.runCommand({ ...place, text: '/mute' })).rejects.toThrow('There is no command /mute');
  const run = (name: string, id: string) => discord.runMessageCommand({ ...place, messageId: id, name });
  await expect(run('mute', messageId)).rejects.toThrow('it needs Manage Server');
  await expect(run('other', messageId)).rejects.toThrow('There is no command "other"');
  await expect(run('mute', '1')).rejects.toThrow('There is no message 1 in #deals');
});

test('a command from the menu of a person arrives with the person, and beside a message command of its name', async () => {
  const got: unknown[] = [];
  const { discord, client } = await withBot(async (interaction) => {
    if (!interaction.isUserContextMenuCommand()) throw new Error('unexpected');
    got.push([interaction.commandName, interaction.targetUser.username, interaction.targetMember !== null]);
    await interaction.reply('Done');
  });
  const ofPeople = { name: 'About', type: ApplicationCommandType.User } as const;
  await client.application.commands.set([inMenu('About'), ofPeople]);
  const asked = { personId: IDS.ben, channelId: IDS.deals, userId: IDS.ada, name: 'About' };
  expect((await discord.runUserCommand(asked)).message).toMatchObject({
    type: MessageType.ContextMenuCommand,
    interaction_metadata: { type: 2, user: { id: IDS.ben }, target_user: { id: IDS.ada } },
  });
  expect(got).toEqual([['About', 'ada', true]]);
  await expect(discord.runUserCommand({ ...asked, userId: '1' })).rejects.toThrow('There is no person 1 here.');
  await expect(discord.runUserCommand({ ...asked, name: 'Other' })).rejects.toThrow('There is no command "Other"');
});

test('each menu has room for five commands', async () => {
  const { discord } = await startDiscord();
  const commands = [2, 3].flatMap((type) => ['a', 'b', 'c', 'd', 'e'].map((name) => ({ type, name })));
  expect(await call(discord, 'PUT', COMMANDS, commands)).toMatchObject({ status: 200 });
  expect(await call(discord, 'POST', COMMANDS, { type: 2, name: 'f' })).toMatchObject({ status: 400 });
  expect(await call(discord, 'PUT', COMMANDS, [...commands, { type: 2, name: 'f' }])).toMatchObject({ status: 400 });
});

test.for([
  ['a description', { ...inMenu('Why'), description: 'Because' }, 'description'],
  ['options', { ...inMenu('Why'), options: [{ type: 3, name: 'a', description: 'A' }] }, 'options'],
  ['too long a name', inMenu('W'.repeat(33)), 'name'],
  ['a type that there is not', { name: 'Why', type: 9 }, 'type'],
] as const)('%s is refused', async ([, body, place]) => {
  const { discord } = await startDiscord();
  expect(await call(discord, 'POST', COMMANDS, body)).toMatchObject({
    status: 400,
    body: { code: 50035, errors: { [place]: { _errors: expect.any(Array) } } },
  });
});

test('there are five commands in the menu at most, and names are unique in each type', async () => {
  const { discord } = await startDiscord();
  const add = (body: object) => call(discord, 'POST', COMMANDS, body);
  for (let number = 1; number <= 5; number += 1) expect((await add(inMenu(`Menu ${number}`))).status).toBe(201);
  expect((await add(inMenu('Menu 5'))).status).toBe(200);
  expect((await add(inMenu('Menu 6'))).body).toMatchObject({ code: 30032 });
  expect((await add({ name: 'why', description: 'Why' })).status).toBe(201);
  const six = Array.from({ length: 6 }, (_, index) => inMenu(`Menu ${index}`));
  expect((await call(discord, 'PUT', COMMANDS, six)).body).toMatchObject({ code: 50035 });
  const alike = [inMenu('why'), { name: 'why', description: 'Why' }];
  const kept = await call(discord, 'PUT', COMMANDS, alike);
  expect(kept.body).toMatchObject([{ type: 3, description: '' }, { type: 1 }]);
  const twice = await call(discord, 'PUT', COMMANDS, [inMenu('why'), inMenu('why')]);
  expect(twice.body).toMatchObject({ code: 50035 });
});
