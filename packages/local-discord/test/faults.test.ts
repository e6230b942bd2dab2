import { expect, test } from 'vitest';
import { IDS } from '../src/server/local-discord.ts';
import { call, startDiscord } from './helpers.ts';

const EVENT = {
  name: 'Deal-off',
  privacy_level: 2,
  entity_type: 3,
  scheduled_start_time: '2026-12-01T00:00:00Z',
  scheduled_end_time: '2026-12-02T00:00:00Z',
  entity_metadata: { location: 'In the store' },
};

test('an answer that never comes leaves one event, pin and follower more, as each was accepted', async () => {
  const { discord } = await startDiscord();
  const { body } = await call(discord, 'POST', `/channels/${IDS.deals}/messages`, { content: 'A' });
  const dropped = async (method: string, path: string, sent?: object) => {
    discord.faults.failNext((request) => request.method === method, { kind: 'drop', accepted: true });
    await expect(call(discord, method, path, sent), path).rejects.toThrow('fetch failed');
  };
  await dropped('POST', `/guilds/${IDS.guild}/scheduled-events`, EVENT);
  expect(discord.events()).toHaveLength(1);
  await dropped('PUT', `/channels/${IDS.deals}/messages/pins/${String(body['id'])}`);
  expect(discord.pins(IDS.deals)).toHaveLength(1);
  await dropped('POST', `/channels/${IDS.announcements}/followers`, { webhook_channel_id: IDS.deals });
  expect(discord.webhooks(IDS.deals)).toHaveLength(1);
});

test('what is refused before it was accepted changes nothing', async () => {
  const { discord } = await startDiscord();
  discord.faults.failNext(() => true, { kind: 'error', status: 503, accepted: false });
  expect((await call(discord, 'POST', `/guilds/${IDS.guild}/scheduled-events`, EVENT)).status).toBe(503);
  expect(discord.events()).toEqual([]);
});

test('a stop waits for the answers that are on their way, and for none that a fault holds back or a break took', async () => {
  const { discord } = await startDiscord();
  const posted = () => discord.messages(IDS.deals).length;
  const post = () => call(discord, 'POST', `/channels/${IDS.deals}/messages`, { content: 'A' }).catch(() => null);
  discord.faults.failNext(() => true, { kind: 'silence', accepted: true });
  const silent = post();
  await discord.waitFor(() => posted() === 1);
  const broken = post();
  await discord.waitFor(() => posted() === 2);
  discord.faults.breakConnections();
  const answered = post();
  await discord.waitFor(() => posted() === 3);
  await discord.stop();
  expect([(await silent)?.status, (await broken)?.status, (await answered)?.status]).toEqual([
    undefined,
    undefined,
    200,
  ]);
});
