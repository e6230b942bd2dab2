import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { RECORDS } from '../../../src/features/looks/records.ts';
import { systemClock } from '../../../src/shared/clock.ts';
import { mortal } from '../../helpers/mortal-backend.ts';
import { openedRecords, openedState, stateIn } from '../../helpers/opened-state.ts';
import { temporaryState } from '../../helpers/temporary-folder.ts';
import { aSubscription } from '../../helpers/things.ts';

test('a server’s look is there in the next run, and no row is left of one that was taken back', async () => {
  const { url, state, backend } = openedState();
  const { looks } = await openedRecords(state, systemClock, [RECORDS]);
  expect(looks.of('1')).toEqual({});
  await looks.update('1', () => ({ style: 'large' }));
  await looks.update('2', () => ({ line: 'Deals!' }));
  // Two changes at once don't overwrite each other.
  await Promise.all([
    looks.update('1', (before) => ({ ...before, isSilent: true })),
    looks.update('1', (before) => ({ ...before, accent: null })),
  ]);
  for (const run of [looks, (await openedRecords(openedState(url).state, systemClock, [RECORDS])).looks]) {
    expect(run.of('1')).toEqual({ style: 'large', isSilent: true, accent: null });
    expect(run.of('2')).toEqual({ line: 'Deals!' });
  }
  await looks.update('2', () => ({}));
  expect((await backend.under([''])).map(({ key }) => key)).toEqual(['look:1']);
});

test('a change that can not be stored does not show', async () => {
  const looks = (await openedRecords(stateIn(mortal(openedState().backend, 1)), systemClock, [RECORDS])).looks;
  await expect(looks.update('1', () => ({ isSilent: true }))).rejects.toThrow();
  expect(looks.of('1')).toEqual({});
});

test('a subscription’s look is kept with it; of a damaged one, what can be read', async () => {
  const { url, state } = openedState();
  const { subscriptions } = await openedRecords(state, systemClock, [RECORDS]);
  const look = { style: 'large', accent: null } as const;
  await subscriptions.save(aSubscription('a', { look }));
  await subscriptions.save(aSubscription('b', { look: { style: 'huge' as 'large', isSilent: true } }));
  await subscriptions.save(aSubscription('c', { look: 'large' as never }));
  await subscriptions.save(aSubscription('d'));
  const { subscriptions: next } = await openedRecords(openedState(url).state, systemClock, [RECORDS]);
  expect(['a', 'b', 'c', 'd'].map((id) => next.get(id)?.look)).toEqual([look, { isSilent: true }, {}, undefined]);
});

test('looks of a state of version 0.1.0 are read', async () => {
  const url = temporaryState();
  const stored = join(import.meta.dirname, '../../store/states/version-1.sqlite');
  copyFileSync(stored, url.slice('sqlite://'.length));
  const { looks, subscriptions } = await openedRecords(openedState(url).state, systemClock, [RECORDS]);
  expect(looks.of('1')).toEqual({ line: 'Deals!' });
  expect(subscriptions.get('settings')?.look).toEqual({ style: 'large', isSilent: true });
});
