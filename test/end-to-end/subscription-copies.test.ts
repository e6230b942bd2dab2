import { expect, test } from 'vitest';
import { feedItem } from '../helpers/catalog-folder.ts';
import { textOf } from '../helpers/discord-form.ts';
import { aButton, adaGets, aHouseOfDeals, idIn, thePost } from '../helpers/panel.ts';

test('a copy posts in another channel with the same settings, from now on', async () => {
  const { house, app, folder } = await aHouseOfDeals();
  const add = '/subscription add feed feed:Home words:kettle most-per-hour:5 catch-up:0';
  const panel = await house.asAda('deals', add);
  const asked = await adaGets(house, panel, 'duplicate');
  expect(textOf(asked)).toContain('Duplicate Home feed from <#');
  const copied = await adaGets(house, asked, 'duplicate-to', [house.discord.channel('announcements').id]);
  expect(copied.id).toBe(panel.id);
  expect(idIn(copied)).not.toBe(idIn(panel));
  expect(textOf(copied)).toMatch(/Home feed is copied from <#\d+> to <#\d+>\. New ones are posted as they appear\./);
  for (const line of ['`kettle`', '**Limit** 5 posts']) expect(textOf(copied)).toContain(line);
  folder.writeFeed(
    'Home',
    [1, 2, 3, 5].map((number) => feedItem(number)),
  );
  await house.clock.advance(600_000);
  await app.tick();
  await app.settled();
  for (const channel of ['deals', 'announcements']) {
    expect(house.announcements(channel).map(textOf).join()).toContain('Kettle 5');
    expect(house.announcements(channel)).toHaveLength(1);
  }
});

test('a copy is refused to the same channel, without permissions, in a full server, and to what is no channel', async () => {
  const { house } = await aHouseOfDeals({ MAX_SUBSCRIPTIONS_PER_SERVER: '1' });
  const panel = await house.asAda('deals', '/subscription add polls catch-up:0');
  const { id } = house.discord.channel('announcements');
  const asked = await adaGets(house, panel, 'duplicate');
  const to = async (channelId: string) => textOf(await adaGets(house, asked, 'duplicate-to', [channelId]));
  expect(await to(house.discord.channel('deals').id)).toContain('already gets polls with the same filter');
  expect(await to(id)).toContain('limit of 1 subscriptions');
  house.discord.setPermissions(id, { deny: ['viewChannel'] });
  expect(await to(id)).toContain('these permissions there: View Channel.');
  expect(await to('1100000000000000999')).toContain('That channel isn’t in this server');
  expect(textOf(await house.asAda('deals', '/subscription list'))).toContain('1 subscription');
});

test('to a forum that requires a tag, an equal one is taken over, else it is asked for', async () => {
  const { house, app, folder } = await aHouseOfDeals();
  const hot = house.discord.createChannel('hot', 'forum', { tags: ['New', 'deal'], requiresTag: true });
  const cold = house.discord.createChannel('cold', 'forum', { tags: ['Ice', 'Snow'], requiresTag: true });
  const panel = await house.asAda('deals', '/subscription add feed feed:Home channel:#forum tag:Deal catch-up:0');
  const asked = await adaGets(house, panel, 'duplicate');
  expect(textOf(await adaGets(house, asked, 'duplicate-to', [hot.id]))).toContain('**Tags** deal');
  const opened = await house.asAda('deals', `/subscription edit id:${idIn(panel)}`);
  const askedAgain = await adaGets(house, opened, 'duplicate');
  const forTags = await adaGets(house, askedAgain, 'duplicate-to', [cold.id]);
  expect(textOf(forTags)).toContain('requires a tag. Choose the tags for the copy’s posts.');
  const tags = 'available_tags' in cold ? cold.available_tags.map(({ id }) => id) : [];
  const menu = `duplicate-tagged:${idIn(panel)}:${cold.id}`;
  const copied = await adaGets(house, forTags, menu, [tags[1] ?? '']);
  expect(textOf(copied)).toContain('**Tags** Snow');
  folder.writeFeed(
    'Home',
    [1, 2, 3, 5].map((number) => feedItem(number)),
  );
  await house.clock.advance(600_000);
  await app.tick();
  await app.settled();
  expect(
    house.discord
      .messages(await thePost(house, cold.id))
      .map(textOf)
      .join(),
  ).toContain('Kettle 5');
});

test('the copy of a paused one is paused, and publishes only where that is possible', async () => {
  const { house } = await aHouseOfDeals();
  const panel = await house.asAda('announcements', '/subscription add polls publish:True catch-up:0');
  const paused = await adaGets(house, panel, 'pause');
  const asked = await adaGets(house, paused, 'duplicate');
  const copied = textOf(await adaGets(house, asked, 'duplicate-to', [house.discord.channel('deals').id]));
  expect(copied).toContain('It’s paused, so nothing is posted until someone resumes it.');
  expect(copied).not.toContain('**Publishes**');
});

test('whoever may not manage the server copies nothing', async () => {
  const { house } = await aHouseOfDeals();
  const panel = await house.asAda('deals', '/subscription add polls catch-up:0');
  const { id: channelId } = house.discord.channel('deals');
  const { id: otherId } = house.discord.channel('announcements');
  for (const customId of [
    `subscription:duplicate:${idIn(panel)}`,
    `subscription:duplicate-to:${idIn(panel)}`,
    `duplicate-tagged:${idIn(panel)}:${otherId}`,
  ]) {
    const answer = textOf(await house.click(await aButton(house, channelId, customId), customId));
    expect([customId, answer]).toEqual([customId, expect.stringContaining('You need the Manage Server permission')]);
  }
  expect(textOf(await house.asAda('deals', '/subscription list'))).toContain('1 subscription');
});
