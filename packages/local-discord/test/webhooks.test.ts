import { ChannelType, type Message, PermissionFlagsBits, type TextChannel, WebhookClient } from 'discord.js';
import { expect, test } from 'vitest';
import { IDS } from '../src/server/local-discord.ts';
import { agent, call, loginClient, startDiscord } from './helpers.ts';

const WEBHOOKS = `/channels/${IDS.deals}/webhooks`;

/** Local Discord, where the bot has made a webhook in #deals; `send` makes a request with nothing but the token in its path. */
async function aWebhook(channelId: string = IDS.deals) {
  const started = await startDiscord();
  const { discord } = started;
  const { body } = await call(discord, 'POST', `/channels/${channelId}/webhooks`, { name: 'Price watch' });
  const webhook = body as { id: string; token: string };
  const path = `/webhooks/${webhook.id}/${webhook.token}`;
  const send = async (method: string, rest: string, content?: unknown) => {
    const response = await fetch(`${discord.api}/v10${path}${rest}`, {
      method,
      ...(content !== undefined && {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(content),
      }),
    });
    const text = await response.text();
    return { status: response.status, body: (text ? JSON.parse(text) : {}) as Record<string, unknown> };
  };
  return { ...started, webhook, send };
}

test('whoever has the token posts, edits and deletes under the name of the webhook or another', async () => {
  const { discord, webhook } = await aWebhook();
  const client = new WebhookClient(webhook, { rest: { api: discord.api, agent } });
  const { id } = await client.send({ content: 'A drop @everyone', username: 'Kettles' });
  expect(discord.messages(IDS.deals)).toMatchObject([
    { id, author: { username: 'Kettles', bot: true }, webhook_id: webhook.id, mention_everyone: true },
  ]);
  await client.editMessage(id, 'It is over');
  expect(await client.fetchMessage(id)).toMatchObject({ content: 'It is over' });
  await client.deleteMessage(id);
  expect(discord.messages(IDS.deals)).toEqual([]);
});

test('the bot makes, finds, changes and deletes webhooks, and hears of it', async () => {
  const { discord } = await startDiscord();
  const client = await loginClient(discord, [1, 1 << 5]);
  const heard: string[] = [];
  client.on('webhooksUpdate', ({ id }) => void heard.push(id));
  const channel = (await client.channels.fetch(IDS.deals)) as TextChannel;
  const webhook = await channel.createWebhook({ name: 'Price watch', reason: 'For drops' });
  await webhook.edit({ name: 'Drops', channel: IDS.announcements });
  expect([...(await channel.guild.fetchWebhooks()).values()]).toMatchObject([
    { name: 'Drops', channelId: IDS.announcements, token: webhook.token },
  ]);
  await webhook.send('Published');
  expect(discord.messages(IDS.announcements)).toMatchObject([{ content: 'Published', author: { username: 'Drops' } }]);
  await webhook.delete();
  expect(discord.webhooks(IDS.announcements)).toEqual([]);
  await expect.poll(() => heard.length).toBeGreaterThanOrEqual(3);
});

test('a webhook outlasts a restart, and what it has posted too', async () => {
  const { discord, clock, stateUrl, webhook, send } = await aWebhook();
  expect((await send('POST', '', { content: 'Kept' })).status).toBe(204);
  await discord.stop();
  const again = await startDiscord({ stateUrl, clock });
  expect(again.discord.webhooks(IDS.deals)).toMatchObject([webhook]);
  expect(again.discord.messages(IDS.deals)).toMatchObject([{ content: 'Kept', webhook_id: webhook.id }]);
});

test('a webhook posts in the threads of its channel and makes posts in its forum, and nowhere else', async () => {
  const { discord, send } = await aWebhook();
  const thread = discord.createThread(IDS.deals, 'Talk');
  const sent = await send('POST', `?wait=true&thread_id=${thread.id}`, { content: 'Here' });
  expect(sent.body).toMatchObject({ channel_id: thread.id });
  const edit = (query: string) => send('PATCH', `/messages/${String(sent.body['id'])}${query}`, { content: 'There' });
  expect((await edit(`?thread_id=${thread.id}`)).body).toMatchObject({ content: 'There' });
  expect((await edit('')).body).toMatchObject({ code: 10008 });
  expect((await send('POST', `?thread_id=${IDS.announcements}`, { content: 'No' })).body).toMatchObject({
    code: 10003,
  });
  expect((await send('POST', '', { content: 'No', thread_name: 'A' })).body).toMatchObject({ code: 220003 });
  const inForum = await aWebhook(IDS.forum);
  expect((await inForum.send('POST', '', { content: 'No' })).body).toMatchObject({ code: 220001 });
  const tagged = { content: 'A kettle', thread_name: 'Kettle', applied_tags: [IDS.forumTagDeal] };
  const post = await inForum.send('POST', '?wait=true', tagged);
  expect(inForum.discord.messages(String(post.body['channel_id']))).toMatchObject([{ content: 'A kettle' }]);
});

test('what Discord refuses is refused: names, tokens, channels, a sixteenth webhook, and a bot without the permission', async () => {
  const { discord, webhook, send } = await aWebhook();
  for (const name of ['', 'x'.repeat(81), 'My Discord', 'clyde 2']) {
    expect((await call(discord, 'POST', WEBHOOKS, { name })).body, name).toMatchObject({ code: 50035 });
  }
  expect((await send('PATCH', '', { name: 'Drops' })).body).toMatchObject({ name: 'Drops' });
  expect((await send('POST', '', {})).body).toMatchObject({ code: 50006 });
  expect((await send('POST', '', { content: 'No', username: 'x'.repeat(81) })).body).toMatchObject({ code: 50035 });
  const other = await fetch(`${discord.api}/v10/webhooks/${webhook.id}/wrong`);
  expect(await other.json()).toMatchObject({ code: 50027 });
  for (let number = 2; number <= 15; number += 1) {
    expect((await call(discord, 'POST', WEBHOOKS, { name: `Watch ${number}` })).status).toBe(200);
  }
  expect((await call(discord, 'POST', WEBHOOKS, { name: 'One more' })).body).toMatchObject({ code: 30007 });
  discord.setPermissions(IDS.deals, { deny: ['manageWebhooks'] });
  expect((await call(discord, 'POST', WEBHOOKS, { name: 'No' })).body).toMatchObject({ code: 50013 });
  expect((await send('DELETE', '')).status).toBe(204);
  expect((await send('POST', '', { content: 'No' })).body).toMatchObject({ code: 10015 });
});

test('the bot makes channels and their overwrites by its permissions', async () => {
  const { discord } = await startDiscord();
  const client = await loginClient(discord);
  const guild = await client.guilds.fetch(IDS.guild);
  await expect(guild.channels.create({ name: 'Big Drops' })).rejects.toMatchObject({ code: 50013 });
  discord.editRole(IDS.botRole, {
    permissions: ['viewChannel', 'manageChannels', 'manageRoles', 'manageMessages', 'sendMessages'],
  });
  const channel = await guild.channels.create({
    name: 'Big Drops',
    topic: 'Half the price',
    permissionOverwrites: [
      { id: IDS.guild, deny: ['ViewChannel'] },
      { id: IDS.application, allow: ['ViewChannel'] },
    ],
  });
  expect(discord.channel('big-drops')).toMatchObject({ topic: 'Half the price', type: 0 });
  await channel.permissionOverwrites.edit(IDS.ben, { ViewChannel: true });
  const allows = () => channel.permissionsFor(IDS.ben)?.has(PermissionFlagsBits.ViewChannel);
  expect(discord.channel('big-drops')).toMatchObject({
    permission_overwrites: [{}, {}, { id: IDS.ben, allow: '1024' }],
  });
  await channel.permissionOverwrites.delete(IDS.ben);
  expect(allows()).not.toBe(true);
  const put = (id: string, body: object) => call(discord, 'PUT', `/channels/${channel.id}/permissions/${id}`, body);
  expect((await put(IDS.ben, { type: 1, allow: '8' })).body, 'what it lacks').toMatchObject({ code: 50013 });
  expect((await put('12', { type: 1 })).body).toMatchObject({ code: 10009 });
  expect((await put(IDS.ben, { type: 1, allow: 'all' })).body).toMatchObject({ code: 50035 });
  const missing = await call(discord, 'DELETE', `/channels/${channel.id}/permissions/${IDS.ben}`);
  expect(missing.body).toMatchObject({ code: 10009 });
  const forum = await guild.channels.create({
    name: 'Finds',
    type: ChannelType.GuildForum,
    availableTags: [{ name: 'Deal' }],
  });
  expect(discord.channel('Finds')).toMatchObject({ available_tags: [{ name: 'Deal' }] });
  const post = await forum.threads.create({ name: 'A kettle', message: { content: 'Look' } });
  expect((await post.fetchStarterMessage()) as Message).toMatchObject({ content: 'Look' });
});
