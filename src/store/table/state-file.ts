import { existsSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { StoreError } from '../../shared/errors.ts';
import { LEASE_KEY, PROBE, TABLE } from './contract.ts';
import type { Query } from './sqlite-connection.ts';

/** The ending of a copy's name while it is being made. */
export const PARTIAL = '.partial';

/**
 * Copies a state as it is at one moment to a new file, while others read and write. The copy names no holder of the
 * lease. It stands under its name only when it is whole, checked and on the disk.
 */
export async function copyTo(query: Query, path: string): Promise<void> {
  if (existsSync(path)) throw new StoreError(`${path} exists already. Name a file that does not.`);
  const partial = path + PARTIAL;
  await rm(partial, { force: true });
  try {
    await query('VACUUM INTO ?', partial);
    await query('ATTACH ? AS copy', partial);
    try {
      await query(`DELETE FROM copy.${TABLE} WHERE key = ?`, LEASE_KEY);
      await requireWhole(query, 'copy');
    } finally {
      await query('DETACH copy');
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
export async function requireWhole(query: Query, schema = 'main'): Promise<void> {
  const rows = await query(`PRAGMA ${schema}.quick_check(1)`);
  const [problem = 'nothing was checked'] = rows.map((row) => row['quick_check']);
  if (problem === 'ok') return;
  throw Object.assign(new Error(String(problem)), { code: 'SQLITE_CORRUPT' });
}

async function syncToDisk(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

/**
 * Replaces all rows but the lease by those of an attached file, within a transaction of the caller's.
 * @param schema the name under which the file is attached
 * @param merged names of kinds whose rows stay: they get only the rows that they lack
 */
export async function replaceRows(query: Query, schema: string, merged: readonly string[]): Promise<void> {
  await query(
    `DELETE FROM main.${TABLE} WHERE key NOT IN (?, ?)
       AND substr(key, 1, instr(key, ':') - 1) NOT IN (SELECT value FROM json_each(?))`,
    LEASE_KEY,
    PROBE.key,
    JSON.stringify(merged),
  );
  await query(
    `INSERT OR IGNORE INTO main.${TABLE} SELECT key, value FROM ${schema}.${TABLE} WHERE key NOT IN (?, ?)`,
    LEASE_KEY,
    PROBE.key,
  );
}
