import { copyFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { KeyvSqlite } from '@keyv/sqlite';
import { describe, expect, onTestFinished, test } from 'vitest';
import { StoreError } from '../../src/shared/errors.ts';
import type { AboutRecord } from '../../src/store/migrations.ts';
import { type Migration, migrate, STATE_VERSION } from '../../src/store/migrations.ts';
import { openStore } from '../../src/store/store.ts';
import { pagesOf } from '../../src/store/table/state.ts';
import { createTestLog } from '../helpers/keys.ts';
import { ManualClock } from '../helpers/manual-clock.ts';
import { mortal } from '../helpers/mortal-backend.ts';
import { writeOneOfEach } from '../helpers/one-of-each.ts';
import { type Backend, openedState, stateIn } from '../helpers/opened-state.ts';
import { hasPostgres, runPostgres, temporaryPostgres } from '../helpers/postgres.ts';
import { temporaryState } from '../helpers/temporary-folder.ts';
import { aKnownOffer, NOW_MS, uuid } from '../helpers/things.ts';

const STATES = join(import.meta.dirname, 'states');

const textOf = (value: unknown) => JSON.stringify({ value });
const keysOf = (rows: ReadonlyMap<string, string>) => [...rows.keys()];

/** All rows, by key. */
async function rowsIn(backend: Backend): Promise<Map<string, string>> {
  const all = new Map<string, string>();
  for await (const rows of pagesOf(backend, '')) for (const { key, value } of rows) all.set(key, value);
  return all;
}

async function open(url: string) {
  const lines: string[] = [];
  const clock = new ManualClock('2026-10-06T12:00:00Z');
  const store = await openStore(url, clock, {
    dealbell: '7.8.9',
    clock,
    log: createTestLog((line) => lines.push(line)),
    signal: new AbortController().signal,
    onLost: () => undefined,
  });
  onTestFinished(() => store.close());
  return { store, lines, clock };
}

/** The first one counts up what a row says; the second one renames that, in rows of another kind too. */
const STEPS: readonly Migration[] = [
  { to: 2, changes: { thing: (row) => (hasCount(row) ? { count: row.count + 1 } : row) } },
  {
    to: 3,
    changes: {
      thing: (row) => (hasCount(row) ? { number: row.count } : row),
      other: (row) => (row === 'old' ? 'new' : row),
    },
  },
];

function hasCount(row: unknown): row is { count: number } {
  return typeof row === 'object' && row !== null && 'count' in row;
}

const FIRST: AboutRecord = { version: 1, dealbell: '0.0.1', isSetUp: true };
const THINGS = Array.from({ length: 1_201 }, (_, index) => `thing:${String(index).padStart(4, '0')}`);
/** Rows that no migration changes: damaged ones, and one of a kind whose name begins as another's. */
const UNCHANGED = [
  ['thing:damaged', 'no JSON'],
  ['thing:null', textOf(null)],
  ['thing-two:a', textOf({ count: 1 })],
] as const;

const OLD = new Map([
  ['about:state', textOf(FIRST)],
  ['other:a', textOf('old')],
  ['other:b', textOf('young')],
  ...THINGS.map((key, index) => [key, textOf({ count: index })] as const),
  ...UNCHANGED,
]);
const AFTER_FIRST = new Map([
  ...OLD,
  ['about:state', textOf({ ...FIRST, version: 2, dealbell: '7.8.9' })],
  ...THINGS.map((key, index) => [key, textOf({ count: index + 1 })] as const),
]);
const AFTER_BOTH = new Map([
  ...OLD,
  ['about:state', textOf({ ...FIRST, version: 3, dealbell: '7.8.9' })],
  ['other:a', textOf('new')],
  ...THINGS.map((key, index) => [key, textOf({ number: index + 1 })] as const),
]);

describe.each([
  ['SQLite', temporaryState, true],
  ['PostgreSQL', temporaryPostgres, hasPostgres],
] as const)('on %s', (_, place, isThere) => {
  /** A state of the first version, and how it is brought to the third. */
  async function anOldState() {
    const { backend } = openedState(place());
    await backend.write(OLD);
    const copies: { version: number; keys: string[] }[] = [];
    const migrated = (through: Backend, about: AboutRecord) =>
      migrate(
        { backend: through, state: stateIn(through) },
        { about, dealbell: '7.8.9' },
        async (version) => copies.push({ version, keys: keysOf(await rowsIn(backend)) }),
        STEPS,
      );
    return { backend, copies, migrated };
  }

  test.runIf(isThere)('each step is one write with the new version, after a copy was made', async () => {
    const { backend, copies, migrated } = await anOldState();
    const writes: string[][] = [];
    const told: Backend = {
      ...backend,
      write(rows) {
        expect(copies).toHaveLength(1);
        writes.push([...rows.keys()].toSorted());
        return backend.write(rows);
      },
    };
    await migrated(told, FIRST);
    expect(writes).toEqual([
      ['about:state', ...THINGS],
      ['about:state', 'other:a', ...THINGS],
    ]);
    expect(copies).toEqual([{ version: 1, keys: keysOf(OLD).toSorted() }]);
    expect(await rowsIn(backend)).toEqual(AFTER_BOTH);
  });

  test.runIf(isThere).each([
    [1, OLD],
    [2, AFTER_FIRST],
  ])('cut off at write %i, no step is done by half, and the next start goes on', async (dieAt, expected) => {
    const { backend, copies, migrated } = await anOldState();
    await expect(migrated(mortal(backend, dieAt), FIRST)).rejects.toThrow('Killed.');
    expect(await rowsIn(backend)).toEqual(expected);
    await migrated(backend, { ...FIRST, version: dieAt });
    expect(await rowsIn(backend)).toEqual(AFTER_BOTH);
    expect(copies.map(({ version }) => version)).toEqual([1, dieAt]);
  });

  test.runIf(isThere)('no copy, no migration; and a state of this version is neither copied nor written', async () => {
    const { backend, copies, migrated } = await anOldState();
    const opened = { backend: mortal(backend, 1), state: stateIn(mortal(backend, 1)) };
    const refused = () => Promise.reject(new StoreError('The disk is full.'));
    await expect(migrate(opened, { about: FIRST, dealbell: '' }, refused, STEPS)).rejects.toThrow('The disk is full.');
    await migrated(mortal(backend, 1), { ...FIRST, version: 3 });
    expect(copies).toEqual([]);
    expect(await rowsIn(backend)).toEqual(OLD);
  });
});

test('there is a stored state of every version', () => {
  const names = Array.from({ length: STATE_VERSION }, (_, index) => `version-${index + 1}.sqlite`);
  expect(readdirSync(STATES).toSorted()).toEqual(names.toSorted());
});

/**
 * Made by version 0.1.0 on 2026-10-06 at 12:00 UTC: `writeOneOfEach` on a new state, of which `copyTo` made the file.
 * A state that was released is never made anew.
 */
test('a stored state of version 1 opens with all its records', async () => {
  const url = temporaryState();
  copyFileSync(join(STATES, 'version-1.sqlite'), url.slice('sqlite://'.length));
  const stored = await rowsIn(openedState(url).backend);
  const { store, lines, clock } = await open(url);
  expect(store.isNew).toBe(false);
  const { subscriptions, deliveries, posts, edits, publications, known, products, prices } = store;
  expect(subscriptions.all().map(({ id }) => id)).toEqual(['settings', 'usual']);
  expect(subscriptions.get('settings')).toMatchObject({
    filter: 'title ~ "Kettle"',
    mostPerHour: 5,
  });
  expect(await subscriptions.restorable('removed', NOW_MS)).toMatchObject({ id: 'removed' });
  expect([...store.people.all()]).toMatchObject([{ id: '100', channelId: '12', locale: 'de' }]);
  expect(store.postingPause.sinceMs()).toBe(NOW_MS);
  expect(store.resources.keys()).toEqual(['events', 'feed:home']);
  expect(store.resources.get('feed:home')).toMatchObject({ marketingName: 'Home', learned: { days: 3 } });
  expect((await known.among('events', [uuid(2)])).size).toBe(1);
  expect((await store.offers.all()).map(({ offer }) => offer.id)).toEqual([uuid(1), uuid(2)]);
  expect((await products.among(['kettle|'])).size).toBe(1);
  expect((await prices.among(['kettle|'])).get('kettle|')).toHaveLength(2);
  expect(deliveries.pending('10').map(({ id }) => id)).toEqual(['waiting']);
  expect(deliveries.pendingRollUp('10')?.replaces).toEqual(['later']);
  const outcomes = await Promise.all(['posted', 'same', 'told', 'late', 'over'].map((id) => deliveries.ended(id)));
  expect(outcomes.map((entry) => entry?.outcome)).toEqual(['posted', 'posted', 'posted', 'posted', 'over']);
  const { rollUpId = null } = outcomes[2] ?? {};
  expect((await deliveries.findRollUp(rollUpId ?? ''))?.members).toHaveLength(2);
  const about = await posts.about([`offer:${uuid(1)}`, `event:${uuid(2)}`]);
  expect([...about.values()].flat().map(({ deliveryId }) => deliveryId)).toEqual(['event', 'posted']);
  expect([edits.pending('10').length, publications.pending('10').length]).toEqual([1, 1]);
  expect(store.rateLog.recent('post/10', clock.now())).toEqual([{ id: 'posted', atMs: NOW_MS }]);
  expect(store.newestMessages.of('10')).toBe('1001');
  expect(await store.spending.load('portal')).toMatchObject({ spent: 3 });
  expect(lines.filter((line) => line.includes('unreadable'))).toEqual([]);
  await store.close();
  // The bot of today writes rows of the same kinds, by the same keys.
  const { store: fresh } = await open(temporaryState());
  await writeOneOfEach(fresh);
  const copy = temporaryState();
  await fresh.copyTo(copy.slice('sqlite://'.length));
  const ofFeatures = lines.flatMap((line) => (JSON.parse(line) as { kinds?: string[] }).kinds ?? []);
  const ofCore = new Map([...stored].filter(([key]) => !ofFeatures.includes(key.slice(0, key.indexOf(':')))));
  expect(keysOf(await rowsIn(openedState(copy).backend))).toEqual(keysOf(ofCore));
});

/** Everything that is in a file or a schema, tables and rows. */
async function contentOf(url: string, table: string): Promise<unknown> {
  const { run, all } = sqlOn(url, table);
  const tables = (await run(all)) as { name: string }[];
  return Promise.all(tables.map(async ({ name }) => [name, await run(`SELECT * FROM ${name} ORDER BY 1`)]));
}

/** @param table one that is there, since it would be made */
function sqlOn(url: string, table: string) {
  if (!url.startsWith('sqlite')) {
    const schema = new URL(url).searchParams.get('schema');
    const all = `SELECT tablename AS name FROM pg_tables WHERE schemaname = '${schema}' ORDER BY 1`;
    return { run: (...statements: string[]) => runPostgres(url, ...statements), all };
  }
  const all = "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY 1";
  return {
    run: async (...statements: string[]) => {
      const connection = new KeyvSqlite({ uri: url, table });
      let rows: unknown[] = [];
      for (const statement of statements) rows = await connection.query(statement);
      await connection.close();
      return rows;
    },
    all,
  };
}

const UNKNOWN = "holds something that this version of Dealbell can't read";
const versionOf = (about: unknown) => [['about:state', textOf(about)]] as const;

describe.each([
  ['SQLite', temporaryState, true],
  ['PostgreSQL', temporaryPostgres, hasPostgres],
] as const)('on %s', (_, place, isThere) => {
  const records = [['offer:a', textOf(aKnownOffer(1))]] as const;

  test.runIf(isThere).each([
    ['rows but none that says what they are', records, UNKNOWN],
    ['a damaged description', [...records, ...versionOf({ ...FIRST, version: '1' })], UNKNOWN],
    ['a description that is no JSON', [...records, ['about:state', 'no JSON'] as const], UNKNOWN],
    ['a damaged description alone', versionOf({ version: 1 }), UNKNOWN],
    ['a version before the first', [...records, ...versionOf({ ...FIRST, version: 0 })], UNKNOWN],
    [
      'a version from the future',
      [...records, ...versionOf({ ...FIRST, version: STATE_VERSION + 1, dealbell: '9.8.7' })],
      'This state was written by Dealbell 9.8.7 or newer',
    ],
    [
      'a version from the future, of which nobody knows the program',
      versionOf({ ...FIRST, version: STATE_VERSION + 1, dealbell: '', more: 1 }),
      'This state was written by a newer Dealbell',
    ],
  ])('%s: it is refused and left as it is', async (_name, rows, sentence) => {
    const url = place();
    const { backend } = openedState(url);
    await backend.write(new Map(rows));
    await backend.close();
    const stored = await contentOf(url, 'state');
    await expect(open(url)).rejects.toThrow(sentence);
    await expect(open(url)).rejects.toThrow(StoreError);
    expect(await contentOf(url, 'state')).toEqual(stored);
  });

  test.runIf(isThere).each(['about', 'subscriptions'])(
    'a state of before the first release (%s) is refused and left as it is',
    async (table) => {
      const url = place();
      const { run } = sqlOn(url, table);
      const schema = new URL(url).searchParams.get('schema');
      await run(
        ...(schema === null ? [] : [`CREATE SCHEMA ${schema}`]),
        `CREATE TABLE IF NOT EXISTS ${table} (key VARCHAR(255) PRIMARY KEY, value TEXT)`,
        'CREATE TABLE lease (key VARCHAR(255) PRIMARY KEY, value TEXT)',
        `INSERT INTO ${table} VALUES ('state', '{"value":{"version":3,"dealbell":"0.1.0"}}')`,
      );
      const stored = await contentOf(url, table);
      expect(stored).toHaveLength(2);
      for (let time = 0; time < 2; time += 1) {
        await expect(open(url)).rejects.toThrow(UNKNOWN);
        expect(await contentOf(url, table)).toEqual(stored);
      }
    },
  );

  test.runIf(isThere)('a new state says which program has begun it, before anything else is in it', async () => {
    const url = place();
    const { store } = await open(url);
    expect(store.isNew).toBe(true);
    const rows = await rowsIn(openedState(url).backend);
    expect(keysOf(rows)).toEqual(['about:state', 'lease']);
    expect(rows.get('about:state')).toBe(textOf({ version: STATE_VERSION, dealbell: '7.8.9', isSetUp: false }));
    await store.close();
    // A lease that is given back and a row that was to find out whether the disk is full are no state.
    const other = place();
    const { backend } = openedState(other);
    await backend.write(new Map([['probe', '{}']]));
    await backend.lease.replace(undefined, JSON.stringify({ holder: null, epoch: 7, process: {} }));
    await backend.close();
    expect((await open(other)).store).toMatchObject({ isNew: true, epoch: 8 });
  });
});
