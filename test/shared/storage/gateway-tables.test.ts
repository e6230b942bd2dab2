import { describe, expect, onTestFinished, test } from 'vitest';
import { StateInUseError, StoreError } from '../../../src/shared/errors.ts';
import { createLog } from '../../../src/shared/log.ts';
import { openGatewayTables } from '../../../src/shared/storage/gateway-tables.ts';
import type { GatewayEvent } from '../../../src/shared/storage/gateway-writer.ts';
import { postgresPlace } from '../../../src/shared/storage/state-place.ts';
import { hasPostgres, runPostgres, temporaryPostgres } from '../../helpers/postgres.ts';

const READY = { session_id: 'one', user: { id: '900' } };
const event = (dispatch: unknown, more: Partial<GatewayEvent> = {}): GatewayEvent => ({ dispatch, ...more });

function aDatabase() {
  const stateUrl = temporaryPostgres();
  const schema = `${postgresPlace(stateUrl).schema}_gateway`;
  const run = (sql: string) => runPostgres(stateUrl, sql.replaceAll('GATEWAY', schema));
  const aProcess = async (holder: string, parts: { count?: number; onChange?: (shard: number) => void } = {}) => {
    const tables = await openGatewayTables(stateUrl, {
      count: 4,
      holder,
      log: createLog('silent'),
      ...parts,
    });
    const close = () => tables.close();
    onTestFinished(close);
    return { ...tables.writer, ...tables.reader, close };
  };
  return { run, aProcess };
}

async function listed(rows: AsyncIterable<unknown>): Promise<unknown[]> {
  const all: unknown[] = [];
  for await (const row of rows) all.push(row);
  return all;
}

describe.runIf(hasPostgres)('gateway tables', () => {
  test('one process holds a shard; another one gets it when that has closed its connection, at the same position', async () => {
    const { aProcess } = aDatabase();
    const [first, second] = [await aProcess('first'), await aProcess('second')];
    expect(await first.claim(0)).toBe(0);
    expect(await second.claim(0)).toBeNull();
    expect(await second.claim(1)).toBe(0);
    await first.write(0, 1, event('a'));
    await first.close();
    await expect.poll(() => second.claim(0)).toBe(1);
  });

  test('who has lost a shard writes nothing of it any more', async () => {
    const { aProcess, run } = aDatabase();
    const [first, second] = [await aProcess('first'), await aProcess('second')];
    await first.claim(0);
    // As after 15 s of silence: the database ends the connection, and with it the lock.
    await run(
      `SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND classid = hashtext('GATEWAY')::oid`,
    );
    await expect.poll(() => second.claim(0)).toBe(0);
    const guild = { id: '5', data: { id: '5' } };
    await expect(first.write(0, 1, event('late', { guild }))).rejects.toThrow(StateInUseError);
    expect((await second.since(0, 0))?.events).toEqual([]);
    expect(await second.guild('5')).toBeNull();
  });

  test('the events after a position come in order, each once, and a lost answer writes none twice', async () => {
    const { aProcess } = aDatabase();
    const [holder, leader] = [await aProcess('holder'), await aProcess('leader')];
    expect(await leader.since(0, 0)).toBeNull();
    await holder.claim(0);
    await holder.write(0, 1, event({ t: 'READY' }, { ready: READY, isUp: true }));
    for (let times = 0; times < 2; times += 1) await holder.write(0, 2, event({ t: 'B' }));
    await holder.write(0, 3, event(null, { isUp: false }));
    expect(await leader.since(0, 1)).toEqual({
      state: { position: 3, ready: READY, isUp: false },
      events: [
        { position: 2, dispatch: { t: 'B' } },
        { position: 3, dispatch: null },
      ],
    });
    expect((await leader.since(0, 3))?.events).toEqual([]);
  });

  test('a shard counts as down when the process that held it is gone', async () => {
    const { aProcess } = aDatabase();
    const [holder, leader] = [await aProcess('holder'), await aProcess('leader')];
    await holder.claim(2);
    await holder.write(2, 1, event('a', { ready: READY, isUp: true }));
    expect((await leader.since(2, 0))?.state.isUp).toBe(true);
    await holder.close();
    await expect.poll(async () => (await leader.since(2, 0))?.state.isUp).toBe(false);
  });

  test('servers are kept as they are now, and a session’s beginning drops those that are gone', async () => {
    const { aProcess } = aDatabase();
    const tables = await aProcess('holder');
    await tables.claim(0);
    for (const id of ['5', '6', '7'])
      await tables.write(0, Number(id), event('a', { guild: { id, data: { id, name: id } } }));
    await tables.write(0, 8, event('b', { guild: { id: '6', data: null } }));
    expect(await tables.guild('6')).toBeNull();
    await tables.keepGuilds(0, ['7', '8']);
    expect(await listed(tables.guilds(0))).toEqual([
      { id: '7', name: '7' },
      { id: '8', unavailable: true },
    ]);
    expect(await listed(tables.guilds(1))).toEqual([]);
  });

  test('all servers of a shard are listed, however many', async () => {
    const { aProcess } = aDatabase();
    const tables = await aProcess('holder');
    await tables.claim(0);
    const ids = Array.from({ length: 401 }, (_, index) => String(10_000 + index));
    await tables.keepGuilds(0, ids);
    expect((await listed(tables.guilds(0))).map((guild) => (guild as { id: string }).id)).toEqual(ids);
  });

  test('events are kept for a minute, by the database’s clock', async () => {
    const { aProcess, run } = aDatabase();
    const tables = await aProcess('holder');
    await tables.claim(0);
    for (const position of [1, 2, 3]) await tables.write(0, position, event(position));
    await run(`UPDATE GATEWAY.events SET at = now() - interval '59 seconds' WHERE position = 2`);
    await run(`UPDATE GATEWAY.events SET at = now() - interval '61 seconds' WHERE position = 1`);
    await tables.beat([0]);
    expect((await tables.since(0, 0))?.events.map(({ position }) => position)).toEqual([2, 3]);
  });

  test('a shard’s events are counted for longer than a bot lives', async () => {
    const { aProcess, run } = aDatabase();
    const tables = await aProcess('holder');
    await tables.claim(0);
    await tables.write(0, 1, event('a'));
    await run(`UPDATE GATEWAY.shards SET position = ${2 ** 33}`);
    expect(await tables.claim(0)).toBe(2 ** 33);
    await tables.write(0, 2 ** 33 + 1, event('b'));
    expect(await tables.since(0, 2 ** 33)).toMatchObject({
      state: { position: 2 ** 33 + 1 },
      events: [{ position: 2 ** 33 + 1, dispatch: 'b' }],
    });
  });

  test('who listens is told of each shard that has news', async () => {
    const { aProcess } = aDatabase();
    const told: number[] = [];
    const leader = await aProcess('leader', { onChange: (shard) => told.push(shard) });
    await leader.listen();
    const holder = await aProcess('holder');
    await holder.claim(3);
    await holder.write(3, 1, event('a'));
    await expect.poll(() => told).toEqual([3]);
  });

  test('sessions of one key begin 5.5 s apart, those of another one at once, and no clock that was set stops them', async () => {
    const { aProcess, run } = aDatabase();
    const [first, second] = [await aProcess('first'), await aProcess('second')];
    expect(await first.identifyTurn(0)).toBe(0);
    const waits = [await second.identifyTurn(0), await first.identifyTurn(0)];
    expect(waits[0]).toBeGreaterThan(4_500);
    expect(waits[0]).toBeLessThanOrEqual(5_500);
    expect((waits[1] ?? 0) - (waits[0] ?? 0)).toBeGreaterThan(4_500);
    expect(await second.identifyTurn(1)).toBe(0);
    await run(`UPDATE GATEWAY.turns SET at = now() + interval '3 hours'`);
    expect(await second.identifyTurn(0)).toBe(0);
  });

  test('a process that counts differently is refused while the others live, and begins anew after them', async () => {
    const { aProcess } = aDatabase();
    const first = await aProcess('first');
    await first.claim(0);
    await first.keepGuilds(0, ['5']);
    const second = await aProcess('second', { count: 8 });
    await expect(second.claim(4)).rejects.toThrow('counts 4 shards where SHARDS says 8');
    await first.close();
    await expect.poll(() => second.claim(4).catch(() => null)).toBe(0);
    expect(await second.guild('5')).toBeNull();
    expect(await second.since(0, 0)).toBeNull();
  });

  test('a schema’s name that leaves no room is refused', async () => {
    const url = new URL(temporaryPostgres());
    url.searchParams.set('schema', 'a'.repeat(56));
    const opening = openGatewayTables(url.href, {
      count: 1,
      holder: 'x',
      log: createLog('silent'),
    });
    await expect(opening).rejects.toThrow(StoreError);
  });
});
