import { test } from 'vitest';
import { expectNothingUncaught, openSocket } from '../../../test/helpers/raw-requests.ts';
import { IDS } from '../src/server/local-discord.ts';
import { call, startDiscord } from './helpers.ts';

test('a page that reads nothing is let go before what waits for it grows without end', async () => {
  expectNothingUncaught();
  const { discord } = await startDiscord();
  const socket = openSocket(discord.url);
  const opened = new Promise<void>((resolve) => {
    socket.once('data', () => resolve());
  });
  const closed = new Promise<void>((resolve) => {
    socket.on('close', () => resolve());
  });
  socket.write('GET /page/updates HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
  await opened;
  socket.pause();
  const message = { content: '€'.repeat(2000), embeds: [{ description: '€'.repeat(4096), title: '€'.repeat(256) }] };
  for (let at = 0; at < 1000; at += 20) {
    await Promise.all(
      Array.from({ length: 20 }, () => call(discord, 'POST', `/channels/${IDS.deals}/messages`, message)),
    );
  }
  socket.resume();
  await closed;
});
