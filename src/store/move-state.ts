import { StoreError } from '../shared/errors.ts';
import { ABOUT_ROW, type AboutRecord, STATE_VERSION } from './migrations.ts';
import { readAbout, withLease } from './open-state.ts';
import type { Backend } from './table/backend.ts';
import { NO_RECORDS, type RawRow } from './table/database.ts';
import type { LeaseParts } from './table/lease.ts';
import { pagesOf } from './table/state.ts';
import { isOnServer, isThere, placeOf } from './table/state-place.ts';

/**
 * Copies a whole state to another place, of another kind or the same, and compares every row. The former is left as it
 * is. What a move that was cut off has left is replaced. Resolves with the number of rows.
 * @throws StateInUseError where a process holds one of the two
 * @throws StoreError where there is no state, one is there already, or a row can't be read or written
 */
export async function moveState(from: string, to: string, owner: LeaseParts): Promise<number> {
  if (placeOf(from) === placeOf(to)) throw new StoreError('Both are the same state.');
  if (!isOnServer(from) && !isThere(placeOf(from))) {
    throw new StoreError(`There is no state to move: ${placeOf(from)} does not exist.`);
  }
  return withLease(from, owner, (source) =>
    withLease(to, owner, async (target) => {
      requireCurrent(await readAbout(source), placeOf(from));
      // Without the description, it is what a move that was cut off has left.
      if ((await target.backend.under([ABOUT_ROW])).length > 0) {
        throw new StoreError(`${placeOf(to)} holds a state already. Name another place.`);
      }
      return copyAll(source.backend, target.backend);
    }),
  );
}

function requireCurrent(about: AboutRecord | null, place: string): void {
  if (!about) throw new StoreError(`There is no state to move: ${place} is empty.`);
  if (about.version === STATE_VERSION) return;
  throw new StoreError(`${place} was written by an older Dealbell. Start this version on it once, then move it.`);
}

/** The description comes last: before, a move that is cut off, or whose copy differs, has made no state. */
async function copyAll(source: Backend, target: Backend): Promise<number> {
  for await (const rows of pagesOf(target, '')) {
    await target.write(new Map(rows.filter(isMoved).map(({ key }) => [key, null])));
  }
  for await (const rows of pagesOf(source, '')) await target.write(textsOf(rows.filter(isMoved)));
  const rows = await compareRows(source, target);
  const about = await source.under([ABOUT_ROW]);
  await target.write(textsOf(about));
  return rows + about.length;
}

const isMoved = ({ key }: RawRow) => !NO_RECORDS.includes(key) && key !== ABOUT_ROW;
const textsOf = (rows: readonly RawRow[]) => new Map(rows.map(({ key, value }) => [key, value]));

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
