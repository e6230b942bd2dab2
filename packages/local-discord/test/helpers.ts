import { createRequire } from 'node:module';
import { Client, type ClientOptions, type GatewayIntentBits, REST, type RESTOptions } from 'discord.js';
import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import { ManualClock } from '../../../test/helpers/manual-clock.ts';
import { temporaryState } from '../../../test/helpers/temporary-folder.ts';
import { createLocalDiscord, type LocalDiscord, type LocalDiscordOptions } from '../src/server/local-discord.ts';

const PLENTY = { requests: 10_000, perMs: 1000 };

export interface Started {
  discord: LocalDiscord;
  clock: ManualClock;
  stateUrl: string;
}

/** A running local Discord on a free port, with limits that are out of the way. */
export async function startDiscord(overrides: Partial<LocalDiscordOptions> = {}): Promise<Started> {
  const clock = new ManualClock();
  const stateUrl = overrides.stateUrl ?? temporaryState();
  const discord = createLocalDiscord({
    host: '127.0.0.1',
    port: 0,
    stateUrl,
    clock,
    log: pino({ level: 'silent' }),
    limits: { global: PLENTY, createMessage: PLENTY, editMessage: PLENTY, deleteMessage: PLENTY, react: PLENTY },
    ...overrides,
  });
  onTestFinished(() => discord.stop());
  await discord.start();
  return { discord, clock, stateUrl };
}

/** The copy of undici that the library brings along. */
const { Agent } = ['discord.js', '@discordjs/rest'].reduce(
  (from, name) => createRequire(from.resolve(name)),
  createRequire(import.meta.url),
)('undici') as { Agent: new () => NonNullable<RESTOptions['agent']> };

/** By default the library sends with whichever copy the process has loaded first, and another version's takes no files. */
export const agent = new Agent();

/** The real client, logged in and ready. */
export async function loginClient(
  discord: LocalDiscord,
  intents: GatewayIntentBits[] = [1],
  options: Partial<ClientOptions> = {},
): Promise<Client<true>> {
  const client = new Client({ intents, rest: { api: discord.api, agent }, ...options });
  onTestFinished(() => client.destroy());
  const ready = new Promise<Client<true>>((resolve) => {
    client.once('clientReady', resolve);
  });
  await client.login(discord.token);
  return ready;
}

/** The real REST library, without a gateway. */
export function restOf(discord: LocalDiscord, options: ConstructorParameters<typeof REST>[0] = {}): REST {
  const rest = new REST({ api: discord.api, retries: 0, agent, ...options }).setToken(discord.token);
  onTestFinished(() => {
    rest.clearHashSweeper();
    rest.clearHandlerSweeper();
  });
  return rest;
}

/** A plain request to the API, as the bot. */
export async function call(
  discord: LocalDiscord,
  method: string,
  path: string,
  body?: unknown,
): Promise<{ status: number; headers: Headers; body: Record<string, unknown> }> {
  const response = await fetch(`${discord.api}/v10${path}`, {
    method,
    headers: {
      authorization: `Bot ${discord.token}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? {} : JSON.parse(text) };
}

/** A promise with what settles it. */
export function deferred<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
