import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';

/** A place for a state, which is gone after `remove`. */
export interface StatePlace {
  backend: 'SQLite' | 'PostgreSQL';
  url: string;
  remove: () => Promise<void>;
}

/** A state on each backend. PostgreSQL is where `DEALBELL_TEST_POSTGRES` says, or on this machine. */
export function onEachBackend(): StatePlace[] {
  const folder = mkdtempSync(join(tmpdir(), 'dealbell-bench-'));
  const schema = `bench_${randomUUID().replaceAll('-', '')}`;
  const database = process.env['DEALBELL_TEST_POSTGRES'] ?? 'postgres://root@127.0.0.1:5432/postgres';
  const url = new URL(database);
  url.searchParams.set('schema', schema);
  return [
    {
      backend: 'SQLite',
      url: `sqlite://${join(folder, 'state.sqlite')}`,
      remove: async () => rmSync(folder, { recursive: true }),
    },
    {
      backend: 'PostgreSQL',
      url: url.href,
      async remove() {
        const client = new pg.Client({ connectionString: database });
        await client.connect();
        await client.query(`DROP SCHEMA IF EXISTS ${schema}, ${schema}_gateway CASCADE`);
        await client.end();
      },
    },
  ];
}
