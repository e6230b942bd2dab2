import { expect, onTestFinished, test } from 'vitest';
import { createLocalDiscord, IDS, type LocalDiscord } from '../../../packages/local-discord/src/index.ts';
import { noticeCard } from '../../../src/discord/cards/parts.ts';
import { createOwnerMessagesByToken } from '../../../src/features/alerts/owner-messages.ts';
import { createLog } from '../../../src/shared/log.ts';
import { DAY_MS } from '../../../src/shared/time.ts';
import { expectTakenByDiscord, textOf } from '../../helpers/discord-form.ts';
import { ManualClock } from '../../helpers/manual-clock.ts';

const TITLE = '⚠ **“The state” is from a newer version**';
const card = noticeCard(`${TITLE}\nStart that one.`);

async function aDiscord() {
  const clock = new ManualClock();
  const discord = createLocalDiscord({
    host: '127.0.0.1',
    port: 0,
    stateUrl: 'sqlite://:memory:',
    clock,
    log: createLog('silent'),
    limits: { createMessage: { requests: 10_000, perMs: 1_000 }, global: { requests: 10_000, perMs: 1_000 } },
  });
  onTestFinished(() => discord.stop());
  await discord.start();
  const messages = (channelId: string | null = null) =>
    createOwnerMessagesByToken({ token: discord.token, api: discord.api }, channelId, new AbortController().signal);
  const once = (channelId: string | null = null) => messages(channelId).sendOnceADay(card, TITLE, clock.now());
  return { clock, discord, messages, once };
}

const shown = (discord: LocalDiscord, channelId: string) => discord.messages(channelId).map(textOf);
const direct = (discord: LocalDiscord) => shown(discord, discord.directChannel(IDS.ada).id);

test("a message goes to the application's owner, or to the channel, and pings nobody", async () => {
  const { discord, messages } = await aDiscord();
  expectTakenByDiscord(card);
  const toOwner = messages();
  expect(toOwner.ownerId()).toBeNull();
  expect(await toOwner.send(noticeCard('<@&1> @everyone'), 'a')).toBeNull();
  expect(toOwner.ownerId()).toBe(IDS.ada);
  expect(direct(discord)).toEqual(['<@&1> @everyone']);
  expect(discord.messages(discord.directChannel(IDS.ada).id)[0]?.mention_everyone).toBe(false);
  const toChannel = messages(IDS.deals);
  expect(await toChannel.send(card, 'b')).toBeNull();
  expect(await toChannel.send(card, 'b'), 'Discord knows it by its nonce').toBeNull();
  expect(shown(discord, IDS.deals)).toHaveLength(1);
  expect(toChannel.ownerId()).toBeNull();
});

test('a message that is not taken comes back with the reason, and whether Discord has refused it', async () => {
  const { discord, messages } = await aDiscord();
  const isPost = ({ method, path }: { method: string; path: string }) =>
    method === 'POST' && path.endsWith('/messages');
  discord.faults.failNext(isPost, { kind: 'refused', error: 'missingAccess' });
  const refused = await messages(IDS.deals).send(card, 'a');
  expect(refused).toMatchObject({ isRefused: true, error: { message: 'Missing Access' } });
  discord.faults.failNext(isPost, { kind: 'error', status: 503, accepted: false }, 4);
  expect(await messages(IDS.deals).send(card, 'b')).toMatchObject({ isRefused: false });
  expect(await messages(IDS.deals).send(card, 'c')).toBeNull();
});

test.each([
  ['the owner', null],
  ['a channel', IDS.deals],
] as const)('once a day, %s gets the message: one that stands there is found by any process', async (_, channelId) => {
  const { clock, discord, once } = await aDiscord();
  const told = () => (channelId === null ? direct(discord) : shown(discord, channelId));
  expect(await once(channelId)).toBeNull();
  // The nonce would do it for some minutes.
  await clock.advance(DAY_MS - 1_000);
  expect(await once(channelId)).toBe('told');
  expect(told()).toHaveLength(1);
  await clock.advance(1_000);
  expect(await once(channelId)).toBeNull();
  expect(told()).toHaveLength(2);
});

test('it is found behind more messages than Discord lists at once, of which no other counts', async () => {
  const { clock, messages, once } = await aDiscord();
  const other = messages(IDS.deals);
  for (let number = 0; number < 120; number += 1) {
    expect(await other.send(noticeCard(`Something else ${number}`), `n${number}`)).toBeNull();
  }
  await clock.advance(60_000);
  expect(await once(IDS.deals), 'another message is none').toBeNull();
  for (let number = 0; number < 120; number += 1) await other.send(noticeCard(`More ${number}`), `m${number}`);
  await clock.advance(3_600_000);
  expect(await once(IDS.deals)).toBe('told');
});

test('where it can not be looked for, none is sent: a process that is started again and again would flood the channel', async () => {
  const { discord, once } = await aDiscord();
  const isList = ({ method, path }: { method: string; path: string }) => method === 'GET' && path.includes('/messages');
  discord.faults.failNext(isList, { kind: 'refused', error: 'missingAccess' });
  expect(await once(IDS.deals)).toMatchObject({ isRefused: true });
  expect(shown(discord, IDS.deals)).toEqual([]);
});
