import type { KeyvPostgres } from '@keyv/postgres';
import { describe, expect, onTestFinished, test } from 'vitest';
import { StoreError } from '../../../src/shared/errors.ts';
import { postgresPlace } from '../../../src/store/table/state-place.ts';
import { ManualClock } from '../../helpers/manual-clock.ts';
import { backendAt } from '../../helpers/opened-state.ts';
import { hasPostgres, runPostgres, temporaryPostgres } from '../../helpers/postgres.ts';
import { startTcpProxy } from '../../helpers/tcp-proxy.ts';
import { backendConformance } from './conformance.ts';

backendConformance(
  'postgres',
  async () => {
    const stateUrl = temporaryPostgres();
    const proxy = await startTcpProxy(stateUrl);
    onTestFinished(() => proxy.close());
    const clock = new ManualClock();
    return {
      backend: backendAt(proxy.url, { networkClock: clock }),
      reopen: () => backendAt(stateUrl),
      async breakOff() {
        proxy.set('closed');
        void letTimePass(clock);
      },
      refuseWrites: () =>
        runPostgres(
          stateUrl,
          `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'refused'; END $$`,
          `CREATE TRIGGER refuse BEFORE INSERT OR DELETE ON state FOR EACH ROW EXECUTE FUNCTION refuse()`,
        ),
    };
  },
  hasPostgres,
);

/** Lets each pause between two tries to connect pass until the test ends. */
async function letTimePass(clock: ManualClock): Promise<void> {
  let isOver = false;
  onTestFinished(() => {
    isOver = true;
  });
  while (!isOver) {
    await clock.untilSleeping((ms) => ms > 0 && ms <= 2_000);
    await clock.advance(2_000);
  }
}

test.runIf(hasPostgres)(
  'a process without the lease writes nothing to find out that the database is back',
  async () => {
    const stateUrl = temporaryPostgres();
    const proxy = await startTcpProxy(stateUrl);
    onTestFinished(() => proxy.close());
    const [clock, networkClock] = [new ManualClock(), new ManualClock()];
    const backend = backendAt(proxy.url, { clock, networkClock });
    onTestFinished(() => backend.close());
    expect(await backend.page('', '~')).toEqual([]);
    await runPostgres(
      stateUrl,
      'CREATE TABLE written (key TEXT)',
      `CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS
       $$ BEGIN INSERT INTO written VALUES (COALESCE(NEW.key, OLD.key)); RETURN NULL; END $$`,
      'CREATE TRIGGER note AFTER INSERT OR DELETE ON state FOR EACH ROW EXECUTE FUNCTION note()',
    );
    proxy.set('closed');
    const reading = backend.lease.read();
    await networkClock.untilSleeping((ms) => ms > 0 && ms <= 2_000);
    expect(backend.writeProblem()).toBe('unreachable');
    proxy.set('open');
    await networkClock.advance(2_000);
    await reading;
    await clock.advance(5_000);
    await expect.poll(() => backend.writeProblem()).toBeNull();
    expect(await runPostgres(stateUrl, 'SELECT key FROM written')).toEqual([]);
  },
);

describe.runIf(hasPostgres)('a state on postgres', () => {
  function aBackend(stateUrl = temporaryPostgres()) {
    const backend = backendAt(stateUrl);
    onTestFinished(() => backend.close());
    return { stateUrl, backend };
  }

  test('is foreign where its schema holds a table of another program, and not where another schema does', async () => {
    const { stateUrl, backend } = aBackend();
    const elsewhere = temporaryPostgres();
    const { schema } = postgresPlace(elsewhere);
    await runPostgres(elsewhere, `CREATE SCHEMA ${schema}`, 'CREATE TABLE theirs (key TEXT)');
    expect(await backend.isForeign()).toBe(false);
    await backend.write(new Map([['thing:k', '1']]));
    expect(await backend.isForeign()).toBe(false);
    await runPostgres(stateUrl, 'CREATE TABLE theirs (key TEXT)');
    expect(await backend.isForeign()).toBe(true);
  });

  test('has no connection left in the database once it is closed', async () => {
    const { stateUrl, backend } = aBackend();
    const [{ pid } = {}] = await (backend.keyv as KeyvPostgres).query('SELECT pg_backend_pid() AS pid');
    const connections = () => runPostgres(stateUrl, `SELECT pid FROM pg_stat_activity WHERE pid = ${String(pid)}`);
    expect(await connections()).toHaveLength(1);
    await backend.close();
    await expect.poll(connections).toEqual([]);
  });

  test('is in no file, which is said with what to use instead', async () => {
    const { stateUrl, backend } = aBackend();
    const { label } = postgresPlace(stateUrl);
    const problem = `${label} isn't a file. Use pg_dump and pg_restore for backups of a PostgreSQL database.`;
    const refused = { name: StoreError.name, message: problem };
    await expect(backend.copyTo('copy.sqlite')).rejects.toMatchObject(refused);
    await expect(backend.verify()).rejects.toMatchObject(refused);
    await expect(backend.replaceWith('copy.sqlite', [])).rejects.toMatchObject(refused);
    await expect(backend.scrub(), 'the database cleans up by itself').resolves.toBeUndefined();
  });

  test('is made once by many who open it at the same time, each of whom finds what the others write', async () => {
    const stateUrl = temporaryPostgres();
    const backends = Array.from({ length: 6 }, () => aBackend(stateUrl).backend);
    await Promise.all(backends.map((backend, index) => backend.write(new Map([[`thing:${index}`, `${index}`]]))));
    for (const backend of backends) {
      expect((await backend.under(['thing:'])).map(({ value }) => value)).toEqual(['0', '1', '2', '3', '4', '5']);
    }
  });

  test('is made by the next statement where the database refused it, and its refusal is told in words', async () => {
    const { stateUrl, backend } = aBackend();
    const { schema, label } = postgresPlace(stateUrl);
    // A table needs a type of its own name.
    await runPostgres(stateUrl, `CREATE SCHEMA ${schema}`, 'CREATE DOMAIN state AS TEXT');
    const rows = new Map([['thing:k', '1']]);
    await expect(backend.write(rows)).rejects.toMatchObject({
      name: StoreError.name,
      message: expect.stringContaining(`Could not write ${label}`) as string,
    });
    await runPostgres(stateUrl, 'DROP DOMAIN state');
    await backend.write(rows);
    expect(await backend.under(['thing:'])).toEqual([{ key: 'thing:k', value: '1' }]);
  });

  test('sorts keys byte by byte, and lets them be as long as Discord’s and the catalog’s ids make them', async () => {
    const { backend } = aBackend();
    const keys = ['thing:A', 'thing:Z', 'thing:a', `thing:${'k'.repeat(1_000)}`, 'thing:ä', 'thing:\u{1F600}'];
    await backend.write(new Map(keys.toReversed().map((key) => [key, '1'])));
    expect((await backend.under(['thing:'])).map(({ key }) => key)).toEqual(keys);
    expect((await backend.page('thing:Z', 'thing:b')).map(({ key }) => key)).toEqual(['thing:a']);
  });
});
