import { once } from 'node:events';
import { Events } from 'discord.js';
import type { APIMessage, APIThreadChannel } from 'discord-api-types/v10';
import { expect, test } from 'vitest';
import { IDS } from '../../packages/local-discord/src/index.ts';
import { startDiscord } from '../../packages/local-discord/test/helpers.ts';
import { createCourier } from '../../src/discord/courier.ts';
import { encodeAction } from '../../src/discord/custom-id.ts';
import { findForumPosts, findMessages, type Get } from '../../src/discord/find-posted.ts';
import { createLog } from '../../src/shared/log.ts';
import { loginBot } from '../helpers/login-bot.ts';

const BOT = '1';
const CHANNEL = '10';

/** A message of the bot's that carries a delivery's id, or one of somebody else's. */
function aMessage(id: number, author = BOT): APIMessage {
  const button = { custom_id: encodeAction({ do: 'offer', offerId: 'o', deliveryId: `d${id}` }) };
  return {
    id: String(id),
    channel_id: CHANNEL,
    author: { id: author },
    components: [{ components: [button] }],
  } as never;
}

/** A channel as Discord's API shows it, and how often it was asked for a page. */
function aChannel(messages: readonly APIMessage[]) {
  const pages: number[] = [];
  const newestFirst = messages.toSorted((one, other) => Number(other.id) - Number(one.id));
  const get: Get = async (_, query) => {
    const before = Number(query?.get('before') ?? Number.POSITIVE_INFINITY);
    const page = newestFirst.filter(({ id }) => Number(id) < before).slice(0, Number(query?.get('limit')));
    pages.push(page.length);
    return page;
  };
  return { get, pages };
}

const upTo = (count: number, author?: string) =>
  Array.from({ length: count }, (_, index) => aMessage(index + 1, author));

test('what the bot has posted after a message is found, and nothing before it or of others', async () => {
  const { get, pages } = aChannel([...upTo(250), aMessage(300, '2')]);
  const { posted, isCutOff } = await findMessages(get, BOT, CHANNEL, '240');
  expect([...posted.keys()].toSorted()).toEqual(
    upTo(250)
      .slice(240)
      .map(({ id }) => `d${id}`)
      .toSorted(),
  );
  expect(posted.get('d241')).toEqual({ channelId: CHANNEL, messageId: '241' });
  expect(isCutOff).toBe(false);
  expect(pages).toEqual([100]);
});

test('as many pages are read as there are since the message', async () => {
  const { get, pages } = aChannel(upTo(350));
  const { posted } = await findMessages(get, BOT, CHANNEL, '100');
  expect(posted.size).toBe(250);
  expect(pages).toEqual([100, 100, 100]);
});

test.each([
  [null, 1_000],
  ['1', 10_000],
])('after the message %s at most %i are read, the newest, and it says when there are more', async (after, most) => {
  const first = after === null ? 1 : 2;
  const whole = await findMessages(aChannel(upTo(most + first - 1)).get, BOT, CHANNEL, after);
  expect(whole.posted.size).toBe(most);
  const { get, pages } = aChannel(upTo(most + first));
  const cut = await findMessages(get, BOT, CHANNEL, after);
  expect(cut.isCutOff).toBe(true);
  expect(cut.posted.size).toBe(most);
  expect(cut.posted.has(`d${first}`)).toBe(false);
  expect(cut.posted.has(`d${first + 1}`)).toBe(true);
  expect(pages).toHaveLength(most / 100);
});

test('an empty channel takes one request', async () => {
  const { get, pages } = aChannel([]);
  expect(await findMessages(get, BOT, CHANNEL, null)).toEqual({
    posted: new Map(),
    messages: [],
    isCutOff: false,
  });
  expect(pages).toEqual([0]);
});

/** A forum whose threads of the bot's are archived, the newest last, a second apart. */
function aForum(threads: number) {
  const asked: string[] = [];
  const idOf = (second: number) => String(BigInt(second * 1_000) << 22n);
  const archived = Array.from({ length: threads }, (_, index) => ({
    id: idOf(index + 1),
    parent_id: CHANNEL,
    owner_id: BOT,
    thread_metadata: { archive_timestamp: new Date(1_420_070_400_000 + (index + 1) * 1_000).toISOString() },
  })).toReversed() as unknown as APIThreadChannel[];
  const get: Get = async (route, query) => {
    if (route.endsWith('/threads/active')) return { threads: [] };
    if (!route.includes('archived')) {
      asked.push(route);
      return { ...aMessage(0), id: route.split('/').at(-1), channel_id: route.split('/').at(-1) };
    }
    const before = Date.parse(query?.get('before') ?? '3000-01-01');
    const older = archived.filter(
      ({ thread_metadata }) => Date.parse(thread_metadata?.archive_timestamp ?? '') < before,
    );
    return { threads: older.slice(0, 100), has_more: older.length > 100 };
  };
  return { get, asked, idOf };
}

test.each([
  [null, 100],
  [0, 1_000],
])('of a forum’s threads after second %s at most %i are opened, the newest', async (after, most) => {
  const forum = { id: CHANNEL, guildId: '5' };
  const whole = aForum(most);
  const afterId = after === null ? null : whole.idOf(after);
  expect((await findForumPosts(whole.get, BOT, forum, afterId)).isCutOff).toBe(false);
  expect(whole.asked).toHaveLength(most);
  const more = aForum(most + 1);
  expect((await findForumPosts(more.get, BOT, forum, afterId)).isCutOff).toBe(true);
  expect(more.asked).toHaveLength(most);
  expect(more.asked.some((route) => route.endsWith(`/${more.idOf(1)}`))).toBe(false);
});

test('of a forum’s threads only those after the known one are opened', async () => {
  const { get, asked, idOf } = aForum(500);
  await findForumPosts(get, BOT, { id: CHANNEL, guildId: '5' }, idOf(497));
  expect(new Set(asked.map((route) => route.split('/').at(-1)))).toEqual(new Set([498, 499, 500].map(idOf)));
});

test('where the history is hidden nobody can tell what was posted, and an empty answer is not taken for it', async () => {
  const { discord, clock } = await startDiscord();
  const client = await loginBot(discord, clock, createLog('silent'));
  const courier = createCourier(client, new AbortController().signal);
  const hidden = once(client, Events.ChannelUpdate);
  discord.setPermissions(IDS.deals, { deny: ['readMessageHistory'] });
  await hidden;
  expect(await courier.findPosted(IDS.deals, null)).toEqual({ kind: 'blocked', reason: 'cannot-read' });
  const shown = once(client, Events.ChannelUpdate);
  discord.setPermissions(IDS.deals, {});
  await shown;
  expect(await courier.findPosted(IDS.deals, null)).toMatchObject({ kind: 'found' });
});
