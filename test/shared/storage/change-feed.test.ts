import { describe, expect, onTestFinished, test } from 'vitest';
import { createLog } from '../../../src/shared/log.ts';
import { openBackend } from '../../../src/shared/storage/backend.ts';
import { openGatewayTables } from '../../../src/shared/storage/gateway-tables.ts';
import { postgresPlace } from '../../../src/shared/storage/state-place.ts';
import { hasPostgres, runPostgres, temporaryPostgres } from '../../helpers/postgres.ts';

/** The latest changes that are kept. */
const KEPT = 5_000;

async function aState() {
  const stateUrl = temporaryPostgres();
  const backend = openBackend(stateUrl);
  onTestFinished(() => backend.close());
  const [offers, others] = [backend.table<number>('offers'), backend.table<number>('others')];
  await offers.set('before', 0);
  await others.set('before', 0);
  let notified = 0;
  const tables = await openGatewayTables(stateUrl, {
    count: 1,
    holder: 'test',
    log: createLog('silent'),
    onStateChange: () => {
      notified += 1;
    },
  });
  onTestFinished(() => tables.close());
  const gateway = `${postgresPlace(stateUrl).schema}_gateway`;
  const run = (sql: string) => runPostgres(stateUrl, sql.replaceAll('GATEWAY', gateway));
  const { changes } = tables;
  const server = async () => (await changes.latest())?.server ?? '';
  /** The changes after the one with that number. */
  const since = async (number: number) => changes.since({ number, server: await server() });
  return { backend, offers, others, changes, since, notified: () => notified, run };
}

describe.runIf(hasPostgres)('the change feed', () => {
  test('numbers nothing before a process has led that wants it', async () => {
    const { changes, offers, since } = await aState();
    expect(await changes.latest()).toBeNull();
    expect(await since(0)).toBeNull();
    await changes.follow(['offers']);
    await offers.set('a', 1);
    expect((await changes.latest())?.number).toBe(1);
  });

  test('has each statement that wrote or deleted rows of its tables, in order, and tells of it', async () => {
    const { backend, changes, offers, others, notified, since } = await aState();
    await changes.listen();
    await changes.follow(['offers']);
    // Each process that leads asks for it again.
    await changes.follow(['offers']);
    await offers.setMany([
      ['a', 1],
      ['b', 1],
    ]);
    await offers.set('a', 2);
    await others.set('c', 1);
    await offers.delete('b');
    await offers.deleteMany(['nothing', 'here']);
    await backend.change('offers', { set: [['d', 1]], deleted: ['before'] });
    const seen = (await since(0)) ?? [];
    expect(seen.map(({ table, keys }) => [table, ...keys.toSorted()])).toEqual([
      ['offers', 'a', 'b'],
      ['offers', 'a'],
      ['offers', 'b'],
      // Two of one statement.
      ['offers', 'd'],
      ['offers', 'before'],
    ]);
    expect(await since(4)).toEqual(seen.slice(4));
    expect(await since(5)).toEqual([]);
    // PostgreSQL notifies once of both changes of one transaction.
    await expect.poll(notified).toBe(4);
  });

  test('has no change of a statement that was refused', async () => {
    const { backend, changes, offers, since } = await aState();
    await changes.follow(['offers']);
    await backend.lease.replace(undefined, JSON.stringify({ holder: 'another' }));
    await backend.lease.fence('me');
    await expect(offers.set('a', 1)).rejects.toThrow();
    expect(await since(0)).toEqual([]);
  });

  test('keeps the latest changes, and says where some of them are gone', async () => {
    const { changes, offers, run, since } = await aState();
    await changes.follow(['offers']);
    await run(`UPDATE GATEWAY.latest_change SET position = ${KEPT}`);
    await offers.set('a', 1);
    expect(await since(KEPT)).toHaveLength(1);
    expect(await since(KEPT - 1)).toBeNull();
    await run(`INSERT INTO GATEWAY.changes VALUES (1, 'offers', '{x}'), (2, 'offers', '{y}')`);
    await offers.set('a', 2);
    // The first two are further back than the most that are kept.
    expect(await run('SELECT position FROM GATEWAY.changes ORDER BY position')).toEqual([
      { position: `${KEPT + 1}` },
      { position: `${KEPT + 2}` },
    ]);
    // As after a database that has lost its memory.
    await run('TRUNCATE GATEWAY.changes');
    expect(await since(KEPT + 1)).toBeNull();
    expect(await since(KEPT + 2)).toEqual([]);
    expect(await since(KEPT + 3)).toBeNull();
  });

  test('knows nothing of the changes of a database that was restored, or stands in', async () => {
    const { changes, offers } = await aState();
    await changes.follow(['offers']);
    const before = await changes.latest();
    await offers.set('a', 1);
    expect(await changes.since({ number: 0, server: before?.server ?? '' })).toHaveLength(1);
    expect(await changes.since({ number: 0, server: 'another' })).toBeNull();
  });
});
