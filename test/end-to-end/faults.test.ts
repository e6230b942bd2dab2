import { expect, test } from 'vitest';
import { blockedMs, isFirstBlocked, retryMs } from '../helpers/back-offs.ts';
import { aCatalogFolder, feedItem } from '../helpers/catalog-folder.ts';
import { textOf } from '../helpers/discord-form.ts';
import { aHouse, type House } from '../helpers/house.ts';
import { adaGets } from '../helpers/panel.ts';

const isPost = ({ method, path }: { method: string; path: string }) => method === 'POST' && path.endsWith('/messages');

async function aSubscribedHouse() {
  const folder = aCatalogFolder();
  folder.writeFeed('Home', []);
  const house = await aHouse({ content: () => folder.content });
  const app = await house.startBot();
  await house.asAda('deals', '/subscription add feed feed:Home');
  return { folder, house, app };
}

const titlesIn = (house: House) =>
  house.announcements('deals').map((message) => /### \[(.*?)\]/.exec(textOf(message))?.[1]);

/** Lets time pass, in steps, until the deliveries have settled: each wait between two tries included. */
async function settle(house: House, app: { tick(): Promise<void>; settled(): Promise<void> }): Promise<void> {
  await house.clock.advance(120_000);
  await app.tick();
  let hasSettled = false;
  const settled = app.settled().then(() => {
    hasSettled = true;
  });
  while (!hasSettled) {
    await Promise.race([settled, house.clock.untilSleeping((ms) => ms >= retryMs())]);
    await house.clock.advance(600_000);
  }
}

test.each([
  ['Discord answers 500 after it took the message', { kind: 'error', status: 500, accepted: true } as const, 4],
  ['Discord answers 503 before it took the message', { kind: 'error', status: 503, accepted: false } as const, 4],
  ['the connection breaks after Discord took the message', { kind: 'drop', accepted: true } as const, 1],
  ['the connection breaks before Discord took the message', { kind: 'drop', accepted: false } as const, 1],
])('posted once when %s', async (_, fault, times) => {
  const { folder, house, app } = await aSubscribedHouse();
  folder.writeFeed('Home', [feedItem(1), feedItem(2)]);
  house.discord.faults.failNext(isPost, fault, times);
  await settle(house, app);
  // Whichever comes first: a message that Discord answered badly keeps no others waiting.
  expect(titlesIn(house).map(String).toSorted()).toEqual(['Kettle 1', 'Kettle 2']);
});

test('posted once when the bot is stopped after Discord took the message, whatever was posted since', async () => {
  const { folder, house, app } = await aSubscribedHouse();
  folder.writeFeed('Home', [feedItem(1), feedItem(2)]);
  house.discord.faults.failNext(isPost, { kind: 'drop', accepted: true });
  await house.clock.advance(120_000);
  await app.tick();
  await house.clock.untilSleeping((ms) => ms >= retryMs());
  expect(titlesIn(house), 'it is there, and the bot does not know').toEqual(['Kettle 1']);
  await app.stop();

  // Long after Discord has forgotten the nonce.
  await house.clock.advance(24 * 3_600_000);
  const again = await house.startBot();
  await again.tick();
  await again.settled();
  expect(titlesIn(house)).toEqual(['Kettle 1', 'Kettle 2']);
});

test('after a long time away one post tells of all that came and is still live', async () => {
  const { folder, house, app } = await aSubscribedHouse();
  await settle(house, app);
  await app.stop();
  folder.writeFeed('Home', [
    feedItem(1),
    feedItem(2),
    feedItem(3, { IsSoldOut: true }),
    feedItem(4, { EndDate: new Date(house.clock.now() + 3_600_000).toISOString() }),
    feedItem(5),
  ]);
  await house.clock.advance(5 * 3_600_000);
  const again = await house.startBot();
  await settle(house, again);
  const [post, ...others] = house.announcements('deals').map(textOf);
  expect(others).toEqual([]);
  expect(post).toContain('-# 3 deals in Home · catching up');
  for (const number of [1, 2, 5]) expect(post).toContain(`[Kettle ${number}]`);
});

test('a missing permission holds the announcement back, says so, and it follows when the permission is back', async () => {
  const { folder, house, app } = await aSubscribedHouse();
  const channelId = house.discord.channel('deals').id;
  folder.writeFeed('Home', [feedItem(1)]);
  house.discord.setPermissions(channelId, { deny: ['sendMessages'] });
  await house.clock.advance(120_000);
  await app.tick();
  await house.clock.untilSleeping(isFirstBlocked);
  expect(titlesIn(house)).toEqual([]);
  expect(textOf(await house.asAda('announcements', '/subscription list'))).toContain('Give it Send Messages');

  house.discord.setPermissions(channelId, {});
  await house.clock.advance(blockedMs());
  await app.settled();
  expect(titlesIn(house)).toEqual(['Kettle 1']);
  expect(textOf(await house.asAda('announcements', '/subscription list'))).not.toContain('⚠');
});

test('a deleted channel pauses its subscription with the reason, and the others go on', async () => {
  const { folder, house, app } = await aSubscribedHouse();
  await house.asAda('deals', '/subscription add feed feed:Home channel:#announcements');
  house.discord.deleteChannel(house.discord.channel('announcements').id);
  folder.writeFeed('Home', [feedItem(1)]);
  await settle(house, app);
  expect(titlesIn(house)).toEqual(['Kettle 1']);
  expect(textOf(await house.asAda('deals', '/subscription list'))).toContain('The channel was deleted');
});

test('what was removed before it could be posted is not posted', async () => {
  const { folder, house, app } = await aSubscribedHouse();
  folder.writeFeed('Home', [feedItem(1)]);
  house.discord.setPermissions(house.discord.channel('deals').id, { deny: ['sendMessages'] });
  await house.clock.advance(120_000);
  await app.tick();
  await house.clock.untilSleeping(isFirstBlocked);
  const [choice] = await house.discord.autocomplete({
    personId: house.discord.people.ada.id,
    channelId: house.discord.channel('deals').id,
    text: '/subscription remove id:',
    focused: 'id',
  });
  const asked = await house.asAda('deals', `/subscription remove id:${choice?.value}`);
  await adaGets(house, asked, 'remove-now');
  house.discord.setPermissions(house.discord.channel('deals').id, {});
  await house.clock.advance(60_000);
  await app.settled();
  expect(titlesIn(house)).toEqual([]);
});
