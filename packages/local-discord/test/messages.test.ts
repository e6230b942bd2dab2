import { once } from 'node:events';
import { DiscordAPIError, type Message, RateLimitError, type REST } from 'discord.js';
import { expect, test } from 'vitest';
import { IDS } from '../src/server/local-discord.ts';
import { call, loginClient, restOf, startDiscord } from './helpers.ts';

const MESSAGES = `/channels/${IDS.deals}/messages` as const;

test('a repeated nonce returns the message that exists, for five minutes', async () => {
  const { discord, clock } = await startDiscord();
  const send = (body: object) => call(discord, 'POST', MESSAGES, body);
  const first = await send({ content: 'A', nonce: 'abc', enforce_nonce: true });
  const created: string[] = [];
  discord.onUpdate((update) => created.push(update.type));

  await clock.advance(5 * 60_000);
  const repeat = await send({ content: 'B', nonce: 'abc', enforce_nonce: true });
  expect(repeat.body).toEqual(first.body);
  expect(created).toEqual([]);
  // Only whoever creates a message is told its nonce.
  expect(first.body['nonce']).toBe('abc');
  expect((await call(discord, 'GET', `${MESSAGES}/${String(first.body['id'])}`)).body).not.toHaveProperty('nonce');
  expect((await send({ content: 'C', nonce: 'abc' })).body['id']).not.toBe(first.body['id']);
  await clock.advance(5 * 60_000 + 1);
  expect((await send({ content: 'D', nonce: 'abc', enforce_nonce: true })).body['content']).toBe('D');
});

test('ids carry the time of the clock', async () => {
  const { discord, clock } = await startDiscord();
  const { body } = await call(discord, 'POST', MESSAGES, { content: 'A' });
  expect(Number(BigInt(String(body['id'])) >> 22n) + 1_420_070_400_000).toBe(clock.now());
  expect(Date.parse(String(body['timestamp']))).toBe(clock.now());
});

test('messages are listed in pages, newest first', async () => {
  const { discord, clock } = await startDiscord();
  const ids: string[] = [];
  for (let number = 1; number <= 120; number += 1) {
    await clock.advance(1);
    ids.push(String((await call(discord, 'POST', MESSAGES, { content: `${number}` })).body['id']));
  }
  const list = async (query: string) => {
    const found = (await call(discord, 'GET', `${MESSAGES}?${query}`)).body as unknown as { content: string }[];
    return found.map(({ content }) => Number(content));
  };
  const down = (from: number, to: number) => Array.from({ length: from - to + 1 }, (_, index) => from - index);

  expect(await list('')).toEqual(down(120, 71));
  expect(await list('limit=100')).toEqual(down(120, 21));
  expect(await list(`limit=100&before=${ids[20]}`)).toEqual(down(20, 1));
  expect(await list(`limit=3&after=${ids[9]}`)).toEqual([13, 12, 11]);
  expect(await list(`limit=4&around=${ids[49]}`)).toEqual([51, 50, 49, 48]);
  expect((await call(discord, 'GET', `${MESSAGES}?limit=101`)).body).toMatchObject({
    code: 50035,
    errors: { limit: { _errors: [{ code: 'NUMBER_TYPE_MAX' }] } },
  });
});

test('nobody is pinged against allowed_mentions', async () => {
  const { discord } = await startDiscord();
  const content = `<@${IDS.ben}> <@&${IDS.dealHunters}> <@&${IDS.managers}> @everyone \`<@${IDS.ada}>\``;
  const send = async (allowed?: object) => {
    const { body } = await call(discord, 'POST', MESSAGES, { content, ...(allowed && { allowed_mentions: allowed }) });
    const mentions = body['mentions'] as { id: string }[];
    return [mentions.map(({ id }) => id), body['mention_roles'], body['mention_everyone']];
  };
  expect(await send()).toEqual([[IDS.ben], [IDS.dealHunters], false]);
  expect(await send({ parse: [] })).toEqual([[], [], false]);
  expect(await send({ parse: [], roles: [IDS.dealHunters] })).toEqual([[], [IDS.dealHunters], false]);
  discord.setPermissions(IDS.deals, { allow: ['mentionEveryone'] });
  expect(await send()).toEqual([[IDS.ben], [IDS.dealHunters, IDS.managers], true]);
});

test('mentions in text displays count, in embeds they do not', async () => {
  const { discord } = await startDiscord();
  const card = { flags: 1 << 15, components: [{ type: 10, content: `<@${IDS.ben}>` }] };
  expect((await call(discord, 'POST', MESSAGES, card)).body['mentions']).toHaveLength(1);
  const embed = { embeds: [{ description: `<@${IDS.ben}>` }] };
  expect((await call(discord, 'POST', MESSAGES, embed)).body['mentions']).toEqual([]);
});

test('files travel with a message and can be shown in it', async () => {
  const { discord } = await startDiscord();
  const client = await loginClient(discord);
  const channel = client.channels.cache.get(IDS.deals);
  if (!channel?.isSendable()) throw new Error('unexpected');
  const message = await channel.send({
    content: 'Look',
    files: [{ attachment: Buffer.from('GIF89a'), name: 'deal.gif', description: 'A deal' }],
    embeds: [{ image: { url: 'attachment://deal.gif' } }],
  });
  const attachment = message.attachments.first();
  expect(attachment).toMatchObject({ name: 'deal.gif', description: 'A deal', size: 6 });
  expect(message.embeds[0]?.image?.url).toBe(attachment?.url);
  const response = await fetch(attachment?.url ?? '');
  expect(await response.text()).toBe('GIF89a');

  const without = await message.edit({ attachments: [], embeds: [] });
  expect(without.attachments.size).toBe(0);
});

test('whatever shows a file of the message says where it is', async () => {
  const { discord } = await startDiscord();
  const client = await loginClient(discord);
  const channel = client.channels.cache.get(IDS.deals);
  if (!channel?.isSendable()) throw new Error('unexpected');
  const file = { attachment: Buffer.from('GIF89a'), name: 'deal.gif' };
  const [own, elsewhere] = ['attachment://deal.gif', 'https://example.com/a.gif'];
  const { attachments, embeds } = await channel.send({
    files: [file],
    embeds: [
      {
        title: 'A',
        thumbnail: { url: own },
        footer: { text: 'B', icon_url: own },
        author: { name: 'C', icon_url: own },
        image: { url: elsewhere },
      },
    ],
  });
  const url = attachments.first()?.url;
  expect(embeds[0]?.data).toMatchObject({
    thumbnail: { url },
    footer: { icon_url: url },
    author: { icon_url: url },
    image: { url: elsewhere },
  });

  const card = await channel.send({
    flags: 'IsComponentsV2',
    files: [file],
    components: [
      { type: 12, items: [{ media: { url: own } }, { media: { url: elsewhere } }] },
      { type: 13, file: { url: own } },
    ],
  });
  const at = card.attachments.first()?.url;
  expect(card.components.map((component) => component.toJSON())).toMatchObject([
    {
      items: [{ media: { url: at, proxy_url: at } }, { media: { url: elsewhere, proxy_url: elsewhere } }],
    },
    { file: { url: at, proxy_url: at } },
  ]);
});

test('a file is where the message was asked for, by whatever name', async () => {
  const { discord } = await startDiscord();
  const client = await loginClient(discord);
  const channel = client.channels.cache.get(IDS.deals);
  if (!channel?.isSendable()) throw new Error('unexpected');
  const { id } = await channel.send({ files: [{ attachment: Buffer.from('GIF89a'), name: 'deal.gif' }] });
  const { port } = new URL(discord.url);
  const api = `http://localhost:${port}`;
  const ask = async (path: string) =>
    (await fetch(`${api}${path}`, { headers: { authorization: `Bot ${discord.token}` } })).text();
  for (const path of [`/api/v10${MESSAGES}/${id}`, '/page/state']) {
    const [, url = ''] = /"url":"([^"]*deal\.gif)"/.exec(await ask(path)) ?? [];
    expect(new URL(url).origin, path).toBe(api);
    expect(await (await fetch(url)).text()).toBe('GIF89a');
  }
  const elsewhere = await loginClient(discord, [1, 512], { rest: { api: `${api}/api` } });
  const seen = once(elsewhere, 'messageCreate') as Promise<[Message]>;
  await channel.send({ files: [{ attachment: Buffer.from('GIF89a'), name: 'deal.gif' }] });
  const [message] = await seen;
  expect(new URL(message.attachments.first()?.url ?? '').origin).toBe(api);
});

test('an announcement is published once', async () => {
  const { discord } = await startDiscord();
  const path = `/channels/${IDS.announcements}/messages`;
  const { body } = await call(discord, 'POST', path, { content: 'A' });
  const published = await call(discord, 'POST', `${path}/${String(body['id'])}/crosspost`);
  expect(published).toMatchObject({ status: 200, body: { flags: 1 } });
  expect((await call(discord, 'POST', `${path}/${String(body['id'])}/crosspost`)).body).toMatchObject({ code: 40033 });

  const edit = () => call(discord, 'PATCH', `${path}/${String(body['id'])}`, { content: 'B' });
  for (let number = 1; number <= 3; number += 1) expect((await edit()).status).toBe(200);
  expect(await edit()).toMatchObject({ status: 429, body: { code: 20028, retry_after: 3600 } });

  const elsewhere = await call(discord, 'POST', MESSAGES, { content: 'A' });
  const refused = await call(discord, 'POST', `${MESSAGES}/${String(elsewhere.body['id'])}/crosspost`);
  expect(refused.body).toMatchObject({ code: 50024 });
});

test('ten announcements an hour are published', async () => {
  const { discord, clock } = await startDiscord();
  const path = `/channels/${IDS.announcements}/messages`;
  const publish = async () => {
    const { body } = await call(discord, 'POST', path, { content: 'A' });
    return call(discord, 'POST', `${path}/${String(body['id'])}/crosspost`);
  };
  for (let number = 1; number <= 10; number += 1) expect((await publish()).status).toBe(200);
  await clock.advance(3_600_000 - 1_163_097);
  const refused = await publish();
  expect(refused.status).toBe(429);
  expect(refused.body).toEqual({
    code: 20028,
    global: false,
    message: 'The write action you are performing on the channel has hit the write rate limit.',
    retry_after: 1163.097,
  });
  // The header is wrong, as Discord's own is.
  expect(refused.headers.get('retry-after')).toBe('1');
  expect(refused.headers.get('x-ratelimit-scope')).toBe('shared');
  await clock.advance(1_163_096);
  expect((await publish()).status).toBe(429);
  await clock.advance(1);
  expect((await publish()).status).toBe(200);
});

test('what somebody else publishes in a channel counts, as soon as they do', async () => {
  const { discord, clock } = await startDiscord({ othersPublish: 8 });
  const path = `/channels/${IDS.announcements}/messages`;
  const publish = async () => {
    const { body } = await call(discord, 'POST', path, { content: 'A' });
    return (await call(discord, 'POST', `${path}/${String(body['id'])}/crosspost`)).status;
  };
  expect([await publish(), await publish(), await publish()]).toEqual([200, 200, 429]);
  discord.othersPublish = 0;
  expect(await publish()).toBe(200);
  discord.othersPublish = 10;
  await clock.advance(3_600_000);
  expect(await publish()).toBe(429);
});

test('three edits in six seconds and channel are taken of messages older than an hour; not each refusal says for how long', async () => {
  const { discord, clock } = await startDiscord();
  const path = `/channels/${IDS.deals}/messages`;
  const send = async () => String((await call(discord, 'POST', path, { content: 'A' })).body['id']);
  const old = [await send(), await send(), await send(), await send()];
  const edit = (id: string | undefined) => call(discord, 'PATCH', `${path}/${id}`, { content: 'B' });
  await clock.advance(3_600_000);
  for (let number = 1; number <= 4; number += 1) expect((await edit(old[0])).status, 'just an hour old').toBe(200);
  const young = await send();
  await clock.advance(1);
  for (const id of old.slice(0, 3)) expect((await edit(id)).status).toBe(200);
  await clock.advance(500);
  const [told, untold] = [await edit(old[3]), await edit(old[3])];
  expect(told).toMatchObject({ status: 429, body: { code: 30046, retry_after: 5.5, global: false } });
  expect(told.headers.get('retry-after')).toBe('6');
  expect(untold).toMatchObject({ status: 429, body: { code: 30046 } });
  expect(untold.body).not.toHaveProperty('retry_after');
  expect(untold.headers.get('retry-after')).toBeNull();
  expect((await edit(young)).status).toBe(200);
  await clock.advance(5_499);
  expect((await edit(old[3])).status).toBe(429);
  await clock.advance(1);
  expect((await edit(old[3])).status).toBe(200);
});

test('a forum post begins with its message and takes more', async () => {
  const { discord } = await startDiscord();
  const client = await loginClient(discord);
  const forum = client.channels.cache.get(IDS.forum);
  if (!forum?.isThreadOnly()) throw new Error('unexpected');
  const thread = await forum.threads.create({
    name: 'A deal',
    message: { content: 'First' },
    appliedTags: [IDS.forumTagDeal],
  });
  await thread.send('Second');
  expect(thread.parentId).toBe(IDS.forum);
  expect(thread.appliedTags).toEqual([IDS.forumTagDeal]);
  expect(discord.messages(thread.id).map(({ id, content }) => [id === thread.id, content])).toEqual([
    [true, 'First'],
    [false, 'Second'],
  ]);
  expect((await thread.fetchStarterMessage())?.content).toBe('First');
  await thread.setArchived(true);
  const starter = { path: `/channels/${thread.id}/messages/${thread.id}`, body: { content: 'Edited' } };
  expect((await call(discord, 'PATCH', starter.path, starter.body)).body).toMatchObject({ code: 50083 });
  await thread.send('Opens it again');
  expect((await call(discord, 'PATCH', starter.path, starter.body)).status).toBe(200);
  expect((await call(discord, 'POST', `/channels/${IDS.forum}/messages`, { content: 'A' })).body).toMatchObject({
    code: 50008,
  });
});

test('a thread begins at a message', async () => {
  const { discord } = await startDiscord();
  const client = await loginClient(discord);
  const channel = client.channels.cache.get(IDS.deals);
  if (!channel?.isSendable()) throw new Error('unexpected');
  const message = await channel.send('A deal');
  const thread = await message.startThread({ name: 'About it' });
  expect(thread).toMatchObject({ id: message.id, parentId: IDS.deals, name: 'About it' });
  await thread.send('In it');
  expect(discord.messages(thread.id).map(({ content }) => content)).toEqual(['In it']);
  expect(discord.messages(IDS.deals)).toMatchObject([{ flags: 1 << 5 }]);
  await expect(message.startThread({ name: 'Again' })).rejects.toMatchObject({ code: 160004 });
  discord.deleteChannel(IDS.deals);
  expect(() => discord.channel('About it')).toThrow();
});

test('what the bot may not do in a channel is refused', async () => {
  const { discord } = await startDiscord();
  const client = await loginClient(discord);
  const send = async () => (await call(discord, 'POST', MESSAGES, { content: 'A' })).body['code'];

  const updated = new Promise((resolve) => {
    client.once('channelUpdate', resolve);
  });
  discord.setPermissions(IDS.deals, { deny: ['sendMessages'] });
  await updated;
  const channel = client.channels.cache.get(IDS.deals);
  if (!channel?.isTextBased() || channel.isDMBased()) throw new Error('unexpected');
  expect(channel.permissionsFor(client.user)?.has('SendMessages')).toBe(false);
  expect(await send()).toBe(50013);
  discord.setPermissions(IDS.deals, { deny: ['viewChannel'] });
  expect(await send()).toBe(50001);
  discord.setPermissions(IDS.deals, {});
  expect(await send()).toBeUndefined();
  discord.setPermissions(IDS.deals, { deny: ['sendMessages'] }, discord.guildId);
  expect(await send()).toBe(50013);
  discord.setPermissions(IDS.deals, { deny: ['readMessageHistory'] });
  expect((await call(discord, 'GET', MESSAGES)).body).toEqual([]);
});

test('a channel that was deleted is unknown', async () => {
  const { discord } = await startDiscord();
  const client = await loginClient(discord);
  const deleted = new Promise((resolve) => {
    client.once('channelDelete', resolve);
  });
  discord.deleteChannel(IDS.deals);
  await deleted;
  expect((await call(discord, 'POST', MESSAGES, { content: 'A' })).body).toEqual({
    message: 'Unknown Channel',
    code: 10003,
  });
});

test('five messages in five seconds go to a channel; the headers say so', async () => {
  const { discord, clock } = await startDiscord({ limits: {} });
  const send = (channel: string = IDS.deals) =>
    call(discord, 'POST', `/channels/${channel}/messages`, { content: 'A' });
  const first = await send();
  expect(Object.fromEntries(first.headers)).toMatchObject({
    'x-ratelimit-limit': '5',
    'x-ratelimit-remaining': '4',
    'x-ratelimit-reset': ((clock.now() + 5000) / 1000).toFixed(3),
    'x-ratelimit-reset-after': '5.000',
    'x-ratelimit-bucket': expect.stringMatching(/^[0-9a-f]{32}$/),
  });
  for (let number = 2; number <= 5; number += 1) expect((await send()).status).toBe(200);
  await clock.advance(3500);
  const refused = await send();
  expect(refused.status).toBe(429);
  expect(refused.body).toEqual({ message: 'You are being rate limited.', retry_after: 1.5, global: false });
  expect(refused.headers.get('retry-after')).toBe('2');
  expect(refused.headers.get('x-ratelimit-scope')).toBe('user');
  expect((await send(IDS.announcements)).status).toBe(200);
  await clock.advance(1500);
  expect((await send()).status).toBe(200);
  expect(discord.messages(IDS.deals)).toHaveLength(6);
});

test('fifty requests a second are taken in all', async () => {
  const { discord, clock } = await startDiscord({ limits: {} });
  for (let number = 1; number <= 50; number += 1) await call(discord, 'GET', '/users/@me');
  const refused = await call(discord, 'GET', '/users/@me');
  expect(refused).toMatchObject({ status: 429, body: { global: true, retry_after: 1 } });
  expect(refused.headers.get('x-ratelimit-global')).toBe('true');
  await clock.advance(1000);
  expect((await call(discord, 'GET', '/users/@me')).status).toBe(200);
});

test('the real REST library understands the refusal', async () => {
  const { discord } = await startDiscord({ limits: { createMessage: { requests: 1, perMs: 60_000 } } });
  const rest = restOf(discord, { rejectOnRateLimit: () => true });
  await rest.post(MESSAGES, { body: { content: 'A' } });
  const second = rest.post(MESSAGES, { body: { content: 'B' } });
  await expect(second).rejects.toBeInstanceOf(RateLimitError);
  await expect(second).rejects.toMatchObject({ limit: 1, majorParameter: IDS.deals, global: false });
});

test('errors arrive as the real library knows them', async () => {
  const { discord } = await startDiscord();
  const rest: REST = restOf(discord);
  const refused = rest.post(MESSAGES, { body: { content: 'x'.repeat(2001) } });
  await expect(refused).rejects.toBeInstanceOf(DiscordAPIError);
  await expect(refused).rejects.toMatchObject({
    code: 50035,
    message: 'Invalid Form Body\ncontent[BASE_TYPE_MAX_LENGTH]: Must be 2000 or fewer in length.',
  });
});
