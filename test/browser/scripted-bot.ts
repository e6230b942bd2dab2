import { execFileSync } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from 'discord.js';
import { afterAll, beforeAll } from 'vitest';
import type { LocalDiscord } from '../../packages/local-discord/src/index.ts';
import { IDS } from '../../packages/local-discord/src/index.ts';
import { call, loginClient, startDiscord } from '../../packages/local-discord/test/helpers.ts';
import { findChromium } from '../../scripts/browser.mjs';

const BUILT = join(import.meta.dirname, '../../dist', `page-${process.pid}`);

/** The folder of the page that `builtPage` makes. */
export const PAGE_DIRECTORY = join(BUILT, 'packages/local-discord/src/page');

/** Builds the page for the tests of this file. */
export function builtPage(): void {
  beforeAll(() => {
    if (findChromium() !== null) execFileSync(process.execPath, ['scripts/build.mjs', BUILT]);
  }, 60_000);
  afterAll(() => rm(BUILT, { recursive: true, force: true }));
}

export interface ScriptedBot {
  address: string;
  discord: LocalDiscord;
  client: Client<true>;
  /** Posts a message in a channel, #deals by default, and returns its id. */
  post: (body: Record<string, unknown>, channelId?: string) => Promise<string>;
}

/** Local Discord with its page, and a bot that posts what a test has it post. */
export async function aScriptedBot(): Promise<ScriptedBot> {
  const { discord } = await startDiscord({ application: { name: 'Dealbell' }, pageDirectory: PAGE_DIRECTORY });
  const client = await loginClient(discord);
  return {
    address: discord.url,
    discord,
    client,
    async post(body, channelId = IDS.deals) {
      const answer = await call(discord, 'POST', `/channels/${channelId}/messages`, body);
      if (answer.status !== 200) throw new Error(`The post was refused: ${JSON.stringify(answer.body)}`);
      return String(answer.body['id']);
    },
  };
}
