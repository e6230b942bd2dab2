import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from './clock.ts';

/** How long work may keep everybody else waiting, in milliseconds. */
const TURN_MS = 5;

export interface TurnOptions {
  clock: Pick<Clock, 'monotonicMs'>;
  /** Ends the work between two turns. */
  signal: AbortSignal;
}

/**
 * Runs long work in turns of 5 ms, so that commands are answered meanwhile: all other code may run between two turns.
 * Rejects with what the work throws, or with the signal's reason.
 * @param work yields after each small step, and returns its result
 */
export async function inTurns<R>(work: Generator<void, R>, { clock, signal }: TurnOptions): Promise<R> {
  for (;;) {
    const endMs = clock.monotonicMs() + TURN_MS;
    do {
      const step = work.next();
      if (step.done) return step.value;
    } while (clock.monotonicMs() < endMs);
    await nextTurn();
    signal.throwIfAborted();
  }
}

/** The result of work that is known to be short, without a pause. */
export function inOneGo<R>(work: Generator<void, R>): R {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}
