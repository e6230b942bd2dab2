import { expect, test } from 'vitest';
import { z } from 'zod';
import { systemClock } from '../../src/shared/clock.ts';
import { HOUR_MS } from '../../src/shared/time.ts';
import { type FeatureRecords, openStore } from '../../src/store/store.ts';
import type { FieldReaders } from '../../src/store/subscriptions.ts';
import { kind } from '../../src/store/table/state.ts';
import { createTestLog } from '../helpers/keys.ts';
import { ManualClock } from '../helpers/manual-clock.ts';
import { writeOneOfEach } from '../helpers/one-of-each.ts';
import { openedRecords, openedState } from '../helpers/opened-state.ts';
import { runSql } from '../helpers/sql.ts';
import { temporaryState } from '../helpers/temporary-folder.ts';
import { aSubscription, NOW_MS } from '../helpers/things.ts';

const GREETING = kind<{ text: string; atMs: number }>(
  'greeting',
  { text: z.string(), atMs: z.number() },
  { kept: { ms: HOUR_MS, since: ({ atMs }) => atMs } },
);
const GREETINGS: FeatureRecords = { kinds: [GREETING], open: async () => ({}) };

async function aLife(stateUrl: string, features: readonly FeatureRecords[], sweptAtMs: number): Promise<string[]> {
  const lines: string[] = [];
  const log = createTestLog((line) => lines.push(line));
  const { signal } = new AbortController();
  const owner = { dealbell: '1.2.3', clock: new ManualClock(), log, signal, onLost: () => undefined };
  const store = await openStore(stateUrl, owner.clock, owner, features);
  await store.sweep(sweptAtMs);
  await store.close();
  return lines.filter((line) => line.includes('features that are not here'));
}

test('records of a feature that is not there stay as they are, and the log says so at the start', async () => {
  const stateUrl = temporaryState();
  const store = await openStore(stateUrl, new ManualClock());
  await writeOneOfEach(store);
  await store.close();
  const { state } = openedState(stateUrl);
  await state.commit((changes) => changes.set(GREETING, 'a', { text: 'hello', atMs: 0 }));

  // Whoever wrote it: it is no record, and keeps nobody from starting.
  await state.commit((changes) => changes.set({ name: 'note', read: () => undefined }, '', 'x'));
  await runSql(stateUrl, `UPDATE state SET key = 'note' WHERE key = 'note:'`);

  const told = await aLife(stateUrl, [], 2 * HOUR_MS);
  expect(told).toHaveLength(1);
  expect(told[0]).toContain('"kinds":["greeting"]');
  expect(await state.get(GREETING, 'a')).toEqual({ text: 'hello', atMs: 0 });

  expect(await aLife(stateUrl, [GREETINGS], HOUR_MS)).toEqual([]);
  expect(await state.get(GREETING, 'a')).toBeDefined();
  await aLife(stateUrl, [GREETINGS], HOUR_MS + 1);
  expect(await state.get(GREETING, 'a')).toBeUndefined();
});

test('a field of a subscription is read by its feature; without it, it stays as it is stored', async () => {
  const { url, state } = openedState();
  const reader: object = { greeting: (stored: unknown) => z.string().catch('').parse(stored) };
  const opened = async (subscriptionFields: FieldReaders, from = openedState(url).state) =>
    (await openedRecords(from, systemClock, [{ ...GREETINGS, subscriptionFields }])).subscriptions;
  const first = await opened({}, state);
  for (const greeting of ['hello', 5]) {
    const greeted = { ...aSubscription(String(greeting)), greeting };
    await first.save(greeted);
    await first.save({ ...greeted, id: `${greeting} removed` });
    await first.removeRestorably(`${greeting} removed`, NOW_MS);
  }
  await first.save(aSubscription('none'));
  await (await opened({})).update('5', (before) => ({ ...before, filter: 'ssd' }));
  expect((await opened({})).get('5')).toMatchObject({ filter: 'ssd', greeting: 5 });
  const read = await opened(reader);
  expect([read.get('hello'), read.get('5')]).toMatchObject([{ greeting: 'hello' }, { greeting: '' }]);
  expect(await read.restorable('5 removed', NOW_MS)).toMatchObject({ greeting: '' });
  expect(read.get('none')).not.toHaveProperty('greeting');
});
