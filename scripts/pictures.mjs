// Takes the pictures of docs/commands.md: types the commands on local Discord's page in headless Chromium.
// Usage: npm run build && node scripts/pictures.mjs [NAME…]
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { withPage } from './browser.mjs';

const FOLDER = 'docs/pictures';
/** Wide enough for a card as wide as Discord's, without the list of members; high enough for the longest. */
const DESKTOP = { width: 1000, height: 2000 };
const PHONE = { width: 390, height: 844 };
/** People talk here, and nothing is announced. */
const QUIET_CHANNEL = 'announcements';

/** What is typed, a tab taking what is offered; and what is done then, which answers what the picture is of. */
const SCENES = {
  feed: { type: '/feed feed:Electronics order:discount' },
  search: { type: '/search words:camra' },
  offer: { type: '/offer offer:camera\t' },
  'offer-details': { type: '/feed feed:Electronics', next: openOfferDetails },
  events: { type: '/events' },
  event: { type: '/event event:plus\t' },
  polls: { type: '/polls' },
  subscription: { type: '/subscription add feed feed:Home words:vacuum max-price:300' },
  'subscription-list': { type: '/subscription list' },
  preview: { type: '/subscription preview id:Electronics\t' },
  why: { type: '/why offer:camera\tElectronics\t' },
  status: { type: '/status' },
  help: { type: '/help' },
  phone: { type: '/feed feed:Electronics', isPhone: true },
};

async function openOfferDetails(answer, page) {
  const answers = answersOf(page, 'Offer details');
  const before = await answers.count();
  await answer.hover();
  await answer.getByRole('button', { name: 'Apps for this message' }).click();
  await page.getByRole('menuitem', { name: 'Offer details' }).click();
  return newestAnswer(answers, before);
}

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

function takePicture(address, name, { type, next, isPhone = false }) {
  return withPage(isPhone ? PHONE : DESKTOP, async (page) => {
    await page.goto(address);
    await page.getByText('New offer').first().waitFor();
    if (!isPhone) await page.getByRole('button', { name: QUIET_CHANNEL }).click();
    const answers = answersOf(page, /[a-z]+( [a-z]+(?= |$))*/.exec(type)[0]);
    const before = await answers.count();
    await typeCommand(page, type);
    const answer = await newestAnswer(answers, before);
    const shown = (await next?.(answer, page)) ?? answer;
    await page.mouse.move(0, 0);
    await (isPhone ? page : shown).screenshot({ path: join(FOLDER, `${name}.png`) });
    process.stdout.write(`${name}\n`);
  });
}

async function typeCommand(page, text) {
  const field = page.locator('#command');
  const [first, ...rest] = text.split('\t');
  await field.fill(first);
  for (const part of rest) {
    // What is offered for a value comes from the bot.
    await page.locator('#suggestions [role=option]').first().waitFor();
    await field.press('Tab');
    await field.fill((await field.inputValue()) + part);
  }
  await field.press('Escape');
  await field.press('Enter');
}

/** The answers to a command, by the name that stands above them: other answers may come meanwhile. */
function answersOf(page, command) {
  return page
    .locator('discord-message')
    .filter({ has: page.locator('discord-command', { has: page.getByText(command, { exact: true }) }) });
}

/** The one that comes after the first `before`, once it is whole. */
async function newestAnswer(answers, before) {
  const answer = answers.nth(before);
  await answer.locator('[slot=components]').first().waitFor();
  await answer.scrollIntoViewIfNeeded();
  return answer;
}
