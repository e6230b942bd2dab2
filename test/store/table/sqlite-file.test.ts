import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { StoreError } from '../../../src/shared/errors.ts';
import { type Kind, pagesOf, State } from '../../../src/store/table/state.ts';
import { createTestLog } from '../../helpers/keys.ts';
import { type Backend, backendAt, openedState, stateIn } from '../../helpers/opened-state.ts';
import { temporaryFolder, temporaryState } from '../../helpers/temporary-folder.ts';

const NUMBER: Kind<number> = { name: 'number', read: (row) => (typeof row === 'number' ? row : undefined) };
const row = (key: string, value: unknown) => [`thing:${key}`, JSON.stringify({ value })] as const;
const fileOf = (url: string) => url.slice('sqlite://'.length);

function opened(url = temporaryState()): Backend {
  const backend = backendAt(url);
  onTestFinished(() => backend.close());
  return backend;
}

test('the row of a process that stands by is replaced by the next one, and is no record', async () => {
  const { lease, page } = opened();
  expect(await lease.readStandby()).toBeUndefined();
  await lease.writeStandby('first');
  await lease.writeStandby('second');
  expect(await lease.readStandby()).toBe('second');
  expect(await lease.read()).toBeUndefined();
  expect(lease.lock).toBeNull();
  expect((await page('', '~')).map(({ key }) => key)).toEqual(['standby']);
});

test('a damaged file is found by a check, which says so, and a whole one passes it', async () => {
  const url = temporaryState();
  const backend = backendAt(url);
  const rows = Array.from({ length: 500 }, (_, index) => row(String(index), 'x'.repeat(200)));
  await backend.write(new Map(rows));
  await expect(backend.verify()).resolves.toBeUndefined();
  await backend.close();
  const bytes = readFileSync(fileOf(url));
  // A page of the table: the one before the last.
  bytes.fill(0x5a, bytes.length - 2 * 4096, bytes.length - 4096);
  writeFileSync(fileOf(url), bytes);
  await expect(opened(url).verify()).rejects.toThrow(`Could not check ${fileOf(url)}: the file is damaged`);
});

test('a copy is refused where a file is, without harm to it, and replaces what an earlier try has left', async () => {
  const url = temporaryState();
  const backend = opened(url);
  await backend.write(new Map([row('k', 1)]));
  await backend.lease.writeStandby('somebody');
  const folder = temporaryFolder();
  const [copy, taken] = [join(folder, 'copy.sqlite'), join(folder, 'taken.sqlite')];
  writeFileSync(taken, 'dear to somebody');
  await expect(backend.copyTo(taken)).rejects.toThrow(`${taken} exists already. Name a file that does not.`);
  expect(readFileSync(taken, 'utf8')).toBe('dear to somebody');
  writeFileSync(`${copy}.partial`, 'what is left of a copy');
  await backend.copyTo(copy);
  expect(readdirSync(folder).toSorted()).toEqual(['copy.sqlite', 'taken.sqlite']);
  expect((await opened(`sqlite://${copy}`).page('', '~')).map(({ key }) => key)).toEqual(['thing:k']);
});

test('a copy that can not be made says of what and to where, and leaves nothing behind', async () => {
  const url = temporaryState();
  const backend = opened(url);
  await backend.write(new Map([row('k', 1)]));
  const folder = temporaryFolder();
  const copy = join(folder, 'copy.sqlite');
  mkdirSync(`${copy}.partial`);
  await expect(backend.copyTo(copy)).rejects.toThrow(`Could not copy ${fileOf(url)} to ${copy}`);
  expect(existsSync(copy)).toBe(false);
});

test('a closed state says what could not be done with it', async () => {
  const url = temporaryState();
  const backend = backendAt(url);
  await backend.write(new Map([row('k', 1)]));
  await backend.close();
  await expect(backend.scrub()).rejects.toThrow(`Could not clean ${fileOf(url)}.`);
  await expect(backend.replaceWith('other.sqlite', [])).rejects.toThrow(
    `Could not replace the content of ${fileOf(url)}.`,
  );
});

test('a refused folder says why', () => {
  const file = join(temporaryFolder(), 'file');
  writeFileSync(file, '');
  const refuse = () => backendAt(`sqlite://${file}/state.sqlite`);
  expect(refuse).toThrow(expect.objectContaining({ name: StoreError.name, cause: expect.any(Error) as Error }));
});

test('folders on the way to a new state are its owner’s alone, and those that are there stay as they are', async () => {
  const folder = temporaryFolder();
  const before = statSync(folder).mode;
  const url = `sqlite://${join(folder, 'a', 'b', 'state.sqlite')}`;
  await opened(url).write(new Map([row('k', 1)]));
  expect(statSync(folder).mode).toBe(before);
  for (const made of ['a', join('a', 'b')]) expect(statSync(join(folder, made)).mode & 0o777).toBe(0o700);
});

test.each([499, 500, 501, 1_000])(
  'of %i outdated records all go, at most 500 at a time, and no other',
  async (count) => {
    const backend = opened();
    const deletions: number[] = [];
    const state = stateIn({
      ...backend,
      async write(rows) {
        deletions.push([...rows.values()].filter((value) => value === null).length);
        return backend.write(rows);
      },
    });
    await state.commit((changes) => {
      for (let index = 0; index < count; index += 1) changes.set(NUMBER, `old-${index}`, 1);
      changes.set(NUMBER, 'young', 2);
    });
    deletions.length = 0;
    await state.sweep(NUMBER, (number) => number === 1);
    expect(Math.max(...deletions)).toBeLessThanOrEqual(500);
    expect(deletions.reduce((sum, some) => sum + some, 0)).toBe(count);
    expect(deletions).toHaveLength(Math.ceil(count / 500));
    expect((await backend.under(['number:'])).map(({ key }) => key)).toEqual(['number:young']);
  },
);

test('a kind without any rows is listed in one statement, without a list', async () => {
  const lists: unknown[] = [];
  for await (const page of pagesOf(opened(), 'thing:')) lists.push(page);
  expect(lists).toEqual([]);
});

test('a reading or writing is timed in seconds', async () => {
  const { backend } = openedState();
  const timed: [string, number][] = [];
  const onOperation = (operation: string, seconds: number) => void timed.push([operation, seconds]);
  const state = new State(backend, { log: createTestLog(), onOperation });
  const startedMs = performance.now();
  await state.commit((changes) => changes.set(NUMBER, 'k', 1));
  await state.get(NUMBER, 'k');
  const tookSeconds = (performance.now() - startedMs) / 1_000;
  expect(timed.map(([operation]) => operation)).toEqual(['write', 'read']);
  for (const [, seconds] of timed) {
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(tookSeconds);
  }
});

test.each(['5', '"text"', 'null', '{"other":1}', 'not JSON'])(
  'a row that Keyv did not write (%s) is none',
  async (text) => {
    const { backend, state } = openedState();
    await backend.write(new Map([['number:k', text]]));
    expect(await state.get(NUMBER, 'k')).toBeUndefined();
    expect(await state.under(NUMBER, ['k'])).toEqual([]);
  },
);
