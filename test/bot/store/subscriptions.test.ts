import { expect, onTestFinished, test } from 'vitest';
import type { Subscription } from '../../../src/bot/deals/subscription.ts';
import { placeOfPerson } from '../../../src/bot/deals/watch.ts';
import { openSubscriptions, RESTORABLE_MS } from '../../../src/bot/store/subscriptions.ts';
import { openBackend } from '../../../src/shared/storage/backend.ts';
import { mortal } from '../../helpers/mortal-backend.ts';
import { temporaryState } from '../../helpers/temporary-folder.ts';
import { aSubscription, NOW_MS } from '../../helpers/things.ts';

async function open(url = temporaryState()) {
  const backend = openBackend(url);
  onTestFinished(() => backend.close());
  return openSubscriptions(backend);
}

test('subscriptions are there in the next run too, by their id and by their server', async () => {
  const url = temporaryState();
  const subscriptions = await open(url);
  const other = aSubscription('b', { guildId: '2', pausedBy: 'person', problem: 'forbidden', kinds: ['restocked'] });
  const one = aSubscription('a');
  await subscriptions.save(one);
  await subscriptions.save(other);
  await subscriptions.update('a', (was) => ({ ...was, filter: 'ssd' }));
  for (const run of [subscriptions, await open(url)]) {
    expect(run.all()).toEqual([{ ...one, filter: 'ssd' }, other]);
    expect(run.get('b')).toEqual(other);
    expect(run.get('c')).toBeUndefined();
    expect(run.ofGuild('2')).toEqual([other]);
  }
  await subscriptions.remove('a');
  for (const run of [subscriptions, await open(url)]) expect(run.all()).toEqual([other]);
});

test('changes that are asked for at once are made one after another, and none brings back what was removed', async () => {
  const subscriptions = await open();
  const more = () => subscriptions.update('a', (was) => ({ ...was, mostPerHour: was.mostPerHour + 1 }));
  await Promise.all([subscriptions.save(aSubscription('a', { mostPerHour: 1 })), more(), more()]);
  expect(subscriptions.get('a')?.mostPerHour).toBe(3);
  await Promise.all([subscriptions.remove('a'), more()]);
  expect(subscriptions.all()).toEqual([]);
});

test('one id in the tables of subscriptions and of watches is one subscription, that of the watch', async () => {
  const url = temporaryState();
  const backend = openBackend(url);
  onTestFinished(() => backend.close());
  const watch = aSubscription('a', {
    guildId: placeOfPerson('100'),
    watch: { aim: 'new', product: null, below: null },
  });
  await backend.table('subscriptions').set('a', aSubscription('a'));
  await backend.table('watches').set('a', watch);
  const subscriptions = await openSubscriptions(backend);
  expect(subscriptions.all()).toEqual([watch]);
  expect(subscriptions.ofGuild(aSubscription('a').guildId)).toEqual([]);
  expect(subscriptions.ofGuild(watch.guildId)).toEqual([watch]);
});

test('what a check refuses is not saved, and keeps nothing after it from being saved', async () => {
  const subscriptions = await open();
  const refuse = () => {
    expect(subscriptions.all()).toHaveLength(1);
    throw new Error('There is one already.');
  };
  const first = subscriptions.save(aSubscription('a'), () => undefined);
  await expect(subscriptions.save(aSubscription('b'), refuse)).rejects.toThrow('There is one already.');
  await first;
  await subscriptions.save(aSubscription('c'));
  expect(subscriptions.all().map(({ id }) => id)).toEqual(['a', 'c']);
});

test('every listener is told of every change once it is kept', async () => {
  const subscriptions = await open();
  const told: unknown[] = [];
  subscriptions.onChange((id, now) => told.push(['one', id, now?.filter, subscriptions.get(id)?.filter]));
  subscriptions.onChange((id) => told.push(['other', id]));
  await subscriptions.save(aSubscription('a', { filter: 'ssd' }));
  await subscriptions.update('a', (was) => ({ ...was, filter: 'tv' }));
  await subscriptions.remove('a');
  await subscriptions.update('a', (was) => was);
  expect(told).toEqual([
    ['one', 'a', 'ssd', 'ssd'],
    ['other', 'a'],
    ['one', 'a', 'tv', 'tv'],
    ['other', 'a'],
    ['one', 'a', undefined, undefined],
    ['other', 'a'],
  ]);
});

test('a listener hears what stood before each change, of many at once as well', async () => {
  const subscriptions = await open();
  const told: unknown[] = [];
  subscriptions.onChange((id, now, before) => told.push([id, before?.filter, now?.filter]));
  await subscriptions.save(aSubscription('a', { filter: 'ssd' }));
  await subscriptions.update('a', (was) => ({ ...was, filter: 'tv', guildId: '2' }));
  await subscriptions.apply(() => ({ saved: [aSubscription('b'), aSubscription('c')], removed: ['a'] }));
  await subscriptions.apply(() => ({ saved: [aSubscription('b', { filter: 'tv' })], removed: [] }));
  await subscriptions.remove('b');
  await subscriptions.remove('b');
  expect(told).toEqual([
    ['a', undefined, 'ssd'],
    ['a', 'ssd', 'tv'],
    ['a', 'tv', undefined],
    ['b', undefined, ''],
    ['c', undefined, ''],
    ['b', '', 'tv'],
    ['b', 'tv', undefined],
    ['b', undefined, undefined],
  ]);
});

test('parts that are read are in common where they are equal, and stay apart where they differ in anything', async () => {
  const url = temporaryState();
  const subscriptions = await open(url);
  const { timing } = aSubscription('a');
  const timings = [
    timing,
    { ...timing, dailyAtMinute: timing.dailyAtMinute + 1 },
    { ...timing, dailyAtMinute: String(timing.dailyAtMinute) as unknown as number },
    { ...timing, quiet: { fromMinute: 60, toMinute: 120 } },
    { ...timing, quiet: { fromMinute: 60, toMinute: 121 } },
    { ...timing, more: 1 },
  ];
  const kinds: Subscription['kinds'][] = [['restocked'], ['restocked', 'new-offer'], ['new-offer', 'restocked']];
  const saved = timings.flatMap((one, index) =>
    kinds.flatMap((list, at) =>
      [1, 2].map((copy) => aSubscription(`${copy} ${index} ${at}`, { timing: one, kinds: list })),
    ),
  );
  for (const one of saved) await subscriptions.save(one);
  const read = (await open(url)).all();
  expect(read).toEqual(saved.toSorted((a, b) => (a.id < b.id ? -1 : 1)));
  expect(new Set(read.map((one) => one.timing)).size).toBe(timings.length);
  expect(new Set(read.map((one) => one.kinds)).size).toBe(kinds.length);
});

test('a removal is undone with the same id and settings, in the next run too', async () => {
  const url = temporaryState();
  const subscriptions = await open(url);
  const one = aSubscription('a', { filter: 'ssd', mentionRoleId: '42', pausedBy: 'person' });
  await subscriptions.save(one);
  await subscriptions.removeRestorably('a', NOW_MS);
  expect(subscriptions.all()).toEqual([]);
  const next = await open(url);
  expect(next.all()).toEqual([]);
  expect(await next.restorable('a', NOW_MS + 1)).toEqual(one);
  await next.restore('a', NOW_MS + 1, () => undefined);
  for (const run of [next, await open(url)]) expect(run.all()).toEqual([{ ...one, changedAtMs: NOW_MS + 1 }]);
  expect(await next.restorable('a', NOW_MS + 1)).toBeUndefined();
});

test('a removal can be undone for a day to the millisecond, and is forgotten after it', async () => {
  const subscriptions = await open();
  await subscriptions.save(aSubscription('a'));
  await subscriptions.removeRestorably('a', NOW_MS);
  await subscriptions.sweep(NOW_MS + RESTORABLE_MS);
  expect(await subscriptions.restorable('a', NOW_MS + RESTORABLE_MS)).toMatchObject({ id: 'a' });
  expect(await subscriptions.restorable('a', NOW_MS + RESTORABLE_MS + 1)).toBeUndefined();
  await subscriptions.restore('a', NOW_MS + RESTORABLE_MS + 1, () => undefined);
  expect(subscriptions.all()).toEqual([]);
  await subscriptions.sweep(NOW_MS + RESTORABLE_MS + 1);
  expect(await subscriptions.restorable('a', NOW_MS)).toBeUndefined();
});

test('a removal from the far future, by a clock that was set back, is forgotten as well', async () => {
  const subscriptions = await open();
  await subscriptions.save(aSubscription('a'));
  await subscriptions.removeRestorably('a', NOW_MS + 10 * RESTORABLE_MS);
  await subscriptions.sweep(NOW_MS);
  expect(await subscriptions.restorable('a', NOW_MS + 10 * RESTORABLE_MS)).toBeUndefined();
});

test('undoing twice, or what was never removed, changes nothing', async () => {
  const subscriptions = await open();
  await subscriptions.save(aSubscription('a', { filter: 'ssd' }));
  await subscriptions.removeRestorably('a', NOW_MS);
  await subscriptions.removeRestorably('b', NOW_MS);
  const undo = (id: string) => subscriptions.restore(id, NOW_MS, () => undefined);
  await Promise.all([
    undo('a'),
    subscriptions.update('a', (was) => ({ ...was, filter: 'tv' })),
    undo('a'),
    undo('b'),
    undo('c'),
  ]);
  expect(subscriptions.all().map(({ id, filter }) => [id, filter])).toEqual([['a', 'tv']]);
});

test('what a check refuses stays removed, and can be restored later', async () => {
  const subscriptions = await open();
  await subscriptions.save(aSubscription('a'));
  await subscriptions.removeRestorably('a', NOW_MS);
  const refuse = () => {
    throw new Error('There is one already.');
  };
  await expect(subscriptions.restore('a', NOW_MS, refuse)).rejects.toThrow('There is one already.');
  expect(subscriptions.all()).toEqual([]);
  await subscriptions.restore('a', NOW_MS, () => undefined);
  expect(subscriptions.all()).toHaveLength(1);
});

test.each([1, 2])(
  'killed before write %d of a removal or of its undoing, the subscription is not lost',
  async (dieAt) => {
    const url = temporaryState();
    const backend = openBackend(url);
    onTestFinished(() => backend.close());
    const before = await openSubscriptions(backend);
    const one = aSubscription('a', { filter: 'ssd' });
    await before.save(one);

    const dying = await openSubscriptions(mortal(backend, dieAt));
    await expect(dying.removeRestorably('a', NOW_MS)).rejects.toThrow('Killed.');
    const next = await open(url);
    expect(next.all()).toEqual([one]);
    await next.removeRestorably('a', NOW_MS);

    const dyingAgain = await openSubscriptions(mortal(backend, dieAt));
    await expect(dyingAgain.restore('a', NOW_MS, () => undefined)).rejects.toThrow('Killed.');
    const last = await open(url);
    await last.restore('a', NOW_MS, () => undefined);
    expect(last.all()).toEqual([{ ...one, changedAtMs: NOW_MS }]);
  },
);

test('many changes are made together, decided on what is stored by then, and told of once they are', async () => {
  const url = temporaryState();
  const subscriptions = await open(url);
  await subscriptions.save(aSubscription('a'));
  await subscriptions.save(aSubscription('b', { filter: ':colon' }));
  const told: unknown[] = [];
  subscriptions.onChange((id, now) => told.push([id, now?.filter, subscriptions.all().length]));
  const earlier = subscriptions.update('b', (was) => ({ ...was, mostPerHour: 7 }));
  await subscriptions.apply(() => {
    expect(subscriptions.get('b')?.mostPerHour).toBe(7);
    return { saved: [aSubscription('b', { filter: ':new' }), aSubscription('c')], removed: ['a'] };
  });
  await earlier;
  const all = [aSubscription('b', { filter: ':new' }), aSubscription('c')];
  for (const run of [subscriptions, await open(url)]) expect(run.all()).toEqual(all);
  expect(told.slice(1)).toEqual([
    ['a', undefined, 2],
    ['b', ':new', 2],
    ['c', '', 2],
  ]);
  const refused = subscriptions.apply(() => {
    throw new Error('It changed meanwhile.');
  });
  await expect(refused).rejects.toThrow('It changed meanwhile.');
  expect(subscriptions.all()).toEqual(all);
});
