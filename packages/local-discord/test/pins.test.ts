import { GatewayIntentBits, MessageType, type TextChannel } from 'discord.js';
import { expect, test } from 'vitest';
import { IDS } from '../src/server/local-discord.ts';
import { call, loginClient, startDiscord } from './helpers.ts';

const MESSAGES = `/channels/${IDS.deals}/messages`;
const PINS = `${MESSAGES}/pins`;

test('a message is pinned once, which a message of Discord’s own says, and unpinned', async () => {
  const { discord, clock, stateUrl } = await startDiscord();
  const client = await loginClient(discord);
  const told: number[] = [];
  client.on('channelPinsUpdate', (_, date) => told.push(Number(date)));
  const channel = (await client.channels.fetch(IDS.deals)) as TextChannel;
  const board = await channel.send('Board');
  await clock.advance(1000);
  await board.pin();
  await board.pin('twice is once');
  const [first, notice, ...rest] = discord.messages(IDS.deals);
  expect(rest).toEqual([]);
  expect(first).toMatchObject({
    id: board.id,
    pinned: true,
    pinned_at: new Date(clock.now()).toISOString().replace('Z', '000+00:00'),
  });
  expect(notice).toMatchObject({
    type: MessageType.ChannelPinnedMessage,
    content: '',
    author: { id: IDS.application },
    message_reference: { channel_id: IDS.deals, message_id: board.id, guild_id: IDS.guild },
  });
  const { items, hasMore } = await channel.messages.fetchPins();
  expect([items.map(({ message, pinnedTimestamp }) => [message.id, message.pinned, pinnedTimestamp]), hasMore]).toEqual(
    [[[board.id, true, clock.now()]], false],
  );
  expect((await board.edit('Edited')).pinned, 'an edit leaves it pinned').toBe(true);
  expect(channel.lastPinTimestamp).toBe(clock.now());
  expect(told, 'with the intent Guilds alone').toEqual([clock.now()]);
  await client.destroy();
  await discord.stop();
  const again = await startDiscord({ stateUrl, clock });
  expect(again.discord.pins(IDS.deals).map(({ id }) => id)).toEqual([board.id]);
  expect((await call(again.discord, 'GET', `/channels/${IDS.deals}`)).body).toMatchObject({
    last_pin_timestamp: first?.pinned_at,
  });
  for (let times = 0; times < 2; times += 1) {
    expect((await call(again.discord, 'DELETE', `${PINS}/${board.id}`)).status).toBe(204);
  }
  expect(again.discord.pins(IDS.deals)).toEqual([]);
  expect((await call(again.discord, 'GET', `${MESSAGES}/${board.id}`)).body).toMatchObject({ pinned: false });
});

test('pins are listed a page at a time, the newest first, and by the older path all at once', async () => {
  const { discord } = await startDiscord();
  const ids: string[] = [];
  for (let number = 0; number < 51; number += 1) {
    const { body } = await call(discord, 'POST', MESSAGES, { content: `${number}` });
    ids.unshift(String(body['id']));
    const path = number % 2 === 0 ? PINS : `/channels/${IDS.deals}/pins`;
    expect((await call(discord, 'PUT', `${path}/${ids[0]}`)).status).toBe(204);
  }
  const page = async (query: string) => {
    const { body } = await call(discord, 'GET', `${PINS}${query}`);
    const { items, has_more } = body as { items: { pinned_at: string; message: { id: string } }[]; has_more: boolean };
    return { ids: items.map(({ message }) => message.id), last: items.at(-1)?.pinned_at ?? '', has_more };
  };
  const first = await page('');
  expect([first.ids, first.has_more]).toEqual([ids.slice(0, 50), true]);
  const second = await page(`?before=${encodeURIComponent(first.last)}`);
  expect([second.ids, second.has_more], 'all were pinned at the same moment').toEqual([ids.slice(50), false]);
  expect((await page('?limit=1')).ids).toEqual(ids.slice(0, 1));
  for (const wrong of ['limit=0', 'limit=51', 'before=yesterday']) {
    expect((await call(discord, 'GET', `${PINS}?${wrong}`)).body, wrong).toMatchObject({ code: 50035 });
  }
  const old = (await call(discord, 'GET', `/channels/${IDS.deals}/pins`)).body as unknown as { id: string }[];
  expect(old.map(({ id }) => id)).toEqual(ids.slice(0, 50));
});

test('what the bot may not pin is refused', async () => {
  const { discord } = await startDiscord();
  const { body } = await call(discord, 'POST', MESSAGES, { content: 'A' });
  const path = `${PINS}/${String(body['id'])}`;
  discord.setPermissions(IDS.deals, { deny: ['pinMessages'] });
  for (const method of ['PUT', 'DELETE']) {
    expect(await call(discord, method, path), method).toMatchObject({ status: 403, body: { code: 50013 } });
  }
  discord.setPermissions(IDS.deals, { deny: ['manageMessages'] });
  expect((await call(discord, 'PUT', path)).status, 'Manage Messages is another permission').toBe(204);
  const [, notice] = discord.messages(IDS.deals);
  expect((await call(discord, 'PUT', `${PINS}/${notice?.id}`)).body).toMatchObject({ code: 50021 });
  expect((await call(discord, 'PUT', `${PINS}/1`)).body).toMatchObject({ code: 10008 });
  expect((await call(discord, 'PUT', '/channels/1/messages/pins/1')).body).toMatchObject({ code: 10003 });
  discord.setPermissions(IDS.deals, { deny: ['readMessageHistory'] });
  expect((await call(discord, 'GET', PINS)).body).toEqual({ items: [], has_more: false });
  discord.setPermissions(IDS.deals, { deny: ['viewChannel'] });
  for (const method of ['PUT', 'GET']) {
    expect((await call(discord, method, method === 'GET' ? PINS : path)).body).toMatchObject({ code: 50001 });
  }
});

test('who may read messages is told of a pin’s message and of the changed one', async () => {
  const { discord } = await startDiscord();
  const client = await loginClient(discord, [GatewayIntentBits.Guilds, GatewayIntentBits.GuildMessages]);
  const channel = (await client.channels.fetch(IDS.deals)) as TextChannel;
  const board = await channel.send('Board');
  const changed = new Promise<boolean>((resolve) => {
    client.once('messageUpdate', (_, message) => resolve(message.pinned));
  });
  const noticed = new Promise<MessageType>((resolve) => {
    client.on('messageCreate', ({ type }) => type === MessageType.ChannelPinnedMessage && resolve(type));
  });
  await board.pin();
  expect([await changed, await noticed]).toEqual([true, MessageType.ChannelPinnedMessage]);
});

test('direct messages can be pinned by the bot', async () => {
  const { discord } = await startDiscord();
  const { id } = discord.directChannel(IDS.ben);
  const { body } = await call(discord, 'POST', `/channels/${id}/messages`, { content: 'A' });
  expect((await call(discord, 'PUT', `/channels/${id}/messages/pins/${String(body['id'])}`)).status).toBe(204);
  expect(discord.pins(id)).toHaveLength(1);
});
