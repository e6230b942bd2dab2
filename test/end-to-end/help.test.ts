import { InteractionContextType } from 'discord-api-types/v10';
import { expect, test } from 'vitest';
import { commandsWith } from '../../commands/index.ts';
import type { PageMessage } from '../../packages/local-discord/src/index.ts';
import { parseFilter } from '../../src/deals/filter/index.ts';
import { FILTER_EXAMPLE } from '../../src/discord/cards/help-card.ts';
import { aCatalogFolder, dealcast, event, feedItem, monkeychat, poll } from '../helpers/catalog-folder.ts';
import { customIdsOf, textOf } from '../helpers/discord-form.ts';
import { aHouse, type House } from '../helpers/house.ts';
import { adaGets } from '../helpers/panel.ts';

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

test('/help says in six lines what the bot can do, and to whom', async () => {
  const house = await aRunningHouse();
  const toAda = await house.asAda('deals', '/help');
  expect(toAda.visible_to).toBe(house.discord.people.ada.id);
  const shown = textOf(toAda);
  expect(shown.split('\n')).toHaveLength(7);
  expect(shown).toMatch(/\*\*Find a deal\*\* <\/search:\d+> · <\/feed:\d+> · <\/offer:\d+>/);
  expect(shown).toMatch(/\*\*Nothing is posted here yet\*\* <\/subscription add feed:\d+> makes a channel follow/);
  expect(shown).toMatch(/<\/subscription list:\d+>/);
  expect(customIdsOf(toAda)).toEqual(['help:start', 'help:commands', 'help:filters', 'subscriptions:1']);
  const toBen = await house.asBen('deals', '/help');
  expect(textOf(toBen)).toMatch(/Ask someone who manages this server to run <\/subscription add feed:\d+>/);
  expect(textOf(toBen)).not.toContain('</subscription list');
  expect(customIdsOf(toBen)).not.toContain('subscriptions:1');
  await house.asAda('deals', '/subscription add feed feed:Home catch-up:0');
  expect(textOf(await house.asAda('deals', '/help'))).not.toContain('Nothing is posted');
});

test('a button of /help tells of every command that the reader may use, to be tapped, and another of filters', async () => {
  const house = await aRunningHouse();
  const toAda = await adaGets(house, await house.asAda('deals', '/help'), 'help:commands');
  const shown = textOf(toAda);
  for (const { data } of commandsWith([])) {
    const name = 'description' in data ? `</${data.name}` : `\`${data.name}\``;
    expect(shown).toContain(name);
  }
  expect(shown).toMatch(/<\/feed:\d+> `feed …` Browse a feed’s live offers/);
  expect(shown).toMatch(/<\/subscription add feed:\d+> `feed …` Post new deals from a feed/);
  expect(shown).toMatch(/<\/polls:\d+> Current polls and results/);
  expect(textOf(await adaGets(house, toAda, 'help:filters'))).toContain(`\`\`\`\n${FILTER_EXAMPLE}\n\`\`\``);
  const toBen = await house.click(await house.asBen('deals', '/help'), 'help:commands');
  expect(textOf(toBen)).not.toContain('Post new deals from a feed');
  expect(textOf(toBen)).not.toContain('</subscription');
});

test('/help names the commands where Discord does not tell how to mention them', async () => {
  const house = await aHouse({ content: () => aCatalogFolder().content });
  const before = await house.startBot();
  await before.stop();
  const isList = ({ method, path }: { method: string; path: string }) => method === 'GET' && path.includes('/commands');
  house.discord.faults.use((request) => (isList(request) ? { kind: 'refused', error: 'missingAccess' } : undefined));
  await house.startBot();
  expect(textOf(await house.asBen('deals', '/help'))).toContain('`/search` · `/feed` · `/offer`');
  house.discord.setLocale(house.discord.people.ben.id, 'de');
  expect(textOf(await house.asBen('deals', '/help'))).toContain('`/search` · `/feed` · `/offer`');
});

test('/help speaks the language of its reader', async () => {
  const house = await aRunningHouse();
  house.discord.setLocale(house.discord.people.ada.id, 'fr');
  const help = await house.asAda('deals', '/help');
  expect(textOf(help)).toContain('## Ce que le bot sait faire');
  const shown = textOf(await adaGets(house, help, 'help:commands'));
  expect(shown).toMatch(/<\/events:\d+> `…` Ventes événementielles en cours/);
  expect(shown).toContain('clic droit sur un message');
});

test('the filter that /help shows can be read', () => {
  expect(parseFilter(FILTER_EXAMPLE)).toMatchObject({ ok: true });
});

test('what works in direct messages with the bot is answered there', async () => {
  const house = await aRunningHouse();
  for (const text of [
    '/help',
    '/feed feed:Home',
    '/search words:kettle',
    '/events',
    '/event event:1',
    '/dealcasts',
    '/polls',
    '/monkeychats',
    '/status',
  ]) {
    const shown = textOf(await directly(house, text));
    expect(shown, text).not.toContain('Something went wrong');
    expect(shown.length, text).toBeGreaterThan(20);
  }
});

test('in direct messages /help tells only of what works there', async () => {
  const house = await aRunningHouse();
  const shown = textOf(await directly(house, '/help'));
  expect(shown).toContain('Works in a server, not in direct messages.');
  expect(shown).toContain('</polls:');
  expect(shown).not.toContain('/subscription');
});

test('every command says where it works, and what manages a server works there alone', () => {
  for (const { data } of commandsWith([])) {
    const { BotDM, Guild, PrivateChannel } = InteractionContextType;
    const isForServers = ['subscription', 'pings', 'follow', 'hub'].includes(data.name);
    const elsewhere = data.name === 'owner' ? [BotDM] : [BotDM, PrivateChannel];
    expect(data.contexts, data.name).toEqual(isForServers ? [Guild] : [Guild, ...elsewhere]);
  }
});

test('what is typed has one name for everybody, and every description and menu entry is told to Discord in the other languages as well', () => {
  for (const { data } of commandsWith([])) {
    const languages = ['de', 'fr', 'es-ES', 'es-419'];
    const isTyped = 'description' in data;
    expect(Object.keys(data.name_localizations ?? {}), data.name).toEqual(isTyped ? [] : languages);
    if (isTyped) expect(Object.keys(data.description_localizations ?? {}), data.name).toEqual(languages);
  }
});
