// Takes the pictures of docs/commands.md: types the commands on local Discord's page in headless Chromium.
// Usage: npm run build && node scripts/pictures.mjs [NAME…]
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { withPage } from './browser.mjs';
import { playScene, SCENES } from './picture-scenes.mjs';
import { drawPricePicture } from './price-picture.mjs';
import { withDemo } from './started-demo.mjs';

const FOLDER = 'docs/pictures';
/** A window of this size shows the longest card at Discord's width, and no list of members. */
const DESKTOP = { width: 1000, height: 2000 };
const PHONE = { width: 390, height: 844 };

const names = process.argv.slice(2);
const isWanted = (name) => names.length === 0 || names.includes(name);
const scenes = Object.entries(SCENES).filter(([name]) => isWanted(name));
mkdirSync(FOLDER, { recursive: true });
if (isWanted('price-history')) await drawPricePicture(join(FOLDER, 'price-history.png'));
if (scenes.length > 0) {
  await withDemo(async (address) => {
    for (const [name, scene] of scenes) await takePicture(address, name, scene);
  });
}

async function takePicture(address, name, scene) {
  const { isPhone = false } = scene;
  await withPage(isPhone ? PHONE : DESKTOP, async (page) => {
    await page.emulateMedia({ colorScheme: 'dark' });
    const shown = await playScene(page, address, scene);
    await page.mouse.move(0, 0);
    await (isPhone ? page : shown).screenshot({ path: join(FOLDER, `${name}.png`) });
    process.stdout.write(`${name}\n`);
  });
}
