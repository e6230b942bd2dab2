import { onTestFinished } from 'vitest';
import { createLog } from '../../src/shared/log.ts';
import { type OpenedState, openState } from '../../src/store/open-state.ts';
import type { Backend } from '../../src/store/table/backend.ts';
import { State } from '../../src/store/table/state.ts';
import { temporaryState } from './temporary-folder.ts';

/** A state that is closed when the test ends. */
export function openedState(url = temporaryState()): OpenedState & { url: string } {
  const opened = openState(url);
  onTestFinished(() => opened.backend.close());
  return { url, ...opened };
}

/** The state in a backend. */
export const stateIn = (backend: Backend): State => new State(backend, { log: createLog('silent') });
