import pg from 'pg';

/** Where PostgreSQL is looked for when nothing names it. */
const USUAL = 'postgres://root@127.0.0.1:5432/postgres';

/** Looks for a PostgreSQL once for all tests. One that is named has to be there: its tests then fail where it is not. */
export default async function setUp(): Promise<void> {
  if (process.env['DEALBELL_TEST_POSTGRES']) return;
  const client = new pg.Client({ connectionString: USUAL, connectionTimeoutMillis: 2_000 });
  try {
    await client.connect();
    await client.end();
    process.env['DEALBELL_TEST_POSTGRES'] = USUAL;
  } catch {
    process.stdout.write(
      `Skipping the tests on PostgreSQL: none answers at ${USUAL}. DEALBELL_TEST_POSTGRES names one.\n`,
    );
  }
}
