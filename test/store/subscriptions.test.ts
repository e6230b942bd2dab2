import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { placeOfPerson } from '../../src/deals/person.ts';
import { USUAL_SETTINGS } from '../../src/deals/settings.ts';
import { RESTORABLE_MS } from '../../src/store/subscriptions.ts';
import { SHOWN_AT_ONCE } from '../../src/store/table/state.ts';
import { mortal } from '../helpers/mortal-backend.ts';
import { openedRecords, openedState, stateIn } from '../helpers/opened-state.ts';
import { temporaryState } from '../helpers/temporary-folder.ts';
import { aSubscription, NOW_MS } from '../helpers/things.ts';

const open = async (url?: string) => (await openedRecords(openedState(url).state)).subscriptions;

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

test('the followers of a resource are those that are not paused, whatever has changed since', async () => {
  const url = temporaryState();
  const subscriptions = await open(url);
  const polls = { kind: 'polls' } as const;
  await subscriptions.save(aSubscription('a', { catchUp: 3 }));
  await subscriptions.save(aSubscription('b', { guildId: '2' }));
  await subscriptions.save(aSubscription('c', { source: polls, catchUp: 1 }));
  await subscriptions.save(aSubscription('paused', { pausedBy: 'person', source: { kind: 'dealcasts' } }));
  const seen = ({ followers }: typeof subscriptions) =>
    [...followers.all()].map(([resource, of]) => [resource, of.weight(), of.catchingUp().map(({ id }) => id)]);

  for (const run of [subscriptions, await open(url)]) {
    expect(seen(run)).toEqual([
      ['feed:Home', 2, ['a']],
      ['polls', 1, ['c']],
    ]);
  }
  await subscriptions.update('a', (was) => ({ ...was, catchUp: 0 }));
  await subscriptions.update('c', (was) => ({ ...was, source: { kind: 'feed', feed: 'Home' } }));
  await subscriptions.update('b', (was) => ({ ...was, pausedBy: 'person' }));
  for (const run of [subscriptions, await open(url)]) expect(seen(run)).toEqual([['feed:Home', 2, ['c']]]);
  expect(subscriptions.followers.of('polls')).toBeUndefined();

  await subscriptions.remove('a');
  await subscriptions.remove('c');
  for (const run of [subscriptions, await open(url)]) expect(seen(run)).toEqual([]);
});

test('a resource weighs by its servers, each more by 1 with every doubling, and all people together as one server', async () => {
  const subscriptions = await open();
  const weight = () => subscriptions.followers.of('feed:Home')?.weight();
  const follow = (id: string, guildId: string) => subscriptions.save(aSubscription(id, { guildId }));
  expect(weight()).toBeUndefined();
  await follow('a', '1');
  await follow('b', '2');
  expect(weight(), 'two servers').toBe(2);
  for (const id of ['c', 'd', 'e']) await follow(id, '2');
  expect(weight(), 'one of which has four').toBe(4);
  for (const name of ['ben', 'ada']) await follow(name, placeOfPerson(name));
  expect(weight(), 'and two people').toBe(6);
  await subscriptions.remove('ada');
  expect(weight(), 'and one').toBe(5);
});

test('changes that are asked for at once are made one after another, and none brings back what was removed', async () => {
  const subscriptions = await open();
  const more = () => subscriptions.update('a', (was) => ({ ...was, mostPerHour: was.mostPerHour + 1 }));
  await Promise.all([subscriptions.save(aSubscription('a', { mostPerHour: 1 })), more(), more()]);
  expect(subscriptions.get('a')?.mostPerHour).toBe(3);
  await Promise.all([subscriptions.remove('a'), more()]);
  expect(subscriptions.all()).toEqual([]);
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

test('of several that are asked for at once and of which only one may be, one is saved', async () => {
  const subscriptions = await open();
  const requireRoom = () => {
    if (subscriptions.all().length > 1) throw new Error('There are too many.');
  };
  const saved = await Promise.allSettled([
    // While this one is written, the others wait together.
    subscriptions.save(aSubscription('a')),
    subscriptions.save(aSubscription('b'), requireRoom),
    subscriptions.save(aSubscription('c'), requireRoom),
    subscriptions.apply(() => {
      requireRoom();
      return { saved: [aSubscription('d')], removed: [] };
    }),
  ]);
  expect(saved.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'rejected']);
  expect(subscriptions.all().map(({ id }) => id)).toEqual(['a', 'b']);
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
    ['b', undefined, ''],
    ['c', undefined, ''],
    ['a', 'tv', undefined],
    ['b', '', 'tv'],
    ['b', 'tv', undefined],
    ['b', undefined, undefined],
  ]);
});

test('a removal is undone with the same id and settings, in the next run too', async () => {
  const url = temporaryState();
  const subscriptions = await open(url);
  const one = aSubscription('a', { filter: 'ssd', pausedBy: 'person' });
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
  const { state } = openedState();
  const { subscriptions } = await openedRecords(state);
  await subscriptions.save(aSubscription('a'));
  await subscriptions.removeRestorably('a', NOW_MS);
  await (await openedRecords(state)).sweep(NOW_MS + RESTORABLE_MS);
  expect(await subscriptions.restorable('a', NOW_MS + RESTORABLE_MS)).toMatchObject({ id: 'a' });
  expect(await subscriptions.restorable('a', NOW_MS + RESTORABLE_MS + 1)).toBeUndefined();
  await subscriptions.restore('a', NOW_MS + RESTORABLE_MS + 1, () => undefined);
  expect(subscriptions.all()).toEqual([]);
  await (await openedRecords(state)).sweep(NOW_MS + RESTORABLE_MS + 1);
  expect(await subscriptions.restorable('a', NOW_MS)).toBeUndefined();
});

test('a removal from the far future, by a clock that was set back, can not be undone', async () => {
  const subscriptions = await open();
  await subscriptions.save(aSubscription('a'));
  await subscriptions.removeRestorably('a', NOW_MS + 10 * RESTORABLE_MS);
  expect(await subscriptions.restorable('a', NOW_MS)).toBeUndefined();
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

test('killed before the write of a removal or of its undoing, all is as it was', async () => {
  const { url, backend, state } = openedState();
  const { subscriptions: before } = await openedRecords(state);
  const one = aSubscription('a', { filter: 'ssd' });
  await before.save(one);
  const dying = (await openedRecords(stateIn(mortal(backend, 1)))).subscriptions;
  await expect(dying.removeRestorably('a', NOW_MS)).rejects.toThrow('Killed.');
  const next = await open(url);
  for (const run of [dying, next]) expect(run.all()).toEqual([one]);
  expect(await next.restorable('a', NOW_MS)).toBeUndefined();
  await next.removeRestorably('a', NOW_MS);
  const dyingAgain = (await openedRecords(stateIn(mortal(backend, 1)))).subscriptions;
  await expect(dyingAgain.restore('a', NOW_MS, () => undefined)).rejects.toThrow('Killed.');
  expect(dyingAgain.all()).toEqual([]);
  const last = await open(url);
  await last.restore('a', NOW_MS, () => undefined);
  expect(last.all()).toEqual([{ ...one, changedAtMs: NOW_MS }]);
});

test('a part of a commit is a save, a change or a removal like any', async () => {
  const { url, state } = openedState();
  const { subscriptions } = await openedRecords(state);
  await subscriptions.save(aSubscription('old'));
  await state.commit((changes) => {
    subscriptions.put(changes, aSubscription('a'));
    subscriptions.change(changes, 'a', (was) => ({ ...was, filter: 'ssd' }));
    subscriptions.change(changes, 'none', (was) => was);
    subscriptions.delete(changes, 'old');
    expect(subscriptions.all().map(({ id }) => id)).toEqual(['old']);
  });
  for (const run of [subscriptions, await open(url)])
    expect(run.all()).toEqual([aSubscription('a', { filter: 'ssd' })]);
});

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
    ['b', ':new', 2],
    ['c', '', 3],
    ['a', undefined, 2],
  ]);
  const refused = subscriptions.apply(() => {
    throw new Error('It changed meanwhile.');
  });
  await expect(refused).rejects.toThrow('It changed meanwhile.');
  expect(subscriptions.all()).toEqual(all);
});

test('a setting that a stored subscription lacks is as usual, and without a filter nothing is read', async () => {
  const url = temporaryState();
  const { mostPerHour: _, timing, ...older } = aSubscription('older', { filter: 'ssd' });
  const { filter: __, ...damaged } = aSubscription('damaged');
  const { state } = openedState(url);
  const kind = { name: 'subscription', read: () => undefined };
  await state.commit((changes) => {
    changes.set(kind, 'older', { ...older, timing: { mode: timing.mode, timeZone: 'Europe/Berlin' } });
    changes.set(kind, 'damaged', damaged);
  });
  const subscriptions = await open(url);
  expect(subscriptions.all()).toEqual([
    {
      ...older,
      mostPerHour: USUAL_SETTINGS.mostPerHour,
      timing: { ...USUAL_SETTINGS.timing, timeZone: 'Europe/Berlin' },
    },
  ]);
});

test('a change of very many leaves turns to others, who never see fewer than there were', async () => {
  const subscriptions = await open();
  const many = (prefix: string) =>
    Array.from({ length: SHOWN_AT_ONCE }, (_, index) => aSubscription(`${prefix}-${index}`));
  await subscriptions.apply(() => ({ saved: many('old'), removed: [] }));
  const seen = new Set<number>();
  let isThrough = false;
  const changing = subscriptions
    .apply(() => ({ saved: many('new'), removed: many('old').map(({ id }) => id) }))
    .finally(() => {
      isThrough = true;
    });
  while (!isThrough) {
    await nextTurn();
    seen.add(subscriptions.size());
  }
  await changing;
  expect(Math.min(...seen)).toBe(SHOWN_AT_ONCE);
  expect(seen.size, 'numbers in between, as others have turns').toBeGreaterThan(2);
  expect(subscriptions.keys()).toEqual(many('new').map(({ id }) => id));
});
