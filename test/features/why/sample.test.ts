import { expect, test } from 'vitest';
import { IDS } from '../../../packages/local-discord/src/index.ts';
import type { Feature } from '../../../src/app/feature.ts';
import { FEATURES } from '../../../src/features/index.ts';
import { whyAndPreview } from '../../../src/features/why/index.ts';
import { openStore } from '../../../src/store/store.ts';
import { aCatalogFolder, event, eventOffer } from '../../helpers/catalog-folder.ts';
import { textOf } from '../../helpers/discord-form.ts';
import { aHouse } from '../../helpers/house.ts';
import { aButton, adaGets, aHouseOfDeals, idIn } from '../../helpers/panel.ts';
import { aSubscription } from '../../helpers/things.ts';

test('test shows privately what a post would be, and what stands in its way', async () => {
  const { house, app } = await aHouseOfDeals({}, [whyAndPreview]);
  const panel = await house.asAda('deals', '/subscription add feed feed:Home words:kettle catch-up:0');
  const fine = await house.asAda('deals', `/subscription test id:${idIn(panel)}`);
  expect(fine.visible_to).toBe(house.discord.people.ada.id);
  expect(textOf(fine)).toMatch(/The bot can post in <#\d+>\./);
  expect(textOf(fine)).toContain('3 of 3 live items match.');
  expect(textOf(fine)).toContain('Kettle 3');
  expect(textOf(fine)).not.toContain('matches');
  await house.asAda('deals', '/subscription add polls catch-up:0');
  const alone = await house.asAda('deals', `/subscription test id:${idIn(panel)}`);
  expect(textOf(alone), 'the only one to its feed').not.toContain('matches');
  await house.asAda('deals', '/subscription add feed feed:Home catch-up:0');
  const among = await house.asAda('deals', `/subscription test id:${idIn(panel)}`);
  expect(textOf(among)).toContain('matches Home feed · kettle');
  house.discord.setPermissions(house.discord.channel('deals').id, { deny: ['sendMessages'] });
  const problems = textOf(await house.asAda('announcements', `/subscription test id:${idIn(panel)}`));
  expect(problems).toContain('Give it these permissions there: Send Messages.');
  expect(problems).not.toMatch(/The bot can post in <#\d+>\./);
  await app.settled();
  expect(house.announcements('deals')).toEqual([]);
});

test('test of what is no feed asks the catalog, and says where nothing matches', async () => {
  const { house } = await aHouseOfDeals({}, [whyAndPreview]);
  const events = await house.asAda('deals', '/subscription add events type:DealOff catch-up:0');
  const shown = textOf(await adaGets(house, events, 'test'));
  expect(shown).toContain('1 of 2 live items match.');
  expect(shown).toContain('Event 2');
  const polls = await house.asAda('deals', '/subscription add polls words:nothing catch-up:0');
  expect(textOf(await adaGets(house, polls, 'test'))).toContain('None of 0 live items match.');
});

test('the panel leads to what the last seven days would have been, and back', async () => {
  const { house } = await aHouseOfDeals({}, [whyAndPreview]);
  const panel = await house.asAda('deals', '/subscription add feed feed:Home catch-up:0');
  const preview = await adaGets(house, panel, `preview:${idIn(panel)}:1`);
  expect(preview.id).toBe(panel.id);
  expect(textOf(preview)).toContain('Kettle 3');
  expect(textOf(await adaGets(house, preview, 'open'))).toContain('**Limit** 30 posts per hour');
});

test('of a channel that was deleted, there is none', async () => {
  const { house } = await aHouseOfDeals({}, [whyAndPreview]);
  house.discord.createChannel('gone');
  const panel = await house.asAda('deals', '/subscription add feed feed:Home channel:#gone catch-up:0');
  house.discord.deleteChannel(house.discord.channel('gone').id);
  const opened = await house.asAda('deals', `/subscription edit id:${idIn(panel)}`);
  expect(textOf(await adaGets(house, opened, 'test'))).toContain('That channel isn’t in this server');
});

test('it is for those who manage the server, and of its own subscriptions', async () => {
  const { house, app } = await aHouseOfDeals({}, [whyAndPreview]);
  const panel = await house.asAda('deals', '/subscription add feed feed:Home catch-up:0');
  await app.stop();
  const store = await openStore(house.environment['STATE_URL'] ?? '');
  await store.subscriptions.save(aSubscription('elsewhere', { guildId: '1' }));
  await store.close();
  await house.startBot();
  const { id } = house.discord.channel('deals');
  const ours = await aButton(house, id, `subscription:test:${idIn(panel)}`);
  expect(textOf(await house.click(ours, `subscription:test:${idIn(panel)}`))).toContain('Manage Server');
  const theirs = await aButton(house, id, 'subscription:test:elsewhere');
  expect(textOf(await adaGets(house, theirs, 'test'))).toContain('This server has no such subscription.');
});

test.each(['test', 'preview'])('/subscription %s id:unknown is answered with a plain sentence', async (name) => {
  const { house } = await aHouseOfDeals({}, [whyAndPreview]);
  const told = textOf(await house.asAda('deals', `/subscription ${name} id:unknown`));
  expect(told).toContain('This server has no such subscription.');
});

test('it appears as the server’s posts do', async () => {
  const appearanceOf = () => ({ style: 'large', line: 'From the server' }) as const;
  const lines: Feature = { name: 'lines', start: () => ({ post: { appearanceOf } }) };
  const { house } = await aHouseOfDeals({}, [whyAndPreview, lines]);
  const panel = await house.asAda('deals', '/subscription add feed feed:Home catch-up:0');
  expect(textOf(await adaGets(house, panel, 'test'))).toContain('\nFrom the server\n');
});

test('it is a board where the post would be one', async () => {
  const folder = aCatalogFolder();
  folder.writeEvents([event(1, { Type: 'DealOff', Offers: [eventOffer(1, { PercentageRemaining: 80 })] })]);
  const house = await aHouse({ features: FEATURES, content: () => folder.content });
  await house.startBot();
  const panel = await house.asAda('deals', '/subscription add events type:DealOff catch-up:0 board:True');
  expect(textOf(await adaGets(house, panel, 'test'))).toContain('🎪 **Live board**');
});

test('it says that events can’t be put into the server’s list', async () => {
  const folder = aCatalogFolder();
  folder.writeEvents([event(1)]);
  const house = await aHouse({ features: FEATURES, content: () => folder.content });
  await house.startBot();
  house.discord.editRole(IDS.botRole, {
    permissions: ['viewChannel', 'sendMessages', 'readMessageHistory', 'attachFiles'],
  });
  const panel = await house.asAda('deals', '/subscription add events catch-up:0 calendar:True');
  // The gateway tells the bot of its roles.
  await expect
    .poll(async () => textOf(await adaGets(house, panel, 'test')))
    .toContain('The bot lacks the Create Events permission');
});
