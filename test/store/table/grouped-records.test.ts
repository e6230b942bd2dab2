import { expect, test } from 'vitest';
import { inMemory } from '../../../src/store/table/records.ts';
import type { Kind } from '../../../src/store/table/state.ts';
import { openedState } from '../../helpers/opened-state.ts';

interface Thing {
  place: string | null;
  note?: string;
}

const THING: Kind<Thing> = { name: 'thing', read: (row) => row as Thing };

/** Things in memory, by their place. */
async function things() {
  const { state } = openedState();
  await state.commit((changes) => {
    changes.set(THING, 'a', { place: 'here' });
    changes.set(THING, 'b', { place: 'there' });
    changes.set(THING, 'c', { place: null });
  });
  const records = await inMemory(state, THING);
  const groups = records.groupedBy(({ place }) => place);
  return {
    state,
    records,
    keysAt: () => Object.fromEntries([...groups].map(([place, group]) => [place, [...group.keys()]])),
    groups,
    put: (key: string, thing: Thing) => state.commit((changes) => records.set(changes, key, thing)),
    remove: (key: string) => state.commit((changes) => records.delete(changes, key)),
  };
}

test('records that there are stand in their groups, those of no group nowhere', async () => {
  const { records, keysAt } = await things();
  expect(keysAt()).toEqual({ here: ['a'], there: ['b'] });
  expect(records.size()).toBe(3);
  expect(records.keys()).toEqual(['a', 'b', 'c']);
  expect(records.all()).toEqual([{ place: 'here' }, { place: 'there' }, { place: null }]);
});

test('a record moves with its value, and a group that nobody is in is gone', async () => {
  const { keysAt, groups, put } = await things();
  await put('b', { place: 'here' });
  expect(keysAt()).toEqual({ here: ['a', 'b'] });
  expect(groups.get('here')?.get('b')).toEqual({ place: 'here' });
  await put('c', { place: 'there' });
  expect(keysAt()).toEqual({ here: ['a', 'b'], there: ['c'] });
  await put('a', { place: null });
  expect(keysAt()).toEqual({ here: ['b'], there: ['c'] });
});

test('one that stays in its group keeps its place in it, and shows what it is now', async () => {
  const { keysAt, groups, put } = await things();
  await put('d', { place: 'here' });
  await put('a', { place: 'here', note: 'new' });
  expect(keysAt()).toEqual({ here: ['a', 'd'], there: ['b'] });
  expect(groups.get('here')?.get('a')).toEqual({ place: 'here', note: 'new' });
});

test('a record that is deleted leaves its group, and one that never was leaves none', async () => {
  const { records, keysAt, put, remove } = await things();
  await put('d', { place: 'here' });
  await remove('a');
  await remove('c');
  await remove('never');
  expect(keysAt()).toEqual({ here: ['d'], there: ['b'] });
  await remove('d');
  expect(keysAt()).toEqual({ there: ['b'] });
  expect(records.keys()).toEqual(['b']);
});

test('whoever listens hears of each change once it is stored, with what was before', async () => {
  const { records, put, remove } = await things();
  const heard: unknown[] = [];
  records.onChange((key, record, before) => heard.push([key, record, before, records.get(key)]));
  const putting = put('d', { place: 'here' });
  expect(heard).toEqual([]);
  await putting;
  await put('d', { place: 'there' });
  await remove('d');
  expect(heard).toEqual([
    ['d', { place: 'here' }, undefined, { place: 'here' }],
    ['d', { place: 'there' }, { place: 'here' }, { place: 'there' }],
    ['d', undefined, { place: 'there' }, undefined],
  ]);
});

test('an update changes what is stored or what the same commit has made of it, and nothing that is not there', async () => {
  const { state, records } = await things();
  const heard: string[] = [];
  records.onChange((key) => heard.push(key));
  const note = (text: string) => (thing: Thing) => ({ ...thing, note: `${thing.note ?? ''}${text}` });
  await state.commit((changes) => {
    records.change(changes, 'a', note('x'));
    records.change(changes, 'a', note('y'));
    records.change(changes, 'never', note('x'));
    records.change(changes, 'b', (thing) => thing);
    records.delete(changes, 'c');
    records.change(changes, 'c', note('x'));
    records.set(changes, 'd', { place: 'here' });
    records.change(changes, 'd', note('x'));
  });
  expect(Object.fromEntries(records.entries())).toEqual({
    a: { place: 'here', note: 'xy' },
    b: { place: 'there' },
    d: { place: 'here', note: 'x' },
  });
  expect(heard).not.toContain('b');
  expect(heard).not.toContain('never');
});
