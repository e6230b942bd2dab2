// A bot of discord.js in a test: `node --test discordjs.mjs`.
import assert from 'node:assert';
import { test } from 'node:test';
import { IDS, startLocalDiscord } from '@dealbell/local-discord';
import { Client, Events } from 'discord.js';

await test('/ping answers "Pong"', async (context) => {
  const discord = await startLocalDiscord();
  const bot = new Client({ intents: [], rest: { api: discord.api } });
  context.after(async () => {
    await bot.destroy();
    await discord.stop();
  });
  bot.on(Events.InteractionCreate, (interaction) => interaction.reply('Pong'));
  const ready = new Promise((resolve) => bot.once(Events.ClientReady, resolve));
  await bot.login(discord.token);
  await ready;
  await bot.application.commands.create({ name: 'ping', description: 'Answers' });

  const { message } = await discord.runCommand({ personId: IDS.ben, channelId: IDS.deals, text: '/ping' });
  assert.equal(message.content, 'Pong');
});
