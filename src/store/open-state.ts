import { NewerStateError, StoreError } from '../shared/errors.ts';
import { createLog } from '../shared/log.ts';
import { type AboutRecord, aboutOf, describe, STATE_VERSION } from './migrations.ts';
import { type Backend, openBackend } from './table/backend.ts';
import { type BackendParts, LAST, NO_RECORDS } from './table/database.ts';
import { type Lease, type LeaseParts, takeLease } from './table/lease.ts';
import { type OnOperation, State } from './table/state.ts';

/** A state and where it lies. */
export interface OpenedState {
  backend: Backend;
  state: State;
}

/** Opens the place of a state. Nothing is read or written before the first use. */
export function openState(
  stateUrl: string,
  parts: Partial<BackendParts> & { onOperation?: OnOperation | undefined } = {},
): OpenedState {
  const backend = openBackend(stateUrl, parts);
  return {
    backend,
    state: new State(backend, { log: parts.log ?? createLog('silent'), onOperation: parts.onOperation }),
  };
}

/**
 * Opens a state, and runs `run` while this process holds its lease.
 * @throws StateInUseError where another process holds it
 * @throws StoreError where the place holds anything else; it is left as it is
 */
export async function withLease<R>(
  stateUrl: string,
  owner: LeaseParts,
  run: (opened: OpenedState) => Promise<R>,
): Promise<R> {
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

/**
 * Reads what a state says of itself; null where there is none yet.
 * @param name how errors call the place
 * @throws StoreError where the place holds anything else, or a state of a newer version; it is left as it is
 */
export async function readAbout(
  { backend, state }: OpenedState,
  name: string = backend.label,
): Promise<AboutRecord | null> {
  await refuseForeign(backend, name);
  const about = await aboutOf(state);
  if (about && about.version > STATE_VERSION) throw newerState(about);
  if (about) return about;
  if (await isEmpty(backend)) return null;
  throw unknownState(name);
}

async function refuseForeign(backend: Backend, name: string = backend.label): Promise<void> {
  if (await backend.isForeign()) throw unknownState(name);
}

/** Writes that this is a state, so that it is known again whatever is cut off. */
export async function beginState(state: State, dealbell: string): Promise<AboutRecord> {
  const about: AboutRecord = { version: STATE_VERSION, dealbell, isSetUp: false };
  await state.commit((changes) => describe(changes, about));
  return about;
}

/** Whether a state has no records. */
export async function isEmpty(backend: Backend): Promise<boolean> {
  const rows = await backend.page('', LAST);
  return rows.every(({ key }) => NO_RECORDS.includes(key));
}

function newerState({ dealbell }: AboutRecord): NewerStateError {
  const writer = dealbell === '' ? 'a newer Dealbell' : `Dealbell ${dealbell} or newer`;
  return new NewerStateError(
    `This state was written by ${writer}, which this version can't read. Run that version, or set STATE_URL to another state. Nothing was changed.`,
    dealbell,
  );
}

function unknownState(name: string): StoreError {
  return new StoreError(
    `${name} holds something that this version of Dealbell can't read: a state from before the first release, a part of a state, or another program's data. Move it away to start afresh, or set STATE_URL to another place. Nothing was changed.`,
  );
}
