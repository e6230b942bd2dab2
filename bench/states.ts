import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startTcpProxy } from '../test/helpers/tcp-proxy.ts';

/** A place for a state, which is gone after `remove`. */
export interface StatePlace {
  /** What it is called in results. */
  backend: string;
  url: string;
  /** Has the database finish what it does after so many writes: otherwise it would take a processor meanwhile. */
  settle: () => Promise<void>;
  remove: () => Promise<void>;
}

/** A state on each backend. */
export function onEachBackend(): StatePlace[] {
  return [onSqlite(), onPostgres()];
}

function onSqlite(): StatePlace {
  const folder = mkdtempSync(join(tmpdir(), 'dealbell-bench-'));
  return {
    backend: 'SQLite',
    url: `sqlite://${join(folder, 'state.sqlite')}`,
    settle: async () => undefined,
    remove: async () => rmSync(folder, { recursive: true }),
  };
}

/** PostgreSQL is where `DEALBELL_TEST_POSTGRES` says, or on this machine. */
function onPostgres(): StatePlace {
  const schema = `bench_${randomUUID().replaceAll('-', '')}`;
  const database = process.env['DEALBELL_TEST_POSTGRES'] ?? 'postgres://root@127.0.0.1:5432/postgres';
  const url = new URL(database);
  url.searchParams.set('schema', schema);
  async function run(...statements: string[]): Promise<void> {
    const client = new pg.Client({ connectionString: database });
    await client.connect();
    for (const statement of statements) await client.query(statement);
    await client.end();
  }
  return {
    backend: 'PostgreSQL',
    url: url.href,
    settle: () => run('VACUUM ANALYZE', 'CHECKPOINT'),
    remove: () => run(`DROP SCHEMA IF EXISTS ${schema} CASCADE`),
  };
}

/** A state on PostgreSQL that is so many milliseconds away: all that goes there and back takes that long. */
export async function onDistantPostgres(roundTripMs: number): Promise<StatePlace> {
  const near = onPostgres();
  const proxy = await startTcpProxy(near.url);
  proxy.delay(roundTripMs / 2);
  return {
    ...near,
    backend: `PostgreSQL ${roundTripMs} ms away`,
    url: proxy.url,
    async remove() {
      await proxy.close();
      await near.remove();
    },
  };
}
