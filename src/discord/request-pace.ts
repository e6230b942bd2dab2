/** @see https://discord.com/developers/docs/topics/rate-limits#global-rate-limit */
const PER_SECOND = 50;
/**
 * No so long a time sees more of them: a second, and what a request may be on its way for less than one before it. Discord's
 * seconds begin when it likes.
 */
const WINDOW_MS = 1_035;
const SPACING_MS = WINDOW_MS / PER_SECOND;
/** So many within a window need not be spread: who asks little does not wait. */
const AT_ONCE = 25;

/** Lets requests leave evenly, so that no second of Discord's holds too many. */
export interface RequestPace {
  /** Resolves when the next one may leave; rejects with the signal's reason. First come, first served. */
  turn(signal: AbortSignal | null | undefined): Promise<void>;
}

/**
 * When the next request may leave: epoch milliseconds, as all times here.
 * @param turns when the latest ones did, oldest first
 */
export function nextTurn(turns: readonly number[], nowMs: number): number {
  const isCalm = (turns.at(-AT_ONCE) ?? -Infinity) <= nowMs - WINDOW_MS;
  return Math.max(
    nowMs,
    (turns.at(-PER_SECOND) ?? -Infinity) + WINDOW_MS,
    isCalm ? -Infinity : (turns.at(-1) ?? -Infinity) + SPACING_MS,
  );
}

/** In real time, as the limits of the client beneath are. */
export function createRequestPace(): RequestPace {
  const turns: number[] = [];
  const line = new Set<() => void>();
  let timer: NodeJS.Timeout | null = null;

  /** @param dueMs when it was to leave: what is late by less than one place makes nobody else late */
  function leave(dueMs: number, nowMs: number): void {
    turns.push(Math.max(dueMs, nowMs - SPACING_MS));
    if (turns.length > PER_SECOND) turns.shift();
    const [first] = line;
    first?.();
  }

  function arm(): void {
    if (timer !== null || line.size === 0) return;
    const dueMs = nextTurn(turns, performance.now());
    const ms = dueMs - performance.now();
    if (ms > 0) {
      timer = setTimeout(() => {
        timer = null;
        if (line.size > 0) leave(dueMs, performance.now());
        arm();
      }, ms);
      return;
    }
    leave(dueMs, performance.now());
    arm();
  }

  return {
    turn: (signal) =>
      new Promise<void>((resolve, reject) => {
        signal?.throwIfAborted();
        const enter = () => {
          line.delete(enter);
          signal?.removeEventListener('abort', giveUp);
          resolve();
        };
        const giveUp = () => {
          line.delete(enter);
          reject(signal?.reason as Error);
        };
        signal?.addEventListener('abort', giveUp, { once: true });
        line.add(enter);
        arm();
      }),
  };
}
