import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { aBrowser, browserTest, DESKTOP, expectAccessible, messagesOf, PHONE, run } from '../../browser/browser.ts';
import { aRunningApp } from '../../browser/running-app.ts';

const open = aBrowser();
const app = aRunningApp();

/** More than one start of a page, on a busy machine. */
const LONG_MS = 90_000;
const PATIENTLY = { timeout: 20_000 };

/** What the panel says in each language: its title, and what its menu is called. */
const WORDS = {
  'en-US': { title: 'Choose your pings', menu: 'Choose pings' },
  de: { title: 'Wähle deine Pings', menu: 'Pings wählen' },
  fr: { title: 'Choisis tes mentions', menu: 'Choisir des mentions' },
  'es-ES': { title: 'Elige tus menciones', menu: 'Elegir menciones' },
} as const;

let areMade = false;

/** Posts the panel as Ada, with two roles, and returns it. */
async function postPanel(page: Page, { title }: { title: string } = WORDS['en-US']): Promise<Locator> {
  for (const name of areMade ? [] : ['Cameras', 'Phones']) {
    const proposed = await run(page, `/pings make filter:${name.toLowerCase()} name:${name} id:`);
    await proposed.getByRole('button', { name: 'Make role' }).click();
    await messagesOf(page).filter({ hasText: 'is ready.' }).filter({ hasText: name }).waitFor();
  }
  areMade = true;
  await run(page, '/pings panel');
  // The one before is gone once the answer is there.
  const panel = messagesOf(page).filter({ has: page.getByRole('heading', { name: title, exact: true }) });
  expect(await panel.count()).toBe(1);
  return panel;
}

const memberBen = (page: Page) => page.getByRole('button', { name: /^Ben/ });
const answer = (page: Page, text: string) => messagesOf(page).filter({ hasText: text }).last();

browserTest('a member takes a role with the mouse, and leaves it', { timeout: LONG_MS }, async () => {
  const page = await open(app.address());
  const panel = await postPanel(page);
  await memberBen(page).click();
  await panel.getByRole('button', { name: /^Choose pings/ }).click();
  await page.getByRole('option', { name: /^Cameras/ }).click();
  await expect.poll(() => memberBen(page).textContent(), PATIENTLY).toContain('@Cameras');
  const own = answer(page, 'You’ll be pinged with');
  await own.getByRole('button', { name: 'Choose pings: Cameras' }).click();
  await page.getByRole('option', { name: /^Cameras/ }).click();
  await page.keyboard.press('Escape');
  await answer(page, 'You don’t have any.').waitFor();
  await expect.poll(() => memberBen(page).textContent(), PATIENTLY).not.toContain('@Cameras');
});

browserTest('and with the keyboard alone', { timeout: LONG_MS }, async () => {
  const page = await open(app.address());
  const panel = await postPanel(page);
  await memberBen(page).focus();
  await page.keyboard.press('Enter');
  const menu = panel.getByRole('button', { name: /^Choose pings/ });
  await menu.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('option', { name: /^Phones/ }).waitFor();
  await page.keyboard.press('p');
  await page.keyboard.press('Enter');
  await expect.poll(() => memberBen(page).textContent(), PATIENTLY).toContain('@Phones');
  const own = answer(page, 'You’ll be pinged with').getByRole('button', { name: 'Choose pings: Phones' });
  await own.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('option', { name: /^Phones/ }).waitFor();
  await page.keyboard.press('p');
  await page.keyboard.press('Space');
  await page.keyboard.press('Escape');
  await answer(page, 'You don’t have any.').waitFor();
  await expect.poll(() => memberBen(page).textContent(), PATIENTLY).not.toContain('@Phones');
});

for (const [locale, words] of Object.entries(WORDS)) {
  browserTest(`axe-core finds nothing on the panel: ${locale}`, { timeout: 2 * LONG_MS }, async () => {
    app.setLocale(locale);
    for (const options of [
      { colorScheme: 'dark', ...DESKTOP },
      { colorScheme: 'light', ...DESKTOP },
      { colorScheme: 'dark', ...PHONE },
    ] as const) {
      const page = await open(app.address(), options);
      const panel = await postPanel(page, words);
      await panel.getByRole('button', { name: words.menu }).click();
      await page.getByRole('listbox', { name: words.menu }).waitFor();
      await page.getByRole('option', { name: /^Cameras/ }).waitFor();
      await expectAccessible(page, `the panel, ${options.colorScheme}, ${options.viewport.width} wide`);
    }
  });
}
