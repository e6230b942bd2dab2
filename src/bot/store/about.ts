import { StoreError } from '../../shared/errors.ts';
import type { Backend } from '../../shared/storage/backend.ts';
import { STATE_VERSION } from './migrations.ts';

/** A state's description of itself. */
export interface AboutRecord {
  version: number;
  /** The first version of Dealbell that wrote this version of the state; absent in the earliest states. */
  dealbell: string;
}

/** A malformed row still proves that the state was set up. */
const read = (row: unknown): Partial<AboutRecord> => Object(row ?? {});

export const aboutTable = (backend: Backend) => backend.table<Partial<AboutRecord>>('about', { read, isDurable: true });

/** undefined where the state was never set up. */
export function readAbout(backend: Backend): Promise<Partial<AboutRecord> | undefined> {
  return aboutTable(backend).get('state');
}

/** Whether the state is of a version that this program reads. */
export function isReadable(about: Partial<AboutRecord> | undefined): boolean {
  return (about?.version ?? 0) <= STATE_VERSION;
}

/** @throws StoreError where the state is newer than this program */
export function requireReadable(about: Partial<AboutRecord> | undefined): void {
  if (isReadable(about)) return;
  const { dealbell } = about ?? {};
  const writer = typeof dealbell === 'string' && dealbell !== '' ? `Dealbell ${dealbell} or newer` : 'a newer Dealbell';
  throw new StoreError(
    `This state was written by ${writer}, which this version can't read. Run that version, or set STATE_URL to another state. Nothing was changed.`,
  );
}
