import { KeyvSqlite } from '@keyv/sqlite';

/** Runs SQL statements on a state's file, past everything that the bot keeps to. */
export async function runSql(stateUrl: string, ...statements: string[]): Promise<unknown[]> {
  const connection = new KeyvSqlite({ uri: stateUrl, table: 'state' });
  let rows: unknown[] = [];
  try {
    for (const statement of statements) rows = await connection.query(statement);
  } finally {
    await connection.close();
  }
  return rows;
}
