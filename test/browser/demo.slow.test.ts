import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { startDemo } from '../../packages/demo/test/running-demo.ts';
import { findChromium } from '../../scripts/browser.mjs';
import {
  aBrowser,
  answersOf,
  browserTest,
  composerOf,
  expectAccessible,
  expectFocus,
  messagesOf,
  PHONE,
  run,
  tabTo,
} from './browser.ts';

const open = aBrowser();

/** Two processes start, and a store is read, on a machine that may be busy. */
const LONG_MS = 180_000;

/** Several of each of the four feeds. */
const MANY_POLLS = 16;

/** One demo for all tests of this file: each leaves its levers as they were. */
let address = '';
let stopDemo = async (): Promise<void> => undefined;
/** The programs and the page as `npm start` builds them; inside the project, so that they find their packages and their version. */
let folder = '';

beforeAll(async () => {
  if (findChromium() === null) return;
  folder = mkdtempSync(join(import.meta.dirname, '../../dist-'));
  execFileSync(process.execPath, ['scripts/build.mjs', folder]);
  const program = { folder, path: join(folder, 'packages/demo/src/main.js') };
  const environment = { STATE_URL: `sqlite://${join(folder, 'dealbell.sqlite')}` };
  const atEnd = (stop: () => Promise<void>) => {
    stopDemo = stop;
  };
  const demo = startDemo(program, environment, { atEnd });
  address = await demo.address;
}, LONG_MS);
afterAll(async () => {
  await stopDemo();
  if (folder !== '') rmSync(folder, { recursive: true, force: true });
});

const newOffers = (page: Page) => messagesOf(page).filter({ hasText: 'New offer' });
const panelOf = (page: Page) => page.getByRole('complementary', { name: 'Try it' });
const leverOf = (page: Page, name: string) => panelOf(page).getByRole('button', { name, exact: true });
const statusOf = (page: Page, text: string) => panelOf(page).getByRole('status').filter({ hasText: text });
const channelOf = (page: Page, name: RegExp) =>
  page.getByRole('navigation', { name: /^Channels/ }).getByRole('button', { name });

const languageOf = (page: Page, whose: string) =>
  panelOf(page).getByRole('combobox', { name: new RegExp(`^${whose}`) });

/** A number of the panel *Try it*. */
async function counter(page: Page, name: string): Promise<number> {
  const value = panelOf(page)
    .locator('dl div')
    .filter({ has: page.getByText(name, { exact: true }) })
    .locator('dd');
  return Number((await value.textContent())?.replaceAll(',', ''));
}

/** Waits until the feeds have been polled so often that each has been several times: without a limit they take turns. */
async function manyPolls(page: Page): Promise<void> {
  const spent = async () => {
    const text = await panelOf(page)
      .getByText(/^\s*Feeds:[\s\S]* spent today/)
      .textContent();
    return Number(/Feeds:\s+([\d,]+)/.exec(text ?? '')?.[1]?.replaceAll(',', ''));
  };
  const before = await spent();
  await expect.poll(spent, { timeout: LONG_MS }).toBeGreaterThan(before + MANY_POLLS);
}

/** Follows the link to the post that a lever has concerned. */
async function seeThePost(page: Page): Promise<void> {
  const link = panelOf(page).getByRole('button', { name: 'See the post that it concerned' });
  await link.click({ timeout: LONG_MS });
  await page.locator('discord-message[data-linked]').waitFor();
}

/** The relative times on the page that are not those of the demo's time. */
const FALSE_TIMES = `fetch('/page/state').then((answer) => answer.json()).then(({ demo: { time } }) => {
  const seconds = { second: 1, minute: 60, hour: 3_600, day: 86_400, month: 2_592_000, year: 31_536_000 };
  return [...document.querySelectorAll('time[data-relative]')].filter(({ dateTime, textContent }) => {
    const nowMs = time.demoMs + (Date.now() - time.realMs) * time.speed;
    const leftS = (Date.parse(dateTime) - nowMs) / 1_000;
    const [, to, count, unit] = /^(in )?(\\d+) ([a-z]+?)s?( ago)?$/.exec(textContent);
    const saidS = Number(count) * seconds[unit] * (to ? 1 : -1);
    return Math.abs(leftS - saidS) > Math.max(15, seconds[unit]) * Math.max(1, time.speed);
  }).map(({ dateTime, textContent }) => dateTime + ': ' + textContent);
})`;

/** Expects that the page has relative times, and that each tells the demo's time. */
async function expectTrueTimes(page: Page): Promise<void> {
  await page.locator('time[data-relative]').first().waitFor();
  await expect.poll(() => page.evaluate<string[]>(FALSE_TIMES)).toEqual([]);
}

/** Opens the direct messages of the person with the bot. */
async function directMessages(page: Page): Promise<Locator> {
  await panelOf(page)
    .getByRole('button', { name: /^Message the bot as/ })
    .click();
  await page.getByRole('heading', { name: 'Dealbell', level: 1 }).waitFor();
  return messagesOf(page);
}

browserTest('a newcomer sees posts come, and asks with one click', { timeout: LONG_MS }, async () => {
  const page = await open(address);
  await page.getByText('This is a simulation on this machine').waitFor();
  await newOffers(page).first().waitFor();
  await expectAccessible(page, 'the demo');
  const chips = page.getByRole('group', { name: 'Things to try' });
  const chip = (name: string) => chips.getByRole('button', { name, exact: true });

  await chip('Browse Electronics').click();
  await answersOf(page, 'feed')
    .getByText(/offers · page 1/)
    .waitFor();
  await chip('Status').click();
  await answersOf(page, 'status').getByRole('heading').first().waitFor();
  await chip('Last 7 days').click();
  await answersOf(page, 'subscription preview')
    .getByText(/last 7 days/i)
    .first()
    .waitFor();

  await chip('Follow vacuums under $60').click();
  const panels = answersOf(page, 'subscription add feed');
  await panels.first().getByText('Home feed will be posted in').waitFor();
  await chip('Follow vacuums under $60').click();
  await panels.nth(1).getByText('already gets Home feed with the same filter').waitFor();
  await panels
    .nth(1)
    .getByText(/Read as .*vacuum price:<60/)
    .waitFor();

  await chip('Why wasn’t this posted?').click();
  await expect.poll(() => composerOf(page).inputValue()).toBe('/why offer:');
  await page.getByRole('listbox', { name: 'Suggestions' }).getByRole('option').first().waitFor();
  await page.keyboard.press('Tab');
  await expect.poll(() => composerOf(page).inputValue()).toMatch(/^\/why offer:\S+ subscription:$/);
  await page.keyboard.type('electronics');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Enter');
  await answersOf(page, 'why').filter({ hasText: 'Electronics feed in' }).waitFor();

  await page.getByRole('button', { name: 'Act as Ben' }).first().click();
  for (const name of ['Last 7 days', 'Follow vacuums under $60', 'Why wasn’t this posted?']) {
    await chip(name).waitFor({ state: 'detached' });
  }
  await chip('Status').waitFor();
  // Somebody who only watches sees more come, without a reload.
  const before = await counter(page, 'posted');
  await expect.poll(() => counter(page, 'posted'), { timeout: LONG_MS }).toBeGreaterThan(before);
});

browserTest('the demo begins with a past: a lowest price, and a picture of prices', { timeout: LONG_MS }, async () => {
  const page = await open(address);
  const post = messagesOf(page).filter({ hasText: 'Lowest price since we started watching' }).last();
  await post.waitFor({ timeout: LONG_MS });
  await post.getByRole('button', { name: 'Price history' }).click();
  const answer = messagesOf(page).filter({ hasText: 'Only you can see this' }).last();
  // The post may stand far above its answer, and a picture is loaded once somebody scrolls to it.
  await answer.scrollIntoViewIfNeeded();
  await answer.locator('.gallery img').waitFor();
});

browserTest(
  'the tour leads through five steps, by keyboard alone, and is left at any time',
  { timeout: 2 * LONG_MS },
  async () => {
    const page = await open(address);
    await newOffers(page).first().waitFor();
    const tour = page.getByRole('region', { name: /^Tour, step/ });
    const press = async (name: string) => {
      await tabTo(tour.getByRole('button', { name }));
      await page.keyboard.press('Enter');
    };
    const start = async () => {
      await tabTo(page.getByRole('button', { name: 'Take the tour' }), { back: true });
      await page.keyboard.press('Enter');
      await expectFocus(tour);
    };
    await start();
    await expectAccessible(page, 'the tour');
    await page.keyboard.press('Escape');
    await tour.waitFor({ state: 'detached' });
    await expectFocus(composerOf(page));

    await start();
    await press('Follow vacuums under $60');
    await answersOf(page, 'subscription add feed').last().getByText('Home feed').first().waitFor();
    await press('Next');
    const linked = page.locator('discord-message[data-linked]');
    const drops = messagesOf(page).filter({ hasText: 'Price drop' });
    await press('Show the newest deal');
    // The focus goes to the post: a key that is pressed before would be lost.
    await expectFocus(linked);
    await press('Next');
    const before = await drops.count();
    await press('Drop its price');
    await expectFocus(linked);
    await expect.poll(() => drops.count(), { timeout: LONG_MS }).toBeGreaterThan(before);
    await press('Next');
    await press('Kill it');
    await statusOf(page, 'Running. Killed').waitFor({ timeout: LONG_MS });
    await press('Next');
    await press('Ask why');
    await answersOf(page, 'why').filter({ hasText: 'Electronics feed in' }).waitFor();
    await press('Finish');
    await tour.waitFor({ state: 'detached' });
  },
);

browserTest('on a phone the levers are a drawer', { timeout: LONG_MS }, async () => {
  const page = await open(address, { ...PHONE, colorScheme: 'light' });
  await panelOf(page).waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: 'Try it' }).tap();
  await leverOf(page, 'Kill the bot').waitFor();
  await expectAccessible(page, 'the levers on a phone');
  await panelOf(page).getByRole('button', { name: 'Close' }).tap();
  await panelOf(page).waitFor({ state: 'hidden' });
});

browserTest('the newest offer is changed in the store, and its post follows', { timeout: LONG_MS }, async () => {
  const page = await open(address);
  await newOffers(page).first().waitFor();
  const offer = panelOf(page).locator('.demo-offer');
  await leverOf(page, 'Sell out').click();
  // For two minutes from each change on it is the one that is shown, whatever comes.
  await offer.getByText('sold out').waitFor();
  const title = (await offer.getByRole('button').textContent())?.trim() ?? '';
  const posts = messagesOf(page).filter({ hasText: title });
  await posts.filter({ hasText: 'Sold out' }).first().waitFor();
  // Only what two answers called sold out is news when it is back.
  await manyPolls(page);
  for (const [name, shown] of [
    ['Bring back', 'Back in stock'],
    ['Drop the price', 'Price drop'],
    ['End', 'Ended'],
  ] as const) {
    await leverOf(page, name).click();
    // An end in the past is believed with a second answer, a minute later.
    await posts.filter({ hasText: shown }).first().waitFor({ timeout: LONG_MS });
  }
  await offer.getByRole('button', { name: title }).click();
  await expectFocus(posts.and(page.locator('[data-linked]')));
});

browserTest('what breaks recovers, by itself or by the lever', { timeout: LONG_MS }, async () => {
  const page = await open(address);
  await newOffers(page).first().waitFor();
  await leverOf(page, 'Kill the bot').click();
  await statusOf(page, 'Killed.').waitFor();
  await statusOf(page, 'Running. Killed').waitFor({ timeout: LONG_MS });
  await seeThePost(page);
  for (const [name, said] of [
    ['Cut Discord off mid-post', 'Discord is away'],
    ['Cut the catalog off', 'The catalog is away'],
    ['Fail every third request', 'Every third request fails'],
  ] as const) {
    await leverOf(page, name).click();
    await statusOf(page, said).waitFor({ timeout: LONG_MS });
    const recovered = statusOf(page, said).waitFor({ state: 'detached' });
    // It recovers by itself after some seconds: a slow machine may not leave the lever in time.
    const pulled = leverOf(page, 'Recover now').click();
    await Promise.race([pulled.catch(() => recovered), recovered]);
    await recovered;
  }
});

browserTest(
  'without permissions the bot says what it lacks, and posts when they are given back',
  { timeout: 2 * LONG_MS },
  async () => {
    const page = await open(address);
    await newOffers(page).first().waitFor();
    const levers = [
      ['Take Send Messages away', 'Give Send Messages back', /Give it Send Messages/],
      ['Demand a tag', 'Demand no tag', /The forum requires a tag/],
      ['Lock the thread', 'Unlock it', /The thread is locked/],
      ['Delete the channel', 'Give it back', /The channel was deleted/],
    ] as const;
    for (const [take, give] of levers) {
      await leverOf(page, take).click();
      await leverOf(page, give).waitFor();
    }
    await channelOf(page, /^events/).waitFor({ state: 'detached' });
    // A night brings something to post everywhere.
    await leverOf(page, 'To the morning').click();
    const told = await directMessages(page);
    for (const [, , sentence] of levers) await told.filter({ hasText: sentence }).first().waitFor({ timeout: LONG_MS });

    // The thread is read up to here; the forum's posts are the page's.
    await channelOf(page, /^tees/).click();
    await page.getByRole('heading', { name: 'tees', level: 1 }).waitFor();
    await channelOf(page, /^forum/).click();
    const posts = page.locator('.posts li');
    const before = await posts.count();
    for (const [take, give] of levers) {
      await leverOf(page, give).click();
      await leverOf(page, take).waitFor();
    }
    await leverOf(page, 'To the morning').click();
    await expect.poll(() => posts.count(), { timeout: LONG_MS }).toBeGreaterThan(before);
    for (const name of [/^events\s+\d+ unread/, /^tees\s+\d+ unread/, /^deals\s+\d+ unread/]) {
      await channelOf(page, name).waitFor({ timeout: LONG_MS });
    }
  },
);

browserTest('the quota is used up, planned with, and returns', { timeout: 2 * LONG_MS }, async () => {
  const page = await open(address);
  const usedUp = panelOf(page).getByText(/^Used up until 00:00 UTC\.$/);
  const why = panelOf(page).getByText('Requests are used up until 00:00 UTC.');
  const useUp = async () => {
    await leverOf(page, 'Use it up').click();
    await usedUp.waitFor({ timeout: LONG_MS });
    await why.waitFor();
    await panelOf(page).getByRole('button', { name: 'Use it up', pressed: true }).waitFor();
  };
  const isLifted = async () => {
    await usedUp.waitFor({ state: 'detached', timeout: LONG_MS });
    await why.waitFor({ state: 'detached' });
    await panelOf(page).getByRole('button', { name: 'No limit', pressed: true }).waitFor();
    const before = await counter(page, 'posted');
    await expect.poll(() => counter(page, 'posted'), { timeout: LONG_MS }).toBeGreaterThan(before);
  };
  await useUp();
  await panelOf(page).getByText('tomorrow').first().waitFor({ timeout: LONG_MS });
  await leverOf(page, 'No limit').click();
  await isLifted();

  await leverOf(page, '1,000 a day').click();
  await panelOf(page)
    .getByText(/of 1,000 spent today/)
    .first()
    .waitFor({ timeout: LONG_MS });
  // Nothing is polled every few seconds any more.
  await panelOf(page)
    .getByText(/^Next polls, over \d+ (min|h) from now/)
    .first()
    .waitFor();
  await panelOf(page)
    .getByText(/A feed is polled every \d+ (min|h)\./)
    .waitFor();
  await useUp();
  await leverOf(page, 'No limit').click();
  await isLifted();
});

browserTest(
  'what a person pauses or deletes is skipped by them, and what comes after resuming and undoing is posted',
  { timeout: 2 * LONG_MS },
  async () => {
    const page = await open(address);
    const explained = (where: string) =>
      panelOf(page).getByText(`You paused, deleted or changed a subscription in #${where}`);
    const isPosting = async () => {
      const before = await counter(page, 'posted');
      await expect.poll(() => counter(page, 'posted'), { timeout: LONG_MS }).toBeGreaterThan(before);
    };
    // What waits for the next digest.
    await panelOf(page)
      .getByText(/[1-9]\d* more held/)
      .waitFor({ timeout: LONG_MS });
    const digest = await run(page, '/subscription edit id:home');
    await digest.getByRole('button', { name: 'Pause' }).click();
    await explained('home-digest').waitFor();
    await expect.poll(() => counter(page, 'skipped by you')).toBeGreaterThan(0);
    await digest.getByRole('button', { name: 'Resume' }).click();
    await explained('home-digest').waitFor({ state: 'detached' });

    const deals = await run(page, '/subscription edit id:electronics');
    await deals.getByRole('button', { name: 'Delete' }).click();
    await deals.getByRole('button', { name: 'Cancel' }).waitFor();
    await deals.getByRole('button', { name: 'Delete' }).click();
    await explained('deals').waitFor();
    await deals.getByRole('button', { name: 'Undo' }).click();
    await explained('deals').waitFor({ state: 'detached' });
    await isPosting();
    expect(await counter(page, 'lost')).toBe(0);
  },
);

browserTest('time stands still, runs, and jumps to the moments of a day', { timeout: LONG_MS }, async () => {
  const page = await open(address);
  const clock = panelOf(page).locator('.demo-clock');
  await leverOf(page, 'Pause').click();
  await panelOf(page).getByRole('button', { name: 'Pause', pressed: true }).waitFor();
  const stood = await clock.textContent();
  await expect.poll(() => clock.textContent()).toBe(stood);
  await leverOf(page, 'To 22:00').click();
  await clock.filter({ hasText: /, 22:00:\d\d UTC/ }).waitFor();
  await leverOf(page, 'To midnight').click();
  await clock.filter({ hasText: /, 00:00:\d\d UTC/ }).waitFor();
  await expectTrueTimes(page);
  await run(page, '/status');
  await expectTrueTimes(page);
  await leverOf(page, '× 60').click();
  await expectTrueTimes(page);
  await leverOf(page, 'Normal').click();
  await leverOf(page, 'To the morning').click();
  // The hours were quiet in #events: what it held comes now.
  await seeThePost(page);
  await page.getByRole('heading', { name: 'events', level: 1 }).waitFor();
});

browserTest(
  'posts are in the language of the server, answers in that of the person',
  { timeout: LONG_MS },
  async () => {
    const page = await open(address);
    await languageOf(page, 'Ada').selectOption({ label: 'Deutsch' });
    await (await run(page, '/help')).getByText('Was der Bot kann').first().waitFor();
    // So is the frame around an answer.
    await messagesOf(page).getByText('Nur du kannst das sehen').first().waitFor();
    // What describes commands, and times, are in that language too.
    await composerOf(page).fill('/hel');
    await page.getByRole('option', { name: /^\/help.*Befehle/ }).waitFor();
    await (await run(page, '/status')).first().waitFor();
    await composerOf(page).fill('/help');
    await composerOf(page).press('Escape');
    await composerOf(page).press('Enter');
    await answersOf(page, 'help').nth(1).getByText('Was der Bot kann').first().waitFor();
    const times = page.locator('time[data-relative]');
    await expect
      .poll(async () => (await times.allTextContents()).every((text) => /^(in|vor) \d/.test(text)))
      .toBe(true);
    // The switch at the top of the page.
    await page.getByRole('button', { name: 'Appearance and language' }).click();
    await page.getByRole('menuitemradio', { name: 'English' }).click();
    await expect
      .poll(async () => (await times.allTextContents()).every((text) => /^in \d| ago$/.test(text)))
      .toBe(true);
    await (await run(page, '/help')).getByText('What the bot can do').first().waitFor();
    await languageOf(page, 'Server').selectOption({ label: 'Français' });
    await messagesOf(page).filter({ hasText: 'Nouvelle offre' }).first().waitFor({ timeout: LONG_MS });
    await languageOf(page, 'Server').selectOption({ label: 'English' });
    await seeThePost(page);
  },
);

browserTest(
  'a member writes to the bot directly, and another one has the role that is called',
  { timeout: LONG_MS },
  async () => {
    const page = await open(address);
    await leverOf(page, 'Be Ben').click();
    await page.getByRole('button', { name: 'Act as Ben', pressed: true }).first().waitFor();
    await directMessages(page);
    await run(page, '/status');
    await channelOf(page, /^Dealbell/).waitFor();
    await leverOf(page, 'Be Cleo').click();
    // The direct messages are Ben's.
    await channelOf(page, /^Dealbell/).waitFor({ state: 'detached' });
    await channelOf(page, /^events/).click();
    await messagesOf(page).filter({ hasText: 'Deal Hunters' }).first().waitFor();
  },
);

browserTest('after all of it, nothing is lost or posted twice', { timeout: LONG_MS }, async () => {
  const page = await open(address);
  await newOffers(page).first().waitFor();
  await expect.poll(() => counter(page, 'lost'), { timeout: LONG_MS }).toBe(0);
  expect(await counter(page, 'twice')).toBe(0);
  expect(await counter(page, 'edits')).toBeGreaterThan(0);
  await expectAccessible(page, 'the demo with its levers pulled');
});
