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
 * Returns all that `read` makes of the parts of a long list, in their order. It runs in turns of 5 ms: other code, such as
 * the answer to a command, runs between two turns. Rejects with what `read` throws, or with the signal's reason.
 */
export async function flatMapInTurns<T, R>(
  list: Iterable<T>,
  read: (part: T) => readonly R[],
  { clock, signal }: TurnOptions,
): Promise<R[]> {
  const results: R[] = [];
  let endMs = clock.monotonicMs() + TURN_MS;
  for (const part of list) {
    for (const result of read(part)) results.push(result);
    if (clock.monotonicMs() < endMs) continue;
    await nextTurn();
    signal?.throwIfAborted();
    endMs = clock.monotonicMs() + TURN_MS;
  }
  return results;
}
