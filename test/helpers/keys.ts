import { inspect } from 'node:util';
import { AppError } from '../../src/shared/errors.ts';
import { createLog, type Log } from '../../src/shared/log.ts';

/** Stands in every key of the catalog that tests use, and survives every encoding: whatever tells it tells a key. */
const MARK = 'never-tell';

export const V2_KEY = `${MARK}-v2+/&=`;
export const PORTAL_KEY = `${MARK}-portal`;

let leaks: string[] = [];
const raised = new Map<string, AppError>();

function look(text: string): void {
  if (text.includes(MARK)) leaks.push(text);
}

/** A log of every level whose lines are searched for keys. `write` gets the lines, one JSON object each. */
export function createTestLog(write: (line: string) => void = () => undefined): Log {
  return createLog('trace', {
    write(line) {
      look(line);
      write(line);
    },
  });
}

/** Searches every error that Dealbell raises in this process from now on for keys, whoever catches it. */
export function watchErrors(): void {
  Object.defineProperty(AppError.prototype, 'name', {
    configurable: true,
    // Its constructor names every error.
    set(this: AppError, value: string) {
      Object.defineProperty(this, 'name', { value, configurable: true, writable: true });
      // Errors that read the same are the same: some tests raise tens of thousands.
      raised.set(this.message, this);
    },
  });
}

/** The texts that have leaked a key since the last call. */
export function takeLeaks(): string[] {
  for (const error of raised.values()) look(inspect(error, { depth: 20, showHidden: true }));
  raised.clear();
  const taken = leaks;
  leaks = [];
  return taken;
}
