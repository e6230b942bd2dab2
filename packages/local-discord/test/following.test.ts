import { MessageType, type NewsChannel, WebhookType } from 'discord.js';
import { describe, expect, test } from 'vitest';
import { IDS, type LocalDiscord } from '../src/server/local-discord.ts';
import { call, loginClient, startDiscord } from './helpers.ts';

const MESSAGES = `/channels/${IDS.announcements}/messages`;
const FOLLOWERS = `/channels/${IDS.announcements}/followers`;

const follow = (discord: LocalDiscord, targetId: string) =>
  call(discord, 'POST', FOLLOWERS, { webhook_channel_id: targetId });

/** Has the bot post and publish a message. Returns its id. */
async function published(
  discord: LocalDiscord,
  body: Record<string, unknown> = { content: 'A deal' },
): Promise<string> {
  const { body: made } = await call(discord, 'POST', MESSAGES, body);
  const id = String(made['id']);
  expect((await call(discord, 'POST', `${MESSAGES}/${id}/crosspost`)).status).toBe(200);
  return id;
}

/** What a channel got from others, without what Discord itself writes. */
const arrived = (discord: LocalDiscord, channelId: string) =>
  discord.messages(channelId).filter(({ webhook_id }) => webhook_id !== undefined);

test('a channel of another server follows, gets what is published, and keeps up with edits and deletion', async () => {
  const { discord, clock } = await startDiscord();
  const target = discord.createChannel('deals-here', 'text', { guildId: discord.createGuild('Bazaar') });
  const client = await loginClient(discord);
  const source = (await client.channels.fetch(IDS.announcements)) as NewsChannel;
  await source.addFollower(target.id, 'They asked');
  const webhookId = discord.webhooks(target.id)[0]?.id;
  const [notice] = discord.messages(target.id);
  expect(notice).toMatchObject({
    type: MessageType.ChannelFollowAdd,
    content: 'Bargain Corner #announcements',
    author: { id: IDS.application },
    message_reference: { channel_id: IDS.announcements, guild_id: IDS.guild },
  });

  const unpublished = await source.send('Not for everyone');
  const message = await source.send({ content: 'A deal', embeds: [{ title: 'SSD' }] });
  await message.crosspost();
  const [copy, ...rest] = arrived(discord, target.id);
  expect(rest).toEqual([]);
  expect(copy).toMatchObject({
    content: 'A deal',
    embeds: [{ title: 'SSD' }],
    flags: 1 << 1,
    webhook_id: webhookId,
    author: { id: webhookId, username: 'Bargain Corner #announcements', bot: true },
    message_reference: { channel_id: IDS.announcements, message_id: message.id, guild_id: IDS.guild },
  });
  expect(copy?.id).not.toBe(message.id);

  await clock.advance(1000);
  await unpublished.edit('Still not');
  const { editedTimestamp } = await message.edit('A better deal');
  expect(arrived(discord, target.id)).toMatchObject([{ id: copy?.id, content: 'A better deal', flags: 1 << 1 }]);
  expect(Date.parse(arrived(discord, target.id)[0]?.edited_timestamp ?? '')).toBe(editedTimestamp);
  await message.delete();
  expect(arrived(discord, target.id)).toMatchObject([
    { id: copy?.id, content: '[Original Message Deleted]', embeds: [], flags: (1 << 1) | (1 << 3) },
  ]);
});

test('a pin of what was published changes nothing where it arrived', async () => {
  const { discord } = await startDiscord();
  await follow(discord, IDS.deals);
  const id = await published(discord);
  const changed: unknown[] = [];
  discord.onUpdate((update) => update.type === 'message' && changed.push(update.message.channel_id));
  expect((await call(discord, 'PUT', `${MESSAGES}/pins/${id}`)).status).toBe(204);
  expect(new Set(changed)).toEqual(new Set([IDS.announcements]));
});

test('what follows is listed, and stops when its webhook or its channel is deleted', async () => {
  const { discord, stateUrl } = await startDiscord();
  const client = await loginClient(discord);
  const { webhook_id } = (await follow(discord, IDS.deals)).body as { webhook_id: string };
  const target = discord.createChannel('more');
  await follow(discord, target.id);
  const source = (await client.channels.fetch(IDS.deals)) as NewsChannel;
  const webhooks = await source.fetchWebhooks();
  expect(
    webhooks.map(({ id, type, name, sourceChannel, sourceGuild }) => [
      id,
      type,
      name,
      sourceChannel?.id,
      sourceGuild?.name,
    ]),
  ).toEqual([
    [webhook_id, WebhookType.ChannelFollower, 'Bargain Corner #announcements', IDS.announcements, 'Bargain Corner'],
  ]);
  await client.destroy();
  await discord.stop();
  const again = (await startDiscord({ stateUrl })).discord;
  await published(again);
  expect([arrived(again, IDS.deals), arrived(again, target.id)].map(({ length }) => length)).toEqual([1, 1]);

  expect((await call(again, 'GET', `/webhooks/${webhook_id}`)).body).toMatchObject({ id: webhook_id, type: 2 });
  expect((await call(again, 'DELETE', `/webhooks/${webhook_id}`)).status).toBe(204);
  expect((await call(again, 'DELETE', `/webhooks/${webhook_id}`)).body).toMatchObject({ code: 10_015 });
  again.deleteChannel(target.id);
  await published(again);
  expect(arrived(again, IDS.deals)).toHaveLength(1);
  expect((await call(again, 'GET', `/channels/${IDS.deals}/webhooks`)).body).toEqual([]);
});

describe('of a card with components', () => {
  const row = (...components: object[]) => ({ type: 1, components });
  const button = (id: string) => ({ type: 2, style: 1, label: 'Mute', custom_id: id });
  const link = { type: 2, style: 5, label: 'Open', url: 'https://example.com/' };
  const menu = { type: 3, custom_id: 'more', options: [{ label: 'a', value: 'a' }] };
  const text = { type: 10, content: 'A deal' };

  test('its texts, pictures and links arrive, and nothing that asks the bot', async () => {
    const { discord } = await startDiscord();
    await follow(discord, IDS.deals);
    const section = { type: 9, components: [text], accessory: button('a') };
    const linked = { type: 9, components: [text], accessory: link };
    const container = { type: 17, components: [section, linked, row(button('b'), link), row(menu), { type: 14 }] };
    await published(discord, { flags: 1 << 15, components: [container, row(button('c'))] });
    const [copy] = arrived(discord, IDS.deals);
    expect(copy?.flags).toBe((1 << 15) | (1 << 1));
    expect(copy?.components).toMatchObject([
      { type: 17, components: [text, { type: 9, components: [text], accessory: link }, row(link), { type: 14 }] },
    ]);
    expect(JSON.stringify(copy?.components)).not.toContain('custom_id');
  });

  test('of the older kind, no component arrives', async () => {
    const { discord } = await startDiscord();
    await follow(discord, IDS.deals);
    await published(discord, { content: 'A deal', components: [row(button('a'), link)] });
    expect(arrived(discord, IDS.deals)).toMatchObject([{ content: 'A deal', components: [] }]);
  });
});

test('what arrives pings nobody', async () => {
  const { discord } = await startDiscord();
  await follow(discord, IDS.deals);
  await published(discord, { content: `<@${IDS.ben}> <@&${IDS.dealHunters}>` });
  expect(arrived(discord, IDS.deals)).toMatchObject([{ mentions: [], mention_roles: [], mention_everyone: false }]);
});

describe('refuses', () => {
  test('without Manage Webhooks, channels that nothing can follow, and those that are not there', async () => {
    const { discord } = await startDiscord();
    const codeOf = async (sourceId: string, targetId?: string) => {
      const answer = await call(discord, 'POST', `/channels/${sourceId}/followers`, { webhook_channel_id: targetId });
      return answer.body['code'];
    };
    expect(await codeOf(IDS.announcements)).toBe(50_035);
    expect(await codeOf(IDS.announcements, '1')).toBe(10_003);
    expect(await codeOf('1', IDS.deals)).toBe(10_003);
    expect(await codeOf(IDS.deals, IDS.announcements), 'a source that publishes nothing').toBe(50_024);
    expect(await codeOf(IDS.announcements, IDS.forum)).toBe(50_024);
    const [elsewhere] = discord.createFollowers(IDS.announcements, 1);
    expect(await codeOf(IDS.announcements, elsewhere?.id), 'a server that the bot is not in').toBe(50_001);
    const { webhook_id } = (await follow(discord, IDS.deals)).body as { webhook_id: string };
    discord.setPermissions(IDS.deals, { deny: ['manageWebhooks'] });
    expect(await codeOf(IDS.announcements, IDS.deals)).toBe(50_013);
    for (const [method, path] of [
      ['GET', `/channels/${IDS.deals}/webhooks`],
      ['GET', `/webhooks/${webhook_id}`],
      ['DELETE', `/webhooks/${webhook_id}`],
    ] as const) {
      expect((await call(discord, method, path)).body, `${method} ${path}`).toMatchObject({ code: 50_013 });
    }
    discord.setPermissions(IDS.deals, { deny: ['viewChannel'] });
    expect(await codeOf(IDS.announcements, IDS.deals)).toBe(50_001);
    expect(discord.webhooks(IDS.deals)).toHaveLength(1);
  });

  test('the sixteenth webhook of a channel', async () => {
    const { discord } = await startDiscord();
    for (let number = 1; number <= 15; number += 1) expect((await follow(discord, IDS.deals)).status).toBe(200);
    expect(await follow(discord, IDS.deals)).toMatchObject({ status: 400, body: { code: 30_007 } });
    const [first] = discord.webhooks(IDS.deals);
    await call(discord, 'DELETE', `/webhooks/${first?.id}`);
    expect((await follow(discord, IDS.deals)).status).toBe(200);
  });
});

test('1,000 followers each get what is published once, and its edit', async () => {
  const { discord } = await startDiscord();
  const client = await loginClient(discord);
  const channels = discord.createFollowers(IDS.announcements, 1000);
  expect(new Set(channels.map(({ guild_id }) => guild_id)).size).toBe(1000);
  const id = await published(discord);
  await published(discord, { content: 'Another deal' });
  await call(discord, 'PATCH', `${MESSAGES}/${id}`, { content: 'A better deal' });
  for (const channel of channels) {
    const texts = arrived(discord, channel.id).map(({ content }) => content);
    expect(texts).toEqual(['A better deal', 'Another deal']);
  }
  expect(client.guilds.cache.size, 'the bot is in none of their servers').toBe(1);
  expect((await call(discord, 'GET', `/guilds/${channels[0]?.guild_id}`)).body).toMatchObject({ code: 10_004 });
  const shown = await (await fetch(`${discord.url}/page/state`)).text();
  expect(shown).not.toContain(channels[0]?.id);
});
