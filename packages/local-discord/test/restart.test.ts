import { promisify } from 'node:util';
import { Database } from 'sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryState } from '../../../test/helpers/temporary-folder.ts';
import { IDS } from '../src/server/local-discord.ts';
import { createPersistence } from '../src/server/persistence.ts';
import { call, loginClient, startDiscord } from './helpers.ts';

const MESSAGES = `/channels/${IDS.deals}/messages` as const;

test('a restart goes on with the channels, messages, files and commands of before', async () => {
  const stateUrl = temporaryState();
  const { discord: first } = await startDiscord({ stateUrl });
  const client = await loginClient(first);
  await client.application.commands.set([{ name: 'feed', description: 'A feed' }], IDS.guild);
  const channel = client.channels.cache.get(IDS.deals);
  if (!channel?.isSendable()) throw new Error('unexpected');
  await channel.send({ content: 'Stays', files: [{ attachment: Buffer.from('1'), name: 'a.txt' }] });
  const edited = await channel.send('Changes');
  await edited.edit('Changed');
  await (await channel.send('Goes')).delete();
  const extra = first.createChannel('extra', 'forum');
  first.deleteChannel(IDS.announcements);
  first.setPermissions(IDS.deals, { deny: ['attachFiles'] });
  const before = first.messages(IDS.deals);
  await client.destroy();
  await first.stop();

  const { discord: second } = await startDiscord({ stateUrl });
  expect(second.messages(IDS.deals)).toEqual(before);
  expect(before.map(({ content }) => content)).toEqual(['Stays', 'Changed']);
  expect(second.channel('extra')).toEqual(extra);
  expect(() => second.channel('announcements')).toThrow('Local Discord has no channel "announcements".');
  expect(second.channel('deals').permission_overwrites).toMatchObject([{ id: IDS.application, deny: '32768' }]);
  const commands = await call(second, 'GET', `/applications/${IDS.application}/guilds/${IDS.guild}/commands`);
  expect(commands.body).toMatchObject([{ name: 'feed' }]);
  const path = new URL(before[0]?.attachments[0]?.url ?? '').pathname;
  expect(await (await fetch(second.url + path)).text()).toBe('1');
});

test('a nonce is remembered over a restart, and ids go on rising', async () => {
  const stateUrl = temporaryState();
  const { discord: first } = await startDiscord({ stateUrl });
  const body = { content: 'A', nonce: 'n', enforce_nonce: true };
  const before = await call(first, 'POST', MESSAGES, body);
  await first.stop();
  const { discord: second } = await startDiscord({ stateUrl });
  expect((await call(second, 'POST', MESSAGES, body)).body['id']).toBe(before.body['id']);
  const after = await call(second, 'POST', MESSAGES, { content: 'B' });
  expect(BigInt(String(after.body['id'])) > BigInt(String(before.body['id']))).toBe(true);
});

test('an answer that one person sees, or that was never filled in, is gone after a restart', async () => {
  const stateUrl = temporaryState();
  const { discord: first } = await startDiscord({ stateUrl });
  const client = await loginClient(first);
  await client.application.commands.set([{ name: 'a', description: 'A' }]);
  client.on('interactionCreate', (interaction) => {
    if (!interaction.isChatInputCommand()) return;
    interaction.deferReply().catch(() => undefined);
  });
  const run = first.runCommand({ personId: IDS.ada, channelId: IDS.deals, text: '/a' });
  const unanswered = expect(run).rejects.toThrow('Local Discord was stopped before the bot answered.');
  await first.waitFor(() => first.messages(IDS.deals).length === 1);
  await first.stop();
  await unanswered;
  const { discord: second } = await startDiscord({ stateUrl });
  expect(second.messages(IDS.deals)).toEqual([]);
});

test('a write that failed is made up for with the next request, and its row is there after a restart', async () => {
  const stateUrl = temporaryState();
  const { discord: first } = await startDiscord({ stateUrl });
  const disk = new Database(stateUrl.replace('sqlite://', ''));
  onTestFinished(() => promisify(disk.close.bind(disk))());
  const run = promisify(disk.exec.bind(disk));
  await run(
    "CREATE TRIGGER full BEFORE INSERT ON rows WHEN NEW.key LIKE 'message:%' BEGIN SELECT RAISE(ABORT, 'the disk is full'); END",
  );
  const body = { content: 'A', nonce: 'n', enforce_nonce: true };
  expect((await call(first, 'POST', MESSAGES, body)).status).toBe(500);
  expect((await call(first, 'POST', MESSAGES, { content: 'B' })).status).toBe(500);
  await run('DROP TRIGGER full');
  expect((await call(first, 'POST', MESSAGES, body)).status).toBe(200);
  const before = first.messages(IDS.deals);
  expect(before.map(({ content }) => content)).toEqual(['A', 'B']);
  await first.stop();
  const { discord: second } = await startDiscord({ stateUrl });
  expect(second.messages(IDS.deals)).toEqual(before);
});

test('a file can be fetched before it is written', async () => {
  const persistence = createPersistence(temporaryState());
  onTestFinished(() => persistence.close());
  const file = { name: 'a.txt', contentType: 'text/plain', base64: 'MQ==' };
  persistence.save('1', file);
  expect(await persistence.find('1')).toEqual(file);
  await persistence.settled();
  expect(await persistence.find('1')).toEqual(file);
});
