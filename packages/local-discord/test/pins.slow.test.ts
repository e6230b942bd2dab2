import { expect, test } from 'vitest';
import { IDS } from '../src/server/local-discord.ts';
import { call, startDiscord } from './helpers.ts';

const MESSAGES = `/channels/${IDS.deals}/messages`;
const PINS = `${MESSAGES}/pins`;

test('a channel has at most 250 pins', async () => {
  const { discord } = await startDiscord();
  const pin = async () => {
    const { body } = await call(discord, 'POST', MESSAGES, { content: 'A' });
    return call(discord, 'PUT', `${PINS}/${String(body['id'])}`);
  };
  for (let number = 1; number <= 250; number += 1) expect((await pin()).status).toBe(204);
  expect(await pin()).toMatchObject({ status: 400, body: { code: 30003 } });
  const oldest = discord.pins(IDS.deals).at(-1)?.id ?? '';
  expect((await call(discord, 'PUT', `${PINS}/${oldest}`)).status, 'pinned already').toBe(204);
  discord.deleteMessage(oldest);
  expect(discord.pins(IDS.deals)).toHaveLength(249);
  expect((await pin()).status, 'a deleted one makes room').toBe(204);
});

test('the page gets what is pinned besides the newest thousand messages', async () => {
  const { discord } = await startDiscord();
  const ids: string[] = [];
  for (let number = 0; number < 1002; number += 1) {
    ids.push(String((await call(discord, 'POST', MESSAGES, { content: `${number}` })).body['id']));
  }
  discord.act({ personId: IDS.ada, do: 'pin', channelId: IDS.deals, messageId: ids[0] ?? '' });
  const state = (await (await fetch(`${discord.url}/page/state`)).json()) as {
    messages: Record<string, { id: string; type: number }[]>;
  };
  const shown = state.messages[IDS.deals]?.map(({ id }) => id) ?? [];
  expect([shown.length, shown.slice(0, 2)]).toEqual([1001, [ids[0], ids[3]]]);
});
