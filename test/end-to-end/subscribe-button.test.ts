import { expect, test } from 'vitest';
import { openStore } from '../../src/store/store.ts';
import { textOf } from '../helpers/discord-form.ts';
import { aButton, adaGets, aHouseOfDeals, idIn, thePost } from '../helpers/panel.ts';
import { aSubscription } from '../helpers/things.ts';

test('the button on a card makes its channel follow the feed, once', async () => {
  const { house, app } = await aHouseOfDeals();
  const card = await aButton(house, house.discord.channel('deals').id, 'subscribe:Home');
  const panel = await adaGets(house, card, 'subscribe:Home');
  expect(panel.visible_to).toBe(house.discord.people.ada.id);
  expect(textOf(panel)).toContain('Home feed will be posted in');
  const again = await adaGets(house, card, 'subscribe:Home');
  expect(textOf(again)).toContain('already follows the Home feed.');
  expect(idIn(again)).toBe(idIn(panel));
  await app.settled();
  expect(textOf(await house.asAda('deals', '/subscription list'))).toMatch(/-# 1 subscription$/m);
});

test('the button is for people who may manage the server, and for feeds that there are', async () => {
  const { house } = await aHouseOfDeals();
  const { id } = house.discord.channel('deals');
  const card = await aButton(house, id, 'subscribe:Home');
  const bens = { personId: house.discord.people.ben.id, channelId: id, messageId: card.id, customId: 'subscribe:Home' };
  const { message } = await house.discord.useComponent(bens);
  expect(textOf(message ?? {})).toContain('You need the Manage Server permission');
  const forged = await aButton(house, id, 'subscribe:Cellar');
  expect(textOf(await adaGets(house, forged, 'subscribe:Cellar'))).toContain('There’s no such feed.');
  expect(textOf(await house.asAda('deals', '/subscription list'))).toContain('No subscriptions yet');
});

test('on a post in a forum the button subscribes the forum', async () => {
  const { house, app } = await aHouseOfDeals();
  await house.asAda('deals', '/subscription add feed feed:Home channel:#forum catch-up:1');
  await app.settled();
  const posts = house.discord.channel('forum').id;
  const post = await thePost(house, posts);
  const card = await aButton(house, post, 'subscribe:Tools');
  const panel = await adaGets(house, card, 'subscribe:Tools');
  expect(textOf(panel)).toContain(`Tools feed will be posted in <#${posts}>`);
  const inThread = await aButton(house, post, 'subscribe:Home');
  expect(textOf(await adaGets(house, inThread, 'subscribe:Home'))).toContain('already follows the Home feed.');
});

test('whoever forges the buttons of a panel gets a plain sentence', async () => {
  const { house, app } = await aHouseOfDeals();
  const panel = await house.asAda('deals', '/subscription add feed feed:Home catch-up:0');
  await app.stop();
  const store = await openStore(house.environment['STATE_URL'] ?? '');
  await store.subscriptions.save(aSubscription('elsewhere', { guildId: '1' }));
  await store.close();
  await house.startBot();
  const { id } = house.discord.channel('deals');
  for (const step of ['open', 'pause', 'filter', 'remove']) {
    const ours = await aButton(house, id, `subscription:${step}:${idIn(panel)}`);
    expect(textOf(await house.click(ours, `subscription:${step}:${idIn(panel)}`))).toContain('Manage Server');
    const theirs = await aButton(house, id, `subscription:${step}:elsewhere`);
    expect(textOf(await adaGets(house, theirs, step))).toContain('This server has no such subscription.');
  }
  const odd = await aButton(house, id, `subscription:burn:${idIn(panel)}`);
  expect(textOf(await house.click(odd, `subscription:burn:${idIn(panel)}`))).toContain('This button no longer works');
  const list = textOf(await house.asAda('deals', '/subscription list'));
  expect(list).toMatch(/-# 1 subscription$/m);
  expect(list).not.toContain('⏸');
});
