import type { Table } from '../../shared/storage/backend.ts';

type FieldType = 'string' | 'number' | 'boolean' | 'object' | 'list';

/**
 * Reads rows of one kind: objects of a known version with these fields, each of its type. Any other row (damaged, or
 * written by a later version) reads as undefined, so that the problem stays confined to it.
 */
export function rowReader<R extends object>(
  versions: readonly number[],
  fields: Readonly<Partial<Record<keyof R, FieldType>>>,
): (row: unknown) => R | undefined {
  const expected = Object.entries(fields);
  return (row) => {
    if (typeOf(row) !== 'object') return undefined;
    const record = row as Readonly<Record<string, unknown>>;
    const isKnown = versions.some((version) => version === record['version']);
    return isKnown && expected.every(([name, type]) => typeOf(record[name]) === type) ? (row as R) : undefined;
  };
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'list' : typeof value;
}

/** The rows that one statement deletes. */
const BATCH = 500;

/** Deletes the rows for which `isOutdated` returns true, in batches, so that the table is never blocked for long. */
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
