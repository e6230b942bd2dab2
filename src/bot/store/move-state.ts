import { existsSync } from 'node:fs';
import { StoreError } from '../../shared/errors.ts';
import { type Backend, openBackend } from '../../shared/storage/backend.ts';
import { type Lease, type LeaseParts, takeLease } from '../../shared/storage/lease.ts';
import { isOnPostgres, placeOf } from '../../shared/storage/state-place.ts';
import { type AboutRecord, readAbout, requireReadable } from './about.ts';
import { STATE_VERSION } from './migrations.ts';

/** Rows that one statement writes. */
const BATCH = 500;
/** It says that a state was set up, so it comes last. */
const ABOUT = 'about';
/** Holds nothing for longer than a test whether there is room. */
const PROBE = 'probe';

/** The numbers of what was moved. */
export interface Moved {
  tables: number;
  rows: number;
}

/**
 * Copies a whole state to another place, of another kind or the same, and compares every row. The former is left as it
 * is. What a move that was cut off has left is replaced.
 * @throws StateInUseError where a process holds one of the two
 * @throws StoreError where there is no state, one is there already, or a row can't be read or written
 */
export async function moveState(from: string, to: string, owner: LeaseParts): Promise<Moved> {
  if (placeOf(from) === placeOf(to)) throw new StoreError('Both are the same state.');
  if (!isOnPostgres(from) && !existsSync(placeOf(from))) {
    throw new StoreError(`There is no state to move: ${placeOf(from)} does not exist.`);
  }
  return withState(from, owner, (source) =>
    withState(to, owner, async (target) => {
      requireCurrent(await readAbout(source), placeOf(from));
      if (await readAbout(target)) throw new StoreError(`${placeOf(to)} holds a state already. Name another place.`);
      return copyAll(source, target);
    }),
  );
}

async function withState<R>(stateUrl: string, owner: LeaseParts, run: (state: Backend) => Promise<R>): Promise<R> {
  const backend = openBackend(stateUrl, owner);
  let lease: Lease | null = null;
  try {
    lease = await takeLease(backend.lease, owner);
    return await run(backend);
  } finally {
    await lease?.release().catch(() => undefined);
    await backend.close();
  }
}

function requireCurrent(about: Partial<AboutRecord> | undefined, place: string): void {
  if (!about) throw new StoreError(`There is no state to move: ${place} is empty.`);
  requireReadable(about);
  if (about.version === STATE_VERSION) return;
  throw new StoreError(`${place} was written by an older Dealbell. Start this version on it once, then move it.`);
}

async function copyAll(source: Backend, target: Backend): Promise<Moved> {
  const tables = (await source.raw.tables()).filter((table) => table !== ABOUT && table !== PROBE);
  for (const table of await target.raw.tables()) await clear(target, table);
  let rows = 0;
  for (const table of [...tables, ABOUT]) {
    await copyRows(source, target, table);
    rows += await compareRows(source, target, table);
  }
  return { tables: tables.length + 1, rows };
}

async function clear(state: Backend, table: string): Promise<void> {
  const keys: string[] = [];
  for await (const { key } of state.raw.rows(table)) keys.push(key);
  await state.table(table).deleteMany(keys);
}

async function copyRows(source: Backend, target: Backend, table: string): Promise<void> {
  let batch: { key: string; value: string }[] = [];
  for await (const row of source.raw.rows(table)) {
    batch.push(row);
    if (batch.length < BATCH) continue;
    await target.raw.write(table, batch);
    batch = [];
  }
  if (batch.length > 0) await target.raw.write(table, batch);
}

/** Resolves with the number of rows, which are the same in both. */
async function compareRows(source: Backend, target: Backend, table: string): Promise<number> {
  const copies = target.raw.rows(table)[Symbol.asyncIterator]();
  let rows = 0;
  for await (const { key, value } of source.raw.rows(table)) {
    const copy = await copies.next();
    if (copy.done || copy.value.key !== key || copy.value.value !== value) throw differs(table, key);
    rows += 1;
  }
  const more = await copies.next();
  if (!more.done) throw differs(table, more.value.key);
  return rows;
}

const differs = (table: string, key: string) =>
  new StoreError(`The copy differs in the table ${table}, row ${key}. Move the state again.`);
