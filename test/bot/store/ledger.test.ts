import { expect, onTestFinished, test } from 'vitest';
import type { Announcement } from '../../../src/bot/deals/announcement.ts';
import { openDeliveries, type RollUp } from '../../../src/bot/store/deliveries.ts';
import type { Delivery } from '../../../src/bot/store/delivery.ts';
import { onePostEach } from '../../../src/bot/store/one-post.ts';
import { openBackend } from '../../../src/shared/storage/backend.ts';
import { temporaryState } from '../../helpers/temporary-folder.ts';
import { anOffer, HOUR_MS, NOW_MS, newOfferOf } from '../../helpers/things.ts';

/** How long the ledger and the lists of roll-ups are kept. */
const KEPT_MS = 120 * 24 * HOUR_MS;

function aDelivery(id: string, changes: Partial<Delivery> = {}): Delivery {
  return {
    version: 2,
    id,
    guildId: '1',
    channelId: '10',
    matches: [{ subscriptionId: 's', terms: [] }],
    // Each tells of a thing of its own.
    announcement: { ...newOfferOf(anOffer(1)), subject: id },
    alsoTells: [],
    createdAtMs: NOW_MS,
    sequence: 0,
    dueAtMs: NOW_MS,
    isDigest: false,
    isLate: false,
    ...changes,
  };
}

function aRollUp(id: string, deliveries: readonly Delivery[], channelId = '10'): RollUp {
  const members = deliveries.map(({ id: deliveryId, announcement, alsoTells, matches }) => ({
    deliveryId,
    announcement,
    alsoTells,
    matches,
  }));
  const replaces = deliveries.map((delivery) => delivery.id);
  return { version: 1, id, guildId: '1', channelId, members, replaces, createdAtMs: NOW_MS };
}

const posted = { outcome: 'posted', messageChannelId: '10', messageId: 'm', endedAtMs: NOW_MS } as const;

async function open(url = temporaryState()) {
  const backend = openBackend(url);
  onTestFinished(() => backend.close());
  return { url, backend, deliveries: await openDeliveries(backend) };
}

type Deliveries = Awaited<ReturnType<typeof openDeliveries>>;
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
  const entry = { version: 2, channelId: '10', rollUpId: null, ...posted };
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
    const entry = { version: 2, channelId: '10', ...posted };
    expect(await run.ended(rollUp.id)).toEqual({ ...entry, rollUpId: null });
    expect(await run.ended('a')).toEqual({ ...entry, rollUpId: rollUp.id });
    expect(await run.ended('b')).toEqual({
      ...entry,
      outcome: 'over',
      messageChannelId: null,
      messageId: null,
      rollUpId: null,
    });
    expect(await run.findRollUp(rollUp.id)).toEqual(rollUp);
    expect(await run.findRollUp('none')).toBeUndefined();
  }
});

test('what is in the ledger already is taken out of the outbox when the state is opened', async () => {
  const { url, backend, deliveries } = await open();
  await deliveries.add([aDelivery('a'), aDelivery('b')]);
  await backend.table('ledger').set('a', { ...posted, version: 2, channelId: '10', rollUpId: null });
  await open(url);
  expect(await backend.table('outbox').get('a')).toBeUndefined();
  expect(await backend.table('outbox').get('b')).toEqual(aDelivery('b'));
});

test('what could not be put in keeps nothing after it from being put in', async () => {
  const { deliveries } = await open();
  await expect(deliveries.add([aDelivery('a', { createdAtMs: 1n as unknown as number })])).rejects.toThrow();
  expect(deliveries.isPending('a')).toBe(false);
  expect(await deliveries.add([aDelivery('b')])).toHaveLength(1);
});

test('how a delivery ended is known for 120 days, and what a roll-up held as long and until it has ended', async () => {
  const { url, deliveries } = await open();
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
  await deliveries.sweep(NOW_MS + KEPT_MS);
  for (const run of [deliveries, (await open(url)).deliveries]) {
    expect(await run.ended('a')).toBeUndefined();
    expect(await run.ended('b')).toMatchObject(posted);
    expect(await run.findRollUp(old.id)).toBeUndefined();
    expect(await run.findRollUp(waiting.id)).toEqual(waiting);
    expect(await run.findRollUp('young')).toEqual(young);
  }
});

test.each([
  ['m', { outcome: 'posted', messageChannelId: '10', messageId: 'm' }],
  [null, { outcome: 'over', messageChannelId: null, messageId: null }],
])('reads how a delivery ended before there were roll-ups and forums: message %s', async (messageId, expected) => {
  const { backend, deliveries } = await open();
  await backend.table('ledger').set('a', { version: 1, channelId: '10', messageId, endedAtMs: NOW_MS });
  expect(await deliveries.ended('a')).toEqual({
    version: 2,
    channelId: '10',
    rollUpId: null,
    endedAtMs: NOW_MS,
    ...expected,
  });
});

const KINDS = ['new-offer', 'relisted', 'restocked', 'price-drop', 'ending-soon'] as const;
const price = { minimum: 1, maximum: 1 };
const told = (kind: (typeof KINDS)[number], changes: Partial<Delivery> = {}): Delivery => {
  const item = anOffer(1);
  const beside = {
    'new-offer': {},
    relisted: { before: { offerId: 'o', salePrice: price, endedAtMs: 1 } },
    restocked: {},
    'price-drop': { before: price },
    'ending-soon': {},
  }[kind];
  const announcement = { kind, subject: item.id, occurrence: '', item, ...beside } as Announcement;
  return aDelivery(kind, { announcement, ...changes });
};

test('the most telling of what is found of a thing stands for all of it, whatever the order', () => {
  for (const found of [KINDS.map((kind) => told(kind)), KINDS.toReversed().map((kind) => told(kind))]) {
    for (const [index, kind] of KINDS.entries()) {
      const rest = found.filter(
        ({ announcement }) => !KINDS.slice(0, index).some((more) => more === announcement.kind),
      );
      const [post, ...more] = onePostEach(rest);
      expect(post?.announcement.kind).toBe(kind);
      expect(post?.alsoTells.toSorted()).toEqual(KINDS.slice(index + 1).toSorted());
      expect(more).toEqual([]);
    }
  }
});

test('of two of the same kind the one that was found first stands for both, and each subscription is named once', () => {
  const match = (subscriptionId: string, term: string) => ({ subscriptionId, terms: [term] });
  const one = told('price-drop', { id: 'a', matches: [match('s', 'ssd')], alsoTells: ['x'] });
  const other = told('price-drop', { id: 'b', matches: [match('t', 'tv'), match('s', 'tv')], alsoTells: ['y'] });
  const [post] = onePostEach([one, other]);
  expect(post).toEqual({ ...one, matches: [match('s', 'ssd'), match('t', 'tv')], alsoTells: ['x', 'b', 'y'] });
});

test('things and channels keep their own posts, and a post is due when the first of what it tells is', () => {
  const elsewhere = told('restocked', { id: 'elsewhere', channelId: '11' });
  const another = aDelivery('another');
  const digest = told('restocked', { dueAtMs: NOW_MS + 1, isDigest: true });
  const alone = told('price-drop');
  expect(onePostEach([digest, elsewhere, another, alone])).toEqual([
    { ...digest, dueAtMs: NOW_MS, isDigest: false, alsoTells: ['price-drop'] },
    elsewhere,
    another,
  ]);
  const [early] = onePostEach([told('restocked'), told('price-drop', { dueAtMs: NOW_MS + 1, isDigest: true })]);
  expect(early).toMatchObject({ id: 'restocked', dueAtMs: NOW_MS, isDigest: false });
});
