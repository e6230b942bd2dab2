import { expect, onTestFinished, test } from 'vitest';
import { orStoreError } from '../../../src/store/table/failures.ts';
import type { Kind } from '../../../src/store/table/state.ts';
import { openedState } from '../../helpers/opened-state.ts';

const NUMBER: Kind<number> = { name: 'number', read: (row) => (typeof row === 'number' ? row : undefined) };

/** A state of one record whose connection is closed. */
async function closedState() {
  const { url, backend, state } = openedState();
  await state.commit((changes) => changes.set(NUMBER, 'k', 1));
  await backend.close();
  return { state, backend, file: url.slice('sqlite://'.length) };
}

test('a refusal says what could not be done with which state, and never that nothing is there', async () => {
  const { state, backend, file } = await closedState();
  const refused = (doing: string) => ({ message: `Could not ${doing} ${file}.`, cause: expect.any(Error) as Error });
  await expect(state.get(NUMBER, 'k')).rejects.toMatchObject(refused('read'));
  await expect(state.among(NUMBER, ['k'])).rejects.toMatchObject(refused('read'));
  await expect(state.under(NUMBER, ['k'])).rejects.toMatchObject(refused('read'));
  await expect(state.entries(NUMBER).next()).rejects.toMatchObject(refused('read'));
  await expect(state.commit((changes) => changes.set(NUMBER, 'k', 2))).rejects.toMatchObject(refused('write'));
  await expect(state.commit((changes) => changes.delete(NUMBER, 'k'))).rejects.toMatchObject(refused('write'));
  await expect(backend.isForeign()).rejects.toMatchObject(refused('read'));
  await expect(backend.lease.read()).rejects.toMatchObject(refused('read the lease of'));
  await expect(backend.lease.replace(undefined, '{}')).rejects.toMatchObject(refused('write the lease of'));
});

test('nothing is asked of the state where there is nothing to read or to write', async () => {
  const { state } = await closedState();
  expect(await state.among(NUMBER, [])).toEqual(new Map());
  expect(await state.under(NUMBER, [])).toEqual([]);
  expect(await state.commit(() => 'nothing')).toBe('nothing');
});

test.each([
  ['SQLITE_FULL', ': the disk is full; free some space', 'disk-full'],
  ['SQLITE_IOERR', ': the disk fails or is full; check it', 'disk-failed'],
  ['SQLITE_READONLY', ': this user may not write the file, or its disk is read-only', 'read-only'],
  ['SQLITE_CANTOPEN', ': this user can not open the file; let it use the file and its folder', null],
  ['SQLITE_BUSY', ': another process has kept the file locked for 10 seconds; let it go on, or end it', null],
  ['53100', ": the database's disk is full", 'disk-full'],
  ['25006', ': the database takes no writes', 'read-only'],
  ['DATABASE_UNREACHABLE', ": the database can't be reached", 'unreachable'],
  ['SQLITE_LOCKED', '', null],
  [undefined, '', null],
])('a refusal with the code %s is told%s', async (code, reason, problem) => {
  const cause = Object.assign(new Error('Refused.'), code === undefined ? {} : { code });
  const problems: string[] = [];
  const refused = orStoreError(
    'read',
    'the state',
    () => Promise.reject(cause),
    (one) => problems.push(one),
  );
  await expect(refused).rejects.toMatchObject({ message: `Could not read the state${reason}.`, cause });
  expect(problems).toEqual(problem === null ? [] : [problem]);
});

test('a state that is closed twice, or was never used, ends in silence', async () => {
  const { backend } = openedState();
  onTestFinished(() => backend.close());
  await backend.close();
});
