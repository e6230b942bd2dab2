import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from './clock.ts';

/** How long work may keep everybody else waiting, in milliseconds. */
const TURN_MS = 5;

export interface TurnOptions {
  clock: Pick<Clock, 'monotonicMs'>;
  /** Ends the work between two turns. Absent where the work always runs to its end. */
  signal?: AbortSignal;
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
    signal?.throwIfAborted();
  }
}

/** Returns all that `read` makes of the parts of a long list, in their order. It runs in turns: see `inTurns`. */
export function flatMapInTurns<T, R>(
  list: Iterable<T>,
  read: (part: T) => readonly R[],
  options: TurnOptions,
): Promise<R[]> {
  return inTurns(flatMapped(list, read), options);
}

function* flatMapped<T, R>(list: Iterable<T>, read: (part: T) => readonly R[]): Generator<void, R[]> {
  const results: R[] = [];
  for (const part of list) {
    results.push(...read(part));
    yield;
  }
  return results;
}

/** The result of work that is known to be short, without a pause. */
export function inOneGo<R>(work: Generator<void, R>): R {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}
