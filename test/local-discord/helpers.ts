import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, type ClientOptions, type GatewayIntentBits, REST } from 'discord.js';
import { onTestFinished } from 'vitest';
import type { Clock } from '../../src/clock.ts';
import {
  createLocalDiscord,
  type LocalDiscord,
  type LocalDiscordOptions,
} from '../../src/local-discord/local-discord.ts';
import { createLog } from '../../src/log.ts';

/** A clock that stands still until it is moved. */
export interface TestClock extends Clock {
  /** Moves the time on and wakes whoever slept until then. */
  advance(ms: number): void;
}

export function createTestClock(startMs = Date.UTC(2026, 0, 15, 12)): TestClock {
  let now = startMs;
  const sleepers = new Set<{ untilMs: number; wake: () => void }>();
  return {
    now: () => now,
    sleep(ms, signal) {
      return new Promise((resolve, reject) => {
        const sleeper = { untilMs: now + ms, wake: resolve };
        sleepers.add(sleeper);
        signal?.addEventListener('abort', () => {
          sleepers.delete(sleeper);
          reject(signal.reason);
        });
      });
    },
    advance(ms) {
      now += ms;
      for (const sleeper of [...sleepers].filter(({ untilMs }) => untilMs <= now)) {
        sleepers.delete(sleeper);
        sleeper.wake();
      }
    },
  };
}

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'local-discord-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export const PLENTY = { requests: 10_000, perMs: 1000 };

export interface Started {
  discord: LocalDiscord;
  clock: TestClock;
  stateUrl: string;
}

/** A running local Discord on a free port, with limits that are out of the way. */
export async function startDiscord(overrides: Partial<LocalDiscordOptions> = {}): Promise<Started> {
  const clock = createTestClock();
  const stateUrl = overrides.stateUrl ?? `sqlite://${join(temporaryFolder(), 'discord.sqlite')}`;
  const discord = createLocalDiscord({
    host: '127.0.0.1',
    port: 0,
    stateUrl,
    clock,
    log: createLog('silent'),
    limits: { global: PLENTY, createMessage: PLENTY, editMessage: PLENTY, deleteMessage: PLENTY },
    ...overrides,
  });
  onTestFinished(() => discord.stop());
  await discord.start();
  return { discord, clock, stateUrl };
}

/** The real client, logged in and ready. */
export async function loginClient(
  discord: LocalDiscord,
  intents: GatewayIntentBits[] = [1],
  options: Partial<ClientOptions> = {},
): Promise<Client<true>> {
  const client = new Client({ intents, rest: { api: discord.api }, ...options });
  onTestFinished(() => client.destroy());
  const ready = new Promise<Client<true>>((resolve) => {
    client.once('clientReady', resolve);
  });
  await client.login(discord.token);
  return ready;
}

/** The real REST library, without a gateway. */
export function restOf(discord: LocalDiscord, options: ConstructorParameters<typeof REST>[0] = {}): REST {
  const rest = new REST({ api: discord.api, retries: 0, ...options }).setToken(discord.token);
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
