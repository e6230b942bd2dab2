import type { Failure } from './classify.ts';
import { type CatalogError, CatalogHttpError } from './errors.ts';

/** The health of one of the catalog's interfaces since the start. */
export interface InterfaceHealth {
  /** When it last answered: epoch milliseconds; null where it has not. */
  answeredAtMs: number | null;
  /** The last attempt without an answer, and its error; null where every attempt got one. */
  failure: { atMs: number; error: CatalogError } | null;
  /** Until when the open circuit blocks requests: epoch milliseconds; null where it is not open. */
  circuitOpenUntilMs: number | null;
}

/** Records the outcomes of attempts. A "not found" and a "quota spent" count as answers. */
export class HealthTracker {
  #answeredAtMs: number | null = null;
  #failure: InterfaceHealth['failure'] = null;

  note(outcome: { json: unknown } | { failure: Failure }, atMs: number): void {
    if ('json' in outcome || isAnswer(outcome.failure)) this.#answeredAtMs = atMs;
    else this.#failure = { atMs, error: outcome.failure.error };
  }

  health(circuitOpenUntilMs: number | null): InterfaceHealth {
    return { answeredAtMs: this.#answeredAtMs, failure: this.#failure, circuitOpenUntilMs };
  }
}

function isAnswer({ kind, error }: Failure): boolean {
  if (kind === 'quota') return true;
  return error instanceof CatalogHttpError && [400, 404].includes(error.status);
}
