import type { APIApplicationCommand, APIApplicationCommandOption } from 'discord-api-types/v10';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { PageState } from '../../packages/local-discord/src/index.ts';
import {
  APPEARANCES,
  aBrowser,
  answersOf,
  browserTest,
  composerOf,
  expectAccessible,
  expectFocus,
  messagesOf,
  nameOf,
  PHONE,
  run,
  tabTo,
  walkTo,
} from './browser.ts';
import { aRunningApp } from './running-app.ts';

const open = aBrowser();
const app = aRunningApp();

/** More than one start of a page, or each command of the bot, on a busy machine. */
const LONG_MS = 180_000;

interface Runnable {
  name: string;
  options: APIApplicationCommandOption[];
}

/** The runnable parts of a command: itself, or each of its subcommands. */
function runnablesOf({
  name,
  options = [],
}: Pick<APIApplicationCommand, 'name'> & { options?: APIApplicationCommandOption[] }): Runnable[] {
  const nested = options.filter(({ type }) => type === 1 || type === 2);
  if (nested.length === 0) return [{ name, options }];
  return nested.flatMap((option) =>
    runnablesOf(option as Runnable).map((inner) => ({ ...inner, name: `${name} ${inner.name}` })),
  );
}

async function allCommands(): Promise<Runnable[]> {
  const { commands } = (await (await fetch(`${app.address()}/page/state`)).json()) as PageState;
  return commands.filter(({ type }) => Number(type) === 1).flatMap((command) => runnablesOf(command as Runnable));
}

/** Types a command as a person does: Tab takes the first of what is offered for each option that is required. */
async function typeWithOffers(page: Page, { name, options }: Runnable): Promise<void> {
  const composer = composerOf(page);
  await composer.fill(`/${name} `);
  for (const option of options.filter(({ required }) => required)) {
    const text = (await composer.inputValue()).replace(`${option.name}:`, '').trimEnd();
    await composer.fill(`${text} ${option.name}:`);
    if (option.type === 11) {
      const file = { name: 'subscriptions.yaml', mimeType: 'text/yaml', buffer: Buffer.from('version: 1\n') };
      await page.getByLabel('File to attach').setInputFiles(file);
      await expect.poll(() => composer.inputValue()).toContain(`${option.name}:${file.name}`);
      continue;
    }
    const isOffered = ('autocomplete' in option && option.autocomplete) || option.type !== 3;
    if (isOffered) {
      await page.getByRole('listbox', { name: 'Suggestions' }).getByRole('option').first().waitFor();
      await composer.press('Tab');
    } else await composer.pressSequentially('camera');
  }
  await composer.press('Escape');
}

browserTest('every command answers a person who takes what the page offers', { timeout: LONG_MS }, async () => {
  const page = await open(app.address());
  await expectFocus(composerOf(page));
  const commands = await allCommands();
  // Something for /alert remove, its former name, and /hub remove to offer.
  for (const filter of ['camera', 'phone']) await app.asAda(`/alert add filter:${filter}`);
  await app.asAda('/hub add channel:#announcements description:Cameras feed:Electronics filter:camera');
  // The one subscription is removed last, as the others need it.
  const ordered = commands.toSorted(
    (one, other) => Number(one.name.endsWith('remove')) - Number(other.name.endsWith('remove')),
  );
  expect(ordered.length).toBeGreaterThan(20);
  for (const command of ordered) {
    const answers = answersOf(page, command.name);
    await typeWithOffers(page, command);
    await composerOf(page).press('Enter');
    const answer = answers.last();
    await answer.locator('[slot=components]').first().waitFor();
    const text = await answer.textContent();
    expect(text, command.name).not.toMatch(/went wrong|did not respond|interaction failed/i);
  }
  await app.asAda('/subscription add feed feed:Electronics');
});

browserTest('menus and forms work by keyboard alone', { timeout: LONG_MS }, async () => {
  const page = await open(app.address());
  await expectFocus(composerOf(page));
  await page.keyboard.type('/subscription add feed feed:Ho');
  const suggestions = page.getByRole('listbox', { name: 'Suggestions' });
  await suggestions.getByRole('option', { name: 'Home', exact: true }).waitFor();
  await page.keyboard.press('Tab');
  await expect.poll(() => composerOf(page).inputValue()).toBe('/subscription add feed feed:Home ');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Enter');
  const panel = answersOf(page, 'subscription add feed').last();
  await panel.getByText('Home feed will be posted in').waitFor();

  const kinds = panel.getByRole('button', { name: /^What to post/ });
  await walkTo(panel);
  await tabTo(kinds);
  await page.keyboard.press('Enter');
  await page.getByRole('option', { name: 'Ending soon' }).waitFor();
  await page.keyboard.press('e');
  await page.keyboard.press('Space');
  await page.keyboard.press('Escape');
  await panel.getByRole('button', { name: /^What to post:.* Ending soon$/ }).waitFor();
  await expectFocus(kinds);

  await tabTo(panel.getByRole('button', { name: 'Filter' }));
  await page.keyboard.press('Enter');
  const form = page.getByRole('dialog');
  await form.waitFor();
  await expectFocus(form.getByRole('textbox').first());
  await page.keyboard.type('price:<abc');
  // In a field of several lines, Enter begins a new one.
  await tabTo(form.getByRole('button', { name: 'Submit' }));
  await page.keyboard.press('Enter');
  await form.waitFor({ state: 'hidden' });
  const mistake = messagesOf(page)
    .filter({ has: page.getByRole('button', { name: 'Fix it' }) })
    .last();
  await walkTo(mistake);
  await tabTo(mistake.getByRole('button', { name: 'Fix it' }));
  await page.keyboard.press('Enter');
  await form.waitFor();
  await expect.poll(() => form.getByRole('textbox').first().inputValue()).toBe('price:<abc');
  await page.keyboard.press('Escape');
  await form.waitFor({ state: 'hidden' });
});

browserTest('a mistake is told to the person alone, keeps what was typed, and is fixed in place', async () => {
  const page = await open(app.address());
  const mistake = await run(page, '/feed feed:Electronics filter:prise:<50');
  await mistake.getByText('There’s no field “prise”. Did you mean price?').waitFor();
  await mistake.getByText('Only you can see this').waitFor();
  await mistake.getByRole('button', { name: 'Fix it' }).click();
  const form = page.getByRole('dialog');
  const filter = form.getByRole('textbox').first();
  await expect.poll(() => filter.inputValue()).toBe('prise:<50');
  await filter.fill('price:>0');
  await form.getByRole('button', { name: 'Submit' }).click();
  await mistake.getByText(/offers · page 1/).waitFor();
});

browserTest('at the width of a phone all fits, and the channels are a drawer', { timeout: LONG_MS }, async () => {
  const page = await open(app.address(), PHONE);
  const answer = await run(page, '/feed feed:Electronics');
  const wide = await page.evaluate<string[]>(
    `[...document.querySelectorAll('*')].filter((e) => e.checkVisibility() && e.getBoundingClientRect().right > innerWidth + 1 && !e.closest('pre, .pills, .hidden')).map((e) => e.className || e.tagName)`,
  );
  expect(wide).toEqual([]);
  // The button of the message's menu lies beside its card, where it covers nothing.
  const apps = await answer.getByRole('button', { name: 'More for this message' }).boundingBox();
  const card = await answer.locator('.container').first().boundingBox();
  expect(apps?.x).toBeGreaterThanOrEqual((card?.x ?? 0) + (card?.width ?? 0));
  expect(apps?.width).toBeGreaterThanOrEqual(24);

  await page.getByRole('button', { name: 'Channels' }).tap();
  await page.getByRole('button', { name: 'announcements' }).tap();
  await page.getByRole('heading', { name: 'Welcome to #announcements!' }).waitFor();
  await page.getByRole('navigation', { name: /^Channels/ }).waitFor({ state: 'hidden' });
});

/** What a finger can't hit: buttons and fields of less than 24 pixels. */
const SMALL_TARGETS = `[...document.querySelectorAll('button, input, select, textarea')]
  .filter((e) => e.checkVisibility({ visibilityProperty: true }))
  .map((e) => ({ e, box: e.getBoundingClientRect() }))
  .filter(({ e, box }) => box.width > 0 && (box.width < 24 || box.height < 24) && !e.closest('.hidden'))
  .map(({ e, box }) => e.className + ' ' + e.textContent.trim() + ' ' + box.width + ' × ' + box.height)`;

browserTest(
  'on a phone paging is one row, targets are large enough, and an empty list says so once',
  { timeout: LONG_MS },
  async () => {
    const page = await open(app.address(), PHONE);
    const list = await run(page, '/feed feed:Electronics');
    const tops = await Promise.all(
      ['⏮', '◀', /^1\//, '▶', '⏭'].map(async (name) => {
        const box = await list.getByRole('button', { name, exact: true }).boundingBox();
        return box?.y;
      }),
    );
    expect(new Set(tops).size).toBe(1);
    const empty = await run(page, '/search words:zzzzzz');
    const said = (await empty.textContent()) ?? '';
    expect(said).toContain('No matching offers');
    expect(said).not.toContain('0 offers');
    await run(page, '/subscription edit id:');
    expect(await page.evaluate<string[]>(SMALL_TARGETS)).toEqual([]);
  },
);

for (const options of APPEARANCES) {
  const isPhone = options.viewport === PHONE.viewport;
  browserTest(`axe-core finds nothing in any view (${nameOf(options)})`, { timeout: LONG_MS }, async () => {
    const page = await open(app.address(), options);
    await messagesOf(page).first().waitFor();
    await composerOf(page).fill('/feed feed:Electronics order:');
    await page.getByRole('option', { name: 'Biggest discount' }).waitFor();
    await expectAccessible(page, 'suggestions');
    const list = await run(page, '/feed feed:Electronics order:discount');
    await list.getByRole('button', { name: 'More for this message' }).dispatchEvent('click');
    await page.getByRole('menu', { name: 'Message' }).waitFor();
    await expectAccessible(page, "a message's menu");
    await page.keyboard.press('Escape');
    await list.locator('.thumbnail-button').first().click();
    await page.getByRole('dialog', { name: 'Picture' }).waitFor();
    await expectAccessible(page, 'a picture');
    await page.keyboard.press('Escape');

    await run(page, '/help');
    await run(page, '/status');
    const panel = await run(page, '/subscription edit id:');
    await panel.getByRole('button', { name: /^What to post/ }).click();
    await page.getByRole('listbox', { name: /^What to post/ }).waitFor();
    await expectAccessible(page, 'answers, and a select menu');
    await page.keyboard.press('Escape');
    await panel.getByRole('button', { name: 'Filter' }).click();
    await page.getByRole('dialog').waitFor();
    await expectAccessible(page, 'a form');
    await page.keyboard.press('Escape');
    if (isPhone) {
      await page.getByRole('button', { name: 'Channels' }).click();
      await page.getByRole('navigation', { name: /^Channels/ }).waitFor();
      await expectAccessible(page, 'the drawer');
    }
    await page.getByRole('button', { name: 'forum' }).click();
    await page.getByText('No posts yet').waitFor();
    await expectAccessible(page, 'a forum');
  });
}
