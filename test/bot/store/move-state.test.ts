import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { moveState } from '../../../src/bot/store/move-state.ts';
import { openStore } from '../../../src/bot/store/store.ts';
import { systemClock } from '../../../src/shared/clock.ts';
import { StateInUseError, StoreError } from '../../../src/shared/errors.ts';
import { createLog } from '../../../src/shared/log.ts';
import { openBackend } from '../../../src/shared/storage/backend.ts';
import { placeOf } from '../../../src/shared/storage/state-place.ts';
import { ManualClock } from '../../helpers/manual-clock.ts';
import { hasPostgres, runPostgres, temporaryPostgres } from '../../helpers/postgres.ts';
import { runSql } from '../../helpers/sql.ts';
import { temporaryState } from '../../helpers/temporary-folder.ts';
import { aKnownOffer, aSubscription } from '../../helpers/things.ts';

const owner = () => ({
  clock: systemClock,
  log: createLog('silent'),
  signal: new AbortController().signal,
  onLost: () => undefined,
});

/** More rows than one statement copies, one that can't be read, and all kinds of characters. */
async function fill(stateUrl: string): Promise<void> {
  const store = await openStore(stateUrl);
  await store.offers.save(Array.from({ length: 1001 }, (_, index) => aKnownOffer(index)));
  await store.subscriptions.save({ ...aSubscription('ü/\u{1F600}'), filter: 'title ~ "é"' });
  await store.markSetUp();
  await store.close();
  const backend = openBackend(stateUrl);
  await backend.raw.write('known', [{ key: 'damaged', value: 'no JSON' }]);
  await backend.close();
}

async function contentOf(stateUrl: string): Promise<Record<string, string>> {
  const backend = openBackend(stateUrl);
  const content: Record<string, string> = {};
  for (const table of await backend.raw.tables()) {
    for await (const { key, value } of backend.raw.rows(table)) content[`${table}/${key}`] = value;
  }
  await backend.close();
  return content;
}

const PLACES = { sqlite: temporaryState, postgres: temporaryPostgres };

describe.each([
  ['sqlite', 'sqlite'],
  ['sqlite', 'postgres'],
  ['postgres', 'sqlite'],
] as const)('from %s to %s', (fromKind, toKind) => {
  const isThere = hasPostgres || (fromKind === 'sqlite' && toKind === 'sqlite');

  test.runIf(isThere)('every row arrives, and the former state stays', async () => {
    const [from, to] = [PLACES[fromKind](), PLACES[toKind]()];
    await fill(from);
    const before = await contentOf(from);
    const { rows } = await moveState(from, to, owner());
    expect(rows).toBe(1004);
    expect(Object.keys(before)).toHaveLength(rows);
    expect(await contentOf(to)).toEqual(before);
    expect(await contentOf(from)).toEqual(before);
    const moved = await openStore(to);
    expect(moved.isNew).toBe(false);
    expect(moved.subscriptions.all().map(({ id }) => id)).toEqual(['ü/\u{1F600}']);
    await moved.close();
  });

  test.runIf(isThere)('what a move that was cut off has left is replaced', async () => {
    const [from, to] = [PLACES[fromKind](), PLACES[toKind]()];
    await fill(from);
    const cutOff = openBackend(to);
    await cutOff.raw.write('offers', [{ key: 'left', value: '{"value":1}' }]);
    await cutOff.raw.write('posts', [{ key: 'left', value: '{"value":1}' }]);
    await cutOff.close();
    await moveState(from, to, owner());
    expect(await contentOf(to)).toEqual(await contentOf(from));
  });
});

test('a copy that is not the same is no move, and says which row differs', async () => {
  const [from, to] = [temporaryState(), temporaryState()];
  await fill(from);
  const backend = openBackend(to);
  await backend.raw.write('offers', []).catch(() => undefined);
  await backend.table('offers').get('created');
  await backend.close();
  await runSql(
    to,
    `CREATE TRIGGER damage AFTER INSERT ON offers WHEN NEW.key LIKE '%7' BEGIN
       UPDATE offers SET value = 'other' WHERE key = NEW.key; END`,
  );
  await expect(moveState(from, to, owner())).rejects.toThrow(
    /^The copy differs in the table offers, row \S+7\. Move the state again\.$/,
  );
  const target = await openStore(to);
  expect(target.isNew).toBe(true);
  await target.close();
});

test('a state that is in use, one that is there already, an older one and none are refused, and nothing is made', async () => {
  const [from, to] = [temporaryState(), temporaryState()];
  await expect(moveState(from, to, owner())).rejects.toThrow('There is no state to move:');
  expect(existsSync(placeOf(from))).toBe(false);
  await (await openStore(from)).close();
  await expect(moveState(from, to, owner())).rejects.toThrow('is empty');
  await expect(moveState(from, from, owner())).rejects.toThrow('Both are the same state.');
  await fill(from);
  await fill(to);
  await expect(moveState(from, to, owner())).rejects.toThrow(`${placeOf(to)} holds a state already.`);
  await runSql(from, `UPDATE about SET value = '{"value":{"version":1}}'`);
  await expect(moveState(from, temporaryState(), owner())).rejects.toThrow('Start this version on it once');
  await runSql(from, `UPDATE about SET value = '{"value":{"version":1000}}'`);
  await expect(moveState(from, temporaryState(), owner())).rejects.toThrow(StoreError);
});

test('a state that a bot holds is not moved', async () => {
  const [from, to] = [temporaryState(), temporaryState()];
  await fill(from);
  const clock = new ManualClock();
  const running = await openStore(from, clock, { ...owner(), clock, dealbell: '1' });
  const watching = new ManualClock();
  const moving = moveState(from, to, { ...owner(), clock: watching }).catch((error: unknown) => error);
  for (let looks = 0; looks < 2; looks += 1) {
    await watching.untilSleeping((ms) => ms === 250);
    if (looks === 1) await clock.advance(1_500);
    await watching.advance(250);
  }
  let result: unknown;
  void moving.then((error) => {
    result = error;
  });
  while (result === undefined) {
    await Promise.race([moving, watching.untilSleeping((ms) => ms === 250)]);
    await watching.advance(250);
  }
  expect(result).toBeInstanceOf(StateInUseError);
  await running.close();
});

test.runIf(hasPostgres)('an empty schema of PostgreSQL is no state to move, and gets none', async () => {
  const from = temporaryPostgres();
  await expect(moveState(from, temporaryState(), owner())).rejects.toThrow('There is no state to move:');
  expect(await runPostgres(from, 'SELECT * FROM about')).toEqual([]);
});
