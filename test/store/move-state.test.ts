import { existsSync } from 'node:fs';
import { KeyvSqlite } from '@keyv/sqlite';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../src/shared/clock.ts';
import { StateInUseError, StoreError } from '../../src/shared/errors.ts';
import { createLog } from '../../src/shared/log.ts';
import { moveState } from '../../src/store/move-state.ts';
import { openStore } from '../../src/store/store.ts';
import { HEARTBEAT_MS, LOOK_MS } from '../../src/store/table/lease.ts';
import { pagesOf } from '../../src/store/table/state.ts';
import { placeOf } from '../../src/store/table/state-place.ts';
import { lookFor, lookUntilOver } from '../helpers/lease-looks.ts';
import { ManualClock } from '../helpers/manual-clock.ts';
import { backendAt } from '../helpers/opened-state.ts';
import { hasPostgres, runPostgres, temporaryPostgres } from '../helpers/postgres.ts';
import { runSql } from '../helpers/sql.ts';
import { temporaryState } from '../helpers/temporary-folder.ts';
import { aKnownOffer, aSubscription } from '../helpers/things.ts';

const owner = () => ({
  clock: systemClock,
  log: createLog('silent'),
  signal: new AbortController().signal,
  onLost: () => undefined,
});

/** More rows than one statement copies, one that can't be read, and all kinds of characters. */
async function fill(stateUrl: string): Promise<void> {
  const store = await openStore(stateUrl);
  const offers = Array.from({ length: 1001 }, (_, index) => aKnownOffer(index));
  await store.commit((changes) => {
    for (const one of offers) store.offers.set(changes, one.offer.id, one);
    store.subscriptions.put(changes, { ...aSubscription('ü/\u{1F600}'), filter: ': title ~ "é"' });
    store.markSetUp(changes);
  });
  await store.close();
  await write(stateUrl, { 'known:damaged': 'no JSON' });
}

async function write(stateUrl: string, rows: Readonly<Record<string, string>>): Promise<void> {
  const backend = backendAt(stateUrl);
  await backend.write(new Map(Object.entries(rows)));
  await backend.close();
}

/** All rows that a move copies. */
async function contentOf(stateUrl: string): Promise<Record<string, string>> {
  const backend = backendAt(stateUrl);
  const content: Record<string, string> = {};
  for await (const rows of pagesOf(backend, '')) for (const { key, value } of rows) content[key] = value;
  await backend.close();
  for (const key of ['lease', 'probe']) delete content[key];
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
    const rows = await moveState(from, to, owner());
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
    await write(to, { 'offer:left': '{"value":1}', 'post:left': '{"value":1}', probe: '{}' });
    await moveState(from, to, owner());
    expect(await contentOf(to)).toEqual(await contentOf(from));
  });
});

test('a copy that is not the same is no move, and says which row differs', async () => {
  const [from, to] = [temporaryState(), temporaryState()];
  await fill(from);
  await write(to, {});
  await runSql(
    to,
    `CREATE TRIGGER damage AFTER INSERT ON state WHEN NEW.key LIKE 'offer:%7' BEGIN
       UPDATE state SET value = 'other' WHERE key = NEW.key; END`,
  );
  await expect(moveState(from, to, owner())).rejects.toThrow(
    /^The copy differs in the row offer:\S+7\. Move the state again\.$/,
  );
  await expect(openStore(to)).rejects.toThrow("can't read");
  await runSql(to, 'DROP TRIGGER damage');
  await moveState(from, to, owner());
  expect(await contentOf(to)).toEqual(await contentOf(from));
});

test('a state that is in use, one that is there already, an older one and none are refused, and nothing is made', async () => {
  const [from, to] = [temporaryState(), temporaryState()];
  await expect(moveState(from, to, owner())).rejects.toThrow('There is no state to move:');
  expect(existsSync(placeOf(from))).toBe(false);
  await backendAt(from).close();
  await write(from, {});
  await expect(moveState(from, to, owner())).rejects.toThrow('is empty');
  await expect(moveState(from, from, owner())).rejects.toThrow('Both are the same state.');
  await fill(from);
  await fill(to);
  await expect(moveState(from, to, owner())).rejects.toThrow(`${placeOf(to)} holds a state already.`);
  const newer = { version: 1000, dealbell: '9.8.7', isSetUp: true };
  await write(from, { 'about:state': JSON.stringify({ value: newer }) });
  await expect(moveState(from, temporaryState(), owner())).rejects.toThrow('Dealbell 9.8.7 or newer');
});

test('a move that is cut off before its last row has made no state, and can be done again', async () => {
  const [from, to] = [temporaryState(), temporaryState()];
  await fill(from);
  await write(to, {});
  await runSql(
    to,
    "CREATE TRIGGER cut_off BEFORE INSERT ON state WHEN NEW.key = 'about:state' BEGIN SELECT RAISE(ABORT, 'no'); END",
  );
  await expect(moveState(from, to, owner())).rejects.toThrow(StoreError);
  expect(Object.keys(await contentOf(to)).length).toBeGreaterThan(1_000);
  await expect(openStore(to)).rejects.toThrow("can't read");
  await runSql(to, 'DROP TRIGGER cut_off');
  await moveState(from, to, owner());
  expect(await contentOf(to)).toEqual(await contentOf(from));
});

test('another program’s database is neither moved nor moved into, and left as it is', async () => {
  const [from, other] = [temporaryState(), temporaryState()];
  await fill(from);
  const theirs = new KeyvSqlite({ uri: other, table: 'theirs' });
  await theirs.query("INSERT INTO theirs VALUES ('k', 'v')");
  for (const [source, target] of [
    [from, other],
    [other, from],
    [other, temporaryState()],
  ] as const) {
    await expect(moveState(source, target, owner())).rejects.toThrow("can't read");
  }
  expect(await theirs.query("SELECT name FROM sqlite_schema WHERE type = 'table'")).toEqual([{ name: 'theirs' }]);
  await theirs.close();
});

test('a state that a bot holds is not moved', async () => {
  const [from, to] = [temporaryState(), temporaryState()];
  await fill(from);
  const clock = new ManualClock();
  const running = await openStore(from, clock, { ...owner(), clock, dealbell: '1' });
  const watching = new ManualClock();
  const moving = moveState(from, to, { ...owner(), clock: watching }).catch((error: unknown) => error);
  await lookFor(watching, LOOK_MS, moving);
  await clock.advance(HEARTBEAT_MS);
  // The heartbeat is written.
  await clock.untilSleeping((ms) => ms === HEARTBEAT_MS);
  expect(await lookUntilOver(watching, moving)).toBeInstanceOf(StateInUseError);
  await running.close();
});

test.runIf(hasPostgres)('an empty schema of PostgreSQL is no state to move, and gets none', async () => {
  const from = temporaryPostgres();
  await expect(moveState(from, temporaryState(), owner())).rejects.toThrow('There is no state to move:');
  expect(await runPostgres(from, "SELECT * FROM state WHERE key <> 'lease'")).toEqual([]);
});
