import { expect, onTestFinished, test } from 'vitest';
import { openSubscriptions } from '../../../src/bot/store/subscriptions.ts';
import { openBackend } from '../../../src/shared/storage/backend.ts';
import { temporaryState } from '../../helpers/temporary-folder.ts';
import { aSubscription } from '../../helpers/things.ts';

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
