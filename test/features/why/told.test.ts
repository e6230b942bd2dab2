import { expect, test } from 'vitest';
import { RETRY } from '../../../src/announcements/deliver/channel.ts';
import { FEATURES } from '../../../src/features/index.ts';
import { whyAndPreview } from '../../../src/features/why/index.ts';
import { HOUR_MS } from '../../../src/shared/time.ts';
import { openStore } from '../../../src/store/store.ts';
import { aCatalogFolder, event, eventOffer, feedItem } from '../../helpers/catalog-folder.ts';
import { textOf } from '../../helpers/discord-form.ts';
import { aHouse, type House } from '../../helpers/house.ts';
import { adaGets, aHouseOfDeals, idIn } from '../../helpers/panel.ts';
import { aSubscription, uuid } from '../../helpers/things.ts';

const aHouseWithWhy = () => aHouseOfDeals({}, [whyAndPreview]);

/** What Ada is told of an offer in a subscription. */
async function whyOf(house: House, number: number, subscription: string, channel = 'deals'): Promise<string> {
  return textOf(await house.asAda(channel, `/why offer:${uuid(number)} subscription:${subscription}`));
}

/** A channel that is told what is almost gone of an event with two offers. */
async function aFollowedEvent(filter = '') {
  const folder = aCatalogFolder();
  const show = (...left: number[]) =>
    folder.writeEvents([
      event(1, { Offers: left.map((percent, index) => eventOffer(index + 1, { PercentageRemaining: percent })) }),
    ]);
  show(60, 5);
  const house = await aHouse({ features: [whyAndPreview], content: () => folder.content });
  const app = await house.startBot();
  const panel = await house.asAda('deals', `/subscription add events catch-up:0 ${filter}`);
  await adaGets(house, panel, 'kinds', ['almost-gone']);
  const id = idIn(panel);
  const look = async () => {
    await house.clock.advance(30 * 60_000);
    await app.tick();
    await app.settled();
  };
  return {
    show,
    look,
    why: (number: number) => whyOf(house, 1000 + number, id),
    preview: async () => textOf(await house.asAda('deals', `/subscription preview id:${id}`)),
  };
}

test('an offer that is almost gone is told by /why and the preview', async () => {
  const { show, look, why, preview } = await aFollowedEvent();
  expect(await why(1)).toContain('no event has shown it with 10% or less left');
  expect(await why(2)).toContain('it was already there when monitoring began');
  show(9, 4);
  await look();
  expect(await why(1)).toMatch(/^### ✅ Posted .*\n.*\n-# .*\*\*Almost gone\*\*/);
  expect(await preview()).toContain('Almost gone');
  show(0, 4);
  await look();
  expect(await why(1)).toContain('✅ Posted');
});

test('a filter that does not take what is almost gone is the reason', async () => {
  const { show, look, why } = await aFollowedEvent('max-price:20');
  show(9, 4);
  await look();
  expect(await why(1)).toContain('Not announced: it doesn’t match the filter');
});

/** #deals gets Home and Tools, each by a subscription with these options. */
async function aChannelOfTwoFeeds(options: { Home: string; Tools: string }) {
  const { house, app, folder } = await aHouseWithWhy();
  const subscribed = async (feed: 'Home' | 'Tools') => {
    const id = idIn(await house.asAda('deals', `/subscription add feed feed:${feed} catch-up:0 ${options[feed]}`));
    return { why: () => whyOf(house, 9, id) };
  };
  const [home, tools] = [await subscribed('Home'), await subscribed('Tools')];
  const show = async (feed: 'Home' | 'Tools') => {
    folder.writeFeed(feed, [feedItem(9), feed === 'Home' ? feedItem(1) : feedItem(4)]);
    await house.clock.advance(600_000);
    await app.tick();
    await app.settled();
  };
  return { home, tools, show };
}

test('of a digest that an instant post overtakes, both subscriptions are told the post', async () => {
  const { home, tools, show } = await aChannelOfTwoFeeds({ Home: 'mode:daily', Tools: '' });
  await show('Home');
  expect(await home.why()).toContain('Queued for the digest');
  await show('Tools');
  for (const { why } of [home, tools]) expect(await why()).toContain('Posted <t:');
});

test('what stands in the channel already is posted for another subscription, and nothing else is said of it', async () => {
  const { tools, show } = await aChannelOfTwoFeeds({ Home: '', Tools: 'filter:kettle' });
  await show('Home');
  await show('Tools');
  const told = await tools.why();
  expect(told).toContain('Posted for another subscription in this channel');
  for (const other of ['no record', 'pinged', 'Filter results']) expect(told).not.toContain(other);
});

test.each([
  ['POST', {}],
  ['PATCH', { SalePrice: { Minimum: 19, Maximum: 19 } }],
])('what Discord answers with an error each time (%s) is told so until it is taken', async (method, changes) => {
  const { house, app, folder } = await aHouseWithWhy();
  const id = idIn(await house.asAda('deals', '/subscription add feed feed:Tools catch-up:0'));
  const settle = async () => {
    const untilMs = house.clock.now() + 60_000;
    let hasSettled = false;
    const settled = app.settled().then(() => {
      hasSettled = true;
    });
    while (!hasSettled && house.clock.now() < untilMs) {
      await Promise.race([settled, house.clock.untilSleeping((ms) => ms >= RETRY.firstMs)]);
      if (!hasSettled) await house.clock.advance(1_000);
    }
  };
  const look = async (...items: Record<string, unknown>[]) => {
    folder.writeFeed('Tools', items);
    await house.clock.advance(120_000);
    await app.tick();
    await settle();
  };
  if (method === 'PATCH') await look(feedItem(4), feedItem(9));
  const heal = house.discord.faults.failWhere(
    (request) =>
      request.method === method &&
      request.path.includes('/messages') &&
      JSON.stringify(request.content).includes('Kettle 9'),
    { kind: 'error', status: 500, accepted: false },
  );
  await look(feedItem(4), feedItem(9, changes), feedItem(10));
  // Each answer to a command is a request that succeeds.
  for (let count = 0; count < 12; count += 1) {
    await house.asAda('deals', '/status');
    await house.clock.advance(RETRY.longestMs);
    await settle();
  }
  expect(await whyOf(house, 9, id)).toContain('Discord keeps answering with an error');
  heal();
  await house.clock.advance(HOUR_MS);
  await settle();
  expect(await whyOf(house, 9, id)).not.toContain('Discord keeps answering with an error');
});

test('while the owner pauses posting, that is why a post waits', async () => {
  const { house, app, folder } = await aHouseOfDeals({}, FEATURES);
  const id = idIn(await house.asAda('deals', '/subscription add feed feed:Home catch-up:0'));
  await house.asAda('deals', '/owner pause');
  folder.writeFeed(
    'Home',
    [1, 2, 3, 7].map((number) => feedItem(number)),
  );
  await house.clock.advance(120_000);
  await app.tick();
  await app.settled();
  const why = textOf(await house.asAda('deals', `/why offer:"Kettle 7" subscription:${id}`));
  expect(why).toContain('Queued: the bot’s owner paused all posting');
});

/** A post in a channel where somebody else has used up the publications of the hour. */
async function aPostNotPublished() {
  const folder = aCatalogFolder();
  folder.writeFeed('Home', []);
  const house = await aHouse({ features: [whyAndPreview], content: () => folder.content });
  house.discord.othersPublish = 10;
  const app = await house.startBot();
  const panel = await house.asAda('announcements', '/subscription add feed feed:Home publish:True catch-up:0');
  await app.tick();
  folder.writeFeed('Home', [feedItem(1)]);
  await house.clock.advance(120_000);
  await app.tick();
  await house.discord.waitFor(() => house.announcements('announcements')[0]);
  await house.clock.untilSleeping((ms) => ms > HOUR_MS - 1_000 && ms <= HOUR_MS + 50);
  return { folder, house, app, why: () => whyOf(house, 1, idIn(panel), 'announcements') };
}

test('a post that is not published yet says what it waits for', async () => {
  const { why } = await aPostNotPublished();
  expect(await why()).toMatch(
    /Not published to the servers that follow the channel yet: Discord allows ten posts an hour\. Waiting since <t:\d+:f>, next try <t:/,
  );
});

test('where its deal is over before a post is published, that is told', async () => {
  const { folder, house, app, why } = await aPostNotPublished();
  folder.writeFeed('Home', [feedItem(1, { IsSoldOut: true })]);
  for (let looks = 0; looks < 3; looks += 1) {
    await house.clock.advance(120_000);
    await house.tick(app);
  }
  expect(await why()).toMatch(
    /Not published to the servers that follow the channel: it waited for that since <t:\d+:f>, and the deal was over first <t:\d+:R>/,
  );
});

test('of another server’s subscription, nothing is told', async () => {
  const { house, app } = await aHouseWithWhy();
  await app.stop();
  const store = await openStore(house.environment['STATE_URL'] ?? '');
  await store.subscriptions.save(aSubscription('theirs', { guildId: '999', channelId: '998' }));
  await store.close();
  await house.startBot();
  const told = textOf(await house.asAda('deals', '/why subscription:theirs offer:kettle'));
  expect(told).toContain('This server has no such subscription.');
});

test('/help names it to whoever may manage the server', async () => {
  const { house } = await aHouseWithWhy();
  expect(textOf(await house.asAda('deals', '/help'))).toMatch(/<\/subscription list:\d+> · <\/why:\d+>/);
  expect(textOf(await house.asBen('deals', '/help'))).not.toContain('/why');
});
