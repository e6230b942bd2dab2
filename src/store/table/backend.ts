import { systemClock } from '../../shared/clock.ts';
import { StoreError } from '../../shared/errors.ts';
import { createLog } from '../../shared/log.ts';
import type { Backend, BackendParts } from './contract.ts';
import { openPostgresBackend } from './postgres-backend.ts';
import { openSqliteBackend } from './sqlite-backend.ts';

export type { Backend, LeaseCell } from './contract.ts';

/** The kinds of backends, by what a state's address begins with. */
const KINDS = {
  'sqlite://': openSqliteBackend,
  'postgres://': openPostgresBackend,
  'postgresql://': openPostgresBackend,
};

/**
 * Opens the place of the state at `stateUrl`. Only this file knows which kinds of backends exist.
 * @param stateUrl `sqlite://` and a path, relative to the working folder or absolute; or `postgres://`, a host and a
 *   database
 */
export function openBackend(
  stateUrl: string,
  { clock = systemClock, networkClock = systemClock, log = createLog('silent') }: Partial<BackendParts> = {},
): Backend {
  for (const [start, open] of Object.entries(KINDS)) {
    if (stateUrl.startsWith(start)) return open(stateUrl, { clock, networkClock, log });
  }
  throw new StoreError(
    `The state can't be kept at "${stateUrl}". Use sqlite:// and a file's path, or postgres:// and a database.`,
  );
}
