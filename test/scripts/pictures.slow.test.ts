import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { withPage } from '../../scripts/browser.mjs';
import { playScene, SCENES, type Scene, windowOf, wordsOf } from '../../scripts/picture-scenes.mjs';
import { createApp } from '../../src/app/app.ts';
import { parseConfig } from '../../src/app/config.ts';
import { FEATURES } from '../../src/features/index.ts';
import { systemClock } from '../../src/shared/clock.ts';
import { createLog } from '../../src/shared/log.ts';
import { browserTest } from '../browser/browser.ts';
import { startSimulatedSides } from '../helpers/simulated-sides.ts';
import { temporaryFolder, temporaryState } from '../helpers/temporary-folder.ts';

/** Starts all parts on loopback, the page included, with a subscription, and returns the address. */
async function startAll(): Promise<string> {
  const folder = temporaryFolder();
  execFileSync(process.execPath, ['scripts/build.mjs', folder]);
  const { discord, environment, stop } = await startSimulatedSides(join(folder, 'packages/local-discord/src/page'));
  onTestFinished(stop);
  const app = createApp(parseConfig({ ...environment, STATE_URL: temporaryState() }, FEATURES), {
    clock: systemClock,
    schedule: () => ({ stop: async () => undefined }),
    log: createLog('silent'),
    features: FEATURES,
    version: '0.0.0',
  });
  onTestFinished(() => app.stop());
  await app.start();
  const channelId = discord.channel('deals').id;
  const text = '/subscription add feed feed:Electronics';
  await discord.runCommand({ personId: discord.people.ada.id, channelId, text });
  await app.tick();
  return discord.url;
}

function scene(name: string): Scene {
  const found = SCENES[name];
  if (!found) throw new Error(`There is no scene "${name}".`);
  return found;
}

browserTest('each picture is of the answer that it asked for, though other answers stand there already', async () => {
  const address = await startAll();
  await withPage({ width: 1000, height: 2000 }, async (page) => {
    const missing: string[] = [];
    page.on('response', (response) => {
      if (response.status() >= 400) missing.push(response.url());
    });
    const feed = await (await playScene(page, address, scene('feed'))).textContent();
    expect(feed).toContain('Electronics');
    const help = await (await playScene(page, address, scene('help'))).textContent();
    expect(help).toContain('What the bot can do');
    // The next /feed answers with a list again, while the scene has to show the help.
    const wrong = { ...scene('feed'), shows: scene('help').shows };
    await expect(playScene(page, address, wrong)).rejects.toThrow("The answer doesn't show /What the bot can do/");
    expect(missing).toEqual([]);
  });
});

/** The scenes whose buttons and menus depend on what the store has at the moment. */
const VARYING = ['announcement', 'offer', 'offer-details', 'look', 'why', 'event', 'events-list', 'board'];

const pictured = JSON.parse(readFileSync('docs/pictures/texts.json', 'utf8')) as Record<string, string>;

browserTest(
  'the pictures show the buttons and menus that the bot has today: npm run pictures takes them anew',
  async () => {
    expect(Object.keys(pictured).toSorted()).toEqual(Object.keys(SCENES).toSorted());
    const address = await startAll();
    const now: Record<string, string> = {};
    for (const isPhone of [true, false]) {
      const scenes = Object.entries(SCENES)
        .filter(([name]) => !VARYING.includes(name))
        .filter(([, one]) => Boolean(one.isPhone) === isPhone);
      await withPage(windowOf({ isPhone }), async (page) => {
        for (const [name, one] of scenes) now[name] = await wordsOf(await playScene(page, address, one));
      });
    }
    expect(now).toEqual(Object.fromEntries(Object.entries(pictured).filter(([name]) => !VARYING.includes(name))));
  },
);

test('no picture shows a button or menu whose words the bot does not have any more', () => {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('/en.json'));
  const sentences = files.flatMap((file) => textsIn(JSON.parse(readFileSync(join('src', file), 'utf8'))));
  const unknown = VARYING.flatMap((name) => (pictured[name] ?? '').split(' | '))
    .filter((label) => label !== '' && !label.startsWith('/'))
    // A symbol may stand before the words.
    .filter((label) => !sentences.some((sentence) => label === sentence || label.endsWith(` ${sentence}`)));
  expect(unknown).toEqual([]);
});

function textsIn(words: unknown): string[] {
  return typeof words === 'string' ? [words] : Object.values(words ?? {}).flatMap(textsIn);
}
