import { setImmediate } from 'node:timers/promises';
import { Routes } from 'discord-api-types/v10';
import { expect, test } from 'vitest';
import type { PageMessage } from '../../../packages/local-discord/src/index.ts';
import { hubs } from '../../../src/features/hubs/index.ts';
import { MINUTE_MS } from '../../../src/shared/time.ts';
import { aCatalogFolder, feedItem } from '../../helpers/catalog-folder.ts';
import { customIdsOf, menusOf, textOf } from '../../helpers/discord-form.ts';
import { aHouse } from '../../helpers/house.ts';
import { aButton, adaGets, asBot } from '../../helpers/panel.ts';
import { sampleSize } from '../../helpers/sampled.ts';
import { aSchedule } from '../../helpers/schedule.ts';
import { isAnnouncement, readPost } from '../../model/reading.ts';

const HUB = 'announcements';

/** A running bot that is in Bargain Corner, whose owner is the bot's operator, and in Bazaar. */
async function aHouseInTwoServers() {
  const folder = aCatalogFolder();
  folder.writeFeed('Home', [feedItem(1)]);
  folder.writeFeed('Tools', [feedItem(9)]);
  const house = await aHouse({ features: [hubs], content: () => folder.content });
  const scheduled = aSchedule();
  const app = await house.startBot({}, scheduled);
  await app.tick();
  const { discord } = house;
  const guildId = discord.createGuild('Bazaar');
  const bargains = discord.createChannel('bargains', 'text', { guildId });
  const hubId = discord.channel(HUB).id;
  const hub = async (what: string, where = 'deals') => textOf(await house.asAda(where, `/hub ${what}`));
  return {
    house,
    app,
    folder,
    discord,
    guildId,
    bargains,
    hubId,
    hub,
    lookForOutages: async () => scheduled.jobs.get('hub-outages')?.run(),
    /** What is new comes two minutes later. */
    come: async (...numbers: number[]) => {
      await house.clock.advance(2 * MINUTE_MS);
      folder.writeFeed(
        'Home',
        [1, ...numbers].map((number) => feedItem(number)),
      );
      await app.tick();
      await app.settled();
    },
    /** Chooses a channel from the card of a hub as Ada. */
    followInto: (card: PageMessage, channelId: string) => adaGets(house, card, `follow-to:${hubId}`, [channelId]),
    openHub: async (where = 'bargains') => {
      const list = await house.asAda(where, '/follow');
      return adaGets(house, list, customIdsOf(list).includes('menu:open') ? 'menu:open' : `follow-hub:${hubId}`, [
        `follow-hub:${hubId}`,
      ]);
    },
  };
}

/** The same, with a hub of a feed. */
async function aHouseWithAHub() {
  const all = await aHouseInTwoServers();
  await all.hub(`add channel:#${HUB} description:"Everything in Home" feed:Home`);
  return all;
}

test('the operator makes a channel a hub, sees it with its state, and takes it back', async () => {
  const { house, hub, discord, hubId, come } = await aHouseInTwoServers();
  expect(await hub('list')).toContain('No channel is offered to other servers yet. </hub add:');
  const added = await hub(`add channel:#${HUB} description:"The best of Home" feed:Home filter:kettle`);
  expect(added).toContain(`✅ Servers can follow <#${hubId}> now with </follow:`);
  expect(added).toContain(`**<#${hubId}>** · Bargain Corner\nThe best of Home\n-# Home feed · kettle`);
  expect(added).not.toContain('⚠');
  expect(textOf(await house.asAda(HUB, '/subscription list'))).toContain('Home');
  await come(2);
  await house.discord.waitFor(() => house.announcements(HUB)[0]?.flags === (1 << 15) + 1 || undefined);
  // What it says can be changed; nothing is subscribed twice.
  expect(await hub(`add channel:#${HUB} description:"Kettles" feed:Home filter:kettle`)).toContain('\nKettles\n');
  expect(textOf(await house.asAda(HUB, '/subscription list')).match(/→/g)).toHaveLength(1);

  discord.setPermissions(hubId, { deny: ['sendMessages'] });
  expect(await hub('list')).toContain('⚠ The bot can’t post in');
  discord.setPermissions(hubId, {});
  const [only] = await discord.autocomplete({
    personId: discord.people.ada.id,
    channelId: discord.channel('deals').id,
    text: '/hub remove hub:',
    focused: 'hub',
  });
  expect(only).toEqual({ name: `#${HUB} · Bargain Corner`, value: hubId });
  expect(await hub('remove hub:nothing')).toBe('There’s no such channel. Choose one from the list.');
  expect(await hub(`remove hub:${hubId}`)).toContain(`<#${hubId}> isn’t offered anymore. Its subscriptions stay`);
  expect(textOf(await house.asAda(HUB, '/subscription list'))).toContain('Home');
  expect(textOf(await house.asAda('bargains', '/follow'))).toContain('There are no ready-made deal channels yet.');
});

test('a hub takes the subscriptions that its channel has, and publishes them', async () => {
  const { house, hub } = await aHouseInTwoServers();
  expect(await hub(`add channel:#${HUB} description:x`)).toContain(
    'Choose a feed: the channel has no subscription yet',
  );
  expect(await hub(`add channel:#deals description:x feed:Home`).catch((error: Error) => error.message)).toMatch(
    /announcement/i,
  );
  await house.asAda(HUB, '/subscription add feed feed:Tools catch-up:0');
  expect(await hub(`add channel:#${HUB} description:Tools`)).toContain('\nTools\n-# Tools feed');
  const list = await house.asAda(HUB, '/subscription list');
  const panel = await adaGets(house, list, customIdsOf(list).find((id) => id.startsWith('subscription:open')) ?? '');
  expect(textOf(panel)).toContain('**Publishes** every post to servers that follow this channel');
  await adaGets(house, panel, 'unpublish');
  expect(await hub('list')).toContain('⚠ Tools feed isn’t published, so nobody who follows the channel gets it.');
  expect(textOf(await house.asAda('bargains', '/follow'))).toContain('There are no ready-made deal channels yet.');
});

test('nobody but the operator can use /hub, whoever shows it to them', async () => {
  const { house, discord, hubId } = await aHouseWithAHub();
  await expect(house.asBen('deals', '/hub list')).rejects.toThrow('needs Administrator');
  const admins = discord.createRole('Admins', { permissions: ['administrator'] });
  discord.giveRole(discord.people.ben.id, admins.id);
  const refusal = 'Only the owner of this application, or its team, can use this.';
  for (const what of ['list', `remove hub:${hubId}`, `add channel:#${HUB} description:x feed:Tools`]) {
    expect(textOf(await house.asBen('deals', `/hub ${what}`))).toBe(refusal);
  }
  const button = await aButton(house, discord.channel('deals').id, 'hubs:1');
  expect(textOf(await house.click(button, 'hubs:1'))).toBe(refusal);
  expect(textOf(await house.asAda('deals', '/hub list'))).toContain('Everything in Home');
});

test('/follow tells of each hub what its last week would have brought, and /help tells of /follow', async () => {
  const { house, come, hubId, openHub } = await aHouseWithAHub();
  await come(2, 3, 4);
  const list = await house.asAda('bargains', '/follow');
  expect(textOf(list)).toMatch(
    /\*\*#announcements\*\* · Bargain Corner\nEverything in Home\n-# 4 announcements in the last 7 days, up to \d a day\n-# Among the best: Kettle \d/,
  );
  const card = await openHub();
  expect(textOf(card)).toMatch(/\*\*Announcements per day\*\*\n(▰|▱)/);
  expect(textOf(card)).toMatch(/\*\*The best of the last 7 days\*\*\n.*Kettle/);
  expect(customIdsOf(card)).toEqual([`follow-to:${hubId}`, 'follow:1']);
  expect(textOf(await adaGets(house, card, 'follow:1'))).toBe(textOf(list));
  expect(textOf(await house.asAda('bargains', '/help'))).toMatch(/ready-made channels: <\/follow:\d+>/);
  expect(textOf(await house.asBen('bargains', '/help'))).not.toContain('/follow');
});

test('several hubs are chosen from a menu', async () => {
  const { house, hub, discord } = await aHouseWithAHub();
  const tools = discord.createChannel('tools', 'announcement');
  await discord.waitFor(() => discord.channels().some(({ id }) => id === tools.id) || undefined);
  expect(await hub('add channel:#tools description:"Tools only" feed:Tools')).toContain('Tools only');
  const list = await house.asAda('bargains', '/follow');
  const [menu] = menusOf(list);
  expect(menu?.options.map(({ label, description }) => [label, description])).toEqual([
    ['#announcements · Bargain Corner', 'Everything in Home'],
    ['#tools · Bargain Corner', 'Tools only'],
  ]);
  expect(textOf(await adaGets(house, list, 'menu:open', [`follow-hub:${tools.id}`]))).toContain('Tools only');
});

test('whose permission is missing where is told, and a hub is followed neither in its own server nor into other kinds of channels', async () => {
  const { house, discord, bargains, guildId, hubId, openHub, followInto, hub } = await aHouseWithAHub();
  const card = await openHub();
  discord.setPermissions(bargains.id, { deny: ['manageWebhooks'] });
  expect(textOf(await followInto(card, bargains.id))).toBe(
    `The bot can’t let <#${bargains.id}> follow another channel yet. Give the bot these permissions there: Manage Webhooks.`,
  );
  discord.setPermissions(bargains.id, { deny: ['viewChannel'] });
  expect(textOf(await followInto(card, bargains.id))).toMatch(
    /these permissions there: View Channel|the bot can’t see it/,
  );
  discord.setPermissions(bargains.id, {});

  // Ben may manage webhooks in the server, and not in this channel.
  const { ben } = discord.people;
  await expect(house.asBen('bargains', '/follow')).rejects.toThrow('needs Manage Webhooks');
  discord.giveRole(ben.id, discord.createRole('Hooks', { permissions: ['manageWebhooks'], guildId }).id);
  const other = discord.createChannel('other', 'text', { guildId });
  discord.setPermissions(other.id, { deny: ['manageWebhooks'] }, ben.id);
  const list = await house.asBen('bargains', '/follow');
  const bens = await house.click(list, `follow-hub:${hubId}`);
  expect(textOf(await house.choose(bens, `follow-to:${hubId}`, other.id))).toBe(
    `You need the Manage Webhooks permission in <#${other.id}> to let it follow another channel.`,
  );

  const news = discord.createChannel('news', 'announcement', { guildId });
  expect(textOf(await followInto(card, news.id))).toBe(
    'Choose a text channel. Other kinds of channels can’t follow one.',
  );
  const home = await openHub('deals');
  expect(textOf(await followInto(home, discord.channel('deals').id))).toBe(
    'That channel is in this server. Follow it in another one.',
  );
  // A channel of the other server is none of this one's.
  expect(textOf(await followInto(card, discord.channel('deals').id))).toContain('That channel isn’t in this server');
  await hub(`remove hub:${hubId}`);
  expect(textOf(await followInto(card, bargains.id))).toContain('That channel can’t be followed anymore. </follow:');
});

test('a hub that is a text channel for a while posts nothing meanwhile, its operator is told, and all of it reaches the followers', async () => {
  const { house, app, folder, discord, bargains, hubId, openHub, followInto } = await aHouseWithAHub();
  await followInto(await openHub(), bargains.id);
  const inHub = () => discord.messages(hubId).filter(isAnnouncement).length;
  const reached = () => discord.messages(bargains.id).filter(({ webhook_id: id }) => id !== undefined).length;
  const before = [inHub(), reached()];
  // The first conversion comes between a post and its publication, of which the gateway has not told yet.
  let isConverted = false;
  discord.faults.failWhere(
    ({ path }) => {
      if (isConverted || !path.endsWith('/crosspost')) return false;
      isConverted = true;
      discord.convertChannel(hubId, 'text');
      return false;
    },
    { kind: 'drop', accepted: false },
  );
  const comeWhileBlocked = async (...numbers: number[]) => {
    await house.clock.advance(2 * MINUTE_MS);
    folder.writeFeed(
      'Home',
      [1, ...numbers].map((number) => feedItem(number)),
    );
    await app.tick();
    await house.clock.untilSleeping((ms) => ms >= MINUTE_MS);
  };
  await comeWhileBlocked(2);
  await comeWhileBlocked(2, 3, 4);
  expect([inHub(), reached()]).toEqual([(before[0] ?? 0) + 1, before[1]]);
  const told = discord.messages(discord.directChannel(discord.people.ada.id).id).map(textOf);
  expect(told.join()).toContain('no longer an announcement channel');
  discord.convertChannel(hubId, 'announcement');
  // The gateway tells of it before the command, on the same connection.
  await house.asAda('deals', '/status');
  await app.settled();
  await house.clock.advance(60 * MINUTE_MS);
  await app.settled();
  expect([inHub(), reached()]).toEqual([(before[0] ?? 0) + 3, (before[1] ?? 0) + 3]);
});

test.each([true, false])(
  'a follow that Discord answers with 500 is asked for once, and what stands there is told (carried out: %s)',
  async (accepted) => {
    const { discord, bargains, openHub, followInto } = await aHouseWithAHub();
    let asked = 0;
    const heal = discord.faults.failWhere(
      ({ path }) => {
        const isFollow = path.endsWith('/followers');
        if (isFollow) asked += 1;
        return isFollow;
      },
      { kind: 'error', status: 500, accepted },
    );
    const followed = textOf(await followInto(await openHub(), bargains.id));
    expect(asked).toBe(1);
    if (!accepted) expect(followed).toContain('Discord hasn’t answered');
    heal();
    const again = textOf(await followInto(await openHub(), bargains.id));
    const [done, next] = accepted ? [followed, again] : [again, textOf(await followInto(await openHub(), bargains.id))];
    expect(done).toContain(`✅ <#${bargains.id}> follows`);
    expect(next).not.toContain('✅');
  },
);

test('a channel follows a hub by Discord’s own Follow, once, and gets what is published there', async () => {
  const { house, discord, bargains, guildId, hubId, openHub, followInto, come } = await aHouseWithAHub();
  const done = textOf(await followInto(await openHub(), bargains.id));
  expect(done).toContain(`✅ <#${bargains.id}> follows **#announcements** · Bargain Corner now.`);
  expect(discord.webhooks(bargains.id)).toMatchObject([{ source_channel: { id: hubId } }]);
  expect(textOf(await followInto(await openHub(), bargains.id))).toContain(
    `<#${bargains.id}> already follows **#announcements** · Bargain Corner.`,
  );
  expect(discord.webhooks(bargains.id)).toHaveLength(1);
  await come(2);
  const brought = () =>
    discord.messages(bargains.id).filter((message) => isAnnouncement(message) && message.webhook_id !== undefined);
  await discord.waitFor(() => brought().length > 0 || undefined);
  expect(brought().map((message) => textOf(message))).toEqual([expect.stringContaining('Kettle 2')]);

  const full = discord.createChannel('full', 'text', { guildId });
  for (let number = 1; number <= 15; number += 1) {
    const source = discord.createChannel(`news-${number}`, 'announcement');
    const body = JSON.stringify({ webhook_channel_id: full.id });
    await asBot(house, Routes.channelFollowers(source.id), { method: 'POST', body });
  }
  expect(textOf(await followInto(await openHub(), full.id))).toBe(
    `<#${full.id}> has 15 webhooks, which is Discord’s limit. Delete one in Edit Channel > Integrations, or choose another channel.`,
  );
});

test.each([
  ['tooManyWebhooks', 'has 15 webhooks, which is Discord’s limit'],
  ['missingPermissions', 'Give the bot these permissions there: Manage Webhooks.'],
  ['missingAccess', 'Discord didn’t find one of the two channels.'],
  ['unknownChannel', 'Discord didn’t find one of the two channels.'],
] as const)('what Discord refuses with %s after all is told', async (error, told) => {
  const { discord, bargains, openHub, followInto } = await aHouseWithAHub();
  const card = await openHub();
  discord.faults.failNext(({ path }) => path.endsWith('/followers'), { kind: 'refused', error });
  expect(textOf(await followInto(card, bargains.id))).toContain(told);
  expect(textOf(await followInto(card, bargains.id))).toContain('✅');
});

test('what waits in a hub for a publication is told by /status, and goes on at once where it is no hub any more', async () => {
  const { house, app, folder, discord, hubId, hub } = await aHouseWithAHub();
  discord.othersPublish = 10;
  await house.clock.advance(2 * MINUTE_MS);
  folder.writeFeed(
    'Home',
    [1, 2, 3].map((number) => feedItem(number, { EndDate: null })),
  );
  await app.tick();
  await house.clock.untilSleeping((ms) => ms > 59 * MINUTE_MS);
  expect(house.announcements(HUB)).toHaveLength(1);
  expect(textOf(await house.asAda('deals', '/hub list'))).toContain('📣 1 post waits to be published');
  expect(textOf(await house.asAda(HUB, '/status'))).toMatch(/Hourly limit reached: 1 deal waiting\. Next post at <t:/);
  await hub(`remove hub:${hubId}`);
  await discord.waitFor(() => house.announcements(HUB).length === 2 || undefined);
});

test('after a time without publishing, the list says from when to when, and what became of the deals that waited', async () => {
  const { house, app, folder, discord, hub, lookForOutages } = await aHouseWithAHub();
  discord.othersPublish = 10;
  const write = (soldOut?: number) =>
    folder.writeFeed(
      'Home',
      [1, 2, 3, 4, 5].map((number) => feedItem(number, { EndDate: null, IsSoldOut: soldOut === number })),
    );
  await house.clock.advance(2 * MINUTE_MS);
  write();
  await app.tick();
  await house.clock.untilSleeping((ms) => ms > 59 * MINUTE_MS);
  await lookForOutages();
  expect(await hub('list'), 'a publication may take a moment').not.toContain('published since');
  await house.clock.advance(15 * MINUTE_MS + 1);
  await lookForOutages();
  expect(await hub('list')).toMatch(/Nothing has been published since <t:\d+:f> · 3 deals still wait/);
  const waiting = [2, 3, 4, 5].find(
    (number) => !house.announcements(HUB).some((one) => textOf(one).includes(`Kettle ${number}`)),
  );
  write(waiting);
  for (let look = 0; look < 3; look += 1) {
    await house.clock.advance(2 * MINUTE_MS);
    await house.tick(app);
  }
  discord.othersPublish = 0;
  await house.clock.advance(60 * MINUTE_MS);
  await app.settled();
  await lookForOutages();
  expect(await hub('list')).toMatch(
    /Nothing could be published from <t:\d+:f> to <t:\d+:t> · 2 deals that waited came afterwards · 1 was over/,
  );
});

/** The addresses of the deals that a channel's announcements tell of. */
const toldIn = (messages: readonly PageMessage[]) =>
  messages.filter(isAnnouncement).flatMap((message) => readPost(message).news.map(({ url }) => url));

test('every deal is in each of the many channels that follow once, whoever publishes in the hub as well', async () => {
  const { house, app, folder, discord, hubId } = await aHouseWithAHub();
  const followers = discord.createFollowers(hubId, sampleSize(1_000, 100));
  const first = followers[0]?.id ?? '';
  const numbers: number[] = [];
  /** A wave of new deals, and then time until all of them have arrived. */
  async function come(count: number, others: number): Promise<void> {
    discord.othersPublish = others;
    for (let index = 0; index < count; index += 1) numbers.push(numbers.length + 2);
    folder.writeFeed(
      'Home',
      [1, ...numbers].map((number) => feedItem(number, { EndDate: null })),
    );
    for (let rounds = 0; toldIn(discord.messages(first)).length < numbers.length; rounds += 1) {
      expect(rounds).toBeLessThan(100);
      await house.clock.advance(3 * MINUTE_MS);
      await house.tick(app);
      for (let turns = 0; turns < 200; turns += 1) await setImmediate();
      // The others stop at some point.
      if (rounds === 10) discord.othersPublish = 0;
    }
  }
  await come(20, 0);
  await come(4, 10);
  await come(15, 8);

  expect(house.logLines.filter((line) => line.includes('not published yet')).length).toBeGreaterThan(0);
  const owed = numbers.map((number) => String(feedItem(number)['Url'])).toSorted();
  const copies = (channelId: string) =>
    discord
      .messages(channelId)
      .filter(isAnnouncement)
      .map((message) => message.message_reference?.message_id);
  expect(toldIn(discord.messages(first)).toSorted()).toEqual(owed);
  // Each message once, the same in all of them, and nothing in the hub that is in none.
  const published = house.announcements(HUB).map(({ id }) => id);
  for (const { id } of followers) expect(copies(id)).toEqual(published);
  expect(published.length).toBeLessThan(numbers.length);
});
