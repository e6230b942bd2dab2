import { expect, test } from 'vitest';
import { IDS } from '../../packages/local-discord/src/index.ts';
import { startDiscord } from '../../packages/local-discord/test/helpers.ts';
import { createCourier } from '../../src/discord/courier.ts';
import { createLog } from '../../src/shared/log.ts';
import { HOUR_MS } from '../../src/shared/time.ts';
import { loginBot } from '../helpers/login-bot.ts';

/** More than one page of messages. */
const PLENTY = { requests: 10_000, perMs: 1_000 };

async function aPostInDeals() {
  const { discord, clock } = await startDiscord({ limits: { createMessage: PLENTY, global: PLENTY } });
  const client = await loginBot(discord, clock, createLog('silent'));
  const courier = createCourier(client, new AbortController().signal);
  const [one, other] = ['One', 'Other'].map((name) => discord.createRole(name, { mentionable: true }).id);
  if (!one || !other) throw new Error('There are two roles.');
  const post = async (content: string) => {
    const sent = await client.rest.post(`/channels/${IDS.deals}/messages`, { body: { content } });
    return { channelId: IDS.deals, messageId: (sent as { id: string }).id };
  };
  return {
    discord,
    clock,
    post,
    one,
    other,
    reply: (place: { channelId: string; messageId: string }, roleIds: readonly string[], mayStand = false) =>
      courier.reply(place, { guildId: IDS.guild, roleIds, mayStand }),
    replies: () => discord.messages(IDS.deals).filter((message) => message.message_reference !== undefined),
  };
}

test('a reply holds nothing but its roles, and rings them alone', async () => {
  const { post, reply, replies, one, other } = await aPostInDeals();
  const place = await post('A deal');
  expect(await reply(place, [one, other])).toEqual({ kind: 'done' });
  const [sent, ...others] = replies();
  expect(others).toEqual([]);
  expect(sent?.content).toBe(`🔔 <@&${one}> <@&${other}>`);
  expect(sent?.mention_roles.toSorted()).toEqual([one, other].toSorted());
  expect(sent?.message_reference?.message_id).toBe(place.messageId);
});

test('a reply that may stand is looked for, however many messages came since, and mentions what is missing', async () => {
  const { post, reply, replies, one, other, clock } = await aPostInDeals();
  const [first, second] = [await post('A deal'), await post('Another deal')];
  await reply(second, [one]);
  for (let messages = 0; messages < 105; messages += 1) await post('More');
  await reply(first, [one]);
  // Discord has forgotten the nonces.
  await clock.advance(HOUR_MS);
  await reply(first, [one], true);
  expect(replies(), 'it stands').toHaveLength(2);
  await reply(first, [one, other], true);
  expect(replies().map(({ content }) => content)).toEqual([`🔔 <@&${one}>`, `🔔 <@&${one}>`, `🔔 <@&${other}>`]);
});

test('a reply that could not ring its role is found, too', async () => {
  const { discord, post, reply, replies, clock } = await aPostInDeals();
  const quiet = discord.createRole('Quiet').id;
  const place = await post('A deal');
  await reply(place, [quiet]);
  expect(replies()).toMatchObject([{ mention_roles: [] }]);
  await clock.advance(HOUR_MS);
  await reply(place, [quiet], true);
  expect(replies()).toHaveLength(1);
});

test('a post that was deleted takes no reply', async () => {
  const { discord, post, reply, replies, one } = await aPostInDeals();
  const place = await post('A deal');
  discord.deleteMessage(place.messageId);
  expect(['refused', 'missing']).toContain((await reply(place, [one])).kind);
  expect(replies()).toEqual([]);
});
