import { expect, test } from 'vitest';
import { feedItem, monkeychat, poll } from '../helpers/catalog-folder.ts';
import { textOf } from '../helpers/discord-form.ts';
import { adaFills, adaGets, aHouseOfDeals, completions, idIn } from '../helpers/panel.ts';

test('add takes every setting, and answers with a panel that says them', async () => {
  const { house, app } = await aHouseOfDeals();
  const panel = await house.asAda(
    'deals',
    '/subscription add feed feed:home channel:#announcements words:kettle max-price:50 filter:"-refurb* OR featured:true" mode:daily at:"9:30 pm" time-zone:berlin quiet-hours:22:00-7:00 most-per-hour:5 price-drop:20 publish:True catch-up:0',
  );
  const shown = textOf(panel);
  for (const line of [
    'Home feed will be posted in',
    'kettle price:<=50 (-refurb* OR featured:true)',
    'daily digest at 21:30 (Europe/Berlin)',
    '22:00–07:00 (Europe/Berlin)',
    '**Limit** 5 posts per hour',
    'of 20% or more',
    '**Publishes** every post',
  ]) {
    expect(shown).toContain(line);
  }
  expect(panel.visible_to).toBe(house.discord.people.ada.id);
  await app.settled();
  expect(house.announcements('announcements')).toEqual([]);
});

test('polls, monkeychats and events can be subscribed to', async () => {
  const { house } = await aHouseOfDeals();
  for (const [options, source] of [
    ['polls', 'polls'],
    ['monkeychats', 'monkeychats'],
    ['events type:DealOff site:wine', 'events (Deal-off, wine)'],
  ]) {
    expect(textOf(await house.asAda('deals', `/subscription add ${options}`))).toContain(`${source} will be posted in`);
  }
});

test('new polls and monkeychats are posted', async () => {
  const { house, app, folder } = await aHouseOfDeals();
  folder.writePolls([poll(1)]);
  folder.writeMonkeychats([monkeychat(1)]);
  await house.asAda('deals', '/subscription add polls catch-up:0');
  await house.asAda('announcements', '/subscription add monkeychats catch-up:0');
  folder.writePolls([poll(1), poll(2)]);
  folder.writeMonkeychats([monkeychat(1), monkeychat(2)]);
  await house.clock.advance(600_000);
  await app.tick();
  await app.settled();
  expect(house.announcements('deals')).toHaveLength(1);
  expect(house.announcements('announcements')).toHaveLength(1);
  expect(house.announcements('deals').map(textOf).join()).toContain('Poll');
  expect(house.announcements('announcements').map(textOf).join()).toContain('Monkeychat');
});

test('a mistake in an option is told in the reader’s language, and nothing is subscribed', async () => {
  const { house } = await aHouseOfDeals();
  house.discord.setLocale(house.discord.people.ada.id, 'de');
  const answer = await house.asAda('deals', '/subscription add feed feed:Home filter:"price:<abc"');
  expect(textOf(answer)).toContain('ist keine Zahl. Beispiel:');
  expect(textOf(answer)).toContain('price:<abc\n       ^^^');
  expect(textOf(await house.asAda('deals', '/subscription list'))).toContain('Noch keine Abos');
});

test('a mistake is answered with a plain sentence', async () => {
  const { house } = await aHouseOfDeals();
  for (const [text, sentence] of [
    ['add polls publish:True', 'isn’t an announcement channel, so posts can’t be published there.'],
    ['add polls tag:Deal', 'isn’t a forum, so posts can’t have tags there.'],
    ['add polls channel:#forum tag:Steal', 'doesn’t have that tag. Available tags: Deal and Dealcast.'],
    ['add polls mode:hourly at:9', 'The `at` option only works with `mode: daily`.'],
    ['add polls at:25:00', '“25:00” isn’t a valid time.'],
    ['add polls quiet-hours:22', '“22” isn’t a valid time range. Example: 22:00-7:00'],
    ['add polls time-zone:Europe/Berln', 'There’s no time zone “Europe/Berln”. Did you mean Europe/Berlin'],
    ['edit id:unknown', 'This server has no such subscription.'],
    ['pause id:unknown', 'This server has no such subscription.'],
    ['resume id:unknown', 'This server has no such subscription.'],
  ]) {
    expect(textOf(await house.asAda('deals', `/subscription ${text}`)), text).toContain(sentence);
  }
  expect(textOf(await house.asAda('deals', '/subscription list'))).toContain('No subscriptions yet');
});

test('two of one source in a channel differ in filter or kinds; the same is refused, also when one is changed into it', async () => {
  const { house } = await aHouseOfDeals();
  const first = await house.asAda('deals', '/subscription add feed feed:Home filter:"ssd price:<50" catch-up:0');
  const same = await house.asAda('deals', '/subscription add feed feed:home filter:"(ssd) price:<50.00" catch-up:0');
  expect(textOf(same)).toContain('already gets Home feed');
  const second = await house.asAda('deals', '/subscription add feed feed:Home words:nvme catch-up:0');
  expect(textOf(second)).toContain('Home feed will be posted in');
  const refused = await adaFills(house, second, 'filter', { filter: 'ssd AND price:<50' });
  expect(textOf(refused)).toContain('already gets Home feed');
  const kinds = await adaGets(house, first, 'kinds', ['ending-soon']);
  expect(textOf(kinds)).toContain('**Posts** Ending soon');
  const changed = await adaFills(house, refused, 'filter-again', { filter: 'ssd AND price:<50' });
  expect(textOf(changed)).toContain('`ssd AND price:<50`');
});

test('of the same, subscribed at the same moment, one is refused', async () => {
  const { house } = await aHouseOfDeals();
  const add = () => house.asAda('deals', '/subscription add feed feed:Home catch-up:0');
  const answers = await Promise.all([add(), add(), add()]);
  expect(answers.filter((answer) => textOf(answer).includes('Home feed will be posted in'))).toHaveLength(1);
  expect(textOf(await house.asAda('deals', '/subscription list'))).toMatch(/-# 1 subscription$/m);
});

test('edit moves to another channel, and keeps everything else', async () => {
  const { house, app, folder } = await aHouseOfDeals();
  const panel = await house.asAda('deals', '/subscription add feed feed:Home words:kettle mode:hourly catch-up:0');
  folder.writeFeed('Home', [feedItem(6)]);
  await house.clock.advance(600_000);
  await app.tick();
  const moved = await house.asAda('deals', `/subscription edit id:${idIn(panel)} channel:#announcements`);
  expect(textOf(moved)).toContain('New posts go to');
  expect(textOf(moved)).toContain('`kettle`');
  expect(textOf(moved)).toContain('Hourly digest');
  await house.clock.advance(3_600_000);
  await app.settled();
  expect(house.announcements('deals')).toEqual([]);
  expect(textOf(await house.asAda('deals', '/subscription list'))).toMatch(/-# 1 subscription$/m);
  expect(textOf(await adaGets(house, panel, 'kinds', ['new-offer']))).toContain(
    'This server has no such subscription.',
  );
});

test('edit makes the filter anew from simple options', async () => {
  const { house } = await aHouseOfDeals();
  const panel = await house.asAda('deals', '/subscription add feed feed:Home filter:"ssd OR nvme" catch-up:0');
  const edited = await house.asAda('deals', `/subscription edit id:${idIn(panel)} words:kettle min-discount:30`);
  expect(textOf(edited)).toContain('Saved.');
  expect(textOf(edited)).toContain('`kettle off:>=30`');
});

test('pause rests and resume goes on from now', async () => {
  const { house, app, folder } = await aHouseOfDeals();
  const panel = await house.asAda('deals', '/subscription add feed feed:Home catch-up:0');
  expect(textOf(await house.asAda('deals', `/subscription pause id:${idIn(panel)}`))).toContain('⏸ Paused');
  expect(textOf(await house.asAda('deals', '/subscription list'))).toContain('⏸ Paused');
  folder.writeFeed('Home', [feedItem(7)]);
  await house.clock.advance(600_000);
  await app.tick();
  const resumed = await house.asAda('deals', `/subscription resume id:${idIn(panel)}`);
  expect(textOf(resumed)).toContain('Resumed.');
  await house.clock.advance(600_000);
  await app.tick();
  folder.writeFeed('Home', [feedItem(7), feedItem(8)]);
  await house.clock.advance(600_000);
  await app.tick();
  await app.settled();
  expect(house.announcements('deals').map(textOf).join()).toMatch(/Kettle 8/);
  expect(house.announcements('deals').map(textOf).join()).not.toMatch(/Kettle 7/);
});

test('a subscription whose channel is deleted can’t be resumed, but can be moved', async () => {
  const { house, app, folder } = await aHouseOfDeals();
  house.discord.createChannel('gone');
  const panel = await house.asAda('deals', '/subscription add feed feed:Home channel:#gone catch-up:0');
  house.discord.deleteChannel(house.discord.channel('gone').id);
  folder.writeFeed('Home', [feedItem(9)]);
  await house.clock.advance(600_000);
  await app.tick();
  await app.settled();
  const opened = await house.asAda('deals', `/subscription edit id:${idIn(panel)}`);
  expect(textOf(opened)).toContain('⚠ The channel was deleted.');
  expect(textOf(await adaGets(house, opened, 'resume'))).toContain('That channel isn’t in this server');
  const moved = await house.asAda('deals', `/subscription edit id:${idIn(panel)} channel:#announcements`);
  expect(textOf(moved)).not.toContain('⚠');
});

test('options of a subscription complete without asking the catalog', async () => {
  const { house } = await aHouseOfDeals();
  await house.asAda('deals', '/subscription add polls catch-up:0');
  expect(await completions(house, '/subscription pause id:pol', 'id')).toEqual(['polls in #deals']);
  expect(await completions(house, '/subscription add polls time-zone:berl', 'time-zone')).toContain('Europe/Berlin');
  expect(await completions(house, '/subscription add polls channel:#forum tag:', 'tag')).toEqual(['Deal', 'Dealcast']);
  const ben = house.discord.people.ben.id;
  expect(await completions(house, '/subscription pause id:', 'id', ben).catch(() => [])).toEqual([]);
});
