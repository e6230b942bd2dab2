import { onTestFinished } from 'vitest';
import { type Clock, systemClock } from '../../src/shared/clock.ts';
import { createLog } from '../../src/shared/log.ts';
import { type OpenedState, openState } from '../../src/store/open-state.ts';
import { type FeatureRecords, openRecords } from '../../src/store/store.ts';
import { State } from '../../src/store/table/state.ts';
import { temporaryState } from './temporary-folder.ts';

/** The place of a state. */
export type Backend = OpenedState['backend'];

/** Opens the place of a state, which the test closes. */
export const backendAt = (...where: Parameters<typeof openState>): Backend => openState(...where).backend;

/** A state that is closed when the test ends. */
export function openedState(url = temporaryState()): OpenedState & { url: string } {
  const opened = openState(url);
  onTestFinished(() => opened.backend.close());
  return { url, ...opened };
}

/** The state in a backend. */
export const stateIn = (backend: Backend): State => new State(backend, { log: createLog('silent') });

/** All kinds of records of a state. */
export const openedRecords = (
  state: State,
  clock: Pick<Clock, 'now' | 'monotonicMs'> = systemClock,
  features: readonly FeatureRecords[] = [],
) => openRecords(state, clock, features);
