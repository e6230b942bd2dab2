import { onTestFinished } from 'vitest';
import type { CatalogContent } from '../../packages/catalog-service/src/index.ts';
import { createCatalogService } from '../../packages/catalog-service/src/index.ts';
import type { Choices, LocalDiscordOptions, PageMessage } from '../../packages/local-discord/src/index.ts';
import { createLocalDiscord, type LocalDiscord } from '../../packages/local-discord/src/index.ts';
import { type App, createApp } from '../../src/app/app.ts';
import { parseConfig } from '../../src/app/config.ts';
import type { AppParts } from '../../src/app/context.ts';
import type { Feature } from '../../src/app/feature.ts';
import type { Health } from '../../src/app/health.ts';
import { textOf } from './discord-form.ts';
import { createTestLog, PORTAL_KEY, V2_KEY } from './keys.ts';
import { ManualClock } from './manual-clock.ts';
import { temporaryPostgres } from './postgres.ts';
import { temporaryState } from './temporary-folder.ts';

/** Enough that no test waits for real time to pass in discord.js's own queues. */
const PLENTY = { requests: 10_000, perMs: 1_000 };

/** The three parts on loopback, each on its own, the bot told by its environment alone where the others are. */
export interface House {
  clock: ManualClock;
  discord: LocalDiscord;
  catalogUrl: string;
  /** Everything that the parts log, one JSON object a line. */
  logLines: string[];
  environment: Record<string, string>;
  /**
   * Starts a bot on the house's state; it is stopped with the test at the latest.
   * @param more what else it is made of, where that is not the house's own
   */
  startBot(changes?: Record<string, string>, more?: Partial<AppParts>): Promise<App>;
  /** Where a bot's health checks are served. */
  addressOf(app: App): string;
  /** A bot's report on its health, over HTTP. */
  health(app: App): Promise<Health>;
  /** The bot's posts in a channel without its answers to commands; oldest first. */
  announcements(channelName: string): PageMessage[];
  /** Runs a command as Ada, who may manage the server, in a channel. Resolves with the answer's message. */
  asAda(channelName: string, text: string): Promise<PageMessage>;
  asBen(channelName: string, text: string): Promise<PageMessage>;
  /** Clicks a message's button as Ben. */
  click(message: PageMessage, customId: string): Promise<PageMessage>;
  /** Resolves when the message, as it is by then, shows this. */
  untilItSays(message: PageMessage, text: string): Promise<PageMessage>;
  /** Chooses from a message's menu as Ben. */
  choose(message: PageMessage, customId: string, value: string): Promise<PageMessage>;
  /** Has the bot's user post something as it stands, whatever the bot would say. */
  post(channelId: string, body: Record<string, unknown>): Promise<PageMessage>;
  /** Chooses a command from a message's menu as Ben. */
  onMessage(message: PageMessage, command: string): Promise<PageMessage>;
  /** The choices that Ben gets while he types the option `focused` of a command in #deals. */
  complete(text: string, focused: string): Promise<Choices['choices']>;
  /** Lets the moment pass in which the client gathers offers to ask for together. */
  gather(): Promise<void>;
  /** Lets a bot tick, and the moments pass in which it gathers offers that are in doubt. */
  tick(app: App): Promise<void>;
}

/** Well over the client's moment of gathering, and under every other wait. */
const GATHERED_MS = 50;

/** @param options.features what the bots have besides their core; absent for nothing */
export async function aHouse(options: {
  clock?: ManualClock;
  content: (clock: ManualClock) => CatalogContent;
  features?: readonly Feature[];
  /** More of what local Discord can be told. */
  discord?: Partial<LocalDiscordOptions>;
}): Promise<House> {
  const { clock = new ManualClock(), features = [] } = options;
  const logLines: string[] = [];
  const log = createTestLog((line) => logLines.push(line));

  const service = createCatalogService({
    host: '127.0.0.1',
    port: 0,
    keys: [V2_KEY, PORTAL_KEY],
    clock,
    log,
    content: options.content(clock),
    limits: { rate: 1000, burst: 1000, quota: 1_000_000 },
  });
  onTestFinished(() => service.stop());
  const catalogUrl = await service.start();

  const discord = createLocalDiscord({
    application: { name: 'Dealbell' },
    host: '127.0.0.1',
    port: 0,
    stateUrl: temporaryState(),
    clock,
    log,
    // As docs/install.md says: the bot needs none.
    privilegedIntents: [],
    limits: { createMessage: PLENTY, editMessage: PLENTY, global: PLENTY },
    ...options.discord,
  });
  onTestFinished(() => discord.stop());
  await discord.start();

  const environment: Record<string, string> = {
    DISCORD_TOKEN: discord.token,
    DISCORD_API: discord.api,
    CATALOG_V2_URL: catalogUrl,
    CATALOG_V2_KEY: V2_KEY,
    CATALOG_PORTAL_URL: catalogUrl,
    CATALOG_PORTAL_KEY: PORTAL_KEY,
    CATALOG_PORTAL_BURST: '100',
    CATALOG_V2_BURST: '100',
    STATE_URL: process.env['DEALBELL_TEST_BACKEND'] === 'postgres' ? temporaryPostgres() : temporaryState(),
    PORT: '0',
  };

  async function run(personId: string, channelName: string, text: string): Promise<PageMessage> {
    const channelId = discord.channel(channelName).id;
    const { message } = await discord.runCommand({ personId, channelId, text });
    if (!message) throw new Error(`${text} was answered without a message.`);
    return message;
  }

  const addresses = new Map<App, string>();
  async function use(message: PageMessage, customId: string, values: string[] = []): Promise<PageMessage> {
    const personId = discord.people.ben.id;
    const what = { personId, channelId: message.channel_id, messageId: message.id, customId, values };
    const answer = (await discord.useComponent(what)).message;
    if (!answer) throw new Error(`${customId} was answered without a message.`);
    return answer;
  }

  async function gather(): Promise<void> {
    await clock.untilSleeping((ms) => ms < GATHERED_MS);
    await clock.advance(GATHERED_MS);
  }

  async function tick(app: App): Promise<void> {
    let isDone = false;
    const ticking = app.tick().finally(() => {
      isDone = true;
    });
    while (!isDone) {
      await Promise.race([ticking, clock.untilSleeping((ms) => ms < GATHERED_MS)]);
      if (!isDone) await clock.advance(GATHERED_MS);
    }
  }

  return {
    clock,
    discord,
    gather,
    tick,
    untilItSays: (message, text) =>
      discord.waitFor(() =>
        discord
          .messages(message.channel_id)
          .find(({ id, components }) => id === message.id && textOf({ components }).includes(text)),
      ),
    click: (message, customId) => use(message, customId),
    choose: (message, customId, value) => use(message, customId, [value]),
    async post(channelId, body) {
      const response = await fetch(`${discord.api}/v10/channels/${channelId}/messages`, {
        method: 'POST',
        headers: { authorization: `Bot ${discord.token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      if (!response.ok) throw new Error(`Discord refused the post: ${await response.text()}`);
      return (await response.json()) as PageMessage;
    },
    async onMessage({ id, channel_id }, name) {
      const where = { personId: discord.people.ben.id, channelId: channel_id, messageId: id };
      const { message } = await discord.runMessageCommand({ ...where, name });
      if (!message) throw new Error(`${name} was answered without a message.`);
      return message;
    },
    complete: (text, focused) =>
      discord.autocomplete({
        personId: discord.people.ben.id,
        channelId: discord.channel('deals').id,
        text,
        focused,
      }),
    catalogUrl,
    logLines,
    environment,
    async startBot(changes = {}, more = {}) {
      const app = createApp(parseConfig({ ...environment, ...changes }, more.features ?? features), {
        clock,
        log,
        features,
        // Tests tick by hand.
        schedule: () => ({ stop: async () => undefined }),
        version: '0.0.0',
        ...more,
      });
      onTestFinished(() => app.stop());
      addresses.set(app, await app.start());
      return app;
    },
    addressOf: (app) => addresses.get(app) ?? '',
    async health(app) {
      const response = await fetch(`${addresses.get(app)}/healthz`);
      return (await response.json()) as Health;
    },
    announcements: (channelName) =>
      discord
        .messages(discord.channel(channelName).id)
        .filter((message) => message.author.bot === true && message.interaction_metadata === undefined),
    asAda: (channelName, text) => run(discord.people.ada.id, channelName, text),
    asBen: (channelName, text) => run(discord.people.ben.id, channelName, text),
  };
}
