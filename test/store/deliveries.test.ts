import { expect, test } from 'vitest';
import type { Announcement } from '../../src/deals/announcement.ts';
import type { Delivery } from '../../src/store/delivery.ts';
import { rollUpOf } from '../../src/store/delivery.ts';
import { mortal } from '../helpers/mortal-backend.ts';
import { openedDeliveries } from '../helpers/opened-deliveries.ts';
import { openedState, stateIn } from '../helpers/opened-state.ts';
import { aDelivery, anOffer, NOW_MS } from '../helpers/things.ts';

/** Nothing is merged. */
const all = (fresh: readonly Delivery[]) => [...fresh];

const posted = { outcome: 'posted', messageChannelId: '10', messageId: 'm', endedAtMs: NOW_MS } as const;

async function open(at?: string) {
  const { url, backend, state } = openedState(at);
  return { url, backend, state, deliveries: await openedDeliveries(state) };
}

test('what is put in is pending, oldest first, in this run and the next', async () => {
  const { url, deliveries } = await open();
  await deliveries.add([aDelivery('c', { createdAtMs: NOW_MS + 1 }), aDelivery('b', { sequence: 1 }), aDelivery('a')]);
  expect(deliveries.pending('10').map(({ id }) => id)).toEqual(['a', 'b', 'c']);
  const next = await open(url);
  expect(next.deliveries.pending('10').map(({ id }) => id)).toEqual(['a', 'b', 'c']);
  expect(next.deliveries.channels()).toEqual(['10']);
});

test('an id that is pending is not put in again', async () => {
  const { deliveries } = await open();
  expect(await deliveries.add([aDelivery('a'), aDelivery('a')])).toHaveLength(1);
  expect(await deliveries.add([aDelivery('a')])).toHaveLength(0);
  expect(deliveries.pending('10')).toHaveLength(1);
});

test('an id that has ended never comes back, in this run or the next', async () => {
  const { url, deliveries } = await open();
  await deliveries.add([aDelivery('a')]);
  await deliveries.end(aDelivery('a'), posted);
  expect(await deliveries.add([aDelivery('a')])).toEqual([]);
  expect(deliveries.channels()).toEqual([]);
  const next = await open(url);
  expect(await next.deliveries.add([aDelivery('a')])).toEqual([]);
});

/** What waits takes over when what was found is due. */
const dueAsFound = (waiting: Delivery, [found]: readonly Delivery[]) =>
  found && found.dueAtMs < waiting.dueAtMs ? { ...waiting, dueAtMs: found.dueAtMs } : waiting;

test('what is found again joins what waits for it, in this run and the next, and changes nothing else', async () => {
  const { url, deliveries } = await open();
  const waiting = { dueAtMs: NOW_MS + 1, isDigest: true };
  await deliveries.add(
    [aDelivery('a', waiting), aDelivery('b', { ...waiting, alsoTells: ['c'] }), aDelivery('d')],
    all,
  );
  const join = (id: string, channelId = '10') => deliveries.join([aDelivery(id, { channelId })], dueAsFound);
  expect(await join('a', '11'), 'another channel’s').toEqual([]);
  expect(await join('x'), 'what is not there').toEqual([]);
  expect(await join('d'), 'what it does not change').toEqual([]);
  const hastened = aDelivery('b', { dueAtMs: NOW_MS, isDigest: true, alsoTells: ['c'] });
  expect(await join('c'), 'what another stands for').toEqual([hastened]);
  for (const store of [deliveries, (await open(url)).deliveries]) {
    const dueTimes = store.pending('10').map(({ id, dueAtMs }) => [id, dueAtMs] as const);
    expect(new Map(dueTimes)).toEqual(
      new Map([
        ['b', NOW_MS],
        ['d', NOW_MS],
        ['a', NOW_MS + 1],
      ]),
    );
    expect(dueTimes.at(-1)?.[0], 'the last that is due').toBe('a');
    expect(['a', 'b', 'c', 'd', 'x'].map((id) => store.isPending(id))).toEqual([true, true, true, true, false]);
  }
  await deliveries.end(hastened, posted);
  expect(await join('c')).toEqual([]);
  expect((await open(url)).deliveries.isPending('b')).toBe(false);
});

test('what joins a member of a roll-up leaves the roll-up as it was tried, in this run and the next, until that comes apart', async () => {
  const { url, deliveries } = await open();
  const [first, second] = ['s', 't'].map((subscriptionId) => ({ subscriptionId, terms: [] }));
  if (!first || !second) throw new Error('There are two.');
  const members = [aDelivery('a', { matches: [first] }), aDelivery('b', { matches: [first] })] as const;
  await deliveries.add(members, all);
  const rollUp = rollUpOf([...members], 'late');
  await deliveries.rollUp(rollUp);
  const wanted = [first, { ...second, isUntried: true as const }];
  await deliveries.join([aDelivery('a')], (waiting) => ({ ...waiting, matches: wanted }));
  for (const store of [deliveries, (await open(url)).deliveries]) {
    expect(store.pendingRollUp('10')).toEqual(rollUp);
    expect(store.pendingMembers('10').find(({ id }) => id === 'a')?.matches).toEqual(wanted);
  }
  await deliveries.dissolve(rollUp);
  expect(deliveries.pending('10').find(({ id }) => id === 'a')?.matches).toEqual(wanted);
  // The next one has all of it, as its row says from then on.
  const [one, other] = deliveries.pending('10');
  if (!one || !other) throw new Error('Both wait.');
  const next = rollUpOf([one, other], 'late');
  await deliveries.rollUp(next);
  for (const store of [deliveries, (await open(url)).deliveries]) {
    const [member] = store.pendingRollUp('10')?.members.filter(({ deliveryId }) => deliveryId === 'a') ?? [];
    expect(member?.matches).toEqual([first, second]);
  }
});

const item = anOffer(1);
const drop: Announcement = {
  kind: 'price-drop',
  subject: item.id,
  occurrence: '40-20',
  item,
  before: { minimum: 40, maximum: 40 },
};
const back: Announcement = { kind: 'restocked', subject: item.id, occurrence: '1', item };
const isTold = (deliveries: readonly Delivery[]) =>
  deliveries.map(({ channelId, announcement: { kind } }) => `${channelId} ${kind}`).toSorted();

/** The last of these stands for the others. */
const asOne = (found: readonly Delivery[]) =>
  found.slice(-1).map((one) => ({ ...one, alsoTells: found.slice(0, -1).map(({ id }) => id) }));

test('what a post stands for ends with it, in this run and the next; what was told before keeps nothing back', async () => {
  const { url, deliveries } = await open();
  const both = [aDelivery('drop', { announcement: drop }), aDelivery('back', { announcement: back })];
  const [post] = await deliveries.add(both, asOne);
  const next = await open(url);
  for (const store of [deliveries, next.deliveries]) expect(await store.add(both, asOne)).toEqual([]);
  if (post) await deliveries.end(post, posted);
  expect(await deliveries.add(both, asOne)).toEqual([]);
  expect(await deliveries.ended('drop')).toMatchObject({ outcome: 'posted', messageId: 'm' });
  const again = { ...drop, occurrence: '20-10' };
  const added = await deliveries.add(
    [aDelivery('back', { announcement: back }), aDelivery('again', { announcement: again })],
    asOne,
  );
  expect(isTold(added)).toEqual(['10 price-drop']);
});

test('what a member of a roll-up stands for ends with that', async () => {
  const { deliveries } = await open();
  const both = [aDelivery('drop', { announcement: drop }), aDelivery('back', { announcement: back })];
  const [member] = await deliveries.add(both, asOne);
  await deliveries.add([aDelivery('a')]);
  if (!member) throw new Error('Nothing was put in.');
  const rollUp = rollUpOf([member, aDelivery('a')], 'late');
  await deliveries.rollUp(rollUp);
  expect(await deliveries.add(both, asOne)).toEqual([]);
  await deliveries.endRollUp(rollUp, posted, new Set());
  expect(await deliveries.add(both, asOne)).toEqual([]);
  expect(await deliveries.ended('drop')).toMatchObject({ outcome: 'posted', rollUpId: rollUp.id });
});

test('added while it is being ended, it is not put in again', async () => {
  const { deliveries } = await open();
  for (let round = 0; round < 50; round += 1) {
    const id = `d${round}`;
    await deliveries.add([aDelivery(id)]);
    const [, again] = await Promise.all([deliveries.end(aDelivery(id), posted), deliveries.add([aDelivery(id)])]);
    expect(again).toEqual([]);
  }
  expect(deliveries.pending('10')).toEqual([]);
});

test('withdrawn, it can be put in again', async () => {
  const { deliveries } = await open();
  await deliveries.add([aDelivery('a')]);
  await deliveries.withdraw(aDelivery('a'));
  expect(await deliveries.add([aDelivery('a')])).toHaveLength(1);
});

test('a roll-up that was not posted leaves its members pending as before, in this run and the next', async () => {
  const { url, deliveries } = await open();
  const [a, b, c] = ['a', 'b', 'c'].map((id, sequence) => aDelivery(id, { sequence })) as [
    Delivery,
    Delivery,
    Delivery,
  ];
  await deliveries.add([a, b, c], all);
  const rollUp = rollUpOf([a, b], 'late');
  await deliveries.rollUp(rollUp);
  expect(deliveries.pending('10')).toEqual([c]);
  await deliveries.dissolve(rollUp);
  for (const run of [deliveries, (await open(url)).deliveries]) {
    expect(run.pending('10')).toEqual([a, b, c]);
    expect(run.pendingRollUp('10')).toBeUndefined();
    expect([a, b, c, rollUp].map(({ id }) => run.isPending(id))).toEqual([true, true, true, false]);
  }
});

test('abandoned, a channel has nothing that waits, in a roll-up or alone, and others keep theirs', async () => {
  const { url, backend, deliveries } = await open();
  const [a, b, c] = ['a', 'b', 'c'].map((id) => aDelivery(id, { alsoTells: [`${id}+`] })) as [
    Delivery,
    Delivery,
    Delivery,
  ];
  const elsewhere = aDelivery('elsewhere', { channelId: '11' });
  await deliveries.add([a, b, c, elsewhere], all);
  const rollUp = rollUpOf([a, b], 'late');
  await deliveries.rollUp(rollUp);
  await deliveries.abandon('10');
  await deliveries.abandon('12');
  for (const run of [deliveries, (await open(url)).deliveries]) {
    expect(run.channels()).toEqual(['11']);
    expect(run.pendingRollUp('10')).toBeUndefined();
    for (const id of ['a', 'a+', 'b', 'b+', 'c', 'c+', rollUp.id]) expect(run.isPending(id), id).toBe(false);
  }
  const rows = await backend.under(['delivery:', 'pending-roll-up:', 'ledger:']);
  expect(rows.map(({ key }) => key)).toEqual(['delivery:elsewhere']);
  expect(await deliveries.add([a, b, c], all), 'none of it has ended').toHaveLength(3);
});

test('a roll-up has the id of what it tells where, whatever its order, and is as old as the oldest of that', () => {
  const [a, b, c] = ['a', 'b', 'c'].map((id) => aDelivery(id)) as [Delivery, Delivery, Delivery];
  const { id } = rollUpOf([a, b], 'late');
  expect(id, 'what it was in every released version').toBe('Geo12PCqfeurhi_93jzfRR');
  expect(rollUpOf([b, a], 'limit').id).toBe(id);
  const others = [rollUpOf([a], 'late'), rollUpOf([a, c], 'late'), rollUpOf([{ ...a, channelId: '11' }, b], 'late')];
  expect(new Set([id, ...others.map((other) => other.id)]).size).toBe(4);
  const [older, younger] = [aDelivery('older', { createdAtMs: 1 }), aDelivery('younger', { createdAtMs: 2 })];
  expect(rollUpOf([younger, older], 'late').createdAtMs).toBe(1);
});

test('a message that was deleted is known as posted and deleted, and what was not posted stays as it ended', async () => {
  const { url, state, deliveries } = await open();
  const [a, b] = [aDelivery('a'), aDelivery('b')];
  await deliveries.add([a, b], all);
  await deliveries.end(a, posted);
  const gone = { outcome: 'gone', messageChannelId: null, messageId: null, endedAtMs: NOW_MS } as const;
  await deliveries.end(b, gone);
  await state.transact((changes) => deliveries.noteDeleted(changes, ['a', 'b', 'x'], NOW_MS + 1));
  for (const run of [deliveries, (await open(url)).deliveries]) {
    const deleted = { ...posted, messageChannelId: null, messageId: null, deletedAtMs: NOW_MS + 1 };
    expect(await run.ended('a')).toEqual({ channelId: '10', rollUpId: null, ...deleted });
    expect(await run.ended('b')).toEqual({ channelId: '10', rollUpId: null, ...gone });
    expect(await run.ended('x')).toBeUndefined();
  }
});

test('what was posted between two messages is found by channel, and a roll-up as what it tells', async () => {
  const { deliveries } = await open();
  const ids = ['early', 'first', 'one', 'other', 'missed', 'last', 'strange', 'gone'];
  const waiting = ids.map((id) => aDelivery(id));
  const elsewhere = aDelivery('elsewhere', { channelId: '11' });
  await deliveries.add([...waiting, elsewhere], all);
  const [early, first, one, other, missed, last, strange, gone] = waiting as [Delivery, ...Delivery[]] & typeof waiting;
  const rollUp = rollUpOf([one, other, missed] as [Delivery, Delivery, Delivery], 'late');
  await deliveries.rollUp(rollUp);
  await deliveries.endRollUp(rollUp, { ...posted, messageId: '150' }, new Set(['missed']));
  const at = { early: '99', first: '100', last: '200', strange: '15x', elsewhere: '1000' };
  for (const [delivery, messageId] of [
    [early, at.early],
    [first, at.first],
    [last, at.last],
    [strange, at.strange],
    [elsewhere, at.elsewhere],
  ] as [Delivery, string][]) {
    await deliveries.end(delivery, { ...posted, messageId });
  }
  await deliveries.end(gone as Delivery, { ...posted, outcome: 'gone', messageId: '160' });
  const found = await deliveries.postedBetween(100n, 200n);
  expect([...found.keys()]).toEqual(['10']);
  expect(found.get('10')?.toSorted((a, b) => a.id.localeCompare(b.id))).toEqual([
    { id: 'first', messageChannelId: '10', messageId: '100' },
    { id: 'one', messageChannelId: '10', messageId: '150' },
    { id: 'other', messageChannelId: '10', messageId: '150' },
  ]);
  expect((await deliveries.postedBetween(1000n, 1001n)).get('11')).toEqual([
    { id: 'elsewhere', messageChannelId: '10', messageId: '1000' },
  ]);
});

test('a change whose write fails changes nothing, in this run and the next', async () => {
  const { url, backend, deliveries: before } = await open();
  const [a, b, c] = ['a', 'b', 'c'].map((id) => aDelivery(id)) as [Delivery, Delivery, Delivery];
  await before.add([a, b, c]);
  const rollUp = rollUpOf([a, b], 'late');
  await before.rollUp(rollUp);
  const dying = await openedDeliveries(stateIn(mortal(backend, 1)));
  const heard: unknown[] = [];
  dying.onEnded((outcome) => heard.push(outcome));
  const changes = [
    () => dying.add([aDelivery('d')]),
    () => dying.join([aDelivery('c')], (waiting) => ({ ...waiting, dueAtMs: NOW_MS - 1 })),
    () => dying.end(c, posted),
    () => dying.withdraw(c),
    () => dying.dissolve(rollUp),
    () => dying.endRollUp(rollUp, posted, new Set()),
    () => dying.abandon('10'),
    () => dying.rollUp(rollUpOf([c], 'late')),
  ];
  for (const change of changes) await expect(change()).rejects.toThrow('Killed.');
  for (const run of [dying, (await open(url)).deliveries]) {
    expect(run.pending('10')).toEqual([c]);
    expect(run.pendingRollUp('10')).toEqual(rollUp);
    for (const id of ['a', 'b', 'c', rollUp.id]) expect(run.isPending(id)).toBe(true);
    for (const id of ['a', 'b', 'c', 'd', rollUp.id]) expect(await run.ended(id)).toBeUndefined();
  }
  expect(heard).toEqual([]);
});

test('every listener hears of each announcement that has ended, once that is stored', async () => {
  const { deliveries } = await open();
  const [a, b, c] = ['a', 'b', 'c'].map((id) => aDelivery(id)) as [Delivery, Delivery, Delivery];
  await deliveries.add([a, b, c]);
  const heard: unknown[] = [];
  deliveries.onEnded((outcome, { subject }, atMs) => {
    expect(deliveries.isPending('a')).toBe(false);
    heard.push([outcome, subject, atMs]);
  });
  await deliveries.end(a, { ...posted, outcome: 'gone' });
  const rollUp = rollUpOf([b, c], 'late');
  await deliveries.rollUp(rollUp);
  await deliveries.endRollUp(rollUp, posted, new Set(['c']));
  const told = (outcome: string, { announcement }: Delivery) => [outcome, announcement.subject, NOW_MS];
  expect(heard).toEqual([told('gone', a), told('posted', b), told('over', c)]);
});
