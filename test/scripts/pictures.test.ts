import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { CHROMIUM, withPage } from '../../scripts/browser.mjs';
import { playScene, SCENES, type Scene } from '../../scripts/picture-scenes.mjs';
import { createApp } from '../../src/app.ts';
import { parseConfig } from '../../src/config.ts';
import { systemClock } from '../../src/shared/clock.ts';
import { createLog } from '../../src/shared/log.ts';
import { temporaryFolder, temporaryState } from '../helpers/temporary-folder.ts';

/** Starts the demo, its page included, and returns its address. */
async function startDemo(): Promise<string> {
  const folder = temporaryFolder();
  execFileSync(process.execPath, ['scripts/build.mjs', folder]);
  const app = createApp(parseConfig({ STATE_URL: temporaryState(), PORT: '0' }), {
    clock: systemClock,
    schedule: () => ({ stop: async () => undefined }),
    log: createLog('silent'),
    version: '0.0.0',
    pageDirectory: join(folder, 'page'),
  });
  onTestFinished(() => app.stop());
  return app.start();
}

function scene(name: string): Scene {
  const found = SCENES[name];
  if (!found) throw new Error(`There is no scene "${name}".`);
  return found;
}

test.skipIf(!existsSync(CHROMIUM))(
  'each picture is of the answer that it asked for, though other answers stand there already',
  async () => {
    const address = await startDemo();
    await withPage({ width: 1000, height: 2000 }, async (page) => {
      const feed = await (await playScene(page, address, scene('feed'))).textContent();
      expect(feed).toContain('Electronics');
      const help = await (await playScene(page, address, scene('help'))).textContent();
      expect(help).toContain('What the bot can do');
      // The next /feed answers with a list again, while the scene has to show the help.
      const wrong = { ...scene('feed'), shows: scene('help').shows };
      await expect(playScene(page, address, wrong)).rejects.toThrow("The answer doesn't show /What the bot can do/");
    });
  },
);
