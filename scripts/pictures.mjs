// Takes the pictures of docs/commands.md: types the commands on local Discord's page in headless Chromium.
// Usage: npm run build && node scripts/pictures.mjs [NAME…]
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { withPage } from './browser.mjs';
import { playScene, SCENES } from './picture-scenes.mjs';
import { withDemo } from './started-demo.mjs';

const FOLDER = 'docs/pictures';
/** A window of this size shows the longest card at Discord's width, and no list of members. */
const DESKTOP = { width: 1000, height: 2000 };
const PHONE = { width: 390, height: 844 };

const wanted = process.argv.slice(2);
mkdirSync(FOLDER, { recursive: true });
await withDemo(async (address) => {
  for (const [name, scene] of Object.entries(SCENES)) {
    if (wanted.length === 0 || wanted.includes(name)) await takePicture(address, name, scene);
  }
});

async function takePicture(address, name, scene) {
  const { isPhone = false } = scene;
  await withPage(isPhone ? PHONE : DESKTOP, async (page) => {
    const shown = await playScene(page, address, scene);
    await page.mouse.move(0, 0);
    await (isPhone ? page : shown).screenshot({ path: join(FOLDER, `${name}.png`) });
    process.stdout.write(`${name}\n`);
  });
}
