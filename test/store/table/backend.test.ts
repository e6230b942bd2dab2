import { chmodSync, copyFileSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isMainThread } from 'node:worker_threads';
import { KeyvSqlite } from '@keyv/sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { StoreError } from '../../../src/shared/errors.ts';
import { openStore } from '../../../src/store/store.ts';
import { pagesOf } from '../../../src/store/table/state.ts';
import { aDisk } from '../../helpers/full-disk.ts';
import { ManualClock } from '../../helpers/manual-clock.ts';
import { type Backend, backendAt } from '../../helpers/opened-state.ts';
import { runSql } from '../../helpers/sql.ts';
import { temporaryFolder, temporaryState } from '../../helpers/temporary-folder.ts';
import { aKnownOffer } from '../../helpers/things.ts';
import { backendConformance } from './conformance.ts';

backendConformance('sqlite', async () => {
  const url = temporaryState();
  const backend = backendAt(url);
  return {
    backend,
    reopen: () => backendAt(url),
    breakOff: () => backend.close(),
    refuseWrites: () =>
      runSql(
        url,
        ...['INSERT', 'DELETE'].map(
          (change) =>
            `CREATE TRIGGER refuse_${change} BEFORE ${change} ON state BEGIN SELECT RAISE(ABORT, 'refused'); END`,
        ),
      ),
  };
});

function opened(url = temporaryState()): Backend {
  const backend = backendAt(url);
  onTestFinished(() => backend.close());
  return backend;
}

/** A row of a record. */
const row = (key: string, value: unknown) => [`thing:${key}`, JSON.stringify({ value })] as const;
/** The connection of a backend on SQLite. */
const connectionOf = ({ keyv }: Backend) => keyv as KeyvSqlite;
const fileOf = (url: string) => url.slice('sqlite://'.length);

/** A closed state with 500 offers. */
async function aFilledState(): Promise<{ url: string; file: string }> {
  const url = temporaryState();
  const store = await openStore(url);
  const offers = Array.from({ length: 500 }, (_, index) => aKnownOffer(index));
  await store.commit((changes) => {
    for (const one of offers) store.offers.set(changes, one.offer.id, one);
  });
  await store.close();
  return { url, file: fileOf(url) };
}

test('a new file that another connection writes at this moment is opened after that', async () => {
  const url = temporaryState();
  const other = new KeyvSqlite({ uri: url, table: 'state' });
  onTestFinished(() => other.disconnect());
  await other.query('BEGIN IMMEDIATE');
  await other.query("INSERT INTO state VALUES ('k', 'v')");
  const backend = opened(url);
  const read = backend.keyv.getMany?.(['k']);
  // So many turns later it has met the lock.
  for (let turn = 0; turn < 100; turn += 1) await other.query('SELECT 1');
  await other.query('COMMIT');
  expect(await read).toEqual(['v']);
  expect(await connectionOf(backend).query('PRAGMA journal_mode')).toEqual([{ journal_mode: 'wal' }]);
});

test('every write waits for the disk', async () => {
  const backend = opened();
  await backend.write(new Map([row('k', 1)]));
  // https://www.sqlite.org/pragma.html#pragma_synchronous: 2 is FULL.
  expect(await connectionOf(backend).query('PRAGMA synchronous')).toEqual([{ synchronous: 2 }]);
});

test('an unknown kind of state is refused by name', () => {
  expect(() => backendAt('redis://somewhere')).toThrow(StoreError);
  expect(() => backendAt('redis://somewhere')).toThrow('redis://somewhere');
});

test('a folder that is a file is refused by name', () => {
  const file = join(temporaryFolder(), 'file');
  writeFileSync(file, '');
  expect(() => backendAt(`sqlite://${file}/state.sqlite`)).toThrow(StoreError);
});

test.runIf(process.platform === 'linux')('a state where no folder can be made is refused, and nothing spins', () => {
  expect(() => backendAt('sqlite:///proc/nowhere/deeper/state.sqlite')).toThrow(
    "The folder for the state file /proc/nowhere/deeper/state.sqlite can't be created. Set STATE_URL to another path.",
  );
});

test('a file that holds something else is refused and left as it is', async () => {
  const file = join(temporaryFolder(), 'state.sqlite');
  writeFileSync(file, 'this is no database, but it may be dear to somebody');
  await expect(openStore(`sqlite://${file}`)).rejects.toThrow('holds something else than a state');
  expect(readFileSync(file, 'utf8')).toBe('this is no database, but it may be dear to somebody');
});

test('the database of another program is foreign, and no table of ours stays in it', async () => {
  const url = temporaryState();
  const content = "SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%'";
  const other = new KeyvSqlite({ uri: url, table: 'theirs' });
  await other.query("INSERT INTO theirs VALUES ('k', 'v')");
  const before = await other.query(content);
  await other.close();
  const backend = backendAt(url);
  expect(await backend.isForeign()).toBe(true);
  await backend.close();
  const again = new KeyvSqlite({ uri: url, table: 'theirs' });
  onTestFinished(() => again.disconnect());
  expect(await again.query(content)).toEqual(before);
  expect(await again.query('SELECT * FROM theirs')).toEqual([{ key: 'k', value: 'v' }]);
});

test('a state is not foreign, new or used', async () => {
  const url = temporaryState();
  const backend = opened(url);
  expect(await backend.isForeign()).toBe(false);
  await backend.write(new Map([row('k', 1)]));
  expect(await backend.isForeign()).toBe(false);
});

test('a closed state is one file, so that a copy of it is whole', async () => {
  for (let round = 0; round < 8; round += 1) {
    const folder = temporaryFolder();
    const store = await openStore(`sqlite://${join(folder, 'state.sqlite')}`);
    const offers = Array.from({ length: 500 }, (_, index) => aKnownOffer(index));
    await store.commit((changes) => {
      for (const one of offers) store.offers.set(changes, one.offer.id, one);
    });
    await store.close();
    expect(readdirSync(folder)).toEqual(['state.sqlite']);
  }
});

test('what was written is in the file and its log at once, whole, as a power cut would leave them', async () => {
  const url = temporaryState();
  const backend = opened(url);
  const writes = Array.from(
    { length: 20 },
    (_, write) => new Map(Array.from({ length: 30 }, (_row, index) => row(`${write}/${index}`, write))),
  );
  const copies: { url: string; written: number }[] = [];
  for (const [index, rows] of writes.entries()) {
    await backend.write(rows);
    const copy = temporaryState();
    for (const ending of ['', '-wal']) copyFileSync(fileOf(url) + ending, fileOf(copy) + ending);
    copies.push({ url: copy, written: index + 1 });
  }
  for (const { url: copy, written } of copies) {
    const rows = await opened(copy).under(['thing:']);
    const expected = writes.slice(0, written).flatMap((one) => [...one.keys()]);
    expect(rows.map(({ key }) => key)).toEqual(expected.toSorted());
  }
});

test('a damaged state is refused and left as it is', async () => {
  const { url, file } = await aFilledState();
  const damaged = readFileSync(file);
  damaged.fill(0x5a, 4096, damaged.length - 4096);
  writeFileSync(file, damaged);
  await expect(openStore(url)).rejects.toThrow('is damaged');
  expect(readFileSync(file).equals(damaged)).toBe(true);
});

test('a full disk is named, nothing of the write is kept, and when there is room again it goes through', async () => {
  const url = temporaryState();
  const disk = aDisk(url);
  const backend = opened(url);
  await backend.write(new Map([row('kept', 'before')]));
  expect(backend.writeProblem()).toBeNull();
  await disk.fill();
  const rows = new Map([row('a', 'small'), row('b', 'x'.repeat(100_000)), ['thing:kept', null] as const]);
  await expect(backend.write(rows)).rejects.toThrow(
    `Could not write ${fileOf(url)}: the disk is full; free some space.`,
  );
  expect(backend.writeProblem()).toBe('disk-full');
  expect(await backend.under(['thing:'])).toEqual([{ key: 'thing:kept', value: row('kept', 'before')[1] }]);
  await disk.makeRoom();
  await backend.write(rows);
  expect((await backend.under(['thing:'])).map(({ key }) => key)).toEqual(['thing:a', 'thing:b']);
});

test('a full disk is tried every 5 s with more than fits into any page, of which nothing stays', async () => {
  const url = temporaryState();
  const disk = aDisk(url);
  const clock = new ManualClock();
  const backend = backendAt(url, { clock });
  onTestFinished(() => backend.close());
  await backend.write(new Map([row('k', 1)]));
  await disk.fill();
  await expect(backend.write(new Map([row('b', 'x'.repeat(100_000))]))).rejects.toThrow('the disk is full');
  // What fits into a page that is there proves nothing.
  await backend.write(new Map([row('k', 2)]));
  await clock.advance(5_000);
  await clock.untilSleeping((ms) => ms === 5_000);
  expect(backend.writeProblem()).toBe('disk-full');
  await disk.makeRoom();
  await clock.advance(5_000);
  await expect.poll(() => backend.writeProblem()).toBeNull();
  expect((await backend.page('', '~')).map(({ key }) => key)).toEqual(['thing:k']);
});

test('a value that is no text is a damaged row, not the end of a listing', async () => {
  const url = temporaryState();
  const backend = opened(url);
  await backend.write(new Map([row('a', 1), row('z', 2)]));
  await runSql(url, "INSERT INTO state VALUES ('thing:n', NULL), ('thing:b', x'ff00'), ('thing:i', 5)");
  expect((await backend.under(['thing:'])).map(({ key }) => key)).toEqual(
    ['a', 'b', 'i', 'n', 'z'].map((key) => `thing:${key}`),
  );
  expect((await backend.page('', 'u')).map(({ value }) => typeof value)).toEqual(
    Array.from({ length: 5 }, () => 'string'),
  );
  expect(await backend.keyv.getMany?.(['thing:n', 'thing:i', 'thing:none'])).toEqual(['', '5', undefined]);
});

test('many new files can be opened and read at once', async () => {
  const reading = Array.from({ length: 40 }, async () => {
    const backend = backendAt(temporaryState());
    const rows = await Promise.all(Array.from({ length: 8 }, () => backend.page('', 'z')));
    await backend.close();
    return rows.flat();
  });
  expect((await Promise.all(reading)).flat()).toEqual([]);
});

test.each([
  [0, 1],
  [1, 1],
  [499, 1],
  [500, 2],
  [501, 2],
  [1_000, 3],
])('%i rows are listed whole, with %i statements', async (count, statements) => {
  const backend = opened();
  const keys = Array.from({ length: count }, (_, index) => String(index).padStart(4, '0'));
  await backend.write(new Map(keys.map((key) => row(key, 1))));
  let asked = 0;
  const page: Backend['page'] = (...range) => {
    asked += 1;
    return backend.page(...range);
  };
  const listed: string[] = [];
  for await (const rows of pagesOf({ page }, 'thing:')) listed.push(...rows.map(({ key }) => key));
  expect(listed).toEqual(keys.map((key) => `thing:${key}`));
  expect(asked).toBe(statements);
});

/** How often each of the files of a state on SQLite holds a text: the state itself, and its log. */
function tracesOf(url: string, text: string): number[] {
  const file = url.slice('sqlite://'.length);
  const paths = [file, `${file}-wal`].filter((path) => existsSync(path));
  return paths.map((path) => readFileSync(path, 'latin1').split(text).length - 1);
}

test('of what was overwritten and deleted no byte is left in the file and in its log, however its pages were filled', async () => {
  const url = temporaryState();
  const backend = backendAt(url);
  const keys = Array.from({ length: 600 }, (_, index) => `person-${(index * 7919) % 600}`);
  const secret = (key: string, length: number) => row(key, { of: key, text: 'secret'.repeat(length) });
  // Rows grow and shrink in turn, over pages of their own, too, so that pages are split and joined.
  for (const length of [1, 40, 3, 1_500, 10]) {
    for (let start = 0; start < keys.length; start += 50) {
      const some = keys.slice(start, start + 50);
      await backend.write(new Map(some.map((key, index) => secret(key, index % 3 === 0 ? length : 5))));
      await backend.write(new Map(some.map((key) => row(`other-${key}`, 'x'.repeat(length)))));
    }
  }
  expect(Math.max(...tracesOf(url, 'secret'))).toBeGreaterThan(600);
  await backend.write(new Map(keys.slice(0, 300).map((key) => row(key, 'nothing'))));
  await backend.write(new Map(keys.slice(300).map((key) => [`thing:${key}`, null])));
  await backend.scrub();
  expect(tracesOf(url, 'secret')).toEqual([0, 0]);
  expect(tracesOf(url, `"of":"person`)).toEqual([0, 0]);
  await backend.close();
  expect(tracesOf(url, 'secret')).toEqual([0]);
});

const modeOf = (path: string) => statSync(path).mode & 0o777;

// A thread can't set it, and a test of mutants runs in one.
test.runIf(isMainThread).each([0, 0o077])(
  'under the umask %o, a state and its copies are their owner’s alone',
  async (umask) => {
    const before = process.umask(umask);
    onTestFinished(() => void process.umask(before));
    const folder = join(temporaryFolder(), 'new', 'folder');
    const file = join(folder, 'state.sqlite');
    const backend = opened(`sqlite://${file}`);
    await backend.write(new Map([row('k', 1)]));
    await backend.copyTo(join(folder, 'backups', 'copy.sqlite'));
    for (const path of [folder, join(folder, 'backups')]) expect(modeOf(path)).toBe(0o700);
    for (const path of [file, `${file}-wal`, `${file}-shm`, join(folder, 'backups', 'copy.sqlite')]) {
      expect([path, modeOf(path)]).toEqual([path, 0o600]);
    }
  },
);

test('a state that others could read is its owner’s alone once it is opened', async () => {
  const url = temporaryState();
  const file = url.slice('sqlite://'.length);
  await opened(url).write(new Map([row('k', 1)]));
  for (const ending of ['', '-wal', '-shm']) chmodSync(file + ending, 0o644);
  await opened(url).write(new Map([row('k', 2)]));
  for (const ending of ['', '-wal', '-shm']) expect(modeOf(file + ending)).toBe(0o600);
});
