// A bot of oceanic.js in a test: `node --test --test-force-exit oceanic.mjs`.
import assert from 'node:assert';
import { test } from 'node:test';
import { IDS, startLocalDiscord } from '@dealbell/local-discord';
import { Client } from 'oceanic.js';

await test('a post that Discord fails to confirm is posted once', async (context) => {
  const discord = await startLocalDiscord();
  const bot = new Client({
    auth: `Bot ${discord.token}`,
    rest: { baseURL: `${discord.api}/v10` },
    gateway: { intents: ['GUILDS'] },
  });
  context.after(async () => {
    bot.disconnect(false);
    await discord.stop();
  });
  const ready = new Promise((resolve) => bot.once('ready', resolve));
  await bot.connect();
  await ready;

  // The message is there, but the answer is a failure: the library tries again, with the same nonce.
  discord.faults.failNext(({ method }) => method === 'POST', { kind: 'error', status: 502, accepted: true });
  await bot.rest.channels.createMessage(IDS.deals, { content: 'Hello', nonce: '1', enforceNonce: true });
  assert.deepEqual(
    discord.messages(IDS.deals).map(({ content }) => content),
    ['Hello'],
  );
});
