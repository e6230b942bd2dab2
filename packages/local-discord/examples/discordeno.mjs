// A bot of Discordeno in a test: `node --test --test-force-exit discordeno.mjs`, as it keeps its timers for a minute.
import assert from 'node:assert';
import { test } from 'node:test';
import { IDS, startLocalDiscord } from '@dealbell/local-discord';
import { createBot, Intents } from '@discordeno/bot';

await test('a message that begins with ! is answered', async (context) => {
  const discord = await startLocalDiscord();
  let onReady;
  const ready = new Promise((resolve) => {
    onReady = resolve;
  });
  const bot = createBot({
    token: discord.token,
    intents: Intents.GuildMessages | Intents.MessageContent,
    rest: { token: discord.token, proxy: { baseUrl: discord.api, authorization: `Bot ${discord.token}` } },
    desiredProperties: { message: { channelId: true, content: true } },
    events: {
      ready: () => onReady(),
      async messageCreate({ channelId, content }) {
        if (content.startsWith('!')) await bot.rest.sendMessage(channelId, { content: 'Hello' });
      },
    },
  });
  context.after(async () => {
    await bot.shutdown();
    await discord.stop();
  });
  await bot.start();
  await ready;

  discord.act({ do: 'post', personId: IDS.ada, channelId: IDS.deals, content: '!hi' });
  const answer = await discord.waitFor(() => discord.messages(IDS.deals).find(({ author }) => author.bot));
  assert.equal(answer.content, 'Hello');
});
