import { Events } from 'discord.js';
import { expect, test } from 'vitest';
import { IDS, type LocalDiscord } from '../src/server/local-discord.ts';
import { createPersistence } from '../src/server/persistence.ts';
import type { WorldChannel } from '../src/server/seed.ts';
import { call, deferred, loginClient, startDiscord } from './helpers.ts';

const DAY_MS = 86_400_000;

/** A forum post, or a thread of a text channel. */
async function open(discord: LocalDiscord, parentId: string, more: object = {}) {
  const isForum = parentId !== IDS.deals;
  const body = { name: 'A deal', ...(isForum ? { message: { content: 'First' } } : { type: 11 }), ...more };
  return call(discord, 'POST', `/channels/${parentId}/threads`, body);
}

const send = (discord: LocalDiscord, id: string) => call(discord, 'POST', `/channels/${id}/messages`, { content: 'A' });
const list = (discord: LocalDiscord, path: string) => call(discord, 'GET', path);

test('a forum can require a tag, one of its own', async () => {
  const { discord } = await startDiscord();
  const forum = discord.createChannel('strict', 'forum', { tags: ['Deal'], requiresTag: true });
  const tag = 'available_tags' in forum ? forum.available_tags[0]?.id : undefined;
  expect((await open(discord, forum.id)).body).toMatchObject({ code: 40067 });
  expect((await open(discord, forum.id, { applied_tags: ['1'] })).body).toMatchObject({ code: 50035 });
  const made = await open(discord, forum.id, { applied_tags: [tag] });
  expect(made.status).toBe(201);
  expect(made.body).toMatchObject({ applied_tags: [tag], message: { id: made.body['id'], content: 'First' } });
});

test.for([
  ['no name', { name: '' }],
  ['a name of 101 characters', { name: 'x'.repeat(101) }],
])('a thread with %s is refused', async ([, more]) => {
  const { discord } = await startDiscord();
  expect((await open(discord, IDS.forum, more as object)).body).toMatchObject({ code: 50035 });
});

test('a forum post mentions nobody but whom it may', async () => {
  const { discord } = await startDiscord();
  const content = `<@&${IDS.dealHunters}> <@&${IDS.managers}>`;
  const message = { content, allowed_mentions: { parse: [], roles: [IDS.dealHunters] } };
  const { body } = await open(discord, IDS.forum, { message });
  expect(body['message']).toMatchObject({ mention_roles: [IDS.dealHunters] });
});

test('a thread archives itself when nothing happens in it, and a message opens it again', async () => {
  const { discord, clock } = await startDiscord();
  const id = String((await open(discord, IDS.deals, { auto_archive_duration: 1440 })).body['id']);
  const active = async () =>
    ((await list(discord, `/guilds/${IDS.guild}/threads/active`)).body['threads'] as { id: string }[]).length;
  await clock.advance(DAY_MS - 1);
  expect(await active()).toBe(1);
  await clock.advance(1);
  expect(await active()).toBe(0);
  expect((await list(discord, `/channels/${IDS.deals}/threads/archived/public`)).body).toMatchObject({
    threads: [{ id, thread_metadata: { archived: true } }],
    has_more: false,
  });
  expect((await send(discord, id)).status).toBe(200);
  expect(await active()).toBe(1);
  await clock.advance(DAY_MS);
  expect((await call(discord, 'PATCH', `/channels/${id}`, { name: 'Renamed' })).body).toMatchObject({ code: 50083 });
  expect((await call(discord, 'PATCH', `/channels/${id}`, { archived: false })).status).toBe(200);
  expect(await active()).toBe(1);
});

test('archived threads are listed in pages, the last archived first', async () => {
  const { discord, clock } = await startDiscord();
  for (let number = 1; number <= 3; number += 1) {
    const { body } = await open(discord, IDS.deals, { name: `Thread ${number}` });
    await clock.advance(1000);
    await call(discord, 'PATCH', `/channels/${String(body['id'])}`, { archived: true });
  }
  interface Page {
    threads: { name: string; thread_metadata: { archive_timestamp: string } }[];
    has_more: boolean;
  }
  const page = async (query: string) =>
    (await list(discord, `/channels/${IDS.deals}/threads/archived/public${query}`)).body as unknown as Page;
  const first = await page('?limit=2');
  expect([first.threads.map(({ name }) => name), first.has_more]).toEqual([['Thread 3', 'Thread 2'], true]);
  const second = await page(`?before=${first.threads[1]?.thread_metadata.archive_timestamp}`);
  expect([second.threads.map(({ name }) => name), second.has_more]).toEqual([['Thread 1'], false]);
});

test('a locked thread takes nothing from a bot without Manage Threads', async () => {
  const { discord } = await startDiscord();
  const id = String((await open(discord, IDS.deals)).body['id']);
  discord.setThread(id, { locked: true });
  expect((await send(discord, id)).body).toMatchObject({ code: 160005 });
  discord.setThread(id, { archived: true });
  expect((await send(discord, id)).body).toMatchObject({ code: 50083 });
  expect((await call(discord, 'PATCH', `/channels/${id}`, { archived: false })).body).toMatchObject({ code: 50013 });
  discord.setPermissions(IDS.deals, { allow: ['manageThreads'] });
  expect((await send(discord, id)).status).toBe(200);
});

test('a server has a thousand active threads at most', async () => {
  const first = await startDiscord();
  const { body } = await open(first.discord, IDS.deals);
  await first.discord.stop();
  const persistence = createPersistence(first.stateUrl);
  const more = Array.from({ length: 999 }, (_, index) => ({ ...body, id: `${2n ** 60n + BigInt(index)}` }));
  persistence.recordFirst(more as unknown as WorldChannel[], []);
  await persistence.close();

  const { discord } = await startDiscord({ stateUrl: first.stateUrl });
  expect((await open(discord, IDS.deals)).body).toMatchObject({ code: 160006 });
  discord.setThread(String(body['id']), { archived: true });
  expect((await open(discord, IDS.deals)).status).toBe(201);
});

test('what is deleted while the bot runs is gone from its cache as well', async () => {
  const { discord } = await startDiscord();
  const client = await loginClient(discord);
  const created = deferred<string>();
  client.once(Events.GuildRoleCreate, ({ name }) => created.resolve(name));
  const role = discord.createRole('Bargains', { mentionable: true });
  expect(await created.promise).toBe('Bargains');
  const content = `<@&${role.id}>`;
  const mention = () => call(discord, 'POST', `/channels/${IDS.deals}/messages`, { content });
  expect((await mention()).body['mention_roles']).toEqual([role.id]);

  const deleted = deferred<string>();
  client.once(Events.GuildRoleDelete, ({ id }) => deleted.resolve(id));
  discord.deleteRole(role.id);
  expect(await deleted.promise).toBe(role.id);
  expect(client.guilds.cache.get(IDS.guild)?.roles.cache.has(role.id)).toBe(false);
  expect((await mention()).body['mention_roles']).toEqual([]);

  const made = deferred<void>();
  client.once(Events.ThreadCreate, () => made.resolve());
  const threadId = String((await open(discord, IDS.deals)).body['id']);
  await made.promise;
  const gone = deferred<void>();
  client.once(Events.ThreadDelete, () => gone.resolve());
  discord.deleteChannel(threadId);
  await gone.promise;
  expect((await send(discord, threadId)).body).toMatchObject({ code: 10003 });
});

test('a fault can be any of Discord’s own refusals', async () => {
  const { discord } = await startDiscord();
  discord.faults.failNext(() => true, { kind: 'refused', error: 'channelWriteLimit' });
  expect(await send(discord, IDS.deals)).toMatchObject({ status: 429, body: { code: 20028 } });
  expect((await send(discord, IDS.deals)).status).toBe(200);
});
