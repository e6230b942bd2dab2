import { existsSync } from 'node:fs';
import { StoreError } from '../shared/errors.ts';
import { ABOUT, ABOUT_KEY, type AboutRecord } from './about.ts';
import { STATE_VERSION } from './migrations.ts';
import { type OpenedState, openState, readAbout, refuseForeign } from './open-state.ts';
import { type Backend, LEASE_KEY, PROBE, type RawRow } from './table/contract.ts';
import { type Lease, type LeaseParts, takeLease } from './table/lease.ts';
import { pagesOf } from './table/state.ts';
import { isOnPostgres, placeOf } from './table/state-place.ts';

/** Rows that one statement writes. */
const BATCH = 500;
/** The row that makes a state of the others, so it comes last. */
const ABOUT_ROW = `${ABOUT.name}:${ABOUT_KEY}`;

/**
 * Copies a whole state to another place, of another kind or the same, and compares every row. The former is left as it
 * is. What a move that was cut off has left is replaced. Resolves with the number of rows.
 * @throws StateInUseError where a process holds one of the two
 * @throws StoreError where there is no state, one is there already, or a row can't be read or written
 */
export async function moveState(from: string, to: string, owner: LeaseParts): Promise<number> {
  if (placeOf(from) === placeOf(to)) throw new StoreError('Both are the same state.');
  if (!isOnPostgres(from) && !existsSync(placeOf(from))) {
    throw new StoreError(`There is no state to move: ${placeOf(from)} does not exist.`);
  }
  return withState(from, owner, (source) =>
    withState(to, owner, async (target) => {
      requireCurrent(await readAbout(source), placeOf(from));
      if (await isTaken(target)) throw new StoreError(`${placeOf(to)} holds a state already. Name another place.`);
      return copyAll(source.backend, target.backend);
    }),
  );
}

async function withState<R>(stateUrl: string, owner: LeaseParts, run: (state: OpenedState) => Promise<R>): Promise<R> {
  const opened = openState(stateUrl, owner);
  let lease: Lease | null = null;
  try {
    await refuseForeign(opened.backend);
    lease = await takeLease(opened.backend.lease, owner);
    return await run(opened);
  } finally {
    await lease?.release().catch(() => undefined);
    await opened.backend.close();
  }
}

function requireCurrent(about: AboutRecord | null, place: string): void {
  if (!about) throw new StoreError(`There is no state to move: ${place} is empty.`);
  if (about.version === STATE_VERSION) return;
  throw new StoreError(`${place} was written by an older Dealbell. Start this version on it once, then move it.`);
}

/** Whether there is more than what a move that was cut off has left. */
async function isTaken({ backend }: OpenedState): Promise<boolean> {
  return (await backend.under([ABOUT_ROW])).length > 0;
}

/** Until the last row is there, a move that is cut off, or whose copy differs, has made no state. */
async function copyAll(source: Backend, target: Backend): Promise<number> {
  for await (const rows of pagesOf(target, '')) {
    await target.write(new Map(rows.filter(isMoved).map(({ key }) => [key, null])));
  }
  await copyRows(source, target);
  const rows = await compareRows(source, target);
  const about = await source.under([ABOUT_ROW]);
  await target.write(new Map(about.map(({ key, value }) => [key, value])));
  return rows + about.length;
}

const isMoved = ({ key }: RawRow) => key !== LEASE_KEY && key !== PROBE.key && key !== ABOUT_ROW;

async function copyRows(source: Backend, target: Backend): Promise<void> {
  let batch = new Map<string, string>();
  for await (const rows of pagesOf(source, '')) {
    for (const row of rows) if (isMoved(row)) batch.set(row.key, row.value);
    if (batch.size < BATCH) continue;
    await target.write(batch);
    batch = new Map();
  }
  if (batch.size > 0) await target.write(batch);
}

/** Resolves with the number of rows, which are the same in both. */
async function compareRows(source: Backend, target: Backend): Promise<number> {
  const copies = rowsOf(target);
  let rows = 0;
  for await (const { key, value } of rowsOf(source)) {
    const copy = await copies.next();
    if (copy.done || copy.value.key !== key || copy.value.value !== value) throw differs(key);
    rows += 1;
  }
  const more = await copies.next();
  if (!more.done) throw differs(more.value.key);
  return rows;
}

async function* rowsOf(backend: Backend): AsyncGenerator<RawRow, void> {
  for await (const rows of pagesOf(backend, '')) yield* rows.filter(isMoved);
}

const differs = (key: string) => new StoreError(`The copy differs in the row ${key}. Move the state again.`);
