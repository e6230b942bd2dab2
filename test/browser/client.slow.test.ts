import { expect } from 'vitest';
import { IDS } from '../../packages/local-discord/src/index.ts';
import { call } from '../../packages/local-discord/test/helpers.ts';
import {
  APPEARANCES,
  aBrowser,
  browserTest,
  composerOf,
  DESKTOP,
  expectAccessible,
  expectFocus,
  messagesOf,
  PHONE,
} from './browser.ts';
import { aScriptedBot, builtPage } from './scripted-bot.ts';

builtPage();
const open = aBrowser();

const PICTURE = (colour: string) =>
  `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" width="400" height="300"><rect width="400" height="300" fill="${colour}"/></svg>`)}`;

browserTest('what is typed anywhere goes to the composer, which has the focus at the start', async () => {
  const { address, post } = await aScriptedBot();
  await post({ content: 'A deal' });
  const page = await open(address);
  const composer = composerOf(page);
  await messagesOf(page).waitFor();
  await expectFocus(composer);
  await page.getByText('A deal').click();
  await page.keyboard.type('/hel');
  await expect.poll(() => composer.inputValue()).toBe('/hel');
  await page.getByRole('button', { name: 'Act as Ben' }).first().focus();
  await page.keyboard.type('p');
  await expect.poll(() => composer.inputValue()).toBe('/help');
});

browserTest('arrow keys walk through the messages, and Escape leads back to the composer', async () => {
  const { address, post } = await aScriptedBot();
  for (const content of ['first', 'second', 'third']) await post({ content });
  const page = await open(address);
  const message = (text: string) => messagesOf(page).filter({ hasText: text });
  await message('third').waitFor();
  await page.getByRole('region', { name: 'Messages' }).focus();
  await page.keyboard.press('ArrowUp');
  await expectFocus(message('third'));
  await page.keyboard.press('ArrowUp');
  await expectFocus(message('second'));
  await page.keyboard.press('Home');
  await expectFocus(message('first'));
  await page.keyboard.press('ArrowUp');
  await expectFocus(message('first'));
  await page.keyboard.press('End');
  await expectFocus(message('third'));
  await page.keyboard.press('ArrowDown');
  await expectFocus(message('third'));
  await page.keyboard.press('Escape');
  await expectFocus(composerOf(page));
});

browserTest('the first link of the page leads to the messages', async () => {
  const { address, post } = await aScriptedBot();
  await post({ content: 'A deal' });
  const page = await open(address);
  await messagesOf(page).waitFor();
  const skip = page.getByRole('link', { name: 'Skip to messages' });
  await skip.focus();
  await expect.poll(async () => (await skip.boundingBox())?.y).toBeGreaterThanOrEqual(0);
  await page.keyboard.press('Enter');
  await expectFocus(page.getByRole('region', { name: 'Messages' }));
});

browserTest('pictures open in full size, go on by arrow keys, and close', async () => {
  const { address, post, discord } = await aScriptedBot();
  const url = (name: string) => `${discord.url}/${name}.svg`;
  await post({
    flags: 1 << 15,
    components: [
      {
        type: 12,
        items: ['red', 'blue'].map((name) => ({ media: { url: url(name) }, description: `A ${name} picture` })),
      },
    ],
  });
  const page = await open('about:blank');
  await page.route(/\/(red|blue)\.svg$/, (route) => {
    const [colour] = /red|blue/.exec(route.request().url()) ?? [''];
    return route.fulfill({
      contentType: 'image/svg+xml',
      body: decodeURIComponent(PICTURE(colour).split(',')[1] ?? ''),
    });
  });
  await page.goto(address);
  await page.getByRole('button', { name: 'A red picture' }).click();
  const lightbox = page.getByRole('dialog', { name: 'Picture' });
  const shown = (name: string) => lightbox.getByRole('img', { name });
  await shown('A red picture').waitFor();
  await lightbox.getByText('1 of 2').waitFor();
  await page.keyboard.press('ArrowRight');
  await shown('A blue picture').waitFor();
  await page.keyboard.press('ArrowRight');
  await shown('A red picture').waitFor();
  await page.keyboard.press('ArrowLeft');
  await lightbox.getByText('2 of 2').waitFor();
  expect(await lightbox.getByRole('link', { name: 'Open original' }).getAttribute('href')).toBe(url('blue'));
  await page.keyboard.press('Escape');
  await lightbox.waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: 'A blue picture' }).click();
  await page.mouse.click(5, 400);
  await lightbox.waitFor({ state: 'hidden' });
});

browserTest('the right mouse button opens a menu, by pointer and by keyboard', async () => {
  const { address, post, client } = await aScriptedBot();
  await client.application.commands.set([{ name: 'Show it again', type: 3 }]);
  client.on('interactionCreate', (interaction) => {
    if (!interaction.isMessageContextMenuCommand()) return;
    interaction.reply(`Again: ${interaction.targetMessage.content}`).catch(() => undefined);
  });
  const id = await post({ content: 'A deal' });
  const page = await open(address);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  const menu = page.getByRole('menu', { name: 'Message' });
  const entry = (name: string) => menu.getByRole('menuitem', { name });

  await page.getByText('A deal', { exact: true }).click({ button: 'right' });
  await expectFocus(entry('Show it again'));
  for (const name of ['Add Reaction', 'Copy Text']) {
    await page.keyboard.press('ArrowDown');
    await expectFocus(entry(name));
  }
  await page.keyboard.press('ArrowDown');
  await expectFocus(entry('Copy Message Link'));
  await page.keyboard.press('Enter');
  await menu.waitFor({ state: 'hidden' });
  const clipboard = () => page.evaluate<string>('navigator.clipboard.readText()');
  await expect.poll(clipboard).toBe(`${address}/channels/${IDS.guild}/${IDS.deals}/${id}`);

  await page.getByText('A deal', { exact: true }).click({ button: 'right' });
  await entry('Copy Text').click();
  await expect.poll(clipboard).toBe('A deal');

  await page.getByText('A deal', { exact: true }).click({ button: 'right' });
  await page.mouse.click(600, 10);
  await menu.waitFor({ state: 'hidden' });

  await messagesOf(page).first().hover();
  await page.getByRole('button', { name: 'More for this message' }).first().click();
  await entry('Show it again').click();
  await messagesOf(page).filter({ hasText: 'Again: A deal' }).waitFor();

  await page.getByRole('button', { name: 'announcements' }).click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Copy Channel ID' }).click();
  await expect.poll(clipboard).toBe(IDS.announcements);
});

browserTest('people react from the menu of a message, join in and take it back', async () => {
  const { address, discord, post } = await aScriptedBot();
  const messageId = await post({ content: 'A deal' });
  const page = await open(address);
  const add = page.getByRole('button', { name: 'Add Reaction' });
  const reaction = (text: string) => page.locator('button.reaction', { hasText: text });
  await page.getByText('A deal', { exact: true }).click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Add Reaction' }).click();
  await page.getByRole('menuitem', { name: '🎉' }).click();
  await reaction('🎉 1').waitFor();
  await page.getByRole('button', { name: 'Act as Ben' }).click();
  await reaction('🎉 1').click();
  await page.locator('button.reaction[aria-pressed=true][title="Ada, Ben"]', { hasText: '2' }).waitFor();
  await add.click();
  await page.getByRole('menuitem', { name: '👀' }).click();
  await reaction('👀 1').waitFor();
  await expectAccessible(page, 'reactions');
  discord.act({ personId: IDS.ada, do: 'take-back-reaction', channelId: IDS.deals, messageId, emoji: '🎉' });
  for (const shown of ['🎉 1', '👀 1']) await reaction(shown).click();
  await add.waitFor({ state: 'detached' });
});

browserTest('the menu of a person has the user commands, and their answers name the person', async () => {
  const { address, client } = await aScriptedBot();
  await client.application.commands.set([{ name: 'Greet', type: 2 }]);
  client.on('interactionCreate', (interaction) => {
    if (!interaction.isUserContextMenuCommand()) return;
    interaction.reply(`Hello, ${interaction.targetUser.displayName}`).catch(() => undefined);
  });
  const page = await open(address);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  const cleo = page.getByRole('complementary', { name: 'Members' }).getByRole('button', { name: /^Cleo/ });
  await cleo.click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Greet' }).click();
  const answer = messagesOf(page).filter({ hasText: 'Hello, Cleo' });
  await answer.waitFor();
  await answer.locator('discord-command').getByText('Cleo').waitFor();
  await cleo.click({ button: 'right' });
  await page.getByRole('menu', { name: 'Cleo' }).getByRole('menuitem', { name: 'Copy User ID' }).click();
  await expect.poll(() => page.evaluate<string>('navigator.clipboard.readText()')).toBe(IDS.cleo);
});

browserTest('what is no command is posted as a message, and it shows who is typing', async () => {
  const { address, discord, post } = await aScriptedBot();
  const page = await open(address);
  // The page tells of what happens from then on.
  await composerOf(page).fill('Any kettles?');
  await call(discord, 'POST', `/channels/${IDS.deals}/typing`);
  await page.getByText('Dealbell is typing…').waitFor();
  await post({ content: 'Ask away' });
  await page.getByText('Dealbell is typing…').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Send Message' }).click();
  await messagesOf(page).filter({ hasText: 'Any kettles?' }).filter({ hasText: 'Ada' }).waitFor();
  expect(await composerOf(page).inputValue()).toBe('');
  await composerOf(page).press('ArrowUp');
  expect(await composerOf(page).inputValue()).toBe('Any kettles?');
});

browserTest('people vote in a poll and change their mind, until it is closed', async () => {
  const { address, discord, post } = await aScriptedBot();
  const answers = [{ poll_media: { text: 'The red one' } }, { poll_media: { text: 'The blue one' } }];
  const id = await post({ poll: { question: { text: 'Which kettle?' }, answers } });
  const page = await open(address);
  const poll = page.getByRole('group', { name: 'Which kettle?' });
  const answer = (text: string) => poll.getByRole('button', { name: text });
  await answer('The red one').click();
  await poll.getByRole('button', { name: 'The red one 1', pressed: true }).waitFor();
  await answer('The blue one').click();
  await poll.getByRole('button', { name: 'The red one 0', pressed: false }).waitFor();
  await expectAccessible(page, 'a poll');
  await call(discord, 'POST', `/channels/${IDS.deals}/polls/${id}/expire`);
  await poll.getByText('Votes: 1 · Poll closed').waitFor();
  await page.getByText('Poll closed: Which kettle? · The blue one · Votes: 1').waitFor();
  expect(await answer('The blue one').isDisabled()).toBe(true);
});

browserTest('the requests of the bot are told, with what Discord refused and why', async () => {
  const { address, discord, post } = await aScriptedBot();
  await post({ content: 'A deal' });
  const page = await open(address);
  await page.getByRole('button', { name: 'Requests' }).click();
  const panel = page.getByRole('dialog', { name: 'Requests' });
  await panel.getByText(`POST /channels/${IDS.deals}/messages`).click();
  await panel.getByText('"content": "A deal"').first().waitFor();
  await call(discord, 'POST', `/channels/${IDS.deals}/messages`, { content: '' });
  await panel.getByText('400 · 50006 Cannot send an empty message').waitFor();
  await expectAccessible(page, 'requests');
});

browserTest('the time of a message tells its whole date where the pointer rests', async () => {
  const { address, post } = await aScriptedBot();
  await post({ content: 'A deal' });
  const page = await open(address, { viewport: { width: 1280, height: 800 }, timezoneId: 'UTC', locale: 'en-US' });
  const time = messagesOf(page).locator('time.discord-message-timestamp');
  await time.hover();
  await expect.poll(() => time.getAttribute('title')).toMatch(/^\w+day, \w+ \d+, \d{4} at \d+:\d\d [AP]M$/);
});

browserTest('each channel and message has an address, and the browser goes back and on', async () => {
  const { address, post } = await aScriptedBot();
  const first = await post({ content: 'the first deal' });
  for (let count = 2; count <= 90; count += 1) await post({ content: `deal ${count}` });
  const place = (...ids: string[]) => `${address}/channels/${[IDS.guild, ...ids].join('/')}`;
  const page = await open(place(IDS.deals, first));
  const linked = messagesOf(page).filter({ hasText: 'the first deal' });
  await expectFocus(linked);
  await expect.poll(async () => (await linked.boundingBox())?.y ?? -1).toBeGreaterThan(0);

  await page.getByRole('button', { name: 'announcements' }).click();
  await page.getByText('Welcome to #announcements!').waitFor();
  expect(page.url()).toBe(place(IDS.announcements));
  expect(await page.title()).toBe('#announcements · Dealbell');
  await page.goBack();
  await expectFocus(linked);
  await page.goForward();
  await page.getByText('Welcome to #announcements!').waitFor();

  await post({ content: `Look: https://discord.com/channels/${IDS.guild}/${IDS.deals}/${first}` }, IDS.announcements);
  await page.getByRole('link', { name: /^https:/ }).click();
  await expectFocus(linked);
  expect(page.url()).toBe(place(IDS.deals, first));

  await page.goto(place(IDS.deals, '999'));
  await page.getByText("That message isn't here any more.").waitFor();
  await page.goto(place('999'));
  await page.getByText("That channel isn't here any more.").waitFor();
});

browserTest('channel and person are kept over a reload, ephemeral answers are not', async () => {
  const { address, client } = await aScriptedBot();
  await client.application.commands.set([{ name: 'hello', description: 'Greets' }]);
  client.on('interactionCreate', (interaction) => {
    if (interaction.isChatInputCommand()) {
      interaction.reply({ content: `Hello, ${interaction.user.displayName}`, flags: 64 }).catch(() => undefined);
    }
  });
  const page = await open(address);
  await page.getByRole('button', { name: 'announcements' }).click();
  await page.getByRole('button', { name: 'Act as Ben' }).first().click();
  await page.keyboard.type('/hello');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await messagesOf(page).filter({ hasText: 'Hello, Ben' }).waitFor();
  await page.getByText('Only you can see this').waitFor();
  await page.goto(address);
  await page.getByText('Welcome to #announcements!').waitFor();
  await page.getByRole('button', { name: 'Act as Ben', pressed: true }).first().waitFor();
  expect(await page.getByText('Hello, Ben').count()).toBe(0);
});

browserTest('options are pills, and a click on one that is open adds it', async () => {
  const { address, client } = await aScriptedBot();
  const option = (name: string) => ({ type: 3 as const, name, description: `The ${name}` });
  await client.application.commands.set([
    { name: 'find', description: 'Finds', options: ['words', 'shop'].map(option) },
  ]);
  const page = await open(address);
  await expectFocus(composerOf(page));
  await page.keyboard.type('/find words:camera ');
  await page.getByRole('button', { name: 'shop' }).click();
  await expectFocus(composerOf(page));
  await page.keyboard.type('x');
  await expect.poll(() => composerOf(page).inputValue()).toBe('/find words:camera shop:x');
  const pills = page.locator('.pills span');
  expect(await pills.allTextContents()).toEqual(['/find ', 'words:', 'camera', ' ', 'shop:', 'x']);
  // A pill lies where its option stands in the field.
  const [field, first] = [await composerOf(page).boundingBox(), await pills.nth(1).boundingBox()];
  const before = await page.evaluate<number>(
    `(() => { const c = document.createElement('canvas').getContext('2d');
      c.font = getComputedStyle(document.querySelector('#command')).font; return c.measureText('/find ').width; })()`,
  );
  expect(first?.x).toBeCloseTo((field?.x ?? 0) + before, 0);
});

browserTest('a menu of several shows a tick beside what is chosen', async () => {
  const { address, post } = await aScriptedBot();
  const options = ['New offers', 'Price drops', 'Restocks'].map((label) => ({ label, value: label }));
  const select = { type: 3, custom_id: 'kinds', placeholder: 'What to post', max_values: 3, options };
  await post({ content: 'Settings', components: [{ type: 1, components: [select] }] });
  const page = await open(address);
  await page.getByRole('button', { name: 'What to post' }).click();
  const choice = (name: string) => page.getByRole('option', { name });
  await choice('Price drops').click();
  await page.getByRole('option', { name: 'Price drops', selected: true }).waitFor();
  await choice('Price drops').locator('.check svg').waitFor();
  expect(await choice('Restocks').locator('.check svg').count()).toBe(0);
});

browserTest('a channel with something new has a mark and no number, until it is read', async () => {
  const { address, post } = await aScriptedBot();
  const page = await open(address);
  const announcements = page.getByRole('button', { name: 'announcements' });
  await announcements.waitFor();
  for (const content of ['one', 'two']) await post({ content }, IDS.announcements);
  await page.getByRole('button', { name: /announcements 2 unread/ }).waitFor();
  const mark = () =>
    page.evaluate<string>(`getComputedStyle(document.querySelector('[data-unread]'), '::before').width`);
  expect(await mark()).toBe('4px');
  // The number is for screen readers alone.
  expect((await announcements.getByText('2 unread').boundingBox())?.width).toBe(1);
  await announcements.click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Mark As Read' }).click();
  await page.locator('[data-unread]').waitFor({ state: 'detached' });
  expect(await announcements.textContent()).not.toContain('unread');
});

for (const options of [DESKTOP, PHONE]) {
  const where = options === PHONE ? 'in the drawer of a phone' : 'on a desktop';
  browserTest(`the mark of a thread with something new is whole, ${where}`, async () => {
    const { address, discord, post } = await aScriptedBot();
    const name = 'A thread with a name that is longer than the list of channels is wide';
    const { body } = await call(discord, 'POST', `/channels/${IDS.announcements}/threads`, { name, type: 11 });
    const page = await open(address, options);
    await messagesOf(page).or(page.getByText('Welcome to #deals')).first().waitFor();
    await post({ content: 'News' }, String(body['id']));
    if (options === PHONE) await page.getByRole('button', { name: 'Channels' }).tap();
    await page.getByRole('button', { name: /longer than the list .* 1 unread/ }).waitFor();
    const { mark, list } = await page.evaluate<
      Record<'mark' | 'list', { left: number; right: number; height: number }>
    >(
      `(() => {
        const thread = document.querySelector('.threads [data-unread]');
        const style = getComputedStyle(thread, '::before');
        const left = thread.getBoundingClientRect().left + parseFloat(style.left);
        const mark = { left, right: left + parseFloat(style.width), height: parseFloat(style.height) };
        const { left: from, right, height } = thread.closest('nav').getBoundingClientRect();
        return { mark, list: { left: from, right, height } };
      })()`,
    );
    // What scrolls cuts off what stands outside of it.
    expect(mark.left).toBeGreaterThanOrEqual(list.left);
    expect(mark.right).toBeLessThanOrEqual(list.right);
    expect(mark.right - mark.left).toBe(mark.height);
  });
}

browserTest.for(APPEARANCES)('links stand out from the text around them: %o', async (appearance) => {
  const { address, post } = await aScriptedBot();
  await post({ content: 'Sold out within a day: [a kettle](https://home.example.com/kettle), which was 40 % off.' });
  const page = await open(address, appearance);
  await page.getByRole('link', { name: 'a kettle' }).waitFor();
  await expectAccessible(page, 'a link in a text');
});

browserTest('it is light or dark as the system is, or as is chosen, over a reload too', async () => {
  const { address } = await aScriptedBot();
  const page = await open(address, { viewport: { width: 1280, height: 800 }, colorScheme: 'light' });
  const background = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
  const [light, dark] = ['rgb(253, 253, 254)', 'rgb(26, 26, 30)'];
  await composerOf(page).waitFor();
  expect(await background()).toBe(light);
  await page.emulateMedia({ colorScheme: 'dark' });
  await expect.poll(background).toBe(dark);
  await page.getByRole('button', { name: 'Appearance' }).click();
  await page.getByRole('menuitemradio', { name: 'Same as the system', checked: true }).waitFor();
  await page.getByRole('menuitemradio', { name: 'Light' }).click();
  await expect.poll(background).toBe(light);
  await page.reload();
  await composerOf(page).waitFor();
  expect(await background()).toBe(light);
});

/** How many of the pixels that a text covers in the page's emoji font have a colour. */
const COLORED = (text: string) => `document.fonts.load('40px "Noto Color Emoji"', '${text}').then(() => {
  const canvas = document.createElement('canvas').getContext('2d');
  canvas.font = '40px "Noto Color Emoji"';
  canvas.fillText('${text}', 0, 50);
  const { data } = canvas.getImageData(0, 0, 60, 60);
  const pixels = Array.from({ length: data.length / 4 }, (_, at) => data.slice(4 * at, 4 * at + 4));
  return pixels.filter(([red, green, blue, alpha]) => alpha > 0 && Math.max(red, green, blue) - Math.min(red, green, blue) > 40).length;
})`;

browserTest('emoji come with the page, and are drawn in their colors, whatever fonts the machine has', async () => {
  const { address, post } = await aScriptedBot();
  const page = await open(address);
  await post({ content: 'A deal: 🆕 📉 ⏳' });
  await messagesOf(page).filter({ hasText: '🆕' }).waitFor();
  const isLoaded = `[...document.fonts].some(({ family, status }) => family.includes('Noto Color Emoji') && status === 'loaded')`;
  await expect.poll(() => page.evaluate<boolean>(isLoaded)).toBe(true);
  for (const emoji of ['🆕', '🔔']) expect(await page.evaluate<number>(COLORED(emoji)), emoji).toBeGreaterThan(200);
});

browserTest('a reader at the end stays there while pictures load and the conversation grows', async () => {
  const { address, post } = await aScriptedBot();
  for (let count = 0; count < 30; count += 1) await post({ content: `Deal ${count}` });
  const page = await open(address);
  await messagesOf(page).filter({ hasText: 'Deal 29' }).waitFor();
  const below = await page.evaluate<number>(`new Promise((resolve) => {
    const pane = document.querySelector('.conversation');
    const grown = pane.firstElementChild.appendChild(document.createElement('div'));
    let heightPx = 0;
    const growing = setInterval(() => {
      heightPx += 100;
      grown.style.height = heightPx + 'px';
      if (heightPx < 5000) return;
      clearInterval(growing);
      setTimeout(() => resolve(pane.scrollHeight - pane.scrollTop - pane.clientHeight), 200);
    }, 3);
  })`);
  expect(Math.abs(below)).toBeLessThan(2);
  // Whoever scrolls up stays where they are.
  await page.getByRole('region', { name: 'Messages' }).hover();
  await page.mouse.wheel(0, -1_500);
  const distance = () =>
    page.evaluate<number>(
      `(({ scrollHeight, scrollTop, clientHeight }) => scrollHeight - scrollTop - clientHeight)(document.querySelector('.conversation'))`,
    );
  await expect.poll(distance).toBeGreaterThan(1_000);
  await post({ content: 'News' });
  await page.getByText('1 new message').waitFor();
  expect(await distance()).toBeGreaterThan(1_000);
});
