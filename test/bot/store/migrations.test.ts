import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { newSubscription } from '../../../src/bot/announcements/kinds/of-source.ts';
import { knownRow, ledgerRow, outboxRow, rollUpRow, subscriptionRow } from '../../../src/bot/store/first-rows.ts';
import { migrate, STATE_VERSION } from '../../../src/bot/store/migrations.ts';
import * as second from '../../../src/bot/store/second-rows.ts';
import { openStore } from '../../../src/bot/store/store.ts';
import { StoreError } from '../../../src/shared/errors.ts';
import { openBackend } from '../../../src/shared/storage/backend.ts';
import { createTestLog } from '../../helpers/keys.ts';
import { ManualClock } from '../../helpers/manual-clock.ts';
import { hasPostgres, runPostgres, temporaryPostgres } from '../../helpers/postgres.ts';
import { runSql } from '../../helpers/sql.ts';
import { temporaryState } from '../../helpers/temporary-folder.ts';
import { aDelivery, aSubscription, NOW_MS } from '../../helpers/things.ts';

const STATES = join(import.meta.dirname, 'states');

/** A state as a former program has left it. */
async function aStateOf(name: string): Promise<string> {
  const url = temporaryState();
  const connection = openBackend(url);
  await connection.close();
  const statements = readFileSync(join(STATES, name), 'utf8').replaceAll(
    'CREATE TABLE ',
    'CREATE TABLE IF NOT EXISTS ',
  );
  await runSql(url, ...statements.split(/;$/m).filter((statement) => statement.trim() !== ''));
  return url;
}

async function open(url: string, clock = new ManualClock()) {
  const lines: string[] = [];
  const store = await openStore(url, clock, {
    dealbell: '7.8.9',
    clock,
    log: createTestLog((line) => lines.push(line)),
    signal: new AbortController().signal,
    onLost: () => undefined,
  });
  onTestFinished(() => store.close());
  return { store, lines };
}

/** The values of a column of keys. */
async function keysIn(url: string, table: string): Promise<string[]> {
  const rows = (await runSql(url, `SELECT key FROM ${table} ORDER BY key`)) as { key: string }[];
  return rows.map(({ key }) => key);
}

const copiesOf = (url: string) => {
  const file = url.slice('sqlite://'.length);
  return readdirSync(dirname(file)).filter((name) => name.startsWith(`${basename(file)}.before-`));
};

const STATE_FILES = readdirSync(STATES);

test('there is a stored state of every version that has a migration', () => {
  for (let version = 1; version < STATE_VERSION; version += 1) {
    expect(
      STATE_FILES.filter((name) => name.startsWith(`version-${version}-`)),
      `${version}`,
    ).not.toEqual([]);
  }
});

test.each(STATE_FILES)('%s opens with all that is in it, and a copy of it is kept', async (name) => {
  const url = await aStateOf(name);
  const inOutbox = await keysIn(url, 'outbox');
  const inLedger = await keysIn(url, 'ledger');
  const subscribed = await keysIn(url, 'subscriptions');
  expect(Math.min(inOutbox.length, inLedger.length, subscribed.length)).toBeGreaterThan(1);

  const { store, lines } = await open(url);
  expect(store.isNew).toBe(false);
  expect(store.subscriptions.ofServers().map(({ id }) => id)).toEqual(subscribed);
  expect(store.subscriptions.all().map(({ kinds }) => kinds.length)).not.toContain(0);
  for (const id of inOutbox) expect(store.deliveries.isPending(id), id).toBe(true);
  for (const id of inLedger) expect(await store.deliveries.ended(id), id).toMatchObject({ outcome: 'posted' });
  for await (const _ of store.offers.all());
  for (const subject of await keysIn(url, 'known')) {
    const [resource = '', id = ''] = subject.split('/');
    const found = await store.known.among(resource as 'events', [id]);
    expect([...found.values()], subject).toHaveLength(1);
  }
  expect(lines.filter((line) => line.includes('can not be read'))).toEqual([]);
  await store.close();

  const [copy = '', ...others] = copiesOf(url);
  expect(others).toEqual([]);
  expect(lines.filter((line) => line.includes('converting the state, of which a copy was made'))).toEqual([
    expect.stringContaining(copy),
  ]);
  const copied = `sqlite://${join(dirname(url.slice('sqlite://'.length)), copy)}`;
  expect(await keysIn(copied, 'ledger')).toEqual(inLedger);
  expect(await runSql(copied, 'SELECT value FROM about')).toEqual([
    { value: expect.stringContaining(`"version":${/\d+/.exec(name)?.[0]}`) as string },
  ]);
  expect(await runSql(url, 'SELECT value FROM about')).toEqual([
    { value: JSON.stringify({ value: { version: STATE_VERSION, dealbell: '7.8.9' } }) },
  ]);
  // The second start finds nothing to do.
  await (await open(url)).store.close();
  expect(copiesOf(url)).toEqual([copy]);
});

test.runIf(hasPostgres)('on PostgreSQL no copy is kept, and the log says so once', async () => {
  const url = temporaryPostgres();
  const backend = openBackend(url);
  await backend.table('about').set('state', { version: 1 });
  await backend.close();
  const { store, lines } = await open(url);
  await store.close();
  const again = await open(url);
  await again.store.close();
  expect([...lines, ...again.lines].filter((line) => line.includes('converting the state'))).toEqual([
    expect.stringContaining('without a copy: only a pg_dump from before can undo it'),
  ]);
  expect(await runPostgres(url, 'SELECT value FROM about')).toEqual([
    { value: JSON.stringify({ value: { version: STATE_VERSION, dealbell: '7.8.9' } }) },
  ]);
});

test('what a roll-up of the first form replaces is pending in it', async () => {
  const delivery = aDelivery('a');
  const { id: deliveryId, announcement, matches } = delivery;
  const member = { deliveryId, announcement, matches };
  const rollUp = {
    version: 1,
    id: 'r',
    guildId: '1',
    channelId: '10',
    members: [member],
    replaces: ['a'],
    createdAtMs: 1,
  };
  expect(rollUpRow(rollUp)).toEqual({ ...rollUp, members: [{ ...member, alsoTells: [] }] });
  expect(outboxRow(rollUp)).toEqual({ ...rollUp, members: [{ ...member, alsoTells: [] }] });
  const { alsoTells: _, ...lonely } = delivery;
  expect(outboxRow(lonely)).toEqual(delivery);
});

test('a delivery of the first form is due at once, for those who wanted it', () => {
  const {
    version: _,
    matches: _matches,
    alsoTells: _also,
    dueAtMs: _due,
    isDigest: _digest,
    isLate: _late,
    ...kept
  } = aDelivery('a');
  const { occurrence: _occurrence, ...announcement } = kept.announcement;
  expect(outboxRow({ ...kept, version: 1, subscriptionIds: ['s'], announcement })).toEqual(aDelivery('a'));
});

test.each([
  ['m', { outcome: 'posted', messageChannelId: '10', messageId: 'm' }],
  [null, { outcome: 'over', messageChannelId: null, messageId: null }],
])('how a delivery ended before there were roll-ups and forums: message %s', (messageId, expected) => {
  const row = { version: 1, channelId: '10', messageId, endedAtMs: NOW_MS };
  expect(ledgerRow(row)).toEqual({ version: 2, channelId: '10', rollUpId: null, endedAtMs: NOW_MS, ...expected });
});

test.each([
  [{ kind: 'feed', feed: 'Home' }, { kind: 'feed', feed: 'Home' }, false, null],
  [{ kind: 'dealcasts' }, { kind: 'dealcasts' }, true, 'gone'],
  [{ kind: 'events' }, { kind: 'events', sites: [], types: [] }, true, 'gone'],
] as const)('a subscription of the first form to %j', (was, source, isPaused, pausedBy) => {
  const wish = { id: 'a', guildId: '1', channelId: '10', createdBy: '100', createdAtMs: NOW_MS, catchUp: 2 };
  const row = { ...wish, version: 1, source: was, problem: 'The channel is gone.', isPaused };
  const expected = { ...newSubscription({ ...wish, source: { ...source } as never }), problem: row.problem, pausedBy };
  expect(subscriptionRow(row)).toEqual(expected);
});

test('what was known before posts were kept up to date was last seen when it was first', () => {
  expect(knownRow({ version: 1, firstSeenMs: 5 })).toEqual({ version: 2, firstSeenMs: 5, lastSeenMs: 5, face: null });
});

test.each([outboxRow, rollUpRow, ledgerRow, knownRow, subscriptionRow, second.subscriptionRow, second.removedRow])(
  '%o leaves what it does not know',
  (change) => {
    for (const row of [null, 5, [], {}, { version: 1 }, { version: 2 }, { version: 99, id: 'x' }]) {
      expect(change(row)).toBe(row);
    }
  },
);

test('what subscriptions and watches of the second form said is still so, in half the room', async () => {
  const url = await aStateOf('version-2-last.sql');
  type Stored = { key: string; value: string };
  const rowsIn = (table: string) => runSql(url, `SELECT key, value FROM ${table}`) as Promise<Stored[]>;
  const before = [...(await rowsIn('subscriptions')), ...(await rowsIn('watches'))];
  const { store } = await open(url, new ManualClock('2026-10-07T12:00:00Z'));
  expect(before.map(({ key }) => key)).toEqual(expect.arrayContaining(['usual', 'settings', 'watch']));
  for (const { key, value } of before) {
    const { value: said } = JSON.parse(value) as { value: object };
    expect(store.subscriptions.get(key), key).toEqual({ ...said, version: 3 });
  }
  const [removed] = await rowsIn('removed_subscriptions');
  const was = JSON.parse(removed?.value ?? '') as { value: { subscription: object; removedAtMs: number } };
  const restorable = await store.subscriptions.restorable('removed', was.value.removedAtMs);
  expect(restorable).toMatchObject({ version: 3, id: 'removed', filter: 'saw', mostPerHour: 30 });
  const usual = (await rowsIn('subscriptions')).find(({ key }) => key === 'usual')?.value.length ?? 0;
  expect(usual).toBeLessThan((before.find(({ key }) => key === 'usual')?.value.length ?? 0) * 0.55);
});

test('a subscription of the second form that lacks a field says nothing in the third one either', () => {
  const whole = { ...aSubscription('a'), version: 2 };
  expect(second.subscriptionRow(whole)).not.toBe(whole);
  for (const field of ['filter', 'kinds', 'timing', 'mostPerHour', 'source', 'channelId'] as const) {
    const { [field]: _, ...lacking } = whole;
    expect(second.subscriptionRow(lacking), field).toBe(lacking);
    const removed = { version: 1, subscription: lacking, removedAtMs: NOW_MS };
    expect(second.removedRow(removed), field).toBe(removed);
  }
});

test('a migration that fails changes nothing, and the next start does it', async () => {
  const url = await aStateOf('version-1-first.sql');
  const rowsOf = () =>
    runSql(url, 'SELECT * FROM ledger UNION ALL SELECT * FROM subscriptions UNION ALL SELECT * FROM about');
  const before = await rowsOf();
  await runSql(url, "CREATE TRIGGER broken BEFORE UPDATE ON about BEGIN SELECT RAISE(ABORT, 'no') ; END");
  await expect(open(url)).rejects.toThrow(StoreError);
  expect(await rowsOf()).toEqual(before);
  await runSql(url, 'DROP TRIGGER broken');
  const { store } = await open(url, new ManualClock('2026-10-07T12:00:00Z'));
  expect(store.subscriptions.all()).toHaveLength(2);
});

test('no copy, no migration', async () => {
  const rewritten: unknown[] = [];
  const backend = { rewrite: async (changes: unknown) => void rewritten.push(changes) };
  const refused = migrate(backend, { version: 1, dealbell: '' }, () =>
    Promise.reject(new StoreError('The disk is full.')),
  );
  await expect(refused).rejects.toThrow('The disk is full.');
  expect(rewritten).toEqual([]);
});

test('a state of this version is not touched', async () => {
  const backend = { rewrite: () => Promise.reject(new Error('It was rewritten.')) };
  const copy = () => Promise.reject(new Error('It was copied.'));
  await migrate(backend, { version: STATE_VERSION, dealbell: '' }, copy);
});
