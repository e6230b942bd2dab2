import { expect, test } from 'vitest';
import { MINUTE_MS } from '../../src/shared/time.ts';
import { aCatalogFolder, event, feedItem } from '../helpers/catalog-folder.ts';
import { customIdsOf, textOf } from '../helpers/discord-form.ts';
import { aHouse, type House } from '../helpers/house.ts';
import { aButton, adaGets } from '../helpers/panel.ts';

async function aRunningHouse(changes: Record<string, string> = {}) {
  const folder = aCatalogFolder();
  folder.writeFeed('Home', [feedItem(1), feedItem(2)]);
  folder.writeEvents([event(1)]);
  const house = await aHouse({ content: () => folder.content });
  const app = await house.startBot(changes);
  return { house, app, folder };
}

/** The bot's own figures, as Ada opens them. */
async function botStatus(house: House) {
  return adaGets(house, await house.asAda('deals', '/status'), 'status:bot');
}

test('/status says to everybody what is posted where and when it is looked for next', async () => {
  const { house, app, folder } = await aRunningHouse();
  expect(textOf(await house.asBen('deals', '/status'))).toBe(
    '## Status\n🟢 Everything’s working.\n### This server\nNothing is posted in a channel that you can see.',
  );
  await house.asAda('deals', '/subscription add feed feed:Home catch-up:1 mode:daily at:18 time-zone:UTC');
  await house.asAda('deals', '/subscription add events catch-up:0');
  await app.settled();
  folder.writeFeed('Home', [feedItem(1), feedItem(2), feedItem(3)]);
  await house.clock.advance(20 * MINUTE_MS);
  await house.tick(app);
  await app.settled();
  const deals = `<#${house.discord.channel('deals').id}>`;
  const status = await house.asBen('deals', '/status');
  expect(status.visible_to).toBe(house.discord.people.ben.id);
  expect(customIdsOf(status)).toEqual(['status']);
  const [, , , home, homeNext, events, eventsNext, ...more] = textOf(status).split('\n');
  expect([home, events, more]).toEqual([`**Home feed** → ${deals}`, `**Events** → ${deals}`, []]);
  expect(homeNext).toMatch(
    /^-# next check (?:at <t:\d+:t>|within a minute) · at most \d+ \w+ behind · daily digest at 18:00 \(UTC\) · 1 waiting$/,
  );
  expect(eventsNext).toMatch(/^-# next check (?:at <t:\d+:t>|within a minute) · at most \d+ \w+ behind$/);
});

test('what a channel’s limit holds back stands on the subscription that it is for', async () => {
  const { house, app, folder } = await aRunningHouse();
  await house.asAda('deals', '/subscription add feed feed:Home catch-up:0 most-per-hour:1');
  await house.asAda('deals', '/subscription add events catch-up:0');
  // The first one is posted, the other two wait for the next hour.
  for (const numbers of [
    [1, 2, 3],
    [1, 2, 3, 4, 5],
  ]) {
    folder.writeFeed(
      'Home',
      numbers.map((number) => feedItem(number)),
    );
    await house.clock.advance(10 * MINUTE_MS);
    await app.tick();
    await app.settled();
  }
  const status = textOf(await house.asBen('deals', '/status'));
  const [home = '', events = ''] = status.split('**Events**');
  expect(home).toMatch(/⏳ Hourly limit reached: 2 deals waiting/);
  expect(events).not.toMatch(/⏳|waiting/);
});

test('members are told nothing of channels that they don’t see, and of problems first', async () => {
  const { house } = await aRunningHouse();
  const { id: hidden } = house.discord.createChannel('staff');
  await house.asAda('deals', '/subscription add feed feed:Home catch-up:0');
  await house.asAda('deals', `/subscription add feed feed:Tools catch-up:0 channel:<#${hidden}>`);
  expect(textOf(await house.asBen('deals', '/status'))).toContain(`<#${hidden}>`);
  house.discord.setPermissions(hidden, { deny: ['viewChannel'] }, house.discord.people.ben.id);
  expect(textOf(await house.asBen('deals', '/status'))).not.toContain(`<#${hidden}>`);
  expect(textOf(await house.asAda('deals', '/status'))).toContain(`<#${hidden}>`);
});

test('the bot’s own figures are for those who manage the server, checked at the click', async () => {
  const { house } = await aRunningHouse();
  const status = await house.asAda('deals', '/status');
  expect(customIdsOf(status)).toEqual(['status', 'subscriptions:1', 'status:bot']);
  expect(textOf(status)).not.toMatch(/requests today|Node\.js/);
  const forged = await aButton(house, house.discord.channel('deals').id, 'status:bot');
  const refused = await house.click(forged, 'status:bot');
  expect(textOf(refused)).toBe('You need the Manage Server permission for this.');
  const opened = await adaGets(house, status, 'status:bot');
  expect(textOf(opened)).toContain('requests today');
  expect(textOf(await adaGets(house, opened, 'status'))).toContain('### This server');
});

test('the bot’s own figures say what has been spent, what is looked at when, and how deliveries end', async () => {
  const { house, app } = await aRunningHouse();
  await house.asAda('deals', '/subscription add feed feed:Home catch-up:1');
  await app.tick();
  await app.settled();
  await house.asBen('deals', '/polls');
  const at = (style: string) => `<t:${Math.floor(house.clock.now() / 1000)}:${style}>`;
  const status = await botStatus(house);
  expect(status.visible_to).toBe(house.discord.people.ada.id);
  const shown = textOf(status);
  expect(shown).toContain('🟢 Everything’s working.');
  expect(shown).toContain(`**Feeds and offers**\n🟢 last response ${at('R')}\n▰▱▱▱▱▱▱▱▱▱ 1 of 1,000 requests today`);
  expect(shown).toMatch(/-# 999 left until <t:\d+:t> · \d+ checks planned · enough for today/);
  expect(shown).toContain(`**Home** · 2 offers · checked ${at('R')}\n-# ▱▱▱▱▱▱▱▱▱▱ next check `);
  expect(shown).toMatch(/at most \d+ minutes? behind/);
  // Somebody asked; nobody follows them.
  expect(shown).toContain(`**polls** · checked ${at('R')} · only on request\n`);
  expect(shown).toContain('### Doubtful changes\n0 today\n-# Counted since <t:');
  expect(shown).toContain('1 posted today · 0 waiting');
  expect(shown).toContain('▰▰▰▰▰▰▰▰▰▰ 1 posted');
  expect(shown).toMatch(/-# Dealbell 0\.0\.0 · Node\.js \d+\.\d+\.\d+ · discord\.js 14\.\d+\.\d+ · started <t:/);
});

test('each start on the same state has an epoch of its own, in the bot’s figures and in every line of its log', async () => {
  const { house, app } = await aRunningHouse();
  const epochs = () => new Set(house.logLines.map((line) => (JSON.parse(line) as { epoch?: number }).epoch));
  expect(textOf(await botStatus(house))).toMatch(/started <t:\d+:R> · epoch 1$/m);
  await app.stop();
  house.logLines.splice(0);
  const second = await house.startBot();
  expect(textOf(await botStatus(house))).toMatch(/started <t:\d+:R> · epoch 2$/m);
  await second.stop();
  expect(epochs()).toEqual(new Set([2]));
});

test('/status spends nothing, and its button looks again', async () => {
  const { house } = await aRunningHouse();
  const status = await botStatus(house);
  expect(textOf(status)).toContain('⚪ no requests since the start\n▱▱▱▱▱▱▱▱▱▱ 0 of 1,000 requests today');
  expect(textOf(status)).toContain('None yet: there are no subscriptions');
  await house.asBen('deals', '/events');
  const again = await adaGets(house, status, 'status:bot');
  expect(again.id).toBe(status.id);
  expect(textOf(again)).toContain('▰▱▱▱▱▱▱▱▱▱ 1 of 1,000 requests today');
  expect(textOf(again)).toContain('▱▱▱▱▱▱▱▱▱▱ 0 of 1,000 requests today');
});

test('in direct messages /status says whether the bot works, and no more', async () => {
  const { house } = await aRunningHouse();
  await house.asAda('deals', '/subscription add feed feed:Home catch-up:0');
  const { ada } = house.discord.people;
  const channelId = house.discord.directChannel(ada.id).id;
  const { message } = await house.discord.runCommand({ personId: ada.id, channelId, text: '/status' });
  expect(textOf(message ?? {})).toMatch(/Everything’s working\.\nRun <\/status:\d+> in a server/);
  expect(customIdsOf(message ?? {})).toEqual(['status']);
});

test('that the requests of the day are used up is told once, as the cause, and the light is not green', async () => {
  const { house, app } = await aRunningHouse({ CATALOG_PORTAL_QUOTA: '2' });
  for (const text of ['/feed feed:Home', '/feed feed:Shirts']) await house.asBen('deals', text);
  for (const feed of ['Home', 'Shirts']) await house.asAda('deals', `/subscription add feed feed:${feed} catch-up:0`);
  await house.asAda('deals', '/subscription add events catch-up:0');
  await house.clock.advance(MINUTE_MS);
  await house.tick(app);
  const midnight = Math.ceil(house.clock.now() / (24 * 60 * MINUTE_MS)) * 24 * 60 * 60;
  const cause = `The day’s requests to the catalog are used up until <t:${midnight}:t>. Until then nothing new is found.`;
  const shown = textOf(await house.asBen('deals', '/status'));
  expect(shown).toContain(
    `## Status\n🟠 There are problems; new posts may be late.\n⏳ **Feeds and offers**: ${cause}\n`,
  );
  expect(shown.split(cause)).toHaveLength(2);
  expect(shown).not.toContain('no response');
  const figures = textOf(await botStatus(house));
  expect(figures.split(cause)).toHaveLength(2);
  expect(figures).toMatch(/\*\*Feeds and offers\*\*\n🟠/);
  expect(figures).toMatch(/\*\*Events, dealcasts, polls, monkeychats\*\*\n🟢/);
  expect(figures).not.toContain('no response');
});

test('a catalog that fails is told of in plain words, without its address', async () => {
  const { house, app } = await aRunningHouse({ CATALOG_V2_KEY: 'another', CATALOG_PORTAL_QUOTA: '1' });
  await house.asBen('deals', '/feed feed:Home');
  await house.asAda('deals', '/subscription add events catch-up:0');
  await house.clock.advance(MINUTE_MS);
  await app.tick();
  const shown = textOf(await botStatus(house));
  expect(shown).toContain('🟠 There are problems');
  const toBen = textOf(await house.asBen('deals', '/status'));
  expect(toBen).toContain('🟠 There are problems; new posts may be late.');
  expect(toBen).toMatch(/\*\*Events\*\* → <#\d+>\n⚠ no response since <t:\d+:t>/);
  expect(shown).toMatch(/🟠 last failure <t:\d+:R>: rejects the bot’s key/);
  expect(shown).toMatch(/\*\*events\*\* · not checked yet · ⚠ no response since <t:/);
  expect(shown).toMatch(/▰{10} 1 of 1 requests today\n-# used up; resets <t:\d+:t>/);
  expect(shown).not.toContain('127.0.0.1');
  await house.clock.advance(20 * MINUTE_MS);
  const { status, reason } = await house.health(app);
  expect(status).toBe('unwell');
  expect(reason).toContain('No catalog check has succeeded since 2026-11-21T12:01:00.000Z.');
  expect(reason).toContain('check the key');
  expect(reason).not.toContain('another');
});
