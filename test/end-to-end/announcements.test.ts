import { expect, onTestFinished, test } from 'vitest';
import { FEED_NAMES } from '../../packages/catalog-service/src/index.ts';
import type { App } from '../../src/app/app.ts';
import { HOUR_MS } from '../../src/shared/time.ts';
import { aCatalogFolder, dealcast, event, feedItem } from '../helpers/catalog-folder.ts';
import { customIdsOf, textOf } from '../helpers/discord-form.ts';
import { aHouse, type House } from '../helpers/house.ts';
import { adaGets } from '../helpers/panel.ts';
import { uuid } from '../helpers/things.ts';

/** Lets the least time between two polls pass, looks, and waits until all is posted. */
async function lookAgain(house: House, app: App): Promise<void> {
  await house.clock.advance(120_000);
  await house.tick(app);
  await app.settled();
}

const titlesIn = (house: House, channel = 'deals') =>
  house.announcements(channel).map((message) => /### \[(.*?)\]/.exec(textOf(message))?.[1]);

async function aHouseWithFeed(...items: readonly Record<string, unknown>[]) {
  const folder = aCatalogFolder();
  folder.writeFeed('Home', items);
  const house = await aHouse({ content: () => folder.content });
  return { folder, house };
}

test('the first sight of a feed only records; what comes after is announced once', async () => {
  const { folder, house } = await aHouseWithFeed(feedItem(1), feedItem(2));
  const app = await house.startBot();
  await house.asAda('deals', '/subscription add feed feed:Home catch-up:0');
  await lookAgain(house, app);
  expect(titlesIn(house)).toEqual([]);

  folder.writeFeed('Home', [feedItem(1), feedItem(2), feedItem(4), feedItem(3)]);
  await lookAgain(house, app);
  await lookAgain(house, app);
  expect(titlesIn(house), 'what started first comes first').toEqual(['Kettle 3', 'Kettle 4']);
});

test('catching up posts the newest, and they are no news afterwards', async () => {
  const { house } = await aHouseWithFeed(feedItem(1), feedItem(2), feedItem(3));
  const app = await house.startBot();
  const answer = await house.asAda('deals', '/subscription add feed feed:home catch-up:2');
  expect(textOf(answer)).toContain('The latest 2 are on their way');
  await app.settled();
  await lookAgain(house, app);
  expect(titlesIn(house)).toEqual(['Kettle 2', 'Kettle 3']);
});

test('what is sold out or over when it is first seen is recorded, not announced', async () => {
  const { folder, house } = await aHouseWithFeed();
  const app = await house.startBot();
  await house.asAda('deals', '/subscription add feed feed:Home');
  folder.writeFeed('Home', [
    feedItem(1, { IsSoldOut: true }),
    feedItem(2, { EndDate: '2026-11-21T11:00:00+00:00' }),
    feedItem(3),
  ]);
  // For three answers it may have been wrong.
  for (let answer = 0; answer < 3; answer += 1) await lookAgain(house, app);
  folder.writeFeed('Home', [feedItem(1, { IsSoldOut: true }), feedItem(2), feedItem(3)]);
  await lookAgain(house, app);
  await lookAgain(house, app);
  expect(titlesIn(house)).toEqual(['Kettle 3']);

  folder.writeFeed('Home', [feedItem(1), feedItem(2), feedItem(3)]);
  await lookAgain(house, app);
  expect(titlesIn(house), 'but that it can be bought again is news').toEqual(['Kettle 3', 'Kettle 1']);
});

test('what its first answer alone shows sold out, or over, is announced once a second one, or the offer itself, shows that it is not', async () => {
  const { folder, house } = await aHouseWithFeed();
  const app = await house.startBot();
  await house.asAda('deals', '/subscription add feed feed:Home');
  const ended = { EndDate: '2026-11-21T11:00:00+00:00' };
  folder.writeFeed('Home', [feedItem(1, { IsSoldOut: true }), feedItem(2, ended)]);
  await lookAgain(house, app);
  folder.writeFeed('Home', [feedItem(1), feedItem(2)]);
  await lookAgain(house, app);
  expect(titlesIn(house), 'it says itself that it can be bought, and nothing of its end').toEqual(['Kettle 1']);
  for (let answer = 0; answer < 3; answer += 1) await lookAgain(house, app);
  expect(new Set(titlesIn(house))).toEqual(new Set(['Kettle 1', 'Kettle 2']));
  expect(titlesIn(house)).toHaveLength(2);
});

test('a malformed item is left out and logged, the rest is announced', async () => {
  const { folder, house } = await aHouseWithFeed();
  const app = await house.startBot();
  await house.asAda('deals', '/subscription add feed feed:Home');
  folder.writeFeed('Home', [{ Title: 'no id' }, 'no object', null, feedItem(1)]);
  await lookAgain(house, app);
  expect(titlesIn(house)).toEqual(['Kettle 1']);
  expect(house.logLines.some((line) => line.includes('"malformed":3'))).toBe(true);
});

test('a post is not made to say that its offer has ended because one answer lacks it or holds it malformed', async () => {
  const { folder, house } = await aHouseWithFeed();
  const app = await house.startBot();
  await house.asAda('deals', '/subscription add feed feed:Home');
  folder.writeFeed('Home', [feedItem(1)]);
  await lookAgain(house, app);
  const post = () => textOf(house.announcements('deals')[0] ?? { components: [] });
  const asPosted = post();
  for (const items of [[], [feedItem(1)], [feedItem(1, { Title: 5 })], ['broken'], ['broken'], [feedItem(1)], []]) {
    folder.writeFeed('Home', items);
    await lookAgain(house, app);
    expect(post(), JSON.stringify(items)).toBe(asPosted);
  }
  await lookAgain(house, app);
  expect(post(), 'two answers in a row lack it').toContain('Ended');
  expect(house.announcements('deals')).toHaveLength(1);
});

test('a post of what has sold out shrinks to that, once, and its details still open', async () => {
  const { folder, house } = await aHouseWithFeed();
  const app = await house.startBot();
  await house.asAda('deals', '/subscription add feed feed:Home');
  const started = { StartDate: new Date(house.clock.now()).toISOString() };
  folder.writeFeed('Home', [feedItem(1, started)]);
  await lookAgain(house, app);
  const live = house.announcements('deals')[0];
  expect(textOf(live ?? {})).toMatch(/^🆕 \*\*New offer\*\*\n### \[Kettle 1\]/);
  folder.writeFeed('Home', [feedItem(1, { ...started, IsSoldOut: true })]);
  for (let look = 0; look < 4; look += 1) await lookAgain(house, app);
  const [post, ...others] = house.announcements('deals');
  expect(others).toEqual([]);
  expect(textOf(post ?? {})).toMatch(/^\*\*~~\[Kettle 1\]\(.*\)~~\*\*\n🚫 \*\*Sold out after 4 minutes\*\* · /);
  expect(house.logLines.filter((line) => line.includes('"edited"'))).toHaveLength(1);
  const [details = '', ...noMore] = customIdsOf(post ?? {});
  expect(noMore).toEqual([]);
  if (!post) throw new Error('Nothing was announced.');
  const [answer] = await Promise.all([house.click(post, details), house.gather()]);
  expect(textOf(answer)).toContain('Kettle 1');
});

test('one offer in two feeds that a channel follows is one post; another channel gets its own', async () => {
  const { folder, house } = await aHouseWithFeed();
  folder.writeFeed('Tools', []);
  const app = await house.startBot();
  await house.asAda('deals', '/subscription add feed feed:Home');
  await house.asAda('deals', '/subscription add feed feed:Tools');
  await house.asAda('deals', '/subscription add feed feed:Tools channel:#announcements');
  folder.writeFeed('Home', [feedItem(1)]);
  folder.writeFeed('Tools', [feedItem(1)]);
  await lookAgain(house, app);
  expect(titlesIn(house)).toEqual(['Kettle 1']);
  expect(titlesIn(house, 'announcements')).toEqual(['Kettle 1']);
});

test('what waits for the end of quiet hours waits on while feeds are empty, and is posted when they are back', async () => {
  const { folder, house } = await aHouseWithFeed();
  folder.writeFeed('Tools', []);
  const app = await house.startBot();
  // It is noon.
  for (const feed of ['Home', 'Tools']) {
    await house.asAda('deals', `/subscription add feed feed:${feed} quiet-hours:11-14 time-zone:UTC`);
  }
  const offers = [feedItem(1), feedItem(2), feedItem(3)];
  // A feed that nobody follows holds them on, so that each of them is found when it is asked for.
  folder.writeFeed('Sports', offers);
  const show = async (items: readonly Record<string, unknown>[]) => {
    for (const feed of ['Home', 'Tools']) folder.writeFeed(feed, items);
    await lookAgain(house, app);
  };
  await show(offers);
  for (let look = 0; look < 4; look += 1) await show([]);
  await house.clock.advance(2 * HOUR_MS);
  await app.settled();
  expect(titlesIn(house), 'they are missing').toEqual([]);
  for (let look = 0; look < 2; look += 1) await show(offers);
  expect(titlesIn(house)).toHaveLength(3);
  expect(new Set(titlesIn(house))).toEqual(new Set(['Kettle 1', 'Kettle 2', 'Kettle 3']));
});

test('events are announced when they have started, dealcasts when they come', async () => {
  const { folder, house } = await aHouseWithFeed();
  const app = await house.startBot();
  await house.asAda('deals', '/subscription add events');
  await house.asAda('deals', '/subscription add dealcasts');
  folder.writeEvents([event(1), event(2, { StartDate: '2026-11-21T12:30:00Z', Type: 'Unheard-of' })]);
  folder.writeDealcasts([dealcast(1)]);
  await lookAgain(house, app);
  expect(house.announcements('deals')).toHaveLength(2);
  await house.clock.advance(3_600_000);
  await lookAgain(house, app);
  const texts = house.announcements('deals').map(textOf);
  expect(texts.filter((text) => text.includes('### Event 1'))).toHaveLength(1);
  expect(texts.filter((text) => text.includes('### Event 2'))).toHaveLength(1);
});

test('after a restart nothing is repeated, and what came meanwhile is announced', async () => {
  const { folder, house } = await aHouseWithFeed(feedItem(1));
  const first = await house.startBot();
  await house.asAda('deals', '/subscription add feed feed:Home catch-up:1');
  await first.settled();
  await first.stop();
  folder.writeFeed('Home', [feedItem(1), feedItem(2)]);
  const second = await house.startBot();
  await lookAgain(house, second);
  expect(titlesIn(house)).toEqual(['Kettle 1', 'Kettle 2']);
});

test('whoever subscribes again starts afresh, without the news of the time between', async () => {
  const { folder, house } = await aHouseWithFeed(feedItem(1));
  const app = await house.startBot();
  const add = '/subscription add feed feed:Home catch-up:0';
  await house.asAda('deals', add);
  const [choice] = await house.discord.autocomplete({
    personId: house.discord.people.ada.id,
    channelId: house.discord.channel('deals').id,
    text: '/subscription remove id:',
    focused: 'id',
  });
  expect(choice?.name).toBe('Home feed in #deals');
  const asked = await house.asAda('deals', `/subscription remove id:${choice?.value}`);
  await adaGets(house, asked, 'remove-now');
  await lookAgain(house, app);
  folder.writeFeed('Home', [feedItem(1), feedItem(2)]);
  await house.asAda('deals', add);
  await lookAgain(house, app);
  expect(titlesIn(house)).toEqual([]);
});

test('a card pings nobody and links nowhere but to http', async () => {
  const { house } = await aHouseWithFeed(
    feedItem(1, { Title: '@everyone <@1100000000000000003> [x](javascript:alert(1))', Url: 'javascript:alert(1)' }),
  );
  const app = await house.startBot();
  await house.asAda('deals', '/subscription add feed feed:Home catch-up:1');
  await app.settled();
  const [message] = house.announcements('deals');
  expect(message).toMatchObject({ mentions: [], mention_everyone: false, mention_roles: [] });
  expect(JSON.stringify(message?.components)).not.toContain('javascript:alert(1)"');
  expect(message && textOf(message)).toContain('\\@everyone \\<\\@1100000000000000003\\>');
});

test('no key is ever logged', async () => {
  const { house } = await aHouseWithFeed(feedItem(1));
  const key = 'a-key-that-is-refused';
  const app = await house.startBot({ CATALOG_PORTAL_KEY: key, CATALOG_V2_KEY: key });
  await house.asAda('deals', '/subscription add feed feed:Home');
  await house.asAda('deals', '/subscription add events');
  await lookAgain(house, app);
  expect(house.logLines.some((line) => line.includes('"level":40'))).toBe(true);
  expect(house.logLines.join('\n')).not.toContain(key);
  expect(house.logLines.join('\n')).not.toContain(house.discord.token);
});

test('the details of an announcement open after a restart, for the one who asks', async () => {
  const { house } = await aHouseWithFeed(feedItem(1));
  const first = await house.startBot();
  await house.asAda('deals', '/subscription add feed feed:Home catch-up:1');
  await first.settled();
  await first.stop();
  await house.startBot();
  const [message] = house.announcements('deals');
  if (!message) throw new Error('Nothing was announced.');
  const [customId = ''] = customIdsOf(message);
  expect(customId).toContain(uuid(1));
  const [answer] = await Promise.all([house.click(message, customId), house.gather()]);
  expect(answer.visible_to).toBe(house.discord.people.ben.id);
  expect(textOf(answer)).toContain('## [Kettle 1]');
});

test('a bot that follows every feed polls them all without a warning of Node', async () => {
  const warnings: Error[] = [];
  const note = (warning: Error) => warnings.push(warning);
  process.on('warning', note);
  onTestFinished(() => void process.off('warning', note));
  const { house } = await aHouseWithFeed(feedItem(1));
  const app = await house.startBot();
  for (const name of FEED_NAMES) await house.asAda('deals', `/subscription add feed feed:${name}`);
  await app.stop();
  await house.clock.advance(3_600_000);
  const again = await house.startBot();
  await again.tick();
  await again.settled();
  expect(warnings).toEqual([]);
});
