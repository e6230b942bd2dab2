// Takes all pictures of README.md and docs/: types the commands on local Discord's page in headless Chromium.
// Usage: npm run pictures [-- NAME…]
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withPage } from './browser.mjs';
import { playScene, SCENES, windowOf, wordsOf } from './picture-scenes.mjs';
import { drawPricePicture } from './price-picture.mjs';
import { withDemo } from './started-demo.mjs';
import { takeTour } from './tour.mjs';

const FOLDER = 'docs/pictures';

/** The bot's own words in each picture, by which a test tells that it shows what the bot says now. */
const TEXTS = join(FOLDER, 'texts.json');
const texts = existsSync(TEXTS) ? JSON.parse(readFileSync(TEXTS, 'utf8')) : {};

const names = process.argv.slice(2);
const isWanted = (name) => names.length === 0 || names.includes(name);
const scenes = Object.entries(SCENES).filter(([name]) => isWanted(name));
mkdirSync(FOLDER, { recursive: true });
if (isWanted('price-history')) await drawPricePicture(join(FOLDER, 'price-history.png'));
if (scenes.length > 0 || isWanted('tour')) {
  await withDemo(async (address) => {
    if (isWanted('tour')) await takeTour(address);
    for (const [name, scene] of scenes) await takePicture(address, name, scene);
  });
}

async function takePicture(address, name, scene) {
  const { isPhone = false } = scene;
  await withPage(windowOf(scene), async (page) => {
    await page.emulateMedia({ colorScheme: 'dark' });
    const shown = await playScene(page, address, scene);
    await page.mouse.move(0, 0);
    await (isPhone ? page : shown).screenshot({ path: join(FOLDER, `${name}.png`) });
    texts[name] = await wordsOf(shown);
    writeFileSync(TEXTS, `${JSON.stringify(texts, null, 2)}\n`);
    process.stdout.write(`${name}\n`);
  });
}
