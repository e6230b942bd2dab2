import axe from 'axe-core';
import type { BrowserContextOptions, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { findChromium, launchBrowser } from '../../scripts/browser.mjs';

/** `test`, skipped where no browser is installed. */
export const browserTest = test.skipIf(findChromium() === null);

export const DESKTOP = { viewport: { width: 1280, height: 800 } } as const;
export const PHONE = { viewport: { width: 375, height: 812 }, hasTouch: true, isMobile: true } as const;

/** The most characters of a page that are shown where a test fails: its end has the newest messages and the panel. */
const MOST_SHOWN = 8_000;
/** Longer than anything takes on a slow machine; what never comes fails by then. */
const LONGEST_WAIT_MS = 60_000;

type Opened = Awaited<ReturnType<typeof launchBrowser>>;

/**
 * A browser for the tests of this file.
 * @returns opens a page in it: with a profile of its own, whose errors fail the test
 */
export function aBrowser(): (address: string, options?: BrowserContextOptions, isNewcomer?: boolean) => Promise<Page> {
  let opened: Opened | undefined;
  beforeAll(async () => {
    if (findChromium() !== null) opened = await launchBrowser();
  }, 3 * LONGEST_WAIT_MS);
  afterAll(() => opened?.close());
  return async (address, options = DESKTOP, isNewcomer = false) => {
    const browser = opened?.context.browser();
    if (!browser) throw new Error('The browser has not started.');
    const context = await browser.newContext({ ...options });
    context.setDefaultTimeout(LONGEST_WAIT_MS);
    // The tour begins by itself for whoever has not seen it. A document of another kind has no storage.
    if (!isNewcomer) {
      await context.addInitScript(
        "if (location.protocol === 'http:') localStorage.setItem('local-discord.tour', 'seen')",
      );
    }
    const page = await context.newPage();
    const errors: string[] = [];
    page.on('pageerror', ({ message }) => errors.push(message));
    page.on('console', (message) => {
      if (message.type() === 'error' && !message.text().startsWith('Failed to load')) errors.push(message.text());
    });
    page.on('response', (response) => {
      // A store's pictures may be gone: the page hides them.
      if (response.status() >= 400 && response.request().resourceType() !== 'image')
        errors.push(`${response.status()} ${response.url()} ${response.request().postData()}`);
    });
    onTestFinished(async ({ task }) => {
      // The page's text tells more than what the test waited for.
      if (task.result?.state === 'fail')
        process.stderr.write((await page.locator('body').ariaSnapshot()).slice(-MOST_SHOWN));
      await context.close();
      expect(errors).toEqual([]);
    });
    await page.goto(address);
    return page;
  };
}

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

interface Violation {
  id: string;
  nodes: { html: string; failureSummary: string }[];
}

/** Expects that axe-core finds nothing: WCAG 2.2 AA, which holds targets of 24 pixels, and its best practices. */
export async function expectAccessible(page: Page, view: string): Promise<void> {
  if (!(await page.evaluate<boolean>(`'axe' in window`))) await page.evaluate(axe.source);
  const { violations } = await page.evaluate<{ violations: Violation[] }>(
    `axe.run(document, { runOnly: ${JSON.stringify(RULES)}, resultTypes: ['violations'] })`,
  );
  const found = violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => [id, html, failureSummary]),
  );
  expect(found, view).toEqual([]);
}

/** The field in which commands are typed. */
export const composerOf = (page: Page): Locator => page.getByRole('combobox', { name: 'Slash command' });

/** The messages of the open channel, oldest first. */
export const messagesOf = (page: Page): Locator => page.getByRole('article');

/** The answers to a command, by the name that stands above them: other answers may come meanwhile. */
export function answersOf(page: Page, command: string): Locator {
  const used = page.locator('discord-command', { has: page.getByText(command, { exact: true }) });
  return messagesOf(page).filter({ has: used });
}

/** Types a command and runs it; returns the answer once it is whole. Of an option without a value, the first offer is taken. */
export async function run(page: Page, text: string): Promise<Locator> {
  const command = /\/([a-z]+(?: [a-z]+(?= |$))*)/.exec(text)?.[1] ?? '';
  const composer = composerOf(page);
  // The page draws it together with the messages: before that it shows none of the answers that there are.
  await composer.waitFor();
  const answers = answersOf(page, command);
  const before = await answers.count();
  await composer.fill(text);
  if (text.endsWith(':')) {
    await page.getByRole('listbox', { name: 'Suggestions' }).getByRole('option').first().waitFor();
    await composer.press('Tab');
  }
  await composer.press('Escape');
  await composer.press('Enter');
  const answer = answers.nth(before);
  await answer.locator('[slot=components]').first().waitFor();
  return answer;
}

/** Resolves when the element, and not something in it, has the focus. */
export async function expectFocus(element: Locator): Promise<void> {
  await element.and(element.page().locator(':focus')).waitFor();
}

/** The most presses of Tab on the way to anything. */
const MOST_TABS = 80;

/** Moves the focus to an element by Tab alone, as a person without a pointer does. @param back with Shift, towards the beginning */
export async function tabTo(element: Locator, { back = false }: { back?: boolean } = {}): Promise<void> {
  // What can't be used yet takes no focus: an offer may be sold out until the store lists the next one.
  await element.and(element.page().locator(':not(:disabled)')).waitFor();
  const hasFocus = () => element.evaluate((one) => one.matches(':focus'));
  for (let presses = 0; !(await hasFocus()); presses += 1) {
    if (presses === MOST_TABS) throw new Error(`After ${MOST_TABS} presses of Tab the focus is elsewhere.`);
    await element.page().keyboard.press(back ? 'Shift+Tab' : 'Tab');
  }
}

/** Moves the focus to a message as a person without a pointer does: by Tab to the messages, and by arrow keys through them. */
export async function walkTo(message: Locator): Promise<void> {
  await message.waitFor();
  const page = message.page();
  await tabTo(page.getByRole('region', { name: 'Messages' }), { back: true });
  await page.keyboard.press('End');
  for (let presses = 0; !(await message.evaluate((one) => one.matches(':focus'))); presses += 1) {
    if (presses === MOST_TABS) throw new Error('The arrow keys do not lead to the message.');
    await page.keyboard.press('ArrowUp');
  }
}

/** Each appearance in which the page has to be usable. */
export const APPEARANCES = [
  { colorScheme: 'dark', ...DESKTOP },
  { colorScheme: 'light', ...DESKTOP },
  { colorScheme: 'dark', ...PHONE },
  { colorScheme: 'light', ...PHONE },
] as const;

/** `dark, phone`: an appearance by name. */
export function nameOf({ colorScheme, viewport }: (typeof APPEARANCES)[number]): string {
  return `${colorScheme}, ${viewport === PHONE.viewport ? 'phone' : 'desktop'}`;
}
