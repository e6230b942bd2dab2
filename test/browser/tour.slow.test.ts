import type { ChatInputCommandInteraction } from 'discord.js';
import { expect } from 'vitest';
import type { DemoState, LocalDiscord } from '../../packages/local-discord/src/index.ts';
import { IDS } from '../../packages/local-discord/src/index.ts';
import { loginClient, startDiscord } from '../../packages/local-discord/test/helpers.ts';
import {
  APPEARANCES,
  aBrowser,
  answersOf,
  browserTest,
  expectAccessible,
  expectFocus,
  nameOf,
  tabTo,
} from './browser.ts';
import { builtPage, PAGE_DIRECTORY } from './scripted-bot.ts';

builtPage();
const open = aBrowser();

/** Discord waits this long for an answer: milliseconds. */
const ANSWER_MS = 3_000;

const URL_OF_OFFER = 'https://electronics.example/offers/a-kettle-2';

function demoOf(bot: DemoState['bot']['state'], messageId: string): DemoState {
  return {
    time: { realMs: Date.now(), demoMs: Date.now(), speed: 1 },
    bot: { state: bot, restartsAtMs: null, kills: 1 },
    offer: { title: 'A "kettle" (refurbished)', url: URL_OF_OFFER, channelId: IDS.deals, messageId, state: 'live' },
    story: null,
    faults: { discord: null, catalog: null, requests: null },
    counters: {
      owed: 0,
      posted: 0,
      waiting: 0,
      held: 0,
      skipped: 0,
      twice: 0,
      lost: 0,
      edits: 0,
      skippedIn: [],
      limitedIn: [],
    },
    plan: null,
    places: { deals: IDS.deals, digest: null, events: null, forum: null, thread: null },
    permissions: { canSend: true, needsTag: false, isLocked: false, isDeleted: false, othersPublish: false },
    locales: { server: 'en-US', people: {} },
  };
}

/** Commands that a bot gets, in the order in which they come. */
async function aBot(discord: LocalDiscord, answer: (asked: ChatInputCommandInteraction, times: number) => void) {
  const client = await loginClient(discord);
  const text = (name: string) => ({ type: 3, name, description: name, required: true });
  await client.application.commands.set([
    { name: 'why', description: 'Why', options: [text('offer'), text('subscription')] },
  ]);
  const asked: string[] = [];
  client.on('interactionCreate', (interaction) => {
    if (!interaction.isChatInputCommand()) return;
    asked.push(interaction.options.getString('offer', true));
    answer(interaction, asked.length);
  });
  return asked;
}

browserTest(
  'the last question of the tour waits for a bot that was killed, and is asked again where it is not answered',
  async () => {
    const { discord, clock } = await startDiscord({ application: { name: 'Dealbell' }, pageDirectory: PAGE_DIRECTORY });
    const asked = await aBot(discord, (interaction, times) => {
      // Just after its start it is too busy to answer in time.
      if (times > 2) interaction.reply({ content: 'It was posted.', flags: 64 }).catch(() => undefined);
    });
    discord.showDemo(demoOf('running', '1'));
    const page = await open(discord.url);
    const tour = page.getByRole('region', { name: /^Tour, step/ });
    await page.getByRole('button', { name: 'Take the tour' }).click();
    for (const _ of [1, 2, 3, 4]) await tour.getByRole('button', { name: 'Next' }).click();
    discord.showDemo(demoOf('killed', '1'));
    await page.getByText('Killed.').waitFor();

    await tour.getByRole('button', { name: 'Ask why' }).click();
    await tour.getByText('The bot is starting. It gets the question as soon as it runs.').waitFor();
    discord.showDemo(demoOf('starting', '1'));
    await page.getByText('Bot process: Starting.').waitFor();
    expect(asked).toEqual([]);
    discord.showDemo(demoOf('running', '1'));
    for (const times of [1, 2]) {
      await expect.poll(() => asked).toHaveLength(times);
      await clock.advance(ANSWER_MS);
    }
    await answersOf(page, 'why').getByText('It was posted.').waitFor();
    await tour.getByText('The answer tells each step, from the store to the post.').waitFor();
    expect(asked).toEqual([URL_OF_OFFER, URL_OF_OFFER, URL_OF_OFFER]);
    // Nothing is left of the attempts that were not answered.
    expect(await page.getByText('did not respond').count()).toBe(0);
  },
);

browserTest('a bot that never answers is given up, and the question can be asked again', async () => {
  const { discord, clock } = await startDiscord({ application: { name: 'Dealbell' }, pageDirectory: PAGE_DIRECTORY });
  const asked = await aBot(discord, () => undefined);
  discord.showDemo(demoOf('running', '1'));
  const page = await open(discord.url);
  const tour = page.getByRole('region', { name: /^Tour, step/ });
  await page.getByRole('button', { name: 'Take the tour' }).click();
  for (const _ of [1, 2, 3, 4]) await tour.getByRole('button', { name: 'Next' }).click();
  await tour.getByRole('button', { name: 'Ask why' }).click();
  for (const times of [1, 2, 3, 4, 5]) {
    await expect.poll(() => asked).toHaveLength(times);
    await clock.advance(ANSWER_MS);
  }
  await tour.getByText('The bot did not answer. Try again.').waitFor();
  await tour.getByRole('button', { name: 'Ask why' }).click();
  await expect.poll(() => asked).toHaveLength(6);
});

for (const options of APPEARANCES) {
  browserTest(
    `by keyboard alone through each step of the tour, in which axe-core finds nothing (${nameOf(options)})`,
    async () => {
      const { discord } = await startDiscord({ application: { name: 'Dealbell' }, pageDirectory: PAGE_DIRECTORY });
      const asked = await aBot(discord, (interaction) => {
        interaction.reply({ content: 'It was posted.', flags: 64 }).catch(() => undefined);
      });
      discord.showDemo(demoOf('running', '1'));
      const page = await open(discord.url, options);
      const tour = page.getByRole('region', { name: /^Tour, step/ });
      await page.getByText('Welcome to #deals').waitFor();
      await tabTo(page.getByRole('button', { name: 'Take the tour' }));
      await page.keyboard.press('Enter');
      for (const step of [1, 2, 3, 4, 5]) {
        await page.getByRole('region', { name: `Tour, step ${step} of 5` }).waitFor();
        await expectFocus(tour);
        await expectAccessible(page, `step ${step} of the tour`);
        if (step === 5) break;
        await tabTo(tour.getByRole('button', { name: 'Next' }));
        await page.keyboard.press('Enter');
      }
      await tabTo(tour.getByRole('button', { name: 'Ask why' }));
      await page.keyboard.press('Enter');
      await tour.getByText('The answer tells each step, from the store to the post.').waitFor();
      expect(asked).toHaveLength(1);
      await expectAccessible(page, 'the answer in the tour');
      await tabTo(tour.getByRole('button', { name: 'Finish' }));
      await page.keyboard.press('Enter');
      await tour.waitFor({ state: 'detached' });
      await expectFocus(page.getByRole('combobox', { name: 'Slash command' }));
    },
  );
}

browserTest('the tour begins by itself for whoever opens the page for the first time, and never again', async () => {
  const { discord } = await startDiscord({ application: { name: 'Dealbell' }, pageDirectory: PAGE_DIRECTORY });
  discord.showDemo(demoOf('running', '1'));
  const page = await open(discord.url, undefined, true);
  const tour = page.getByRole('region', { name: 'Tour, step 1 of 5' });
  await tour.waitFor();
  await expectAccessible(page, 'the tour that has begun by itself');
  const chips = page.getByRole('group', { name: 'Things to try' });
  expect(await chips.count()).toBe(0);
  await tour.getByRole('button', { name: 'Skip the tour' }).click();
  await chips.getByRole('button', { name: 'Take the tour' }).waitFor();
  await page.reload();
  await chips.waitFor();
  expect(await tour.count()).toBe(0);
});
