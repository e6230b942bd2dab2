import { writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../../test/helpers/temporary-folder.ts';
import { IDS, type LocalDiscord } from '../src/server/local-discord.ts';
import type { PageState, PageUpdate } from '../src/server/page-api.ts';
import { call, loginClient, startDiscord } from './helpers.ts';

const MESSAGES = `/channels/${IDS.deals}/messages` as const;

async function state(discord: LocalDiscord): Promise<PageState> {
  const response = await fetch(`${discord.url}/page/state`);
  return (await response.json()) as PageState;
}

async function post(discord: LocalDiscord, path: string, body: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(`${discord.url}/page/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as unknown };
}

/** The updates of the stream but for the bot's requests, read until one `ends` it. */
async function openStream(discord: LocalDiscord) {
  const stopping = new AbortController();
  onTestFinished(() => stopping.abort());
  const response = await fetch(`${discord.url}/page/updates`, { signal: stopping.signal });
  if (!response.body) throw new Error('no stream');
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  const updates: PageUpdate[] = [];
  return {
    type: response.headers.get('content-type'),
    reader,
    async until(ends: (update: PageUpdate) => boolean): Promise<PageUpdate[]> {
      while (!updates.some(ends)) {
        const { value, done } = await reader.read();
        if (done) throw new Error('the stream ended');
        text += value;
        const parts = text.split('\n\n');
        text = parts.pop() ?? '';
        const read = parts
          .filter((part) => part.startsWith('data: '))
          .map((part) => JSON.parse(part.slice(6)) as PageUpdate);
        updates.push(...read.filter(({ type }) => type !== 'request'));
      }
      return updates;
    },
  };
}

test('the state has everything that a page shows', async () => {
  const { discord } = await startDiscord();
  expect(await state(discord)).toMatchObject({
    guild: { id: IDS.guild, name: 'Bargain Corner' },
    channels: [{ name: 'deals' }, { name: 'announcements' }, { name: 'forum' }],
    people: [
      { user: { global_name: 'Ada' }, canManage: true },
      { user: { global_name: 'Ben' }, canManage: false },
      { user: { global_name: 'Cleo' }, canManage: false },
    ],
    bot: null,
    demo: null,
    commands: [],
    messages: { [IDS.deals]: [] },
  });
  await call(discord, 'POST', MESSAGES, { content: 'A' });
  await loginClient(discord);
  expect(await state(discord)).toMatchObject({
    bot: { id: IDS.application },
    messages: { [IDS.deals]: [{ content: 'A', visible_to: null }] },
  });
});

test('a page sees what happens, and runs commands', async () => {
  const { discord } = await startDiscord();
  const stream = await openStream(discord);
  expect(stream.type).toBe('text/event-stream');
  const client = await loginClient(discord);
  await client.application.commands.set([{ name: 'hello', description: 'Greets' }]);
  client.on('interactionCreate', (interaction) => {
    if (interaction.isChatInputCommand()) interaction.reply('Hello').catch(() => undefined);
  });
  const place = { personId: IDS.ben, channelId: IDS.deals };
  const started = await post(discord, 'commands', { ...place, text: '/hello' });
  expect(started).toEqual({ status: 200, body: { interactionId: expect.stringMatching(/^\d+$/) } });
  const updates = await stream.until(({ type }) => type === 'interaction');
  expect(updates).toMatchObject([
    { type: 'bot', bot: { id: IDS.application } },
    { type: 'commands', commands: [{ name: 'hello' }] },
    { type: 'message', message: { content: 'Hello', visible_to: null } },
    { type: 'interaction', state: 'answered', ...(started.body as object) },
  ]);
  const bye = await call(discord, 'POST', MESSAGES, { content: 'Bye' });
  const id = String(bye.body['id']);
  discord.deleteMessage(id);
  const more = await stream.until(({ type }) => type === 'message-deleted');
  expect(more.at(-1)).toEqual({ type: 'message-deleted', channelId: IDS.deals, messageId: id });
});

test('a page runs a command from the menu of a message', async () => {
  const { discord } = await startDiscord();
  const client = await loginClient(discord);
  await client.application.commands.set([{ name: 'Show it again', type: 3 }]);
  client.on('interactionCreate', (interaction) => {
    if (!interaction.isMessageContextMenuCommand()) return;
    interaction.reply(interaction.targetMessage.content).catch(() => undefined);
  });
  const { body } = await call(discord, 'POST', MESSAGES, { content: 'A deal' });
  const stream = await openStream(discord);
  const place = { personId: IDS.ben, channelId: IDS.deals, messageId: String(body['id']) };
  const started = await post(discord, 'message-commands', { ...place, name: 'Show it again' });
  expect(started).toMatchObject({ status: 200 });
  const updates = await stream.until(({ type }) => type === 'interaction');
  expect(updates).toMatchObject([{ type: 'message', message: { content: 'A deal', type: 23 } }, { state: 'answered' }]);
  expect(await post(discord, 'message-commands', { ...place, name: 'Another' })).toMatchObject({ status: 422 });
});

test('what cannot be done is answered with one sentence', async () => {
  const { discord } = await startDiscord();
  const place = { personId: IDS.ben, channelId: IDS.deals };
  expect(await post(discord, 'commands', { ...place, text: '/nothing' })).toEqual({
    status: 422,
    body: { message: 'There is no command /nothing; the commands are none yet.' },
  });
  expect(await post(discord, 'commands', place)).toMatchObject({
    status: 422,
    body: { message: expect.stringContaining('"text"') },
  });
  expect(await post(discord, 'components', { ...place, messageId: '1', customId: 'x' })).toMatchObject({ status: 422 });
  expect(await post(discord, 'modals', { ...place, customId: 'x', values: {} })).toMatchObject({
    status: 422,
    body: { message: 'That person has no open form "x"; open it again.' },
  });
  expect(await post(discord, 'commands', { ...place, personId: '1', text: '/x' })).toMatchObject({ status: 422 });
});

/** `fetch` sets these headers itself. */
function statusOf(discord: LocalDiscord, path: string, headers: Record<string, string>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const asked = request(new URL(path, discord.url), { headers }, (response) => {
      response.destroy();
      resolve(response.statusCode);
    });
    asked.on('error', reject);
    asked.end();
  });
}

test('pages of other sites are refused', async () => {
  const { discord } = await startDiscord();
  const { host, port } = new URL(discord.url);
  const paths = ['/page/state', '/page/updates', '/', '/api/v10/gateway'];
  for (const path of paths) {
    expect(await statusOf(discord, path, { host: 'elsewhere.example' }), path).toBe(403);
    expect(await statusOf(discord, path, { host, origin: 'https://elsewhere.example' }), path).toBe(403);
    expect(await statusOf(discord, path, { host, origin: 'null' }), path).toBe(403);
  }
  expect(await statusOf(discord, '/page/state', { host, origin: `http://${host}` })).toBe(200);
  expect(await statusOf(discord, '/page/state', { host: `localhost:${port}` })).toBe(200);
  const foreign = { origin: 'https://elsewhere.example' };
  expect((await post(discord, 'commands', {}, foreign)).status).toBe(403);
});

test('the built page is served, and nothing beside it', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'index.html'), '<!doctype html>');
  writeFileSync(join(folder, 'page.js'), '1');
  const { discord } = await startDiscord({
    pageDirectory: folder,
    routes: [
      async (app) => {
        app.get('/healthz', async () => ({ status: 'ok' }));
      },
    ],
  });
  const get = async (path: string) => {
    const response = await fetch(discord.url + path);
    return [response.status, response.headers.get('content-type'), await response.text()];
  };
  expect(await get('/')).toEqual([200, 'text/html; charset=utf-8', '<!doctype html>']);
  expect((await fetch(`${discord.url}/`, { method: 'HEAD' })).status, 'as whoever only looks asks').toBe(200);
  const place = `/channels/${IDS.guild}/${IDS.deals}`;
  expect((await get(place))[2]).toBe('<!doctype html>');
  expect((await get(`${place}/1`))[2]).toBe('<!doctype html>');
  expect(await get('/page.js')).toEqual([200, 'text/javascript; charset=utf-8', '1']);
  expect(await get('/healthz')).toEqual([200, 'application/json; charset=utf-8', '{"status":"ok"}']);
  expect((await get('/%2e%2e%2fpage.js'))[0]).toBe(404);
  expect((await get('/none.css'))[0]).toBe(404);
});

test('without a built page, a sentence says what to do', async () => {
  const { discord } = await startDiscord({ pageDirectory: temporaryFolder() });
  const response = await fetch(discord.url);
  expect(await response.text()).toBe('Local Discord is running. Its page is not built: run "npm run build".\n');
});

test('a stop ends open streams and connections at once', async () => {
  const { discord } = await startDiscord();
  const stream = await openStream(discord);
  const client = await loginClient(discord);
  await discord.stop();
  await expect(stream.until(() => false)).rejects.toThrow();
  await client.destroy();
});

test('the stream tells nothing of what arrives in other servers', async () => {
  const { discord } = await startDiscord();
  const [elsewhere] = discord.createFollowers(IDS.announcements, 1);
  const stream = await openStream(discord);
  const news = `/channels/${IDS.announcements}/messages`;
  const { body } = await call(discord, 'POST', news, { content: 'A deal' });
  const path = `${news}/${String(body['id'])}`;
  await call(discord, 'POST', `${path}/crosspost`);
  expect(discord.messages(elsewhere?.id ?? '').at(-1)).toMatchObject({ content: 'A deal' });
  await call(discord, 'DELETE', path);
  await call(discord, 'POST', MESSAGES, { content: 'The last' });
  const updates = await stream.until((update) => update.type === 'message' && update.message.content === 'The last');
  const places = updates.map((update) => (update.type === 'message' ? update.message.channel_id : update.type));
  expect(places).toEqual([IDS.announcements, IDS.announcements, 'message-deleted', IDS.deals]);
});
