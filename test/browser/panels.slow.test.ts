import { expect } from 'vitest';
import { IDS } from '../../packages/local-discord/src/index.ts';
import { call } from '../../packages/local-discord/test/helpers.ts';
import {
  APPEARANCES,
  aBrowser,
  browserTest,
  composerOf,
  expectAccessible,
  expectFocus,
  messagesOf,
  nameOf,
  tabTo,
} from './browser.ts';
import { aScriptedBot, builtPage, type ScriptedBot } from './scripted-bot.ts';

builtPage();
const open = aBrowser();

/** More than one page, on a busy machine. */
const LONG_MS = 90_000;

const PNG =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** Has the bot create an event by the wall clock, which the page goes by. */
async function anEvent({ discord }: ScriptedBot, more: Record<string, unknown> = {}): Promise<string> {
  const at = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
  const { status, body } = await call(discord, 'POST', `/guilds/${IDS.guild}/scheduled-events`, {
    name: 'Camera Deal-off',
    description: 'Forty deals, **one after another**.',
    privacy_level: 2,
    entity_type: 3,
    scheduled_start_time: at(2),
    scheduled_end_time: at(4),
    entity_metadata: { location: 'https://example.com/deal-off' },
    ...more,
  });
  expect(status).toBe(200);
  return String(body['id']);
}

async function published({ discord, post }: ScriptedBot, content: string): Promise<string> {
  const id = await post({ content }, IDS.announcements);
  expect((await call(discord, 'POST', `/channels/${IDS.announcements}/messages/${id}/crosspost`)).status).toBe(200);
  return id;
}

browserTest('a pin is told in the channel, listed, and taken back by a moderator', { timeout: LONG_MS }, async () => {
  const bot = await aScriptedBot();
  const id = await bot.post({ content: 'The board' });
  const page = await open(bot.address);
  const pins = page.getByRole('button', { name: 'Pinned Messages', exact: true });
  const panel = page.getByRole('dialog', { name: 'Pinned Messages' });
  await pins.click();
  await panel.getByText("doesn't have any pinned messages").waitFor();
  await page.keyboard.press('Escape');
  await panel.waitFor({ state: 'hidden' });
  await expectFocus(pins);
  await page.keyboard.press('Enter');
  await panel.getByRole('button', { name: 'Close' }).click();
  await panel.waitFor({ state: 'hidden' });
  await expectFocus(pins);
  // Who closes it and opens it again at once, has it open.
  await pins.click();
  await panel.waitFor();
  await page.evaluate(`document.querySelector('dialog .icon-button').click();
    document.querySelector('[aria-label="Pinned Messages"]').click();`);
  // The late close event of the first panel closes no other.
  await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))');
  await panel.getByRole('button', { name: 'Close' }).click();
  await panel.waitFor({ state: 'hidden' });

  expect((await call(bot.discord, 'PUT', `/channels/${IDS.deals}/messages/pins/${id}`)).status).toBe(204);
  const line = messagesOf(page).filter({ hasText: 'Dealbell pinned a message to this channel.' });
  await line.waitFor();
  await line.getByRole('button', { name: 'pinned messages' }).click();
  await panel.getByText('The board').waitFor();
  await expectFocus(panel.getByRole('button', { name: 'Close' }));
  await tabTo(panel.getByRole('button', { name: 'Jump' }));
  await page.keyboard.press('Enter');
  await panel.waitFor({ state: 'hidden' });
  await page.waitForURL(`**/${IDS.deals}/${id}`);

  await page.getByText('The board', { exact: true }).click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Unpin Message' }).click();
  await expect.poll(() => bot.discord.pins(IDS.deals)).toEqual([]);
  await page.getByText('The board', { exact: true }).click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Pin Message', exact: true }).click();
  await messagesOf(page).filter({ hasText: 'Ada pinned a message' }).waitFor();
  await line.click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Delete Message' }).click();
  await line.waitFor({ state: 'hidden' });
  await pins.click();
  await panel.getByRole('button', { name: 'Unpin Message' }).click();
  await panel.getByText("doesn't have any pinned messages").waitFor();
  await page.keyboard.press('Escape');

  await page.getByRole('button', { name: 'Act as Ben' }).click();
  await page.getByText('The board', { exact: true }).click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Copy Text' }).waitFor();
  expect(await page.getByRole('menuitem', { name: 'Delete Message' }).count()).toBe(0);
});

browserTest('the server’s events are shown, counted and ended', { timeout: LONG_MS }, async () => {
  const bot = await aScriptedBot();
  const page = await open(bot.address);
  const entry = page.getByRole('button', { name: /^Events/ });
  const panel = page.getByRole('dialog', { name: 'Events' });
  await entry.click();
  await panel.getByText('There are no upcoming events.').waitFor();

  const id = await anEvent(bot, { image: PNG });
  const card = panel.getByRole('listitem').filter({ hasText: 'Camera Deal-off' });
  await card.getByText('0 interested').waitFor();
  expect(await card.getByRole('link').getAttribute('href')).toBe('https://example.com/deal-off');
  expect(await card.locator('strong').textContent()).toBe('one after another');
  const isDrawn = 'document.querySelector(".event-image")?.naturalWidth > 0';
  await expect.poll(() => page.evaluate<boolean>(isDrawn), { timeout: 10_000 }).toBe(true);
  const interested = card.getByRole('button', { name: 'Interested' });
  await tabTo(interested);
  await page.keyboard.press('Enter');
  await card.getByText('1 interested').waitFor();
  expect(await interested.getAttribute('aria-pressed')).toBe('true');
  expect(bot.discord.events()).toMatchObject([{ id, interested: [IDS.ada] }]);

  const path = `/guilds/${IDS.guild}/scheduled-events/${id}`;
  expect((await call(bot.discord, 'PATCH', path, { status: 2 })).status).toBe(200);
  await card.getByText('Happening now').waitFor();
  await card.getByRole('button', { name: 'End Event' }).click();
  await panel.getByText('There are no upcoming events.').waitFor();
  await anEvent(bot, { name: 'Reckoning', entity_metadata: { location: 'In the store' } });
  await panel.getByText('In the store').waitFor();
  await panel.getByRole('button', { name: 'Delete Event' }).click();
  await panel.getByText('There are no upcoming events.').waitFor();
  expect(bot.discord.events()).toEqual([]);
});

browserTest('a channel is followed, and shows what arrives with its server’s name', { timeout: LONG_MS }, async () => {
  const bot = await aScriptedBot();
  const page = await open(bot.address);
  await page.getByRole('button', { name: 'announcements' }).click();
  await page.getByRole('button', { name: 'Follow' }).click();
  const panel = page.getByRole('dialog', { name: 'Follow #announcements' });
  await panel.getByRole('combobox', { name: 'Channel' }).selectOption({ label: '#deals' });
  await panel.getByRole('button', { name: 'Follow' }).click();
  await panel.waitFor({ state: 'hidden' });
  await messagesOf(page).filter({ hasText: 'Ada has added Bargain Corner #announcements to this channel.' }).waitFor();

  const id = await published(bot, 'For everybody');
  const arrived = messagesOf(page).filter({ hasText: 'For everybody' });
  await arrived.getByText('Bargain Corner #announcements').waitFor();
  await arrived.getByText('SERVER').waitFor();
  expect(await arrived.locator('discord-reply').count()).toBe(0);
  const path = `/channels/${IDS.announcements}/messages/${id}`;
  expect((await call(bot.discord, 'PATCH', path, { content: 'For all of us' })).status).toBe(200);
  await messagesOf(page).filter({ hasText: 'For all of us' }).waitFor();
  expect((await call(bot.discord, 'DELETE', path)).status).toBe(204);
  await messagesOf(page).filter({ hasText: '[Original Message Deleted]' }).waitFor();
});

browserTest('what can’t be done is said', { timeout: LONG_MS }, async () => {
  const bot = await aScriptedBot();
  await bot.post({ content: 'A deal' });
  const page = await open(bot.address);
  await messagesOf(page).waitFor();
  await page.route('**/page/actions', (route) => route.abort());
  await page.getByText('A deal', { exact: true }).click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Pin Message', exact: true }).click();
  await page.getByRole('alert').getByText('could not be reached').waitFor();
});

browserTest.for([
  ['de', 'Angepinnte Nachrichten', 'Events', 'Dealbell hat eine Nachricht in diesem Kanal angepinnt.', 'Interessiert'],
  ['fr', 'Messages épinglés', 'Événements', 'Dealbell a épinglé un message dans ce salon.', 'Ça m’intéresse'],
  ['es-ES', 'Mensajes fijados', 'Eventos', 'Dealbell ha fijado un mensaje en este canal.', 'Me interesa'],
] as const)('in %s', { timeout: LONG_MS }, async ([locale, pins, events, line, interested]) => {
  const bot = await aScriptedBot();
  bot.discord.setGuildLocale(locale);
  const id = await bot.post({ content: 'The board' });
  await call(bot.discord, 'PUT', `/channels/${IDS.deals}/messages/pins/${id}`);
  await anEvent(bot);
  const page = await open(bot.address);
  await messagesOf(page).filter({ hasText: line }).waitFor();
  await page.getByRole('button', { name: pins, exact: true }).click();
  await page.getByRole('dialog', { name: pins }).getByText('The board').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: new RegExp(`^${events}`) }).click();
  await page.getByRole('dialog', { name: events }).getByRole('button', { name: interested }).waitFor();
});

browserTest.for(APPEARANCES)('each panel is accessible: %o', { timeout: LONG_MS }, async (appearance) => {
  const bot = await aScriptedBot();
  bot.discord.act({
    personId: IDS.ada,
    do: 'follow',
    channelId: IDS.announcements,
    targetId: IDS.deals,
  });
  await published(bot, 'For everybody');
  const id = await bot.post({ content: 'The board' });
  await call(bot.discord, 'PUT', `/channels/${IDS.deals}/messages/pins/${id}`);
  await anEvent(bot, { image: PNG });
  const active = await anEvent(bot, { name: 'Reckoning' });
  await call(bot.discord, 'PATCH', `/guilds/${IDS.guild}/scheduled-events/${active}`, { status: 2 });
  const page = await open(bot.address, appearance);
  const name = nameOf(appearance);
  const isPhone = name.endsWith('phone');
  await composerOf(page).waitFor();
  await messagesOf(page).filter({ hasText: 'pinned a message' }).waitFor();
  await expectAccessible(page, `${name}: channel`);
  await page.getByRole('button', { name: 'Pinned Messages', exact: true }).click();
  await page.getByRole('dialog', { name: 'Pinned Messages' }).getByText('The board').waitFor();
  await expectAccessible(page, `${name}: pins`);
  await page.keyboard.press('Escape');
  if (isPhone) await page.getByRole('button', { name: 'Channels' }).click();
  await page.getByRole('button', { name: /^Events/ }).click();
  await page.getByRole('dialog', { name: 'Events' }).getByText('Happening now').waitFor();
  await expectAccessible(page, `${name}: events`);
  await page.keyboard.press('Escape');
  if (isPhone) await page.getByRole('button', { name: 'Channels' }).click();
  await page.getByRole('button', { name: 'announcements' }).click();
  await page.getByRole('button', { name: 'Follow' }).click();
  await page.getByRole('dialog', { name: 'Follow #announcements' }).waitFor();
  await expectAccessible(page, `${name}: follow`);
});
