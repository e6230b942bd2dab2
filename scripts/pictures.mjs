// Takes the pictures of docs/commands.md: types the commands on local Discord's page in headless Chromium.
// Usage: npm run build && node scripts/pictures.mjs [NAME…]
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { withPage } from './browser.mjs';
import { playScene, SCENES } from './picture-scenes.mjs';

const FOLDER = 'docs/pictures';
/** A window of this size shows the longest card at Discord's width, and no list of members. */
const DESKTOP = { width: 1000, height: 2000 };
const PHONE = { width: 390, height: 844 };

const wanted = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'dealbell-pictures-'));
const bot = spawn(process.execPath, ['dist/src/main.js'], {
  env: { PATH: process.env.PATH, PORT: '0', STATE_URL: `sqlite://${join(folder, 'state.sqlite')}`, LOG_LEVEL: 'warn' },
  stdio: ['ignore', 'pipe', 'inherit'],
});
try {
  mkdirSync(FOLDER, { recursive: true });
  const address = await addressOf(bot);
  for (const [name, scene] of Object.entries(SCENES)) {
    if (wanted.length === 0 || wanted.includes(name)) await takePicture(address, name, scene);
  }
} finally {
  bot.kill('SIGTERM');
  await new Promise((resolve) => bot.once('exit', resolve));
  rmSync(folder, { recursive: true, force: true });
}

async function addressOf({ stdout }) {
  for await (const line of createInterface({ input: stdout })) {
    const [address] = /http:\S+/.exec(line) ?? [];
    if (address) return address;
  }
  throw new Error('The program ended before it told its address.');
}

async function takePicture(address, name, scene) {
  const { isPhone = false } = scene;
  await withPage(isPhone ? PHONE : DESKTOP, async (page) => {
    const shown = await playScene(page, address, scene);
    await page.mouse.move(0, 0);
    await (isPhone ? page : shown).screenshot({ path: join(FOLDER, `${name}.png`) });
    process.stdout.write(`${name}\n`);
  });
}
