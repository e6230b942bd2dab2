import { KeyvSqlite } from '@keyv/sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { newSubscription } from '../../../src/bot/announcements/kinds/of-source.ts';
import { openDeliveries } from '../../../src/bot/store/deliveries.ts';
import { STATE_VERSION } from '../../../src/bot/store/migrations.ts';
import { openStore, type StateOwner, type Store } from '../../../src/bot/store/store.ts';
import { systemClock } from '../../../src/shared/clock.ts';
import { openBackend } from '../../../src/shared/storage/backend.ts';
import { createTestLog } from '../../helpers/keys.ts';
import { ManualClock } from '../../helpers/manual-clock.ts';
import { temporaryState } from '../../helpers/temporary-folder.ts';
import { aKnownOffer, NOW_MS } from '../../helpers/things.ts';

/** Rows that no program of ours has written, or only one to come. */
const BAD = [
  null,
  '',
  'null',
  'not JSON',
  '[]',
  '5',
  '{}',
  '{"value":null}',
  '{"value":5}',
  '{"value":[]}',
  '{"value":"text"}',
  '{"value":{}}',
  '{"value":{"version":2}}',
  '{"value":{"version":99,"id":"x"}}',
];
const TABLES = [
  'subscriptions',
  'removed_subscriptions',
  'resources',
  'offers',
  'products',
  'prices',
  'known',
  'outbox',
  'ledger',
  'roll_ups',
  'posts',
  'edits',
  'publications',
  'paces',
  'newest_messages',
  'looks',
  'spending',
];

/** Writes a text, or nothing, as it stands into a row of a table. */
async function writeRow(url: string, table: string, key: string, value: string | null): Promise<void> {
  const adapter = new KeyvSqlite({ uri: url, table });
  await adapter.query(
    `INSERT INTO ${table} VALUES (?, ?) ON CONFLICT(key) DO UPDATE SET value = excluded.value`,
    key,
    value,
  );
  await adapter.close();
}

function anOwner(lines: string[]): StateOwner {
  return {
    dealbell: '0.0.0',
    clock: new ManualClock(),
    log: createTestLog((line) => lines.push(line)),
    signal: new AbortController().signal,
    onLost: () => undefined,
  };
}

/** Everything that is read of a state. */
async function readAll(store: Store): Promise<void> {
  for await (const _ of store.offers.all());
  await store.deliveries.ended('bad');
  await store.deliveries.findRollUp('bad');
  await store.products.among(['bad']);
  await store.known.among('polls', ['bad']);
  await store.posts.of('offer:bad');
  await store.posts.announcements('event');
  await store.spending.load('portal');
  await store.subscriptions.restorable('bad', NOW_MS);
  await store.subscriptions.sweep(NOW_MS);
  await store.deliveries.sweep(NOW_MS);
  await store.paces.sweep(NOW_MS);
  await store.products.sweep(NOW_MS);
  await store.prices.among(['bad']);
  await store.prices.sweep(NOW_MS);
  await store.known.sweep(NOW_MS);
  await store.posts.sweep(() => false);
}

test.each(BAD)('a row that holds %j is one row’s problem, in every table', async (text) => {
  const url = temporaryState();
  const before = await openStore(url);
  await before.subscriptions.save(
    newSubscription({
      id: 'good',
      guildId: '1',
      channelId: '10',
      source: { kind: 'polls' },
      createdBy: '2',
      createdAtMs: NOW_MS,
      catchUp: 0,
    }),
  );
  await before.offers.save([aKnownOffer(1)]);
  await before.markSetUp();
  await before.close();
  const keys: Record<string, string> = { known: 'polls/bad', posts: 'offer:bad/bad', spending: 'portal' };
  for (const table of TABLES) await writeRow(url, table, keys[table] ?? 'bad', text);
  // There, a version says that the state is newer.
  if (!text?.includes('version')) await writeRow(url, 'about', 'state', text);

  const lines: string[] = [];
  const store = await openStore(url, systemClock, anOwner(lines));
  onTestFinished(() => store.close());
  await readAll(store);
  await readAll(store);
  expect(store.isNew).toBe(false);
  expect(store.subscriptions.all().map(({ id }) => id)).toEqual(['good']);
  const offers: string[] = [];
  for await (const { offer } of store.offers.all()) offers.push(offer.id);
  expect(offers).toEqual([aKnownOffer(1).offer.id]);
  expect(await store.spending.load('portal')).toBeNull();
  const told = lines.map((line) => JSON.parse(line) as { table?: string; row?: string }).filter(({ table }) => table);
  // A row in the ledger alone shows that the delivery has ended.
  const expected = TABLES.filter((table) => table !== 'ledger');
  expect(told).toHaveLength(expected.length);
  expect(new Set(told.map(({ table }) => table))).toEqual(new Set(expected));
  await store.close();

  for (const table of TABLES) {
    const adapter = new KeyvSqlite({ uri: url, table });
    const rows: { value: string | null }[] = await adapter.query(
      `SELECT value FROM ${table} WHERE key = ?`,
      keys[table] ?? 'bad',
    );
    await adapter.close();
    expect(rows, `${table} is left as it is`).toEqual([{ value: text }]);
  }
});

test('what the ledger can not tell of any more has ended all the same', async () => {
  const url = temporaryState();
  await (await openStore(url)).close();
  for (const text of BAD) await writeRow(url, 'ledger', `id ${text}`, text);
  const backend = openBackend(url);
  onTestFinished(() => backend.close());
  const deliveries = await openDeliveries(backend);
  for (const text of BAD) expect(await deliveries.ended(`id ${text}`), String(text)).toMatchObject({ outcome: 'over' });
});

test.each([
  [{ version: STATE_VERSION + 1, dealbell: '9.8.7' }, 'This state was written by Dealbell 9.8.7 or newer'],
  [{ version: STATE_VERSION + 1 }, 'This state was written by a newer Dealbell'],
])('a state that is newer than the program is refused and left as it is', async (about, sentence) => {
  const url = temporaryState();
  await (await openStore(url)).close();
  await writeRow(url, 'about', 'state', JSON.stringify({ value: about }));
  await expect(openStore(url, systemClock, anOwner([]))).rejects.toThrow(sentence);
  await writeRow(url, 'about', 'state', JSON.stringify({ value: { version: 1 } }));
  const store = await openStore(url, systemClock, anOwner([]));
  expect(store.isNew).toBe(false);
  await store.close();
});

test('a state says which program has set it up', async () => {
  const url = temporaryState();
  const store = await openStore(url, systemClock, { ...anOwner([]), dealbell: '1.2.3' });
  expect(store.isNew).toBe(true);
  await store.markSetUp();
  await store.close();
  const backend = openBackend(url);
  onTestFinished(() => backend.close());
  expect(await backend.table('about').get('state')).toEqual({ version: STATE_VERSION, dealbell: '1.2.3' });
});
