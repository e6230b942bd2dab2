import { Readable } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { openBackend } from '../../../src/shared/storage/backend.ts';
import { SqliteAdapter } from '../../../src/shared/storage/sqlite-adapter.ts';
import { createTable } from '../../../src/shared/storage/table.ts';
import { temporaryState } from '../../helpers/temporary-folder.ts';

test('a refusal says what could not be done with which table, and why', async () => {
  const url = temporaryState();
  const backend = openBackend(url);
  const table = backend.table<number>('things');
  await table.set('k', 1);
  await backend.close();
  const place = `the table things of ${url.slice('sqlite://'.length)}`;
  const refused = (doing: string) => ({ message: `Could not ${doing} ${place}.`, cause: expect.any(Error) });
  await expect(table.get('k')).rejects.toMatchObject(refused('read'));
  await expect(table.getMany(['k'])).rejects.toMatchObject(refused('read'));
  await expect(table.entriesWith('k')).rejects.toMatchObject(refused('read'));
  await expect(Readable.from(table.entries()).toArray()).rejects.toMatchObject(refused('read'));
  await expect(table.set('k', 2)).rejects.toMatchObject(refused('write'));
  await expect(table.setMany([['k', 2]])).rejects.toMatchObject(refused('write'));
  await expect(table.delete('k')).rejects.toMatchObject(refused('delete from'));
  await expect(table.deleteMany(['k'])).rejects.toMatchObject(refused('delete from'));
});

test('nothing is asked of the state where there is nothing to write or delete', async () => {
  const backend = openBackend(temporaryState());
  const table = backend.table<number>('things');
  await table.set('k', 1);
  await backend.close();
  await table.setMany([]);
  await table.deleteMany([]);
});

test.each([
  ['SQLITE_FULL', ': the disk is full'],
  ['SQLITE_IOERR', ': the disk failed'],
  ['SQLITE_READONLY', ': the file may not be written'],
  ['SQLITE_CANTOPEN', ': the file can not be opened'],
  ['SQLITE_BUSY', ': another process has kept the file locked for 10 seconds; let it go on, or end it'],
  ['SQLITE_LOCKED', ''],
  [undefined, ''],
])('a refusal with the code %s is told%s', async (code, reason) => {
  const options = { uri: temporaryState(), table: 'things', isDurable: true };
  const adapter = new SqliteAdapter(options);
  onTestFinished(() => adapter.close());
  await adapter.ready;
  const cause = Object.assign(new Error('Refused.'), code === undefined ? {} : { code });
  adapter.query = () => Promise.reject(cause);
  const table = createTable<number>(() => Promise.resolve(adapter), 'the table things');
  const refusal = { message: `Could not read the table things${reason}.`, cause };
  await expect(table.entriesWith('k')).rejects.toMatchObject(refusal);
  await expect(Readable.from(table.entries()).toArray()).rejects.toMatchObject(refusal);
});

test('rows that last for a time are there until it is up', async () => {
  const backend = openBackend(temporaryState());
  onTestFinished(() => backend.close());
  const table = backend.table<number>('things');
  await table.setMany(
    [
      ['a', 1],
      ['b', 2],
    ],
    3_600_000,
  );
  await table.set('over', 3, -1);
  expect(await table.getMany(['a', 'b'])).toEqual([1, 2]);
  expect(await table.entriesWith('')).toEqual([
    ['a', 1],
    ['b', 2],
  ]);
});
