import { expect, test } from 'vitest';
import { openStore } from '../../src/store/store.ts';
import { textOf } from '../helpers/discord-form.ts';
import { adaGets, aHouseOfDeals, idIn } from '../helpers/panel.ts';
import { aSubscription } from '../helpers/things.ts';

const TWO = { MAX_SUBSCRIPTIONS_PER_SERVER: '2' };

test('a server can have as many subscriptions as the setting says, and no more, even when two come at once', async () => {
  const { house } = await aHouseOfDeals(TWO);
  await house.asAda('deals', '/subscription add polls');
  const answers = await Promise.all(
    ['dealcasts', 'monkeychats'].map((source) => house.asAda('deals', `/subscription add ${source}`)),
  );
  const shown = answers.map(textOf);
  expect(shown.filter((text) => text.includes('will be posted'))).toHaveLength(1);
  expect(shown).toContainEqual(
    expect.stringContaining('This server has reached the limit of 2 subscriptions. Delete one to make room.'),
  );
  expect(textOf(await house.asAda('deals', '/subscription list'))).toContain('2 subscriptions');
});

test('a subscription that is changed, moved or deleted leaves or makes room', async () => {
  const { house } = await aHouseOfDeals(TWO);
  const polls = idIn(await house.asAda('deals', '/subscription add polls'));
  await house.asAda('deals', '/subscription add dealcasts');
  expect(textOf(await house.asAda('deals', `/subscription edit id:${polls} most-per-hour:5`))).toContain('5 posts');
  const moved = await house.asAda('deals', `/subscription edit id:${polls} channel:#announcements`);
  const asked = await house.asAda('deals', `/subscription remove id:${idIn(moved)}`);
  await adaGets(house, asked, 'remove-now');
  const again = await house.asAda('deals', '/subscription add monkeychats');
  expect(textOf(again)).toContain('will be posted');
});

test('a server that has more already keeps them, and they work', async () => {
  const { house, app } = await aHouseOfDeals(TWO);
  await app.stop();
  const store = await openStore(house.environment['STATE_URL'] ?? '');
  const place = { guildId: house.discord.guildId, channelId: house.discord.channel('deals').id };
  for (const id of ['one', 'two', 'three'])
    await store.subscriptions.save(aSubscription(id, { ...place, catchUp: 1, filter: id === 'one' ? '' : id }));
  await store.close();
  const restarted = await house.startBot(TWO);
  await house.clock.advance(60_000);
  await restarted.tick();
  await restarted.settled();
  expect(house.announcements('deals')).toHaveLength(1);
  expect(textOf(await house.asAda('deals', '/subscription list'))).toContain('3 subscriptions');
  expect(textOf(await house.asAda('deals', '/subscription add polls'))).toContain('has reached the limit of 2');
});
