import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { PageMessage } from '../../../packages/local-discord/src/index.ts';
import type { App } from '../../../src/app/app.ts';
import { watches } from '../../../src/features/watches/index.ts';
import { openStore } from '../../../src/store/store.ts';
import { aCatalogFolder, feedItem } from '../../helpers/catalog-folder.ts';
import { textOf } from '../../helpers/discord-form.ts';
import { aHouse, type House } from '../../helpers/house.ts';
import { uuid } from '../../helpers/things.ts';

async function lookAgain(house: House, app: App): Promise<void> {
  await house.clock.advance(120_000);
  await app.tick();
  await app.settled();
}

const BLENDER = feedItem(3, { Title: 'Blender' });

/** Ben has been messaged about one blender, and another message waits for the end of his quiet hours. */
async function aHouseWithBen() {
  const folder = aCatalogFolder();
  folder.writeFeed('Home', [feedItem(1), feedItem(2)]);
  const house = await aHouse({ content: () => folder.content, features: [watches] });
  const app = await house.startBot({ CATALOG_FEEDS: 'Home' });
  await house.asBen('deals', '/alert add filter:blender');
  await lookAgain(house, app);
  folder.writeFeed('Home', [feedItem(1), feedItem(2), BLENDER]);
  await lookAgain(house, app);
  await house.asBen('deals', '/alert settings quiet-hours:11:00-14:00 time-zone:UTC');
  folder.writeFeed('Home', [feedItem(1), feedItem(2), BLENDER, feedItem(4, { Title: 'Blender in gold' })]);
  await lookAgain(house, app);
  const ben = house.discord.people.ben.id;
  const channelId = house.discord.directChannel(ben).id;
  return { house, app, folder, ben, channelId };
}

async function exported(message: PageMessage) {
  const response = await fetch(message.attachments[0]?.url ?? '');
  return (await response.json()) as Record<string, never[]>;
}

test('a person gets all that is kept of them as a file, for themselves', async () => {
  const { house, ben, channelId } = await aHouseWithBen();
  const answer = await house.asBen('deals', '/my-data export');
  expect(answer.visible_to).toBe(ben);
  const data = await exported(answer);
  expect(data).toMatchObject({
    person: { id: ben, channelId, locale: 'en-US', timing: { quiet: { fromMinute: 660, toMinute: 840 } } },
    watches: [{ filter: 'blender', watch: { aim: 'new' } }],
    waiting: [{ announcement: { item: { title: 'Blender in gold' } } }],
    messages: [{ announcement: { item: { title: 'Blender' } } }],
    sent: [{ messageId: house.discord.messages(channelId)[0]?.id }],
    subscriptions: [],
  });
  const ada = await exported(await house.asAda('deals', '/my-data export'));
  expect(ada).toMatchObject({ person: null, watches: [], waiting: [], messages: [], sent: [] });
});

test('once confirmed, nothing of a person is left, and what they were sent is not sent again', async () => {
  const { house, app, folder, ben, channelId } = await aHouseWithBen();
  const asked = await house.asBen('deals', '/my-data delete');
  expect(textOf(asked)).toContain('this can’t be undone');
  expect(textOf(await house.asBen('deals', '/alert list')), 'asked is not done').toContain('1 alert');
  expect(textOf(await house.click(asked, 'my-data-delete'))).toContain('The bot keeps nothing about you anymore.');
  expect(await exported(await house.asBen('deals', '/my-data export'))).toMatchObject({
    person: null,
    watches: [],
    waiting: [],
    messages: [],
    sent: [],
  });
  await house.clock.advance(3 * 3_600_000);
  await lookAgain(house, app);
  expect(house.discord.messages(channelId), 'what waited is gone').toHaveLength(1);

  await app.stop();
  const store = await openStore(house.environment['STATE_URL'] ?? '');
  const rows = [store.subscriptions.all(), [...store.people.all()], await store.posts.inPlace(`@me/${ben}`)];
  expect(rows).toEqual([[], [], []]);
  expect(store.newestMessages.of(channelId)).toBeNull();
  expect(store.deliveries.channels()).toEqual([]);
  await store.close();

  const again = await house.startBot({ CATALOG_FEEDS: 'Home' });
  await house.asBen('deals', `/alert add offer:${uuid(3)} when:stock`);
  folder.writeFeed('Home', [feedItem(1), feedItem(2), BLENDER, feedItem(5, { Title: 'Blender of glass' })]);
  await lookAgain(house, again);
  expect(house.discord.messages(channelId)).toHaveLength(1);
});

test.runIf(process.env['DEALBELL_TEST_BACKEND'] !== 'postgres')(
  'not a byte of the state tells of a person who was deleted, neither at once nor after a restart',
  async () => {
    const { house, app, ben, channelId } = await aHouseWithBen();
    const file = (house.environment['STATE_URL'] ?? '').slice('sqlite://'.length);
    const traces = () =>
      ['', '-wal'].flatMap((ending) => {
        const bytes = existsSync(file + ending) ? readFileSync(file + ending, 'latin1') : '';
        return [ben, channelId, '"filter":"blender'].map((trace) => bytes.split(trace).length - 1);
      });
    expect(Math.max(...traces())).toBeGreaterThan(0);
    await house.click(await house.asBen('deals', '/my-data delete'), 'my-data-delete');
    expect(traces()).toEqual([0, 0, 0, 0, 0, 0]);
    await lookAgain(house, app);
    expect(traces()).toEqual([0, 0, 0, 0, 0, 0]);
    await app.stop();
    await (await house.startBot({ CATALOG_FEEDS: 'Home' })).stop();
    expect(traces()).toEqual([0, 0, 0, 0, 0, 0]);
  },
);

test('nobody can delete another person’s data, and deleting nothing does no harm', async () => {
  const { house, ben } = await aHouseWithBen();
  const asked = await house.asAda('deals', '/my-data delete');
  const personId = house.discord.people.ada.id;
  const click = { personId, channelId: asked.channel_id, messageId: asked.id, customId: 'my-data-delete' };
  expect(textOf((await house.discord.useComponent(click)).message ?? {})).toContain('nothing about you');
  expect((await exported(await house.asBen('deals', '/my-data export')))['person']).toMatchObject({ id: ben });
});

test('what is kept of a person is of all servers, and is deleted for all', async () => {
  const { house } = await aHouseWithBen();
  const { discord } = house;
  const bazaar = discord.createGuild('Bazaar');
  const bargains = discord.createChannel('bargains', 'text', { guildId: bazaar });
  for (const channel of ['deals', 'bargains'])
    await house.asAda(channel, '/subscription add feed feed:Home catch-up:0');
  const { subscriptions } = await exported(await house.asAda('bargains', '/my-data export'));
  expect(subscriptions).toMatchObject([
    { guildId: discord.guildId, channelId: discord.channel('deals').id },
    { guildId: bazaar, channelId: bargains.id },
  ]);
  expect(textOf(await house.asBen('bargains', '/alert list'))).toContain('1 alert');
  await house.click(await house.asBen('deals', '/my-data delete'), 'my-data-delete');
  expect(await exported(await house.asBen('bargains', '/my-data export'))).toMatchObject({ person: null, watches: [] });
});
