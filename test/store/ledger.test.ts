import { expect, test } from 'vitest';
import { LEDGER_MS } from '../../src/store/deliveries.ts';
import type { Delivery, RollUp } from '../../src/store/delivery.ts';
import { openedDeliveries } from '../helpers/opened-deliveries.ts';
import { openedRecords, openedState } from '../helpers/opened-state.ts';
import { aDelivery, NOW_MS } from '../helpers/things.ts';

function aRollUp(id: string, deliveries: readonly Delivery[], channelId = '10'): RollUp {
  const members = deliveries.map(({ id: deliveryId, announcement, alsoTells, matches }) => ({
    deliveryId,
    announcement,
    alsoTells,
    matches,
  }));
  const replaces = deliveries.map((delivery) => delivery.id);
  return { id, guildId: '1', channelId, members, replaces, createdAtMs: NOW_MS, reason: 'late' };
}

const posted = { outcome: 'posted', messageChannelId: '10', messageId: 'm', endedAtMs: NOW_MS } as const;

async function open(at?: string) {
  const { url, backend, state } = openedState(at);
  return { url, backend, state, deliveries: await openedDeliveries(state) };
}

type Deliveries = Awaited<ReturnType<typeof openedDeliveries>>;
const idsIn = (deliveries: Deliveries, channelId = '10') => deliveries.pending(channelId).map(({ id }) => id);

test('the first due comes first, then the first made, then the first in its row', async () => {
  const { url, deliveries } = await open();
  await deliveries.add([
    aDelivery('d', { dueAtMs: NOW_MS + 1 }),
    aDelivery('c', { createdAtMs: NOW_MS + 1 }),
    aDelivery('b', { sequence: 1 }),
  ]);
  await deliveries.add([aDelivery('e', { dueAtMs: NOW_MS + 2, createdAtMs: 0 }), aDelivery('a')]);
  await deliveries.add([aDelivery('f', { channelId: '11' })]);
  for (const run of [deliveries, (await open(url)).deliveries]) {
    expect(idsIn(run)).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(idsIn(run, '11')).toEqual(['f']);
    expect(idsIn(run, '12')).toEqual([]);
    expect(run.channels()).toEqual(['10', '11']);
  }
});

test('a delivery is pending until it has ended', async () => {
  const { deliveries } = await open();
  const one = aDelivery('a', { alsoTells: ['b'] });
  await deliveries.add([one]);
  expect(['a', 'b', 'c'].map((id) => deliveries.isPending(id))).toEqual([true, true, false]);
  expect(await deliveries.ended('a')).toBeUndefined();
  await deliveries.end(one, posted);
  expect(['a', 'b'].map((id) => deliveries.isPending(id))).toEqual([false, false]);
  const entry = { channelId: '10', rollUpId: null, ...posted };
  expect(await deliveries.ended('a')).toEqual(entry);
  expect(await deliveries.ended('b')).toEqual(entry);
});

test('a roll-up stands for what it replaces until it ends, in this run and the next', async () => {
  const { url, deliveries } = await open();
  const [a, b, c] = ['a', 'b', 'c'].map((id) => aDelivery(id)) as [Delivery, Delivery, Delivery];
  await deliveries.add([a, b, c, aDelivery('d', { channelId: '11' })]);
  const rollUp = aRollUp('both', [a, b]);
  await deliveries.rollUp(rollUp);
  for (const run of [deliveries, (await open(url)).deliveries]) {
    expect(idsIn(run)).toEqual(['c']);
    expect(run.pendingRollUp('10')).toEqual(rollUp);
    expect(run.pendingRollUp('11')).toBeUndefined();
    expect(['a', 'b', rollUp.id].map((id) => run.isPending(id))).toEqual([true, true, true]);
    expect(run.channels().toSorted()).toEqual(['10', '11']);
  }
  await deliveries.end(c, posted);
  expect(deliveries.pendingRollUp('10'), 'another one ended').toEqual(rollUp);
  expect(deliveries.channels().toSorted()).toEqual(['10', '11']);
  await deliveries.endRollUp(rollUp, posted, new Set(['b']));
  for (const run of [deliveries, (await open(url)).deliveries]) {
    expect(run.pendingRollUp('10')).toBeUndefined();
    expect(run.channels()).toEqual(['11']);
    expect(['a', 'b', rollUp.id].map((id) => run.isPending(id))).toEqual([false, false, false]);
    const entry = { channelId: '10', ...posted };
    expect(await run.ended(rollUp.id)).toEqual({ ...entry, rollUpId: null });
    expect(await run.ended('a')).toEqual({ ...entry, rollUpId: rollUp.id });
    expect(await run.ended('b')).toEqual({
      ...entry,
      outcome: 'over',
      messageChannelId: null,
      messageId: null,
      rollUpId: null,
    });
    // An offer that was over by then is not in the post, and not in its list.
    expect(await run.findRollUp(rollUp.id)).toEqual({ ...rollUp, members: rollUp.members.slice(0, 1) });
    expect(await run.findRollUp('none')).toBeUndefined();
  }
});

test('what could not be put in keeps nothing after it from being put in', async () => {
  const { deliveries } = await open();
  await expect(deliveries.add([aDelivery('a', { createdAtMs: 1n as unknown as number })])).rejects.toThrow();
  expect(deliveries.isPending('a')).toBe(false);
  expect(await deliveries.add([aDelivery('b')])).toHaveLength(1);
});

test('how a delivery ended is known for 120 days, and what a roll-up held as long and until it has ended', async () => {
  const { url, state, deliveries } = await open();
  const [a, b] = [aDelivery('a'), aDelivery('b')];
  await deliveries.add([a, b]);
  await deliveries.end(a, { ...posted, endedAtMs: NOW_MS - 1 });
  await deliveries.end(b, posted);
  const rollUp = async (id: string, channelId: string, createdAtMs: number) => {
    const member = aDelivery(`in ${id}`, { channelId, createdAtMs });
    await deliveries.add([member]);
    const made = { ...aRollUp(id, [member], channelId), createdAtMs };
    await deliveries.rollUp(made);
    return made;
  };
  const old = await rollUp('old', '11', NOW_MS - 1);
  await deliveries.endRollUp(old, posted, new Set());
  const waiting = await rollUp('waiting', '12', NOW_MS - 1);
  const young = await rollUp('young', '13', NOW_MS);
  await deliveries.endRollUp(young, posted, new Set());
  await (await openedRecords(state)).sweep(NOW_MS + LEDGER_MS);
  for (const run of [deliveries, (await open(url)).deliveries]) {
    expect(await run.ended('a')).toBeUndefined();
    expect(await run.ended('b')).toMatchObject(posted);
    expect(await run.findRollUp(old.id)).toBeUndefined();
    expect(await run.findRollUp(waiting.id)).toEqual(waiting);
    expect(await run.findRollUp('young')).toEqual(young);
  }
});

test('a damaged row of the ledger still says that the delivery has ended', async () => {
  const { backend, deliveries } = await open();
  const bad = ['', 'null', 'no JSON', '[]', '5', '{"value":null}', '{"value":[]}', '{"value":{"channelId":5}}'];
  await backend.write(new Map(bad.map((text, index) => [`ledger:bad${index}`, text])));
  for (const index of bad.keys()) {
    expect(await deliveries.ended(`bad${index}`), bad[index]).toMatchObject({ outcome: 'over', messageId: null });
    expect(await deliveries.add([aDelivery(`bad${index}`)])).toEqual([]);
  }
});

test('what was found in a channel is where it was found until it is recorded, and where it is a roll-up, it ends all of it', async () => {
  const { url, deliveries } = await open();
  const [a, b] = [aDelivery('a'), aDelivery('b')];
  await deliveries.add([a, b, aDelivery('c')]);
  const rollUp = aRollUp('both', [a, b]);
  await deliveries.rollUp(rollUp);
  await deliveries.endRollUp(rollUp, posted, new Set());
  const place = { channelId: '10', messageId: '77' };
  await deliveries.noteFound(
    '10',
    new Map([
      ['c', place],
      ['x', place],
      ['both', place],
    ]),
    NOW_MS,
  );
  for (const run of [deliveries, (await open(url)).deliveries]) {
    expect(run.isPending('c')).toBe(true);
    expect(await run.foundPlaces(['x', 'c', 'a', 'none'])).toEqual(new Map([['x', place]]));
    expect(await run.ended('x')).toMatchObject({ outcome: 'posted', isFound: true });
    expect(await run.ended('both')).toMatchObject(posted);
  }
  // Detected anew, it is posted as what it is: a post that is found.
  expect((await deliveries.add([aDelivery('x')])).map(({ id }) => id)).toEqual(['x']);
});

test('what was over before it could be posted is put in again when it is news again, and what was posted never is', async () => {
  const { url, deliveries } = await open();
  const over = { outcome: 'over', messageChannelId: null, messageId: null, endedAtMs: NOW_MS } as const;
  const flapped = aDelivery('flapped', { alsoTells: ['with it'] });
  const [inPost, overInPost] = [aDelivery('in post'), aDelivery('over in post')];
  const others = (['gone', 'refused', 'posted'] as const).map((outcome) => ({ outcome, delivery: aDelivery(outcome) }));
  await deliveries.add([flapped, inPost, overInPost, ...others.map(({ delivery }) => delivery)], (all) => [...all]);
  await deliveries.end(flapped, over);
  for (const { outcome, delivery } of others) await deliveries.end(delivery, { ...over, outcome });
  const rollUp = aRollUp('both', [inPost, overInPost]);
  await deliveries.rollUp(rollUp);
  await deliveries.endRollUp(rollUp, posted, new Set(['over in post']));
  const all = ['flapped', 'with it', 'in post', 'over in post', 'gone', 'refused', 'posted'];
  const again = await deliveries.add(
    all.map((id) => aDelivery(id)),
    (fresh) => [...fresh],
  );
  expect(again.map(({ id }) => id)).toEqual(['flapped', 'with it', 'over in post']);
  for (const run of [deliveries, (await open(url)).deliveries]) {
    expect(idsIn(run).toSorted()).toEqual(['flapped', 'over in post', 'with it']);
    expect(await run.ended('flapped'), 'it waits').toBeUndefined();
    expect(await run.ended('with it')).toBeUndefined();
  }
});

test('a roll-up that arrives after all that it holds was over was posted with all of it', async () => {
  const { url, deliveries } = await open();
  const both = [aDelivery('a'), aDelivery('b')];
  await deliveries.add(both, (all) => [...all]);
  const rollUp = aRollUp('both', both);
  await deliveries.rollUp(rollUp);
  const over = { outcome: 'over', messageChannelId: null, messageId: null, endedAtMs: NOW_MS } as const;
  await deliveries.endRollUp(rollUp, over, new Set(['a', 'b']));
  await deliveries.add([aDelivery('a')]);
  await deliveries.noteFound('10', new Map([['both', { channelId: '10', messageId: '77' }]]), NOW_MS);
  for (const run of [deliveries, (await open(url)).deliveries]) {
    expect(idsIn(run)).toEqual([]);
    expect([await run.ended('a'), await run.ended('b')]).toMatchObject([
      { outcome: 'posted', rollUpId: 'both' },
      { outcome: 'posted', rollUpId: 'both' },
    ]);
  }
});

test('what is found in a channel was posted, though it was taken for over', async () => {
  const { deliveries } = await open();
  const one = aDelivery('late');
  await deliveries.add([one]);
  await deliveries.end(one, { outcome: 'over', messageChannelId: null, messageId: null, endedAtMs: NOW_MS });
  const place = { channelId: '10', messageId: '77' };
  await deliveries.noteFound('10', new Map([['late', place]]), NOW_MS);
  expect(await deliveries.ended('late')).toMatchObject({ outcome: 'posted', messageId: '77', isFound: true });
  expect(await deliveries.foundPlaces(['late'])).toEqual(new Map([['late', place]]));
});
