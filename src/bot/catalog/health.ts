import type { Failure } from './classify.ts';
import { type CatalogError, CatalogHttpError } from './errors.ts';

/** How one of the catalog's interfaces has been doing since the start. */
export interface InterfaceHealth {
  /** When it last answered: epoch milliseconds; null where it has not. */
  answeredAtMs: number | null;
  /** When it last did not, and why; null where it always did. */
  failure: { atMs: number; error: CatalogError } | null;
  /** Until when it is left alone because it keeps failing; null where it is not. */
  circuitOpenUntilMs: number | null;
}

/** Remembers how the attempts ended. That there is no such thing, or no request left today, is an answer as well. */
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
