import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { findChromium } from '../../scripts/browser.mjs';
import { type App, createApp } from '../../src/app/app.ts';
import { parseConfig } from '../../src/app/config.ts';
import { FEATURES } from '../../src/features/index.ts';
import { systemClock } from '../../src/shared/clock.ts';
import { createLog } from '../../src/shared/log.ts';
import { type SimulatedSides, startSimulatedSides } from '../helpers/simulated-sides.ts';

/** Building and starting take seconds, and more of them on a busy machine. */
const START_WITHIN_MS = 60_000;

export interface RunningApp {
  address(): string;
  /** Sets the language of the server and of its people's apps. */
  setLocale(locale: string): void;
  /** Runs a command as Ada in #deals, without the page. */
  asAda(text: string): Promise<void>;
}

/** All parts in this process for the tests of this file, on the simulated catalog, with the Electronics feed in #deals. */
export function aRunningApp(): RunningApp {
  let app: App | undefined;
  let sides: SimulatedSides | undefined;
  let folder = '';
  async function asAda(text: string): Promise<void> {
    const discord = sides?.discord;
    const channelId = discord?.channel('deals').id ?? '';
    await discord?.runCommand({ personId: discord.people.ada.id, channelId, text });
  }
  beforeAll(async () => {
    if (findChromium() === null) return;
    folder = mkdtempSync(join(tmpdir(), 'dealbell-app-'));
    execFileSync(process.execPath, ['scripts/build.mjs', folder]);
    sides = await startSimulatedSides(join(folder, 'packages/local-discord/src/page'));
    app = createApp(
      parseConfig({ ...sides.environment, STATE_URL: `sqlite://${join(folder, 'state.sqlite')}` }, FEATURES),
      {
        clock: systemClock,
        schedule: () => ({ stop: async () => undefined }),
        log: createLog('silent'),
        features: FEATURES,
        version: '0.0.0',
      },
    );
    await app.start();
    await asAda('/subscription add feed feed:Electronics');
    await app.tick();
    await app.settled();
  }, START_WITHIN_MS);
  afterAll(async () => {
    await app?.stop();
    await sides?.stop();
    if (folder !== '') rmSync(folder, { recursive: true, force: true });
  });
  function setLocale(locale: string): void {
    sides?.discord.setGuildLocale(locale);
    for (const { id } of Object.values(sides?.discord.people ?? {})) sides?.discord.setLocale(id, locale);
  }
  return { address: () => sides?.discord.url ?? '', setLocale, asAda };
}
