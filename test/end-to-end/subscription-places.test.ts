import { expect, test } from 'vitest';
import { isFirstBlocked } from '../helpers/back-offs.ts';
import { feedItem } from '../helpers/catalog-folder.ts';
import { textOf } from '../helpers/discord-form.ts';
import { adaGets, adaUses, aHouseOfDeals, completions, idIn, thePost } from '../helpers/panel.ts';

test('a forum that wants a tag says so; its tags are an option and a menu', async () => {
  const { house, app } = await aHouseOfDeals();
  house.discord.createChannel('bargains', 'forum', { tags: ['Hot', 'Cold'], requiresTag: true });
  const add = '/subscription add feed feed:Home channel:#bargains catch-up:1';
  expect(textOf(await house.asAda('deals', add))).toContain(
    'requires a tag. Fill in the `tag` option too: Hot and Cold.',
  );
  expect(await completions(house, `${add} tag:o`, 'tag')).toEqual(['Hot', 'Cold']);
  const panel = await house.asAda('deals', `${add} tag:hot`);
  expect(textOf(panel)).toContain('**Tags** Hot');
  await app.settled();
  const tags = house.discord.channel('bargains');
  const [hot, cold] = 'available_tags' in tags ? tags.available_tags.map(({ id }) => id) : [];
  expect(textOf(await adaGets(house, panel, 'tags', [hot ?? '', cold ?? '']))).toContain('**Tags** Hot and Cold');
  const refused = await adaGets(house, panel, 'tags', []);
  expect(textOf(refused)).toContain('This forum requires a tag. Choose one.');
});

test('publishing is offered in announcement channels', async () => {
  const { house } = await aHouseOfDeals();
  const panel = await house.asAda('announcements', '/subscription add polls catch-up:0');
  const published = await adaGets(house, panel, 'publish');
  expect(textOf(published)).toContain('**Publishes** every post');
  expect(textOf(await adaGets(house, published, 'unpublish'))).not.toContain('**Publishes**');
  const elsewhere = await house.asAda('deals', '/subscription add polls catch-up:0');
  await expect(adaUses(house, elsewhere, 'publish')).rejects.toThrow('has no publish');
});

test('a tag that was deleted is left out of posts, and keeps none from coming', async () => {
  const { house, app, folder } = await aHouseOfDeals();
  await house.asAda('deals', '/subscription add feed feed:Home channel:#forum tag:Deal catch-up:0');
  const forum = house.discord.channel('forum');
  const [deal] = 'available_tags' in forum ? forum.available_tags : [];
  house.discord.deleteTag(forum.id, deal?.id ?? '');
  folder.writeFeed('Home', [feedItem(5)]);
  await house.clock.advance(600_000);
  await app.tick();
  await app.settled();
  expect(
    house.discord
      .messages(await thePost(house, forum.id))
      .map(textOf)
      .join(),
  ).toContain('Kettle 5');
});

test('a tag that is chosen where one was missing lets through what waited for it', async () => {
  const { house, app, folder } = await aHouseOfDeals();
  const forum = house.discord.createChannel('bargains', 'forum', { tags: ['Hot', 'Cold'], requiresTag: true });
  const [hot, cold] = 'available_tags' in forum ? forum.available_tags.map(({ id }) => id) : [];
  const panel = await house.asAda('deals', '/subscription add feed feed:Home channel:#bargains tag:hot catch-up:0');
  house.discord.deleteTag(forum.id, hot ?? '');
  folder.writeFeed('Home', [feedItem(5)]);
  await house.clock.advance(600_000);
  await app.tick();
  await house.clock.untilSleeping(isFirstBlocked);
  const opened = await house.asAda('deals', `/subscription edit id:${idIn(panel)}`);
  expect(textOf(opened)).toContain('⚠ The forum requires a tag');
  await adaGets(house, opened, 'tags', [cold ?? '']);
  await app.settled();
  expect(
    house.discord
      .messages(await thePost(house, forum.id))
      .map(textOf)
      .join(),
  ).toContain('Kettle 5');
});

test('a thread that the bot can’t write in is refused, with what is missing', async () => {
  const { house, app } = await aHouseOfDeals();
  await house.asAda('deals', '/subscription add feed feed:Home channel:#forum catch-up:1');
  await app.settled();
  const forumId = house.discord.channel('forum').id;
  const post = await thePost(house, forumId);
  const add = async () => {
    const { message } = await house.discord.runCommand({
      personId: house.discord.people.ada.id,
      channelId: post,
      text: '/subscription add feed feed:Tools catch-up:1',
    });
    return textOf(message ?? {});
  };
  house.discord.setThread(post, { locked: true });
  expect(await add()).toContain('Give it these permissions there: Manage Threads.');
  house.discord.setThread(post, { locked: false });
  house.discord.setPermissions(forumId, { deny: ['sendMessagesInThreads'] });
  expect(await add()).toContain('Give it these permissions there: Send Messages in Threads.');
});

test('a thread can be subscribed', async () => {
  const { house, app } = await aHouseOfDeals();
  await house.asAda('deals', '/subscription add feed feed:Home channel:#forum catch-up:1');
  await app.settled();
  const post = await thePost(house, house.discord.channel('forum').id);
  const before = house.discord.messages(post).length;
  const { message } = await house.discord.runCommand({
    personId: house.discord.people.ada.id,
    channelId: post,
    text: '/subscription add feed feed:Tools catch-up:1',
  });
  expect(textOf(message ?? {})).toContain(`Tools feed will be posted in <#${post}>`);
  await app.settled();
  const posted = house.discord.messages(post).filter(({ visible_to: visibleTo }) => visibleTo === null);
  expect(posted.slice(before).map(textOf).join()).toContain('Kettle 4');
});

const IN_CHANNELS = [
  ['viewChannel', 'View Channel'],
  ['sendMessages', 'Send Messages'],
  ['readMessageHistory', 'Read Message History'],
] as const;

test.each([
  ['deals', IN_CHANNELS],
  ['announcements', IN_CHANNELS],
  ['forum', [...IN_CHANNELS, ['sendMessagesInThreads', 'Send Messages in Threads'] as const]],
] as const)(
  '#%s is refused without any one of the permissions that it takes, which is named alone',
  async (name, needed) => {
    const { house } = await aHouseOfDeals();
    const { id } = house.discord.channel(name);
    const elsewhere = name === 'deals' ? 'announcements' : 'deals';
    const add = async () =>
      textOf(await house.asAda(elsewhere, `/subscription add feed feed:Tools channel:#${name} catch-up:0`));
    for (const [permission, called] of needed) {
      house.discord.setPermissions(id, { deny: [permission] });
      expect(await add(), permission).toContain(`Give it these permissions there: ${called}.`);
    }
    house.discord.setPermissions(id, {});
    expect(await add()).not.toContain('Give it these permissions');
  },
);
