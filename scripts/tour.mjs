// Plays a newcomer's first minute on the demo in headless Chromium, and takes the pictures of README.md's first screen:
// docs/pictures/price-drop.png, docs/tour.webp, which is animated, and docs/page.png.
import { writeFileSync } from 'node:fs';
import { animatedWebp } from './animated-webp.mjs';
import { withPage } from './browser.mjs';

const SIZE = { width: 1200, height: 800 };
/** A window of this size shows a whole post, and no panel. */
const SIZE_OF_POST = { width: 1000, height: 1200 };
/** The animation's own size, which is that of a page of text. */
const SHOWN_SIZE = { width: 960, height: 640 };
const QUALITY = 0.82;
/** For how long a frame is shown, in milliseconds: time to read what has changed. */
const STORY_MS = 3_200;
const READ_MS = 2_200;
const GLANCE_MS = 900;

const messages = (page, text) => page.getByRole('article').filter({ hasText: text });
const panel = (page) => page.getByRole('complementary', { name: 'Try it' });
const status = (page, text) => panel(page).getByRole('status').filter({ hasText: text });

/** A picture of the page as WebP, in the animation's size. */
async function frame(page, shownMs) {
  const png = (await page.screenshot()).toString('base64');
  const webp = await page.evaluate(
    async ([data, { width, height }, quality]) => {
      const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
      const picture = await createImageBitmap(new Blob([bytes]), {
        resizeWidth: width,
        resizeHeight: height,
        resizeQuality: 'high',
      });
      const canvas = Object.assign(document.createElement('canvas'), { width, height });
      canvas.getContext('2d', { alpha: false }).drawImage(picture, 0, 0);
      return canvas.toDataURL('image/webp', quality).split(',')[1];
    },
    [png, SHOWN_SIZE, QUALITY],
  );
  return { webp: Buffer.from(webp, 'base64'), shownMs };
}

async function lever(page, name) {
  const button = panel(page).getByRole('button', { name, exact: true });
  await button.scrollIntoViewIfNeeded();
  await button.hover();
  return button;
}

/** A number of the counters. */
async function counted(page, name) {
  const row = panel(page)
    .locator('dl div')
    .filter({ has: page.getByText(name, { exact: true }) });
  return Number((await row.locator('dd').textContent()).replaceAll(',', ''));
}

/** The levers have scrolled the counters away. */
const showCounters = (page) => page.locator('#demo-panel').evaluate((shown) => shown.scrollTo(0, 0));

/** Kills the bot, drops a price while it is gone, and waits until it has posted that. Gives the frames, the last one first. */
async function play(page) {
  await messages(page, 'New offer').nth(1).waitFor();
  await showCounters(page);
  const frames = [await frame(page, READ_MS)];
  const drop = await lever(page, 'Drop the price');
  const kill = await lever(page, 'Kill the bot');
  frames.push(await frame(page, GLANCE_MS));
  await kill.click();
  await status(page, 'Killed.').waitFor();
  await drop.hover();
  frames.push(await frame(page, READ_MS));
  await drop.click();
  frames.push(await frame(page, GLANCE_MS));
  await status(page, 'Running.').waitFor();
  const post = messages(page, 'Price drop').last();
  await post.waitFor();
  await post.scrollIntoViewIfNeeded();
  await page.mouse.move(0, 0);
  frames.push(await frame(page, READ_MS));
  await showCounters(page);
  const [twice, lost] = [await counted(page, 'twice'), await counted(page, 'lost')];
  if (twice + lost > 0) throw new Error(`The counters tell of ${twice} posts made twice and ${lost} lost.`);
  const last = await frame(page, STORY_MS);
  await page.screenshot({ path: 'docs/page.png' });
  await page.setViewportSize(SIZE_OF_POST);
  await post.screenshot({ path: 'docs/pictures/price-drop.png' });
  return [last, ...frames];
}

/** @param {string} address that of the demo's page */
export async function takeTour(address) {
  await withPage(SIZE, async (page) => {
    await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
    await page.goto(address);
    const frames = await play(page);
    const animation = animatedWebp(frames, SHOWN_SIZE);
    writeFileSync('docs/tour.webp', animation);
    const seconds = frames.reduce((sum, { shownMs }) => sum + shownMs, 0) / 1_000;
    process.stdout.write(`tour: ${frames.length} frames, ${seconds} s, ${Math.round(animation.length / 1_000)} kB\n`);
  });
}
