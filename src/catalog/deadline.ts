import type { Clock } from '../clock.ts';

/** Ends the wait for a deadline that is not needed any more. Made once, since an error costs more than the rest here. */
const DONE = new Error('Done.');

/**
 * Runs `run` with a signal that aborts when `signal` does, or with `makeError()` after `ms` milliseconds. Rejects with
 * the abort's reason even where `run` does not listen.
 */
export async function withDeadline<T>(
  clock: Clock,
  ms: number,
  signal: AbortSignal | undefined,
  makeError: () => Error,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const controller = new AbortController();
  const forward = () => controller.abort(signal?.reason);
  signal?.addEventListener('abort', forward, { once: true });
  clock.sleep(ms, controller.signal).then(
    () => controller.abort(makeError()),
    () => undefined,
  );
  const aborted = new Promise<never>((_, reject) => {
    controller.signal.addEventListener('abort', () => reject(controller.signal.reason as Error), { once: true });
  });
  aborted.catch(() => undefined);
  try {
    return await Promise.race([run(controller.signal), aborted]);
  } finally {
    signal?.removeEventListener('abort', forward);
    controller.abort(DONE);
  }
}
