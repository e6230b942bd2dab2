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
 * Settles as `work` does, or rejects with `makeError()` after `ms` milliseconds or with the signal's reason, whichever is
 * first.
 * @param work gets a signal that aborts when it is not awaited any more
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
  const stops = [clock.after(ms, () => over.abort(makeError())), onAbort(signal, (reason) => over.abort(reason))];
  try {
    return await new Promise<T>((resolve, reject) => {
      onAbort(over.signal, reject);
      work(over.signal).then(resolve, reject);
    });
  } finally {
    for (const stop of stops) stop();
  }
}
