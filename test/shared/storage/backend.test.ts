import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { KeyvSqlite } from '@keyv/sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { openStore } from '../../../src/bot/store/store.ts';
import { StoreError } from '../../../src/shared/errors.ts';
import { openBackend } from '../../../src/shared/storage/backend.ts';
import { SqliteAdapter } from '../../../src/shared/storage/sqlite-adapter.ts';
import { createTable } from '../../../src/shared/storage/table.ts';
import { runSql } from '../../helpers/sql.ts';
import { temporaryFolder, temporaryState } from '../../helpers/temporary-folder.ts';
import { aKnownOffer } from '../../helpers/things.ts';
import { backendConformance } from './conformance.ts';

backendConformance('sqlite', async () => {
  const url = temporaryState();
  const backend = openBackend(url);
  return {
    backend,
    reopen: () => openBackend(url),
    breakOff: () => backend.close(),
    refuseWrites: (table) =>
      runSql(
        url,
        ...['INSERT', 'DELETE'].map(
          (change) =>
            `CREATE TRIGGER refuse_${change} BEFORE ${change} ON ${table} BEGIN SELECT RAISE(ABORT, 'refused'); END`,
        ),
      ),
  };
});

test('a new file that another connection writes at this moment is opened after that', async () => {
  const uri = temporaryState();
  const other = new KeyvSqlite({ uri, table: 'things' });
  onTestFinished(() => other.disconnect());
  await other.query('BEGIN IMMEDIATE');
  await other.query("INSERT INTO things VALUES ('k', 'v')");
  const adapter = new SqliteAdapter({ uri, table: 'things', isDurable: false });
  onTestFinished(() => adapter.disconnect());
  const opened = expect(adapter.ready).resolves.not.toThrow();
  // So many turns later it has met the lock.
  for (let turn = 0; turn < 100; turn += 1) await other.query('SELECT 1');
  await other.query('COMMIT');
  await opened;
  expect(await adapter.query('PRAGMA journal_mode')).toEqual([{ journal_mode: 'wal' }]);
});

test('an unknown kind of state is refused by name', () => {
  expect(() => openBackend('redis://somewhere')).toThrow(StoreError);
  expect(() => openBackend('redis://somewhere')).toThrow('redis://somewhere');
});

test('a folder that is a file is refused by name', () => {
  const file = join(temporaryFolder(), 'file');
  writeFileSync(file, '');
  expect(() => openBackend(`sqlite://${file}/state.sqlite`)).toThrow(StoreError);
});

test('a file that holds something else is refused and left as it is', async () => {
  const file = join(temporaryFolder(), 'state.sqlite');
  writeFileSync(file, 'this is no database, but it may be dear to somebody');
  await expect(openStore(`sqlite://${file}`)).rejects.toThrow('holds something else than a state');
  expect(readFileSync(file, 'utf8')).toBe('this is no database, but it may be dear to somebody');
});

test('a closed state is one file, so that a copy of it is whole', async () => {
  for (let round = 0; round < 8; round += 1) {
    const folder = temporaryFolder();
    const store = await openStore(`sqlite://${join(folder, 'state.sqlite')}`);
    await store.offers.save(Array.from({ length: 500 }, (_, index) => aKnownOffer(index)));
    await store.close();
    expect(readdirSync(folder)).toEqual(['state.sqlite']);
  }
});

test('a damaged state is refused and left as it is', async () => {
  const file = join(temporaryFolder(), 'state.sqlite');
  const store = await openStore(`sqlite://${file}`);
  await store.offers.save(Array.from({ length: 500 }, (_, index) => aKnownOffer(index)));
  await store.close();
  const damaged = readFileSync(file);
  damaged.fill(0x5a, 4096, damaged.length - 4096);
  writeFileSync(file, damaged);
  await expect(openStore(`sqlite://${file}`)).rejects.toThrow('is damaged');
  expect(readFileSync(file).equals(damaged)).toBe(true);
});

test('a full disk is named, and when there is room again the same write goes through', async () => {
  const adapter = new SqliteAdapter({ uri: temporaryState(), table: 'things', isDurable: false });
  onTestFinished(() => adapter.close());
  await adapter.ready;
  const table = createTable<string>(() => Promise.resolve(adapter), 'the table things');
  await table.set('kept', 'before');
  await adapter.query('PRAGMA max_page_count = 8');
  const big = 'x'.repeat(100_000);
  await expect(
    table.setMany([
      ['a', 'small'],
      ['b', big],
    ]),
  ).rejects.toThrow('the table things: the disk is full');
  expect(await table.get('a')).toBeUndefined();
  expect(await table.get('kept')).toBe('before');
  await adapter.query('PRAGMA max_page_count = 100000');
  await table.setMany([
    ['a', 'small'],
    ['b', big],
  ]);
  expect(await table.get('b')).toBe(big);
});

test.each([
  [true, 2],
  [false, 1],
])('a table that is to outlive a power cut (%s) waits for the disk', async (isDurable, synchronous) => {
  const adapter = new SqliteAdapter({ uri: temporaryState(), table: 'things', isDurable });
  onTestFinished(() => adapter.close());
  await adapter.ready;
  // https://www.sqlite.org/pragma.html#pragma_synchronous
  expect(await adapter.query('PRAGMA synchronous')).toEqual([{ synchronous }]);
});

test.runIf(process.platform === 'linux')('a state where no folder can be made is refused, and nothing spins', () => {
  expect(() => openBackend('sqlite:///proc/nowhere/deeper/state.sqlite')).toThrow(
    "The folder for the state file /proc/nowhere/deeper/state.sqlite can't be created. Set STATE_URL to another path.",
  );
});

test('a failing read is an error, never "not there"', async () => {
  const backend = openBackend(temporaryState());
  const table = backend.table<number>('things');
  await table.set('k', 1);
  await backend.close();
  await expect(table.get('k')).rejects.toThrow(StoreError);
  await expect(table.getMany(['k'])).rejects.toThrow(StoreError);
  await expect(table.set('k', 2)).rejects.toThrow(StoreError);
  await expect(table.setMany([['k', 2]])).rejects.toThrow(StoreError);
  await expect(table.deleteMany(['k'])).rejects.toThrow(StoreError);
  await expect(table.entries()[Symbol.asyncIterator]().next()).rejects.toThrow(StoreError);
});

test('many tables of a new file can be opened and read at once', async () => {
  const opened = Array.from({ length: 40 }, async () => {
    const backend = openBackend(temporaryState());
    const tables = Array.from({ length: 8 }, (_, index) => backend.table<number>(`table${index}`));
    const listings = tables.map(async (table) => {
      for await (const [key] of table.entries()) throw new Error(`${key} is in a new table`);
    });
    await Promise.all(listings);
    await backend.close();
  });
  await expect(Promise.all(opened)).resolves.toHaveLength(40);
});
