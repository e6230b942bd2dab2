// Plays a newcomer's first minute on the demo in headless Chromium, and writes the pictures of README.md:
// docs/page.png, and docs/tour.png, which is animated.
// Usage: npm run tour
import { writeFileSync } from 'node:fs';
import { animatedPng } from './animated-png.mjs';
import { withPage } from './browser.mjs';
import { withDemo } from './started-demo.mjs';

const SIZE = { width: 1200, height: 720 };
/** For how long a frame is shown, in milliseconds: time to read what has changed. */
const READ_MS = 2_600;
const GLANCE_MS = 1_200;

const frames = [];

async function frame(page, shownMs = READ_MS) {
  frames.push({ png: await page.screenshot(), shownMs });
}

const messages = (page, text) => page.getByRole('article').filter({ hasText: text });
const panel = (page) => page.getByRole('complementary', { name: 'Try it' });
const status = (page, text) => panel(page).getByRole('status').filter({ hasText: text });

/** Pulls a lever of the panel, with the pointer on it. */
async function pull(page, name) {
  const lever = panel(page).getByRole('button', { name, exact: true });
  await lever.scrollIntoViewIfNeeded();
  await lever.hover();
  await frame(page, GLANCE_MS);
  await lever.click();
}

/** A number of the counters. */
async function counted(page, name) {
  const row = panel(page)
    .locator('dl div')
    .filter({ has: page.getByText(name, { exact: true }) });
  return Number((await row.locator('dd').textContent()).replaceAll(',', ''));
}

/** Resolves when more was posted than now. */
async function nextPost(page) {
  const before = await counted(page, 'posted');
  const posted = panel(page).locator('dl div').filter({ hasText: 'posted' }).locator('dd');
  await posted.filter({ hasNotText: new RegExp(`^${before}$`) }).waitFor();
}

async function showPosts(page) {
  await messages(page, 'New offer').first().waitFor();
  await frame(page);
  await nextPost(page);
  await frame(page, GLANCE_MS);
}

async function askForDeals(page) {
  await page.getByRole('button', { name: 'Browse Electronics' }).click();
  await messages(page, 'offers · page 1').last().waitFor();
  await frame(page);
}

async function changeAnOffer(page) {
  await pull(page, 'Drop the price');
  await messages(page, 'Price drop').last().waitFor();
  await frame(page);
  await pull(page, 'Sell out');
  await messages(page, 'Sold out').last().waitFor();
  await frame(page);
}

async function killTheBot(page) {
  await pull(page, 'Kill the bot');
  await status(page, 'Killed.').waitFor();
  await frame(page);
  await status(page, 'Running.').waitFor();
  await nextPost(page);
  await frame(page);
}

async function cutDiscordOff(page) {
  await pull(page, 'Cut Discord off mid-post');
  await status(page, 'Discord is away').waitFor();
  await frame(page);
  await status(page, 'Discord is away').waitFor({ state: 'detached' });
  await nextPost(page);
  await frame(page);
}

async function jumpInTime(page) {
  await pull(page, 'To 22:00');
  await frame(page);
  await pull(page, 'To the morning');
  await page.getByRole('button', { name: /^events/ }).click();
  await messages(page, /./).last().waitFor();
  await frame(page);
}

await withDemo((address) =>
  withPage(SIZE, async (page) => {
    await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
    await page.goto(address);
    await showPosts(page);
    for (const scene of [askForDeals, changeAnOffer, killTheBot]) await scene(page);
    // The levers have scrolled the counters away.
    await page.locator('#demo-panel').evaluate((panel) => panel.scrollTo(0, 0));
    await page.screenshot({ path: 'docs/page.png' });
    for (const scene of [cutDiscordOff, jumpInTime]) await scene(page);
    const [twice, lost] = [await counted(page, 'twice'), await counted(page, 'lost')];
    if (twice + lost > 0) throw new Error(`The counters tell of ${twice} posts made twice and ${lost} lost.`);
  }),
);
const animation = animatedPng(frames);
writeFileSync('docs/tour.png', animation);
process.stdout.write(`docs/tour.png: ${frames.length} frames, ${Math.round(animation.length / 1000)} kB\n`);
