import { InteractionContextType } from 'discord-api-types/v10';
import { expect, test } from 'vitest';
import { COMMANDS } from '../../commands/index.ts';
import { parseFilter } from '../../src/bot/deals/filter/index.ts';
import { FILTER_EXAMPLE } from '../../src/bot/discord/cards/help-card.ts';
import type { PageMessage } from '../../src/local-discord/server/page-api.ts';
import { aCatalogFolder, dealcast, event, feedItem, monkeychat, poll } from '../helpers/catalog-folder.ts';
import { textOf } from '../helpers/discord-form.ts';
import { aHouse, type House } from '../helpers/house.ts';

async function aRunningHouse(): Promise<House> {
  const folder = aCatalogFolder();
  folder.writeFeed('Home', [feedItem(1)]);
  folder.writeEvents([event(1)]);
  folder.writeDealcasts([dealcast(1)]);
  folder.writePolls([poll(1)]);
  folder.writeMonkeychats([monkeychat(1)]);
  const house = await aHouse({ content: () => folder.content });
  await house.startBot();
  return house;
}

/** The answer that Ben gets in the direct messages with the bot. */
async function directly(house: House, text: string): Promise<PageMessage> {
  const { ben } = house.discord.people;
  const channelId = house.discord.directChannel(ben.id).id;
  const { message } = await house.discord.runCommand({ personId: ben.id, channelId, text });
  if (!message) throw new Error(`${text} was answered without a message.`);
  return message;
}

test('/help tells of every command that the reader may use, to be tapped, and how to start', async () => {
  const house = await aRunningHouse();
  const toAda = await house.asAda('deals', '/help');
  expect(toAda.visible_to).toBe(house.discord.people.ada.id);
  const shown = textOf(toAda);
  expect(shown).toMatch(
    /1\. Nothing is posted in this server yet\. <\/subscription add feed:\d+> makes a channel follow/,
  );
  for (const { data } of COMMANDS)
    expect(shown).toContain('description' in data ? `</${data.name}` : `\`${data.name}\``);
  expect(shown).toMatch(/<\/feed:\d+> `feed …` Browse a feed’s live offers/);
  expect(shown).toMatch(/<\/subscription add feed:\d+> `feed …` Post new deals from a feed/);
  expect(shown).toMatch(/<\/polls:\d+> Current polls and results/);
  const toBen = textOf(await house.asBen('deals', '/help'));
  expect(toBen).toMatch(/Ask someone who manages it to run <\/subscription add feed:\d+>/);
  expect(toBen).not.toContain('Post new deals from a feed');
  await house.asAda('deals', '/subscription add feed feed:Home catch-up:0');
  expect(textOf(await house.asAda('deals', '/help'))).not.toContain('Getting started');
});

test('/help names the commands where Discord does not tell how to mention them', async () => {
  const house = await aRunningHouse();
  const isAsked = ({ method, path }: { method: string; path: string }) =>
    method === 'GET' && path.includes('/commands');
  house.discord.faults.failNext(isAsked, { kind: 'refused', error: 'missingAccess' });
  expect(textOf(await house.asBen('deals', '/help'))).toContain('`/polls` Current polls and results');
});

test('/help speaks the language of its reader', async () => {
  const house = await aRunningHouse();
  house.discord.setLocale(house.discord.people.ada.id, 'fr');
  const shown = textOf(await house.asAda('deals', '/help'));
  expect(shown).toContain('## Ce que le bot sait faire');
  expect(shown).toMatch(/<\/events:\d+> `…` Ventes événementielles en cours/);
  expect(shown).toContain('clic droit sur un message');
});

test('the filter that /help shows can be read', () => {
  expect(parseFilter(FILTER_EXAMPLE)).toMatchObject({ ok: true });
});

test.each([
  '/help',
  '/feed feed:Home',
  '/search words:kettle',
  '/events',
  '/event event:1',
  '/dealcasts',
  '/polls',
  '/monkeychats',
  '/status',
])('%s works in the direct messages with the bot', async (text) => {
  const house = await aRunningHouse();
  const shown = textOf(await directly(house, text));
  expect(shown).not.toContain('Something went wrong');
  expect(shown.length).toBeGreaterThan(20);
});

test('in direct messages /help tells only of what works there', async () => {
  const house = await aRunningHouse();
  const shown = textOf(await directly(house, '/help'));
  expect(shown).toContain('Subscriptions are set up in a server');
  expect(shown).toContain('</polls:');
  expect(shown).not.toContain('/subscription');
  expect(shown).not.toContain('/why');
});

test('every command says where it works, and what manages a server works there alone', () => {
  for (const { data } of COMMANDS) {
    const { BotDM, Guild } = InteractionContextType;
    const isForServers = ['subscription', 'look', 'why'].includes(data.name);
    expect(data.contexts, data.name).toEqual(isForServers ? [Guild] : [Guild, BotDM]);
  }
});

test('every name and description is told to Discord in the other languages as well', () => {
  for (const { data } of COMMANDS) {
    const languages = ['de', 'fr', 'es-ES', 'es-419'];
    expect(Object.keys(data.name_localizations ?? {}), data.name).toEqual(languages);
    if ('description' in data) expect(Object.keys(data.description_localizations ?? {}), data.name).toEqual(languages);
  }
});
