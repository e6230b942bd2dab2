import { Client, Events, GatewayIntentBits, MessageFlags } from 'discord.js';
import type { Card } from '../src/bot/discord/cards/parts.ts';
import type { BotKind, BotRequest } from './bots.ts';

/** The bots to measure; the environment says where their Discord is. Each resolves when it answers. */
const BOTS: Record<BotKind, () => Promise<unknown>> = {
  /** This bot follows discord.js's guide: it has default caches, and its commands give fixed answers. */
  async bare() {
    const { DISCORD_TOKEN: token = '', DISCORD_API: api = '', CARD = '' } = process.env;
    const { components } = JSON.parse(CARD) as Card;
    const answers = {
      ping: 'pong',
      card: { components, flags: MessageFlags.IsComponentsV2, allowedMentions: { parse: [] } },
    } as const;
    const client = new Client({ intents: [GatewayIntentBits.Guilds], rest: { api } });
    client.on('interactionCreate', (interaction) => {
      if (!interaction.isChatInputCommand()) return;
      void interaction.reply(interaction.commandName === 'card' ? answers.card : answers.ping);
    });
    const ready = new Promise<Client<true>>((resolve) => {
      client.once(Events.ClientReady, resolve);
    });
    await client.login(token);
    const { application } = await ready;
    await application.commands.set(Object.keys(answers).map((name) => ({ name, description: 'Answers' })));
  },

  /** Loads Dealbell here alone, because the bare bot's memory holds nothing of it. */
  async dealbell() {
    const { createApp } = await import('../src/app.ts');
    const { scheduleCron } = await import('../src/bot/operations/cron.ts');
    const { parseConfig } = await import('../src/config.ts');
    const { systemClock } = await import('../src/shared/clock.ts');
    const { createLog } = await import('../src/shared/log.ts');
    const app = createApp(parseConfig(process.env), {
      clock: systemClock,
      schedule: scheduleCron,
      log: createLog('error'),
      version: '0.0.0',
      pageDirectory: 'no page',
    });
    return app.start();
  },
};

const [kind] = process.argv.slice(2);
process.on('message', (_request: BotRequest) => {
  globalThis.gc?.();
  process.send?.({ residentBytes: process.memoryUsage().rss });
});
process.once('disconnect', () => process.exit());
await BOTS[kind as BotKind]();
process.send?.('ready');
