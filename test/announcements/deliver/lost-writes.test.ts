import { expect, onTestFinished, test } from 'vitest';
import { HOUR_MS } from '../../../src/shared/time.ts';
import { isFirstRetry } from '../../helpers/back-offs.ts';
import { textOf } from '../../helpers/discord-form.ts';
import { ManualClock } from '../../helpers/manual-clock.ts';
import { backendAt } from '../../helpers/opened-state.ts';
import { aPostOffice, type PostOffice, type Run } from '../../helpers/post-office.ts';
import { temporaryState } from '../../helpers/temporary-folder.ts';
import { anOffer, uuid } from '../../helpers/things.ts';

const OFFERS = [anOffer(1), anOffer(2), anOffer(3)];

/** The numbers of the kettles that the posts of a channel tell of, each as often as it is told. */
const told = (office: PostOffice, channelId: string) =>
  office
    .posts(channelId)
    .flatMap((post) => [...new Set(textOf(post).match(/Kettle \d+/g))])
    .map((title) => Number(title.slice('Kettle '.length)))
    .toSorted((one, other) => one - other);

async function titlesIn(office: PostOffice, forumId: string): Promise<string[]> {
  const { discord } = office;
  const response = await fetch(`${discord.api}/v10/guilds/${discord.guildId}/threads/active`, {
    headers: { authorization: `Bot ${discord.token}` },
  });
  const { threads } = (await response.json()) as { threads: { name: string; parent_id: string }[] };
  return threads.filter(({ parent_id }) => parent_id === forumId).map(({ name }) => name);
}

/** A run that posts, and the state as it was before: the last writes are lost, or a backup is put back. */
async function aLostRun(office: PostOffice, channelId: string, more = {}) {
  const lost = await office.run();
  const subscription = await lost.subscribe({ channelId, ...more });
  const stateUrl = office.copyState();
  const ids = await lost.enqueue(subscription, OFFERS);
  await lost.settle();
  await lost.stop();
  // Longer than Discord remembers a nonce.
  await office.clock.advance(HOUR_MS);
  return { stateUrl, subscription, ids };
}

async function isPosted(run: Run, ids: readonly string[]): Promise<boolean[]> {
  return Promise.all(ids.map(async (id) => (await run.store.deliveries.ended(id))?.outcome === 'posted'));
}

test('what was posted, and is not in the state any more, is not posted again when it is detected anew', async () => {
  const office = await aPostOffice();
  const channelId = office.channelId('deals');
  const { stateUrl, subscription, ids } = await aLostRun(office, channelId);
  const again = await office.run(undefined, stateUrl);
  expect(await again.enqueue(subscription, OFFERS)).toEqual(ids);
  await again.settle();
  expect(told(office, channelId)).toEqual([1, 2, 3]);
  expect(await isPosted(again, ids)).toEqual([true, true, true]);
  expect(again.deliverer.status().pending).toBe(0);
  // It is a post like every other one, and kept up to date.
  await again.store.transact((changes) =>
    again.deliverer.refresh(changes, [{ key: `offer:${uuid(2)}`, item: anOffer(2, { isSoldOut: true }) }]),
  );
  await again.settle();
  const soldOut = office.posts(channelId).filter((post) => textOf(post).includes('Sold out'));
  expect(soldOut.map(textOf)).toEqual([expect.stringContaining('Kettle 2')]);
});

test('nor when it is detected after others were posted there, in the same run or a later one', async () => {
  const office = await aPostOffice();
  const channelId = office.channelId('deals');
  const { stateUrl, subscription, ids } = await aLostRun(office, channelId);
  const again = await office.run(undefined, stateUrl);
  await again.enqueue(subscription, [anOffer(4)]);
  await again.settle();
  await again.enqueue(subscription, [anOffer(1)]);
  await again.settle();
  await again.stop();
  const later = await office.run(undefined, stateUrl);
  await later.enqueue(subscription, [anOffer(2), anOffer(3), anOffer(5)]);
  await later.settle();
  expect(told(office, channelId)).toEqual([1, 2, 3, 4, 5]);
  expect(await isPosted(later, ids)).toEqual([true, true, true]);
});

test('nor in a forum, which knows no nonce', async () => {
  const office = await aPostOffice();
  const forum = office.discord.createChannel('offers', 'forum');
  const { stateUrl, subscription } = await aLostRun(office, forum.id, { target: 'forum' });
  const again = await office.run(undefined, stateUrl);
  await again.enqueue(subscription, [...OFFERS, anOffer(4)]);
  await again.settle();
  expect((await titlesIn(office, forum.id)).toSorted()).toEqual(['Kettle 1', 'Kettle 2', 'Kettle 3', 'Kettle 4']);
});

test('nor when it comes late, so that it would be in a roll-up', async () => {
  const office = await aPostOffice();
  const channelId = office.channelId('deals');
  const { stateUrl, subscription } = await aLostRun(office, channelId);
  const again = await office.run(undefined, stateUrl);
  await again.enqueue(subscription, [...OFFERS, anOffer(4)], true);
  await again.settle();
  expect(told(office, channelId)).toEqual([1, 2, 3, 4]);
});

test('nor a roll-up that is not in the state any more', async () => {
  const office = await aPostOffice();
  const channelId = office.channelId('deals');
  const lost = await office.run();
  const subscription = await lost.subscribe({ channelId });
  const stateUrl = office.copyState();
  const ids = await lost.enqueue(subscription, OFFERS, true);
  await lost.settle();
  await lost.stop();
  await office.clock.advance(HOUR_MS);
  const again = await office.run(undefined, stateUrl);
  await again.enqueue(subscription, OFFERS, true);
  await again.settle();
  expect(office.posts(channelId)).toHaveLength(1);
  expect(await isPosted(again, ids)).toEqual([true, true, true]);
});

test('a roll-up whose list is known, and whose end is not, ends all that it tells', async () => {
  const office = await aPostOffice();
  const channelId = office.channelId('deals');
  const lost = await office.run();
  const subscription = await lost.subscribe({ channelId });
  const ids = await lost.enqueue(subscription, OFFERS, true);
  await lost.settle();
  const rollUpId = (await lost.store.deliveries.ended(ids[0] ?? ''))?.rollUpId ?? '';
  const rollUp = await lost.store.deliveries.findRollUp(rollUpId);
  await lost.stop();
  await office.clock.advance(HOUR_MS);

  const backend = backendAt(temporaryState());
  onTestFinished(() => backend.close());
  await backend.write(new Map([[`roll-up:${rollUpId}`, JSON.stringify({ value: rollUp })]]));
  const again = await office.run(() => backend);
  await again.store.subscriptions.save(subscription);
  expect(await again.enqueue(subscription, OFFERS)).toEqual(ids);
  await again.settle();
  expect(office.posts(channelId)).toHaveLength(1);
  for (const id of ids) expect(await again.store.deliveries.ended(id)).toMatchObject({ outcome: 'posted', rollUpId });
});

test('a power cut takes nothing of the outbox and the ledger that was written', async () => {
  const office = await aPostOffice();
  const channelId = office.channelId('deals');
  const run = await office.run();
  const subscription = await run.subscribe({ channelId });
  const ids = await run.enqueue(subscription, OFFERS);
  const waiting = await office.run(undefined, office.copyState());
  expect(waiting.store.deliveries.pending(channelId).map(({ id }) => id)).toEqual(ids);
  await run.settle();
  const done = await office.run(undefined, office.copyState());
  expect(await isPosted(done, ids)).toEqual([true, true, true]);
});

test.each([
  ['ahead of', HOUR_MS],
  ['behind', -HOUR_MS],
])('a clock that is an hour %s Discord’s makes nothing twice', async (_, aheadMs) => {
  const discordClock = new ManualClock('2026-10-06T12:00:00Z');
  const office = await aPostOffice({ discordClock });
  office.clock.jump(aheadMs);
  const channelId = office.channelId('deals');
  const run = await office.run();
  const subscription = await run.subscribe({ channelId });
  await run.enqueue(subscription, [anOffer(1)]);
  await run.settle();
  const [id = ''] = await run.enqueue(subscription, [anOffer(2)]);
  office.discord.faults.failNext(({ method, path }) => method === 'POST' && path.endsWith('/messages'), {
    kind: 'drop',
    accepted: true,
  });
  run.deliverer.kick();
  await office.clock.untilSleeping(isFirstRetry);
  await run.stop();
  expect(await run.store.deliveries.ended(id)).toBeUndefined();

  await office.clock.advance(HOUR_MS / 4);
  await discordClock.advance(HOUR_MS / 4);
  const again = await office.run();
  await again.settle();
  expect(told(office, channelId)).toEqual([1, 2]);
  expect(await again.store.deliveries.ended(id)).toMatchObject({ outcome: 'posted' });
});
