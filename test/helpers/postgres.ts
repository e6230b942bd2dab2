import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { onTestFinished } from 'vitest';

/** Address of a database in which tests make schemas of their own; undefined where they are to be skipped. */
const DATABASE = process.env['DEALBELL_TEST_POSTGRES'];

export const hasPostgres = DATABASE !== undefined;

/** The address of a state on PostgreSQL that is gone when the test is. */
export function temporaryPostgres(): string {
  const url = new URL(DATABASE ?? '');
  const schema = `test_${randomUUID().replaceAll('-', '')}`;
  url.searchParams.set('schema', schema);
  onTestFinished(async () => {
    await runPostgres(url.href, `DROP SCHEMA IF EXISTS ${schema} CASCADE`);
  });
  return url.href;
}

/** Runs SQL statements in the schema of a state, past everything that the bot keeps to. */
export async function runPostgres(stateUrl: string, ...statements: string[]): Promise<Record<string, unknown>[]> {
  const url = new URL(stateUrl);
  const schema = url.searchParams.get('schema') ?? 'dealbell';
  url.searchParams.delete('schema');
  const client = new pg.Client({ connectionString: url.href, options: `-c search_path=${schema}` });
  await client.connect();
  let rows: Record<string, unknown>[] = [];
  try {
    for (const statement of statements) ({ rows } = await client.query<Record<string, unknown>>(statement));
  } finally {
    await client.end();
  }
  return rows;
}
