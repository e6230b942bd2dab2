import { expect, test } from 'vitest';
import type { ChannelJobs } from '../../src/store/channel-jobs.ts';
import { type Edit, openEdits } from '../../src/store/edits.ts';
import { openPublications, type Publication } from '../../src/store/publications.ts';
import type { State } from '../../src/store/table/state.ts';
import { openedState } from '../helpers/opened-state.ts';
import { anOffer, NOW_MS, uuid } from '../helpers/things.ts';

/** Each change is a commit of its own. */
async function open<T>(state: State, openJobs: (state: State) => Promise<ChannelJobs<T>>) {
  const jobs = await openJobs(state);
  return {
    ...jobs,
    add: (added: readonly T[]) => state.commit((changes) => jobs.add(changes, added)),
    end: (job: T) => state.commit((changes) => jobs.end(changes, job)),
  };
}

const publication = (messageId: string, changes: Partial<Publication> = {}): Publication => ({
  channelId: '10',
  messageId,
  queuedAtMs: NOW_MS,
  ...changes,
});

test('jobs wait in their channels, oldest first, in this run and the next', async () => {
  const { state } = openedState();
  const jobs = await open(state, openPublications);
  await jobs.add([publication('z'), publication('a', { queuedAtMs: NOW_MS + 1 })]);
  await jobs.add([publication('b', { channelId: '11', queuedAtMs: NOW_MS + 2 })]);
  for (const run of [jobs, await open(state, openPublications)]) {
    expect(run.channels()).toEqual(['10', '11']);
    expect(run.pending('10').map(({ messageId }) => messageId)).toEqual(['z', 'a']);
    expect(run.pending('11').map(({ messageId }) => messageId)).toEqual(['b']);
    expect(run.pending('12')).toEqual([]);
    expect(run.size()).toBe(3);
  }
});

test('a job that is done is gone, in this run and the next, and so is its channel with the last', async () => {
  const { state } = openedState();
  const jobs = await open(state, openPublications);
  const [one, other] = [publication('a'), publication('b')];
  await jobs.add([one, other]);
  await jobs.end(one);
  expect(jobs.pending('10')).toEqual([other]);
  expect(jobs.channels()).toEqual(['10']);
  await jobs.end(other);
  await jobs.end(other);
  for (const run of [jobs, await open(state, openPublications)]) {
    expect(run.channels()).toEqual([]);
    expect(run.size()).toBe(0);
  }
});

const edit = (deliveryId: string, changes: Partial<Edit> = {}): Edit => ({
  thing: `offer:${uuid(1)}`,
  deliveryId,
  channelId: '10',
  messageId: 'm',
  isPublished: false,
  item: anOffer(1),
  queuedAtMs: NOW_MS,
  ...changes,
});

test('of two edits of one post the later is the one to make, and ending the former does not take it away', async () => {
  const { state } = openedState();
  const jobs = await open(state, openEdits);
  const [former, later] = [edit('a'), edit('a', { item: anOffer(1, { title: 'Samovar' }) })];
  const others = [edit('b'), edit('a', { thing: `offer:${uuid(2)}` })];
  await jobs.add([former, ...others]);
  await Promise.all([jobs.add([later]), jobs.end(former)]);
  for (const run of [jobs, await open(state, openEdits)]) {
    expect(run.size()).toBe(3);
    expect(run.pending('10')).toEqual(expect.arrayContaining([later, ...others]));
  }
});

test('what could not be written does not wait, and keeps nothing after it from being written', async () => {
  const { state } = openedState();
  const jobs = await open(state, openPublications);
  const unwritable = publication('a', { queuedAtMs: 1n as unknown as number });
  await expect(jobs.add([unwritable])).rejects.toThrow();
  expect(jobs.size()).toBe(0);
  await jobs.add([publication('b')]);
  expect(jobs.pending('10').map(({ messageId }) => messageId)).toEqual(['b']);
});
