import type { Table } from '../../shared/storage/backend.ts';

/** Rows that one statement deletes. */
const BATCH = 500;

/** Deletes the rows that `isOutdated` names, a batch at a time, so that nobody waits long for the table. */
export async function sweep<T>(table: Table<T>, isOutdated: (value: T) => boolean): Promise<void> {
  let keys: string[] = [];
  for await (const [key, value] of table.entries()) {
    if (isOutdated(value)) keys.push(key);
    if (keys.length < BATCH) continue;
    await table.deleteMany(keys);
    keys = [];
  }
  await table.deleteMany(keys);
}
