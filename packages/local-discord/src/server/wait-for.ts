/** Looks for something that may not have happened yet; returns a falsy value until it has. */
export type Look<T> = () => T | undefined | null | false;

/**
 * Calls `look` now and after each update until it finds something, and resolves with that. Rejects with the error that
 * `look` throws, or with the signal's reason.
 * @param onUpdate calls its listener after each update and returns a function that removes it
 */
export function waitFor<T>(
  look: Look<T>,
  onUpdate: (listener: () => void) => () => void,
  signal?: AbortSignal,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const check = () => {
      try {
        const found = look();
        if (!found) return;
        end();
        resolve(found);
      } catch (error) {
        end();
        reject(error as Error);
      }
    };
    const abort = () => {
      end();
      reject(signal?.reason as Error);
    };
    const endUpdates = onUpdate(check);
    const end = () => {
      endUpdates();
      signal?.removeEventListener('abort', abort);
    };
    signal?.addEventListener('abort', abort);
    if (signal?.aborted) abort();
    else check();
  });
}
