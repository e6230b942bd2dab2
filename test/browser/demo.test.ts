import { execFileSync } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { findChromium } from '../../scripts/browser.mjs';
import type { PageState } from '../../src/local-discord/server/page-api.ts';
import { startDemo } from '../demo/running-demo.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';
import { aBrowser, answersOf, browserTest, composerOf, expectAccessible, messagesOf, PHONE } from './browser.ts';

const open = aBrowser();

/** The programs and the page as `npm start` builds them; inside the project, so that they find their packages and their version. */
const BUILT = join(import.meta.dirname, '../..', `dist-${process.pid}`);

beforeAll(() => {
  if (findChromium() !== null) execFileSync(process.execPath, ['scripts/build.mjs', BUILT]);
}, 60_000);
afterAll(() => rm(BUILT, { recursive: true, force: true }));

/** Two processes start, and a store is read, on a machine that may be busy. */
const LONG_MS = 120_000;

async function aDemo(): Promise<string> {
  const folder = temporaryFolder();
  const program = { folder, path: join(BUILT, 'src/main.js') };
  return startDemo(program, { STATE_URL: `sqlite://${join(folder, 'dealbell.sqlite')}` }).address;
}

const newOffers = (page: Page) => messagesOf(page).filter({ hasText: 'New offer' });

async function isBotThere(address: string): Promise<boolean> {
  const { bot } = (await (await fetch(`${address}/page/state`)).json()) as PageState;
  return bot !== null;
}

/** A number of the panel *Try it*. */
async function counter(page: Page, name: string): Promise<number> {
  const panel = page.getByRole('complementary', { name: 'Try it' });
  const value = panel
    .locator('dl div')
    .filter({ has: page.getByText(name, { exact: true }) })
    .locator('dd');
  return Number((await value.textContent())?.replaceAll(',', ''));
}

browserTest(
  'a newcomer sees posts come, asks for deals with a click, and is answered',
  { timeout: LONG_MS },
  async () => {
    const page = await open(await aDemo());
    await page.getByText('This is a simulation on this machine').waitFor();
    await newOffers(page).first().waitFor();
    await expectAccessible(page, 'the demo');

    await page.getByRole('button', { name: 'Browse Electronics' }).click();
    await answersOf(page, 'feed')
      .getByText(/offers · page 1/)
      .waitFor();
    await page.getByRole('button', { name: 'Status' }).click();
    await answersOf(page, 'status').getByRole('heading').first().waitFor();
    await page.getByRole('button', { name: 'Why wasn’t this posted?' }).click();
    await expect.poll(() => composerOf(page).inputValue()).toBe('/why offer:');
    await page.getByRole('listbox', { name: 'Suggestions' }).getByRole('option').first().waitFor();
    await page.keyboard.press('Escape');

    await page.getByRole('button', { name: 'Act as Ben' }).first().click();
    await page.getByRole('button', { name: 'Last 7 days' }).waitFor({ state: 'detached' });
    // Somebody who only watches sees more come, without a reload.
    const before = await counter(page, 'posted');
    await expect.poll(() => counter(page, 'posted'), { timeout: LONG_MS }).toBeGreaterThan(before);
  },
);

browserTest(
  'every lever does what its line says, and nothing is lost or posted twice',
  { timeout: 2 * LONG_MS },
  async () => {
    const address = await aDemo();
    const page = await open(address);
    const panel = page.getByRole('complementary', { name: 'Try it' });
    const lever = (name: string) => panel.getByRole('button', { name, exact: true });
    const status = panel.getByRole('status');
    await newOffers(page).first().waitFor();

    // The newest offer: its post follows, or a new one tells of it.
    for (const [name, shown] of [
      ['Drop the price', 'Price drop'],
      ['Sell out', 'Sold out'],
      ['Bring back', 'Back in stock'],
      ['End', 'Ended'],
    ] as const) {
      const title = (await panel.locator('.demo-offer .demo-link').textContent())?.trim() ?? '';
      await lever(name).click();
      await messagesOf(page).filter({ hasText: title }).filter({ hasText: shown }).first().waitFor();
    }

    // The bot recovers.
    await lever('Kill the bot').click();
    await status.filter({ hasText: 'Killed.' }).waitFor();
    await status.filter({ hasText: 'Running. Killed once.' }).waitFor();
    for (const [name, said] of [
      ['Cut Discord off mid-post', 'Discord is away'],
      ['Cut the catalog off', 'The catalog is away'],
      ['Fail every third request', 'Every third request fails'],
    ] as const) {
      await lever(name).click();
      await status.filter({ hasText: said }).waitFor();
      await lever('Recover now').click();
      await status.filter({ hasText: said }).waitFor({ state: 'detached' });
    }

    // Permissions are taken and given back.
    for (const [take, give] of [
      ['Take Send Messages away', 'Give Send Messages back'],
      ['Demand a tag', 'Demand no tag'],
      ['Lock the thread', 'Unlock it'],
      ['Delete the channel', 'Give it back'],
    ] as const) {
      await lever(take).click();
      await lever(give).click();
      await lever(take).waitFor();
    }

    // The quota is used up, and not any more.
    await lever('Use it up').click();
    await panel.getByText('tomorrow').first().waitFor();
    await lever('1,000 a day').click();
    await panel
      .getByText(/of 1,000 spent today/)
      .first()
      .waitFor();
    await lever('No limit').click();
    await panel
      .getByText(/of 1,000,000 spent today/)
      .first()
      .waitFor();

    // Languages and people. Meanwhile the bot has come back to Discord.
    await expect.poll(() => isBotThere(address), { timeout: LONG_MS }).toBe(true);
    await panel.getByLabel('Ada').selectOption({ label: 'Deutsch' });
    await composerOf(page).fill('/help');
    await composerOf(page).press('Escape');
    await composerOf(page).press('Enter');
    await messagesOf(page).filter({ hasText: 'Was der Bot kann' }).waitFor();
    await panel.getByLabel('Ada').selectOption({ label: 'English' });
    await lever('Be Ben').click();
    await page.getByRole('button', { name: 'Act as Ben', pressed: true }).first().waitFor();
    await lever('Message the bot as Ben').click();
    await page.getByRole('heading', { name: 'Dealbell', level: 1 }).waitFor();

    // Time stands still, runs, and jumps.
    const clock = panel.locator('.demo-clock');
    await lever('Pause').click();
    await expect.poll(() => clock.textContent()).toBe(await clock.textContent());
    await lever('To 22:00').click();
    await clock.filter({ hasText: /, 22:00:\d\d UTC/ }).waitFor();
    await lever('To the morning').click();
    await lever('To midnight').click();
    await lever('Normal').click();

    await expect.poll(() => counter(page, 'lost'), { timeout: LONG_MS }).toBe(0);
    expect(await counter(page, 'twice')).toBe(0);
    expect(await counter(page, 'edits')).toBeGreaterThan(0);
    await expectAccessible(page, 'the demo with its levers pulled');
  },
);

browserTest('on a phone the levers are a drawer', { timeout: LONG_MS }, async () => {
  const page = await open(await aDemo(), { ...PHONE, colorScheme: 'light' });
  const panel = page.getByRole('complementary', { name: 'Try it' });
  await panel.waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: 'Try it' }).tap();
  await panel.getByRole('button', { name: 'Kill the bot' }).waitFor();
  await expectAccessible(page, 'the levers on a phone');
  await panel.getByRole('button', { name: 'Close' }).tap();
  await panel.waitFor({ state: 'hidden' });
});
