import { type APIThreadList, ButtonStyle, ComponentType, MessageFlags, Routes } from 'discord-api-types/v10';
import { expect, test } from 'vitest';
import type { Answer } from '../../src/local-discord/interactions.ts';
import type { PageMessage } from '../../src/local-discord/page-api.ts';
import { openStore } from '../../src/store/store.ts';
import { aCatalogFolder, dealcast, event, feedItem, monkeychat, poll } from '../helpers/catalog-folder.ts';
import { customIdsOf, textOf } from '../helpers/discord-form.ts';
import { aHouse, type House } from '../helpers/house.ts';
import { aSubscription } from '../helpers/things.ts';

async function aRunningHouse() {
  const folder = aCatalogFolder();
  folder.writeFeed('Home', [feedItem(1), feedItem(2), feedItem(3)]);
  folder.writeFeed('Tools', [feedItem(4)]);
  folder.writeEvents([event(1), event(2, { Type: 'DealOff', Site: 'wine.example.com' })]);
  folder.writeDealcasts([dealcast(1)]);
  const house = await aHouse({ content: () => folder.content });
  const app = await house.startBot();
  return { house, app, folder };
}

/** What Ada gets for clicking a button of a panel, or choosing from its menu. */
async function adaUses(house: House, message: PageMessage, step: string, values: string[] = []): Promise<Answer> {
  const customId = customIdsOf(message).find((id) => id.startsWith(`subscription:${step}:`) || id === step);
  if (customId === undefined) throw new Error(`The card has no ${step}: ${customIdsOf(message).join(', ')}`);
  const click = {
    personId: house.discord.people.ada.id,
    channelId: message.channel_id,
    messageId: message.id,
    customId,
    values,
  };
  for (;;) {
    const answer = await house.discord.useComponent(click);
    // Her last click has been answered, but the bot does not know yet that the answer has arrived.
    if (!answer.message || !textOf(answer.message).includes('That is on its way already.')) return answer;
  }
}

/** The same, where the answer is a card. */
async function adaGets(house: House, message: PageMessage, step: string, values: string[] = []): Promise<PageMessage> {
  const answer = await adaUses(house, message, step, values);
  if (!answer.message) throw new Error(`${step} was answered without a message.`);
  return answer.message;
}

/** Opens a form of a panel as Ada and sends it. */
async function adaFills(
  house: House,
  message: PageMessage,
  step: string,
  values: Record<string, string>,
): Promise<PageMessage> {
  const { modal } = await adaUses(house, message, step);
  const answer = await house.discord.submitModal({
    personId: house.discord.people.ada.id,
    channelId: message.channel_id,
    customId: modal?.custom_id ?? '',
    values,
  });
  if (!answer.message) throw new Error(`${step} was answered without a message.`);
  return answer.message;
}

const idIn = (panel: PageMessage) =>
  customIdsOf(panel)
    .find((id) => id.startsWith('subscription:test:'))
    ?.slice('subscription:test:'.length) ?? '';

async function completions(house: House, text: string, focused: string, personId = house.discord.people.ada.id) {
  const choices = await house.discord.autocomplete({
    personId,
    channelId: house.discord.channel('deals').id,
    text,
    focused,
  });
  return choices.map(({ name }) => name);
}

test('add takes every setting, and answers with a panel that says them', async () => {
  const { house, app } = await aRunningHouse();
  const panel = await house.asAda(
    'deals',
    '/subscription add source:feed feed:home channel:#announcements words:kettle max-price:50 filter:"-refurb* OR featured:true" role:"@Deal Hunters" mode:daily at:"9:30 pm" time-zone:berlin quiet-hours:22:00-7:00 most-per-hour:5 price-drop:20 publish:True catch-up:0',
  );
  const shown = textOf(panel);
  for (const line of [
    'is subscribed to feed Home now',
    'kettle price:<=50 (-refurb* OR featured:true)',
    'every day at 21:30 (Europe/Berlin)',
    '22:00–07:00 (Europe/Berlin)',
    '**At most** 5 posts an hour',
    'from 20% on',
    '**Publishes** every post',
    '**Calls** <@&',
  ]) {
    expect(shown).toContain(line);
  }
  expect(panel.visible_to).toBe(house.discord.people.ada.id);
  await app.settled();
  expect(house.announcements('announcements')).toEqual([]);
});

test.each([
  ['source:polls', 'polls'],
  ['source:monkeychats', 'monkeychats'],
  ['source:events type:DealOff site:wine', 'events (DealOff, wine)'],
])('%s can be subscribed to', async (options, source) => {
  const { house } = await aRunningHouse();
  expect(textOf(await house.asAda('deals', `/subscription add ${options}`))).toContain(
    `is subscribed to ${source} now`,
  );
});

test('new polls and monkeychats are posted', async () => {
  const { house, app, folder } = await aRunningHouse();
  folder.writePolls([poll(1)]);
  folder.writeMonkeychats([monkeychat(1)]);
  await house.asAda('deals', '/subscription add source:polls catch-up:0');
  await house.asAda('announcements', '/subscription add source:monkeychats catch-up:0');
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

test('what is set on the panel is what is posted', async () => {
  const { house, app, folder } = await aRunningHouse();
  let panel = await house.asAda('deals', '/subscription add source:feed feed:Home catch-up:0');
  panel = await adaFills(house, panel, 'filter', { filter: 'title:"kettle 5" OR price:<5' });
  expect(textOf(panel)).toContain('`title:"kettle 5" OR price:<5`');
  const role = house.discord.createRole('Callers', { mentionable: true });
  panel = await adaGets(house, panel, 'role', [role.id]);
  expect(textOf(panel)).toContain(`**Calls** <@&${role.id}>`);
  folder.writeFeed('Home', [feedItem(4), feedItem(5)]);
  await house.clock.advance(600_000);
  await app.tick();
  await app.settled();
  const posted = house.announcements('deals');
  expect(posted).toHaveLength(1);
  expect(posted.map(textOf).join()).toContain('Kettle 5');
  expect(posted[0]?.mention_roles).toEqual([role.id]);
});

test('the panel changes kinds, mode, times, limits and role, and works after a restart', async () => {
  const { house, app } = await aRunningHouse();
  let panel = await house.asAda('deals', '/subscription add source:feed feed:Home catch-up:0');
  panel = await adaGets(house, panel, 'kinds', ['price-drop', 'ending-soon']);
  expect(textOf(panel)).toContain('**Announces** price drops and offers that end soon');
  await app.stop();
  await house.startBot();
  panel = await adaGets(house, panel, 'mode', ['hourly']);
  expect(textOf(panel)).toContain('**Posts** together, every full hour');
  panel = await adaFills(house, panel, 'times', { at: '8', 'time-zone': 'new york', 'quiet-hours': '10 pm - 6 am' });
  expect(textOf(panel)).toContain('**Quiet** 22:00–06:00 (America/New_York)');
  panel = await adaFills(house, panel, 'times', { at: '8', 'time-zone': 'new york', 'quiet-hours': '' });
  expect(textOf(panel)).not.toContain('**Quiet**');
  panel = await adaFills(house, panel, 'limits', { 'most-per-hour': '7', 'price-drop': '25 %' });
  expect(textOf(panel)).toContain('**At most** 7 posts an hour');
  expect(textOf(panel)).toContain('from 25% on');
  panel = await adaGets(house, panel, 'role', []);
  expect(textOf(panel)).toContain('**Calls** nobody');
});

test('types and sites of events are chosen on the panel', async () => {
  const { house } = await aRunningHouse();
  let panel = await house.asAda('deals', '/subscription add source:events catch-up:0');
  panel = await adaGets(house, panel, 'types', ['Daily', 'DealOff']);
  panel = await adaGets(house, panel, 'sites', ['wine']);
  expect(textOf(panel)).toContain('(Daily, DealOff, wine\\)');
  panel = await adaGets(house, panel, 'types', []);
  expect(textOf(panel)).toContain('(wine\\)');
});

test('a mistake in a form keeps what was written, also over a restart, and opens again with it', async () => {
  const { house, app } = await aRunningHouse();
  const panel = await house.asAda('deals', '/subscription add source:feed feed:Home catch-up:0');
  const mistake = await adaFills(house, panel, 'filter', { filter: 'ssd prise:<50' });
  expect(mistake.id).toBe(panel.id);
  expect(textOf(mistake)).toContain('There is no field “prise”. Did you mean price?');
  expect(textOf(mistake)).toContain('ssd prise:<50\n    ^^^^^');
  await app.stop();
  await house.startBot();
  const { modal } = await adaUses(house, mistake, 'filter-again');
  expect(JSON.stringify(modal)).toContain('"value":"ssd prise:<50"');
  const mended = await adaFills(house, mistake, 'filter-again', { filter: 'ssd price:<50' });
  expect(textOf(mended)).toContain('**Filter** only what matches `ssd price:<50`');
});

test('a mistake in an option is told in the reader’s language, and nothing is subscribed', async () => {
  const { house } = await aRunningHouse();
  house.discord.setLocale(house.discord.people.ada.id, 'de');
  const answer = await house.asAda('deals', '/subscription add source:feed feed:Home filter:"price:<abc"');
  expect(textOf(answer)).toContain('Erwartet wurde eine Zahl wie');
  expect(textOf(answer)).toContain('price:<abc\n       ^^^');
  expect(textOf(await house.asAda('deals', '/subscription list'))).toContain('noch keine Abos');
});

test.each([
  ['add source:events feed:Home', 'The option `feed` goes with the source `feed` only.'],
  ['add source:feed feed:Home type:Daily', 'The option `type` goes with the source `events` only.'],
  ['add source:polls site:wine', 'The option `site` goes with the source `events` only.'],
  ['add source:dealcasts price-drop:10', 'The option `price-drop` goes with the source `feed` only.'],
  ['add source:polls max-price:5', 'Only offers and events have prices'],
  ['add source:dealcasts min-discount:5', 'with `min-discount`, nothing of this source'],
  ['add source:polls publish:True', 'is no announcement channel: nothing can be published there.'],
  ['add source:polls tag:Deal', 'is no forum: posts have no tags there.'],
  ['add source:polls channel:#forum tag:Steal', 'has no such tag. It has: Deal and Dealcast.'],
  ['add source:polls mode:hourly at:9', 'The option `at` goes with the mode `daily` only.'],
  ['add source:polls at:25:00', '“25:00” is no time of day.'],
  ['add source:polls quiet-hours:22', '“22” are no hours of the day. Write 22:00-7:00'],
  ['add source:polls time-zone:Europe/Berln', 'There is no time zone “Europe/Berln”. Did you mean Europe/Berlin'],
  ['add source:polls role:@Dealbell', 'is a bot’s own role'],
  ['edit id:unknown', 'This server has no such subscription.'],
  ['pause id:unknown', 'This server has no such subscription.'],
  ['resume id:unknown', 'This server has no such subscription.'],
  ['test id:unknown', 'This server has no such subscription.'],
])('/subscription %s is answered with a plain sentence', async (text, sentence) => {
  const { house } = await aRunningHouse();
  expect(textOf(await house.asAda('deals', `/subscription ${text}`))).toContain(sentence);
  expect(textOf(await house.asAda('deals', '/subscription list'))).toContain('no subscriptions yet');
});

test('everyone is not called', async () => {
  const { house } = await aRunningHouse();
  const panel = await house.asAda('deals', '/subscription add source:polls catch-up:0');
  expect(textOf(await adaGets(house, panel, 'role', [house.discord.guildId]))).toContain('can’t call everyone');
  expect(textOf(await adaGets(house, panel, 'role', ['1100000000000000999']))).toContain('has no such role');
  expect(textOf(await house.asAda('deals', `/subscription edit id:${idIn(panel)}`))).toContain('**Calls** nobody');
});

test('a forum that wants a tag says so; its tags are an option and a menu', async () => {
  const { house, app } = await aRunningHouse();
  house.discord.createChannel('bargains', 'forum', { tags: ['Hot', 'Cold'], requiresTag: true });
  const add = '/subscription add source:feed feed:Home channel:#bargains catch-up:1';
  expect(textOf(await house.asAda('deals', add))).toContain(
    'wants a tag on every post. Fill in the option `tag` as well: Hot and Cold.',
  );
  expect(await completions(house, `${add} tag:o`, 'tag')).toEqual(['Hot', 'Cold']);
  const panel = await house.asAda('deals', `${add} tag:hot`);
  expect(textOf(panel)).toContain('**Tags** Hot');
  await app.settled();
  const tags = house.discord.channel('bargains');
  const [hot, cold] = 'available_tags' in tags ? tags.available_tags.map(({ id }) => id) : [];
  expect(textOf(await adaGets(house, panel, 'tags', [hot ?? '', cold ?? '']))).toContain('**Tags** Hot and Cold');
  const refused = await adaGets(house, panel, 'tags', []);
  expect(textOf(refused)).toContain('The forum wants a tag on every post. Choose one.');
});

test('two of one source in a channel differ in filter or kinds; the same is refused, also when one is changed into it', async () => {
  const { house } = await aRunningHouse();
  const first = await house.asAda('deals', '/subscription add source:feed feed:Home filter:"ssd price:<50" catch-up:0');
  const same = await house.asAda(
    'deals',
    '/subscription add source:feed feed:home filter:"(ssd) price:<50.00" catch-up:0',
  );
  expect(textOf(same)).toContain('is subscribed to feed Home already');
  const second = await house.asAda('deals', '/subscription add source:feed feed:Home words:nvme catch-up:0');
  expect(textOf(second)).toContain('is subscribed to feed Home now');
  const changed = await adaFills(house, second, 'filter', { filter: 'ssd AND price:<50' });
  expect(textOf(changed)).toContain('is subscribed to feed Home already');
  const kinds = await adaGets(house, first, 'kinds', ['ending-soon']);
  expect(textOf(kinds)).toContain('**Announces** offers that end soon');
  expect(textOf(await adaFills(house, second, 'filter', { filter: 'ssd AND price:<50' }))).toContain(
    '`ssd AND price:<50`',
  );
});

test('of the same, subscribed at the same moment, one is refused', async () => {
  const { house } = await aRunningHouse();
  const add = () => house.asAda('deals', '/subscription add source:feed feed:Home catch-up:0');
  const answers = await Promise.all([add(), add(), add()]);
  expect(answers.filter((answer) => textOf(answer).includes('is subscribed to feed Home now'))).toHaveLength(1);
  expect(textOf(await house.asAda('deals', '/subscription list'))).toContain('1 subscription ·');
});

test('edit moves to another channel, and keeps everything else', async () => {
  const { house, app, folder } = await aRunningHouse();
  const panel = await house.asAda(
    'deals',
    '/subscription add source:feed feed:Home words:kettle mode:hourly catch-up:0',
  );
  folder.writeFeed('Home', [feedItem(6)]);
  await house.clock.advance(600_000);
  await app.tick();
  const moved = await house.asAda('deals', `/subscription edit id:${idIn(panel)} channel:#announcements`);
  expect(textOf(moved)).toContain('It goes to');
  expect(textOf(moved)).toContain('`kettle`');
  expect(textOf(moved)).toContain('together, every full hour');
  await house.clock.advance(3_600_000);
  await app.settled();
  expect(house.announcements('deals')).toEqual([]);
  expect(textOf(await house.asAda('deals', '/subscription list'))).toContain('1 subscription ·');
  expect(textOf(await adaGets(house, panel, 'kinds', ['new-offer']))).toContain(
    'This server has no such subscription.',
  );
});

test('edit makes the filter anew from simple options', async () => {
  const { house } = await aRunningHouse();
  const panel = await house.asAda('deals', '/subscription add source:feed feed:Home filter:"ssd OR nvme" catch-up:0');
  const edited = await house.asAda('deals', `/subscription edit id:${idIn(panel)} words:kettle min-discount:30`);
  expect(textOf(edited)).toContain('Saved.');
  expect(textOf(edited)).toContain('`kettle off:>=30`');
});

test('a list of many is paged, and opens the panel of each', async () => {
  const { house } = await aRunningHouse();
  for (const source of ['events', 'dealcasts', 'polls', 'monkeychats', 'feed feed:Home', 'feed feed:Tools']) {
    await house.asAda('deals', `/subscription add source:${source} catch-up:0`);
  }
  const list = await house.asAda('deals', '/subscription list');
  expect(textOf(list)).toContain('6 subscriptions · page 1 of 2');
  const second = await adaGets(house, list, customIdsOf(list).find((id) => id.startsWith('next>')) ?? '');
  expect(textOf(second)).toContain('**feed Tools**');
  const panel = await adaGets(house, second, 'open');
  expect(textOf(panel)).toContain('## feed Tools');
  const [opened = ''] = JSON.stringify(list.components).match(/subscription:open:[\w-]+/) ?? [];
  const again = await adaGets(house, panel, 'subscriptions:1');
  expect(textOf(await adaGets(house, again, 'menu:open', [opened]))).toContain('## events');
});

test('pause rests and resume goes on from now', async () => {
  const { house, app, folder } = await aRunningHouse();
  const panel = await house.asAda('deals', '/subscription add source:feed feed:Home catch-up:0');
  expect(textOf(await house.asAda('deals', `/subscription pause id:${idIn(panel)}`))).toContain('⏸ It rests');
  expect(textOf(await house.asAda('deals', '/subscription list'))).toContain('⏸ It rests');
  folder.writeFeed('Home', [feedItem(7)]);
  await house.clock.advance(600_000);
  await app.tick();
  const resumed = await house.asAda('deals', `/subscription resume id:${idIn(panel)}`);
  expect(textOf(resumed)).toContain('It goes on from now.');
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
  const { house, app, folder } = await aRunningHouse();
  house.discord.createChannel('gone');
  const panel = await house.asAda('deals', '/subscription add source:feed feed:Home channel:#gone catch-up:0');
  house.discord.deleteChannel(house.discord.channel('gone').id);
  folder.writeFeed('Home', [feedItem(9)]);
  await house.clock.advance(600_000);
  await app.tick();
  await app.settled();
  const opened = await house.asAda('deals', `/subscription edit id:${idIn(panel)}`);
  expect(textOf(opened)).toContain('⚠ The channel is gone.');
  expect(textOf(await adaGets(house, opened, 'resume'))).toContain('That channel is not in this server');
  expect(textOf(await adaGets(house, opened, 'test'))).toContain('That channel is not in this server');
  const moved = await house.asAda('deals', `/subscription edit id:${idIn(panel)} channel:#announcements`);
  expect(textOf(moved)).not.toContain('⚠');
});

test('test shows privately what a post would be, and what stands in its way', async () => {
  const { house, app } = await aRunningHouse();
  const role = house.discord.createRole('Quiet people');
  const panel = await house.asAda('deals', '/subscription add source:feed feed:Home words:kettle catch-up:0');
  const fine = await house.asAda('deals', `/subscription test id:${idIn(panel)}`);
  expect(fine.visible_to).toBe(house.discord.people.ada.id);
  expect(textOf(fine)).toContain('as it is set');
  expect(textOf(fine)).toContain('3 of 3 that are live now would come through.');
  expect(textOf(fine)).toContain('Kettle 3');
  expect(textOf(fine)).toContain('matches feed Home · kettle');
  await adaGets(house, panel, 'role', [role.id]);
  house.discord.setPermissions(house.discord.channel('deals').id, { deny: ['sendMessages'] });
  const problems = textOf(await house.asAda('announcements', `/subscription test id:${idIn(panel)}`));
  expect(problems).toContain('Give it there: Send Messages.');
  expect(problems).toContain(`The bot can’t call <@&${role.id}> there.`);
  expect(problems).not.toContain('as it is set');
  await app.settled();
  expect(house.announcements('deals')).toEqual([]);
});

test('test of what is no feed asks the catalog, and says where nothing matches', async () => {
  const { house } = await aRunningHouse();
  const events = await house.asAda('deals', '/subscription add source:events type:DealOff catch-up:0');
  const shown = textOf(await adaGets(house, events, 'test'));
  expect(shown).toContain('1 of 2 that are live now would come through.');
  expect(shown).toContain('Event 2');
  const polls = await house.asAda('deals', '/subscription add source:polls words:nothing catch-up:0');
  expect(textOf(await adaGets(house, polls, 'test'))).toContain('None of 0 that are live now would come through.');
});

test('remove says what it was set to', async () => {
  const { house } = await aRunningHouse();
  const panel = await house.asAda('deals', '/subscription add source:feed feed:Home words:kettle catch-up:0');
  const removed = await adaGets(house, panel, 'remove');
  expect(textOf(removed)).toContain('is not announced in');
  expect(textOf(removed)).toContain('`kettle`');
  expect(textOf(removed)).toContain('`/subscription add` makes it again');
  expect(textOf(await house.asAda('deals', '/subscription list'))).toContain('no subscriptions yet');
});

test('publishing is offered in announcement channels', async () => {
  const { house } = await aRunningHouse();
  const panel = await house.asAda('announcements', '/subscription add source:polls catch-up:0');
  const published = await adaGets(house, panel, 'publish');
  expect(textOf(published)).toContain('**Publishes** every post');
  expect(textOf(await adaGets(house, published, 'unpublish'))).not.toContain('**Publishes**');
  const elsewhere = await house.asAda('deals', '/subscription add source:polls catch-up:0');
  await expect(adaUses(house, elsewhere, 'publish')).rejects.toThrow('has no publish');
});

test('bad numbers and times in forms are answered with a plain sentence, and change nothing', async () => {
  const { house } = await aRunningHouse();
  const panel = await house.asAda('deals', '/subscription add source:polls catch-up:0');
  expect(textOf(await adaFills(house, panel, 'limits', { 'most-per-hour': 'lots' }))).toContain(
    '“lots” can’t be set. Write a whole number from 1 to 100.',
  );
  const times = await adaFills(house, panel, 'times', { at: '9', 'time-zone': 'Mars', 'quiet-hours': '' });
  expect(textOf(times)).toContain('There is no time zone “Mars”.');
  expect(textOf(await house.asAda('deals', `/subscription edit id:${idIn(panel)}`))).toContain('**At most** 30 posts');
});

test('options of a subscription complete without asking the catalog', async () => {
  const { house } = await aRunningHouse();
  await house.asAda('deals', '/subscription add source:polls catch-up:0');
  expect(await completions(house, '/subscription pause id:pol', 'id')).toEqual(['polls in #deals']);
  expect(await completions(house, '/subscription add source:polls time-zone:berl', 'time-zone')).toContain(
    'Europe/Berlin',
  );
  expect(await completions(house, '/subscription add source:polls channel:#forum tag:', 'tag')).toEqual([
    'Deal',
    'Dealcast',
  ]);
  const ben = house.discord.people.ben.id;
  expect(await completions(house, '/subscription pause id:', 'id', ben).catch(() => [])).toEqual([]);
});

test('a tag that was deleted is left out of posts, and keeps none from coming', async () => {
  const { house, app, folder } = await aRunningHouse();
  await house.asAda('deals', '/subscription add source:feed feed:Home channel:#forum tag:Deal catch-up:0');
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
  const { house, app, folder } = await aRunningHouse();
  const forum = house.discord.createChannel('bargains', 'forum', { tags: ['Hot', 'Cold'], requiresTag: true });
  const [hot, cold] = 'available_tags' in forum ? forum.available_tags.map(({ id }) => id) : [];
  const panel = await house.asAda(
    'deals',
    '/subscription add source:feed feed:Home channel:#bargains tag:hot catch-up:0',
  );
  house.discord.deleteTag(forum.id, hot ?? '');
  folder.writeFeed('Home', [feedItem(5)]);
  await house.clock.advance(600_000);
  await app.tick();
  await house.clock.untilSleeping((ms) => ms === 60_000);
  const opened = await house.asAda('deals', `/subscription edit id:${idIn(panel)}`);
  expect(textOf(opened)).toContain('⚠ The forum wants a tag on every post');
  await adaGets(house, opened, 'tags', [cold ?? '']);
  await app.settled();
  expect(
    house.discord
      .messages(await thePost(house, forum.id))
      .map(textOf)
      .join(),
  ).toContain('Kettle 5');
});

test('a role that was deleted is said to be gone, and can be replaced', async () => {
  const { house } = await aRunningHouse();
  const role = house.discord.createRole('Brief', { mentionable: true });
  const panel = await house.asAda('deals', '/subscription add source:polls role:@Brief catch-up:0');
  house.discord.deleteRole(role.id);
  await house.discord.waitFor(() => true);
  const opened = await house.asAda('deals', `/subscription edit id:${idIn(panel)}`);
  expect(textOf(opened)).toContain('⚠ The role that is to be called is gone');
  expect(JSON.stringify(opened.components)).not.toContain('default_values');
  expect(textOf(await adaGets(house, opened, 'role', []))).not.toContain('⚠');
});

/** A message of the bot's with one button, for everybody to click. */
async function aButton(house: House, channelId: string, customId: string): Promise<PageMessage> {
  const button = { type: ComponentType.Button, style: ButtonStyle.Secondary, label: 'Do it', custom_id: customId };
  const components = [{ type: ComponentType.ActionRow, components: [button] }];
  const body = JSON.stringify({ flags: MessageFlags.IsComponentsV2, components });
  return (await asBot(house, Routes.channelMessages(channelId), { method: 'POST', body })) as PageMessage;
}

/** The only post in a forum, once it is there. */
async function thePost(house: House, forumId: string): Promise<string> {
  const { threads } = (await asBot(house, Routes.guildActiveThreads(house.discord.guildId))) as APIThreadList;
  const post = threads.find((thread) => 'parent_id' in thread && thread.parent_id === forumId);
  if (!post) throw new Error('The forum has no post.');
  return post.id;
}

async function asBot(house: House, route: string, init: RequestInit = {}): Promise<unknown> {
  const headers = { authorization: `Bot ${house.discord.token}`, 'content-type': 'application/json' };
  const response = await fetch(`${house.discord.api}/v10${route}`, { ...init, headers });
  return response.json();
}

test('the button on a card makes its channel follow the feed, once', async () => {
  const { house, app } = await aRunningHouse();
  const card = await aButton(house, house.discord.channel('deals').id, 'subscribe:Home');
  const panel = await adaGets(house, card, 'subscribe:Home');
  expect(panel.visible_to).toBe(house.discord.people.ada.id);
  expect(textOf(panel)).toContain('is subscribed to feed Home now. The newest 3 come at once');
  const again = await adaGets(house, card, 'subscribe:Home');
  expect(textOf(again)).toContain('follows the feed Home already.');
  expect(idIn(again)).toBe(idIn(panel));
  await app.settled();
  expect(textOf(await house.asAda('deals', '/subscription list'))).toContain('1 subscription ·');
});

test('the button is for people who may manage the server, and for feeds that there are', async () => {
  const { house } = await aRunningHouse();
  const { id } = house.discord.channel('deals');
  const card = await aButton(house, id, 'subscribe:Home');
  expect(textOf(await house.click(card, 'subscribe:Home'))).toContain('needs the permission Manage Server');
  const forged = await aButton(house, id, 'subscribe:Cellar');
  expect(textOf(await adaGets(house, forged, 'subscribe:Cellar'))).toContain('There is no such feed.');
  expect(textOf(await house.asAda('deals', '/subscription list'))).toContain('no subscriptions yet');
});

test('on a post in a forum the button subscribes the forum', async () => {
  const { house, app } = await aRunningHouse();
  await house.asAda('deals', '/subscription add source:feed feed:Home channel:#forum catch-up:1');
  await app.settled();
  const posts = house.discord.channel('forum').id;
  const post = await thePost(house, posts);
  const card = await aButton(house, post, 'subscribe:Tools');
  const panel = await adaGets(house, card, 'subscribe:Tools');
  expect(textOf(panel)).toContain(`<#${posts}> is subscribed to feed Tools now`);
  const inThread = await aButton(house, post, 'subscribe:Home');
  expect(textOf(await adaGets(house, inThread, 'subscribe:Home'))).toContain('follows the feed Home already.');
});

test('a thread that the bot can’t write in is refused, with what is missing', async () => {
  const { house, app } = await aRunningHouse();
  await house.asAda('deals', '/subscription add source:feed feed:Home channel:#forum catch-up:1');
  await app.settled();
  const forumId = house.discord.channel('forum').id;
  const post = await thePost(house, forumId);
  const add = async () => {
    const { message } = await house.discord.runCommand({
      personId: house.discord.people.ada.id,
      channelId: post,
      text: '/subscription add source:feed feed:Tools catch-up:1',
    });
    return textOf(message ?? {});
  };
  house.discord.setThread(post, { locked: true });
  expect(await add()).toContain('Give it there: Manage Threads.');
  house.discord.setThread(post, { locked: false });
  house.discord.setPermissions(forumId, { deny: ['sendMessagesInThreads'] });
  expect(await add()).toContain('Give it there: Send Messages in Threads.');
});

test('a thread can be subscribed', async () => {
  const { house, app } = await aRunningHouse();
  await house.asAda('deals', '/subscription add source:feed feed:Home channel:#forum catch-up:1');
  await app.settled();
  const post = await thePost(house, house.discord.channel('forum').id);
  const before = house.discord.messages(post).length;
  const { message } = await house.discord.runCommand({
    personId: house.discord.people.ada.id,
    channelId: post,
    text: '/subscription add source:feed feed:Tools catch-up:1',
  });
  expect(textOf(message ?? {})).toContain(`<#${post}> is subscribed to feed Tools now`);
  await app.settled();
  const posted = house.discord.messages(post).filter(({ visible_to: visibleTo }) => visibleTo === null);
  expect(posted.slice(before).map(textOf).join()).toContain('Kettle 4');
});

test('whoever forges the buttons of a panel gets a plain sentence', async () => {
  const { house, app } = await aRunningHouse();
  const panel = await house.asAda('deals', '/subscription add source:feed feed:Home catch-up:0');
  await app.stop();
  const store = await openStore(house.environment['STATE_URL'] ?? '');
  await store.subscriptions.save(aSubscription('elsewhere', { guildId: '1' }));
  await store.close();
  await house.startBot();
  const { id } = house.discord.channel('deals');
  for (const step of ['open', 'pause', 'filter', 'remove', 'test']) {
    const ours = await aButton(house, id, `subscription:${step}:${idIn(panel)}`);
    expect(textOf(await house.click(ours, `subscription:${step}:${idIn(panel)}`))).toContain('Manage Server');
    const theirs = await aButton(house, id, `subscription:${step}:elsewhere`);
    expect(textOf(await adaGets(house, theirs, step))).toContain('This server has no such subscription.');
  }
  const odd = await aButton(house, id, `subscription:burn:${idIn(panel)}`);
  expect(textOf(await house.click(odd, `subscription:burn:${idIn(panel)}`))).toContain('This button is not one');
  const list = textOf(await house.asAda('deals', '/subscription list'));
  expect(list).toContain('1 subscription ·');
  expect(list).not.toContain('⏸');
});
