import type { Client } from 'discord.js';
import { onTestFinished } from 'vitest';
import type { LocalDiscord } from '../../packages/local-discord/src/index.ts';
import { connect } from '../../src/discord/client.ts';
import type { Clock } from '../../src/shared/clock.ts';
import type { Log } from '../../src/shared/log.ts';

/**
 * The bot's own client, logged in and ready.
 * @param answeredWithinMs how long it waits for an answer: real milliseconds, by default as the bot does
 */
export async function loginBot(
  discord: LocalDiscord,
  clock: Clock,
  log: Log,
  answeredWithinMs?: number,
): Promise<Client<true>> {
  const stopping = new AbortController();
  const client = await connect({
    token: discord.token,
    api: discord.api,
    requestsPerSecond: 50,
    clock,
    log,
    signal: stopping.signal,
    onProblem: () => undefined,
    onRefused: () => undefined,
    ...(answeredWithinMs !== undefined && { answeredWithinMs }),
  });
  onTestFinished(async () => {
    stopping.abort(new Error('The test is over.'));
    await client.destroy();
  });
  return client;
}
