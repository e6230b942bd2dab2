/** @see https://discord.com/developers/docs/topics/rate-limits#global-rate-limit */
const PER_SECOND = 50;
/**
 * The sliding window that holds at most 50 requests: a second, plus a margin for differences in how long requests take
 * to arrive. Discord's seconds may begin at any moment.
 */
const WINDOW_MS = 1_035;
const SPACING_MS = WINDOW_MS / PER_SECOND;
/** The most requests in a window that leave without spacing, so that light traffic does not wait. */
const AT_ONCE = 25;

/** The most delay of a busy machine that is made up for: ten requests that leave at once. */
const MOST_BEHIND_MS = 200;

/** Spaces requests evenly, so that no second of Discord's rate limit holds too many. */
export interface RequestPace {
  /** Resolves when the next request may leave, in the order of calls; rejects with the signal's reason. */
  turn(signal: AbortSignal | null | undefined): Promise<void>;
}

/**
 * When the next request may leave. All times are milliseconds on one clock.
 * @param turns when the latest requests left, oldest first
 * @param placeMs the scheduled time of the last request in even spacing, so that a late request delays no other
 */
export function nextTurn(turns: readonly number[], placeMs: number, nowMs: number): number {
  const isCalm = (turns.at(-AT_ONCE) ?? -Infinity) <= nowMs - WINDOW_MS;
  return Math.max(nowMs, windowEnd(turns), isCalm ? -Infinity : placeMs + SPACING_MS);
}

/** The scheduled time of a request that leaves now, after `turns`; `placeMs` is the scheduled time of the last one. */
export function nextPlace(turns: readonly number[], placeMs: number, nowMs: number): number {
  return Math.max(placeMs + SPACING_MS, windowEnd(turns), nowMs - MOST_BEHIND_MS);
}

/** When a full window ends; -Infinity where it is not full. */
function windowEnd(turns: readonly number[]): number {
  return (turns.at(-PER_SECOND) ?? -Infinity) + WINDOW_MS;
}

/** Uses real time, as the rate limits of the underlying client do. */
export function createRequestPace(): RequestPace {
  const turns: number[] = [];
  const line = new Set<() => void>();
  let placeMs = -Infinity;
  let timer: NodeJS.Timeout | null = null;

  function leave(): void {
    const nowMs = performance.now();
    placeMs = nextPlace(turns, placeMs, nowMs);
    turns.push(nowMs);
    if (turns.length > PER_SECOND) turns.shift();
    const [first] = line;
    first?.();
  }

  function arm(): void {
    if (timer !== null) return;
    while (line.size > 0) {
      const ms = nextTurn(turns, placeMs, performance.now()) - performance.now();
      if (ms > 0) {
        timer = setTimeout(() => {
          timer = null;
          arm();
        }, Math.ceil(ms));
        return;
      }
      leave();
    }
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
