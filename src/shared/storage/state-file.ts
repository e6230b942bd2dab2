import { existsSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { StoreError } from '../errors.ts';
import type { RawRow } from './contract.ts';
import { type SqliteAdapter, writeRows } from './sqlite-adapter.ts';

/** Rows that are read and rewritten at a time. */
const PAGE_ROWS = 500;
/** The ending of a copy's name while it is being made. */
export const PARTIAL = '.partial';

type Connection = Pick<SqliteAdapter, 'query'>;

/**
 * Copies a state as it is at one moment to a new file, while others read and write. The copy names no holder of the
 * lease. It stands under its name only when it is whole, checked and on the disk.
 * @param leaseTable the table that names the holder
 */
export async function copyTo(connection: Connection, path: string, leaseTable: string): Promise<void> {
  if (existsSync(path)) throw new StoreError(`${path} exists already. Name a file that does not.`);
  const partial = path + PARTIAL;
  await rm(partial, { force: true });
  try {
    await connection.query('VACUUM INTO ?', partial);
    await connection.query('ATTACH ? AS copy', partial);
    try {
      await connection.query(`DELETE FROM copy.${leaseTable}`);
      await requireWhole(connection, 'copy');
    } finally {
      await connection.query('DETACH copy');
    }
    await syncToDisk(partial);
    await rename(partial, path);
    await syncToDisk(dirname(resolve(path)));
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}

/** Rejects where SQLite finds the file damaged. */
export async function requireWhole(connection: Connection, schema = 'main'): Promise<void> {
  const rows: { quick_check: string }[] = await connection.query(`PRAGMA ${schema}.quick_check(1)`);
  const [problem = 'nothing was checked'] = rows.map((row) => row.quick_check);
  if (problem === 'ok') return;
  throw Object.assign(new Error(problem), { code: 'SQLITE_CORRUPT' });
}

async function syncToDisk(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Runs statements in one transaction, from whose beginning on nobody else writes. */
export async function inTransaction(connection: Connection, run: () => Promise<void>): Promise<void> {
  await connection.query('BEGIN IMMEDIATE');
  try {
    await run();
    await connection.query('COMMIT');
  } catch (error) {
    // SQLite may have rolled back by itself, as where the disk is full.
    await connection.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

/**
 * Replaces the rows of every table by those of an attached file, within a transaction of the caller's.
 * @param schema the name under which the file is attached
 * @param merged tables whose rows stay: they get only the rows that they lack
 * @param untouched tables that stay as they are
 */
export async function replaceRows(
  connection: Connection,
  schema: string,
  { merged, untouched }: { merged: readonly string[]; untouched: readonly string[] },
): Promise<void> {
  const source = await tablesOf(connection, schema);
  for (const table of await tablesOf(connection, 'main')) {
    if (![...merged, ...untouched].includes(table)) await connection.query(`DELETE FROM main.${table}`);
  }
  for (const table of source.filter((name) => !untouched.includes(name))) {
    await connection.query(`CREATE TABLE IF NOT EXISTS main.${table}(key VARCHAR(255) PRIMARY KEY, value TEXT)`);
    await connection.query(`INSERT OR IGNORE INTO main.${table} SELECT key, value FROM ${schema}.${table}`);
  }
}

/** Writes and deletes rows of a table within a transaction of the caller's. */
export async function changeRows(
  connection: Connection,
  table: string,
  { set, deleted }: { set: readonly RawRow[]; deleted: readonly string[] },
): Promise<void> {
  if (set.length > 0) await writeRows(connection, table, set);
  for (const key of deleted) await connection.query(`DELETE FROM ${table} WHERE key = ?`, key);
}

/** The names of the tables of a database file. */
export async function tablesOf(connection: Connection, schema: string): Promise<string[]> {
  const rows: { name: string }[] = await connection.query(
    `SELECT name FROM ${schema}.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`,
  );
  // A name of any other form is none of ours, and may not be put into a statement.
  return rows.map(({ name }) => name).filter((name) => /^\w+$/.test(name));
}

/**
 * Rewrites the rows of a table that `change` changes, within a transaction of the caller's.
 * @param change takes null for a row that can't be read; returns the same value where nothing is to change
 */
export async function rewriteRows(
  connection: Connection,
  table: string,
  change: (row: unknown) => unknown,
): Promise<void> {
  if (!(await tablesOf(connection, 'main')).includes(table)) return;
  let after = '';
  for (;;) {
    const rows: { key: string; value: string }[] = await connection.query(
      `SELECT key, ifnull(CAST(value AS TEXT), '') AS value FROM ${table} WHERE key > ? ORDER BY key LIMIT ${PAGE_ROWS}`,
      after,
    );
    const set = rows.flatMap(({ key, value }) => {
      const next = rewritten(value, change);
      return next === null ? [] : [{ key, value: next }];
    });
    if (set.length > 0) await writeRows(connection, table, set);
    const last = rows.at(-1);
    if (!last) return;
    after = last.key;
  }
}

/** The new text of a row; null where it stays. A row that is not JSON as Keyv writes it reads as null. */
export function rewritten(text: string, change: (row: unknown) => unknown): string | null {
  const data = parsed(text);
  const value = change(data.value);
  return value === data.value ? null : JSON.stringify({ ...data, value });
}

function parsed(text: string): { value: unknown } {
  try {
    const data: unknown = JSON.parse(text);
    if (typeof data === 'object' && data !== null && 'value' in data) return data;
  } catch {
    // The row was damaged by hand or by another program.
  }
  return { value: null };
}
