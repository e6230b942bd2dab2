import { GatewayIntentBits, type TextChannel } from 'discord.js';
import * as spec from 'discord-api-spec/zod';
import { expect, test } from 'vitest';
import { IDS } from '../src/server/local-discord.ts';
import { DISCORD_LIMITS } from '../src/server/rate-limits.ts';
import { call, loginClient, startDiscord } from './helpers.ts';

const MESSAGES = `/channels/${IDS.deals}/messages`;
const { Guilds, GuildMessages, GuildMessageReactions } = GatewayIntentBits;

async function aMessage(mayAll = true) {
  const started = await startDiscord();
  const { discord } = started;
  const some = ['addReactions', 'manageMessages'] as const;
  discord.setPermissions(IDS.deals, mayAll ? { allow: some } : { deny: some });
  const { body } = await call(discord, 'POST', MESSAGES, { content: 'Kettle' });
  const path = `${MESSAGES}/${(body as { id: string }).id}`;
  const react = (method: string, emoji: string, rest = '') =>
    call(discord, method, `${path}/reactions/${encodeURIComponent(emoji)}${rest}`);
  return { ...started, path, react, read: async () => (await call(discord, 'GET', path)).body };
}

test('reactions are added once, counted, listed and removed, and outlast a restart', async () => {
  const { discord, clock, stateUrl, path, react, read } = await aMessage();
  for (const _ of [1, 2]) expect((await react('PUT', '👍', '/@me')).status).toBe(204);
  expect((await react('PUT', 'blob:1100000000000000999', '/@me')).status).toBe(204);
  const shown = await read();
  expect(shown).toMatchObject({
    reactions: [
      { emoji: { id: null, name: '👍' }, count: 1, me: true },
      { emoji: { id: '1100000000000000999', name: 'blob' }, count: 1, me: true },
    ],
  });
  expect(
    spec.MessageResponseSchema.safeParse(shown).error?.issues.filter(({ code }) => code !== 'invalid_format') ?? [],
  ).toEqual([]);
  await discord.stop();
  const again = await startDiscord({ stateUrl, clock });
  const reactors = await call(again.discord, 'GET', `${path}/reactions/${encodeURIComponent('👍')}`);
  expect(reactors.body).toMatchObject([{ id: IDS.application }]);
  await call(again.discord, 'DELETE', `${path}/reactions/${encodeURIComponent('👍')}/@me`);
  await call(again.discord, 'DELETE', `${path}/reactions`);
  expect((await call(again.discord, 'GET', path)).body).not.toHaveProperty('reactions');
});

test('what is not allowed is refused as Discord refuses it', async () => {
  const { react } = await aMessage(false);
  expect((await react('PUT', '👍', '/@me')).body).toMatchObject({ code: 50013 });
  expect((await react('DELETE', '👍', `/${IDS.ben}`)).body).toMatchObject({ code: 50013 });
  const allowed = await aMessage();
  expect((await allowed.react('PUT', 'no emoji', '/@me')).body).toMatchObject({ code: 10014 });
  for (let number = 0; number < 20; number += 1) {
    await allowed.react('PUT', String.fromCodePoint(0x1f600 + number), '/@me');
  }
  expect((await allowed.react('PUT', '👍', '/@me')).body).toMatchObject({ code: 30010 });
});

test('a bot hears of reactions with their intent alone', async () => {
  const { discord, path, react } = await aMessage();
  const [told, untold] = [[] as string[], [] as string[]];
  const hear = (heard: string[]) => (_: unknown, user: { id: string }) => void heard.push(user.id);
  const client = await loginClient(discord, [Guilds, GuildMessages, GuildMessageReactions]);
  const other = await loginClient(discord, [Guilds, GuildMessages]);
  const channel = (await client.channels.fetch(IDS.deals)) as TextChannel;
  await channel.messages.fetch(path.split('/').at(-1) ?? '');
  client.on('messageReactionAdd', hear(told));
  client.on('messageReactionRemove', hear(told));
  other.on('messageReactionAdd', hear(untold));
  await react('PUT', '👍', '/@me');
  await react('DELETE', '👍', '/@me');
  await expect.poll(() => told).toEqual([IDS.application, IDS.application]);
  expect(untold).toEqual([]);
});

test('people react by their permissions, and the bot hears of it with its intent', async () => {
  const { discord, path, read } = await aMessage(false);
  const client = await loginClient(discord, [Guilds, GuildMessages, GuildMessageReactions]);
  const messageId = path.split('/').at(-1) ?? '';
  await ((await client.channels.fetch(IDS.deals)) as TextChannel).messages.fetch(messageId);
  const told: string[] = [];
  client.on('messageReactionAdd', ({ emoji }, { id }) => void told.push(`+${emoji.name} ${id}`));
  client.on('messageReactionRemove', ({ emoji }, { id }) => void told.push(`-${emoji.name} ${id}`));
  const act = (personId: string, what: 'react' | 'take-back-reaction', emoji = '👍') =>
    discord.act({ personId, do: what, channelId: IDS.deals, messageId, emoji });
  act(IDS.ben, 'react');
  act(IDS.ben, 'react');
  expect(await read()).toMatchObject({ reactions: [{ emoji: { name: '👍' }, count: 1, me: false }] });
  act(IDS.ben, 'take-back-reaction');
  await expect.poll(() => told).toEqual([`+👍 ${IDS.ben}`, `-👍 ${IDS.ben}`]);
  expect(() => act(IDS.ben, 'react', 'no emoji')).toThrow("Ben can't do that: Unknown Emoji");
  expect(() => act('1', 'react')).toThrow('There is no person 1.');
});

test('messages of the last fourteen days are deleted together, and reactions have a limit of their own', async () => {
  const { discord, clock, path } = await aMessage();
  const { body } = await call(discord, 'POST', MESSAGES, { content: 'Lamp' });
  const ids = [path.split('/').at(-1), (body as { id: string }).id];
  const deleteAll = (messages: unknown) => call(discord, 'POST', `${MESSAGES}/bulk-delete`, { messages });
  expect((await deleteAll(ids.slice(0, 1))).body).toMatchObject({ code: 50035 });
  await clock.advance(1000);
  expect((await deleteAll(['no', 'ids'])).body).toMatchObject({ code: 50035 });
  await clock.advance(1000);
  for (const list of [`/guilds/${IDS.guild}/members`, `${path}/reactions/${encodeURIComponent('👍')}`]) {
    expect((await call(discord, 'GET', `${list}?after=x`)).body).toMatchObject({ code: 50035 });
  }
  await clock.advance(14 * 86_400_000 + 1000);
  expect((await deleteAll(ids)).body).toMatchObject({ code: 50034 });
  expect(discord.messages(IDS.deals)).toHaveLength(2);
  const { discord: limited } = await startDiscord({ limits: { react: DISCORD_LIMITS.react } });
  limited.setPermissions(IDS.deals, { allow: ['addReactions'] });
  const sent = (await call(limited, 'POST', MESSAGES, { content: 'Rug' })).body as { id: string };
  const put = (emoji: string) =>
    call(limited, 'PUT', `${MESSAGES}/${sent.id}/reactions/${encodeURIComponent(emoji)}/@me`);
  expect([(await put('👍')).status, (await put('👎')).status]).toEqual([204, 429]);
});

test('ids may be numbers, and a body of any type may be empty', async () => {
  const { discord } = await startDiscord();
  const post = (path: string, body: string, type = 'application/json') =>
    fetch(`${discord.api}/v10${path}`, {
      method: 'POST',
      headers: { authorization: `Bot ${discord.token}`, 'content-type': type },
      body,
    });
  const opened = await post('/users/@me/channels', `{"recipient_id": ${IDS.ben}}`);
  expect(await opened.json()).toMatchObject({ recipients: [{ id: IDS.ben }] });
  expect(opened.headers.get('content-type')).toBe('application/json');
  const typing = await post(`/channels/${IDS.deals}/typing`, '', 'application/octet-stream');
  expect(typing.status).toBe(204);
  const text = await post(MESSAGES, JSON.stringify({ content: `"${IDS.ben}" ${IDS.ben} \\"1${IDS.ben}` }));
  expect(await text.json(), 'a number in a text stays text').toMatchObject({
    content: `"${IDS.ben}" ${IDS.ben} \\"1${IDS.ben}`,
  });
});
