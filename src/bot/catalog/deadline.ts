import type { Clock } from '../../shared/clock.ts';

/**
 * Calls `listener` with the signal's reason when it aborts; at once if it has already. The returned function stops
 * listening.
 */
export function onAbort(signal: AbortSignal | undefined, listener: (reason: Error) => void): () => void {
  const abort = () => listener(signal?.reason as Error);
  if (signal?.aborted) abort();
  else signal?.addEventListener('abort', abort, { once: true });
  return () => signal?.removeEventListener('abort', abort);
}

/**
 * Settles as `answer` does, or rejects with `makeError()` after `ms` milliseconds or with the signal's reason, whichever
 * is first.
 */
export async function untilDeadline<T>(
  clock: Clock,
  ms: number,
  signal: AbortSignal | undefined,
  makeError: () => Error,
  answer: Promise<T>,
): Promise<T> {
  const stops: (() => void)[] = [];
  try {
    return await new Promise<T>((resolve, reject) => {
      stops.push(
        clock.after(ms, () => reject(makeError())),
        onAbort(signal, reject),
      );
      answer.then(resolve, reject);
    });
  } finally {
    for (const stop of stops) stop();
  }
}

/**
 * The same for work that can be given up.
 * @param work gets a signal that aborts when it is not waited for any more
 */
export async function withDeadline<T>(
  clock: Clock,
  ms: number,
  signal: AbortSignal | undefined,
  makeError: () => Error,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const over = new AbortController();
  try {
    return await untilDeadline(clock, ms, signal, makeError, work(over.signal));
  } catch (error) {
    over.abort(error);
    throw error;
  }
}
