import { expect, test } from 'vitest';
import { aCatalogFolder, event, feedItem } from '../helpers/catalog-folder.ts';
import { textOf } from '../helpers/discord-form.ts';
import { aHouse } from '../helpers/house.ts';

const MINUTE_MS = 60_000;

async function aRunningHouse(changes: Record<string, string> = {}) {
  const folder = aCatalogFolder();
  folder.writeFeed('Home', [feedItem(1), feedItem(2)]);
  folder.writeEvents([event(1)]);
  const house = await aHouse({ content: () => folder.content });
  const app = await house.startBot(changes);
  return { house, app, folder };
}

test('/status says what has been spent, what is looked at when, and how deliveries end', async () => {
  const { house, app } = await aRunningHouse();
  await house.asAda('deals', '/subscription add feed feed:Home catch-up:1');
  await app.tick();
  await app.settled();
  await house.asBen('deals', '/polls');
  const at = (style: string) => `<t:${Math.floor(house.clock.now() / 1000)}:${style}>`;
  const status = await house.asBen('deals', '/status');
  expect(status.visible_to).toBe(house.discord.people.ben.id);
  const shown = textOf(status);
  expect(shown).toContain('🟢 Everything’s working.');
  expect(shown).toContain(`**Feeds and offers**\n🟢 last response ${at('R')}\n▰▱▱▱▱▱▱▱▱▱ 1 of 1,000 requests today`);
  expect(shown).toMatch(/-# 999 left until <t:\d+:t> · \d+ checks planned · enough for today/);
  expect(shown).toContain(`**Home** · 2 offers · checked ${at('R')}\n-# ▱▱▱▱▱▱▱▱▱▱ next check <t:`);
  expect(shown).toMatch(/at most \d+ minutes? behind/);
  // Somebody asked; nobody follows them.
  expect(shown).toContain(`**polls** · checked ${at('R')} · only on request\n`);
  expect(shown).toContain('1 posted today · 0 waiting');
  expect(shown).toContain('▰▰▰▰▰▰▰▰▰▰ 1 posted');
  expect(shown).toMatch(/-# Dealbell 0\.0\.0 · Node\.js \d+\.\d+\.\d+ · discord\.js 14\.\d+\.\d+ · up since <t:/);
});

test('/status spends nothing, and its button looks again', async () => {
  const { house } = await aRunningHouse();
  const status = await house.asBen('deals', '/status');
  expect(textOf(status)).toContain('⚪ no requests since the start\n▱▱▱▱▱▱▱▱▱▱ 0 of 1,000 requests today');
  expect(textOf(status)).toContain('None yet: there are no subscriptions');
  await house.asBen('deals', '/events');
  const again = await house.click(status, 'status');
  expect(again.id).toBe(status.id);
  expect(textOf(again)).toContain('▰▱▱▱▱▱▱▱▱▱ 1 of 1,000 requests today');
  expect(textOf(again)).toContain('▱▱▱▱▱▱▱▱▱▱ 0 of 1,000 requests today');
});

test('what concerns a server is told there, to those who manage it', async () => {
  const { house } = await aRunningHouse();
  await house.asAda('deals', '/subscription add feed feed:Home catch-up:0');
  expect(textOf(await house.asAda('deals', '/status'))).toContain('### This server\n1 subscription · 0 waiting');
  expect(textOf(await house.asBen('deals', '/status'))).not.toContain('This server');
  const { ada } = house.discord.people;
  const channelId = house.discord.directChannel(ada.id).id;
  const { message } = await house.discord.runCommand({ personId: ada.id, channelId, text: '/status' });
  expect(textOf(message ?? {})).toContain('Everything’s working.');
  expect(textOf(message ?? {})).not.toContain('This server');
});

test('a catalog that fails is told of in plain words, without its address', async () => {
  const { house, app } = await aRunningHouse({ CATALOG_V2_KEY: 'another', CATALOG_PORTAL_QUOTA: '1' });
  await house.asBen('deals', '/feed feed:Home');
  await house.asAda('deals', '/subscription add events catch-up:0');
  await house.clock.advance(MINUTE_MS);
  await app.tick();
  const shown = textOf(await house.asBen('deals', '/status'));
  expect(shown).toContain('🟠 There are problems');
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
