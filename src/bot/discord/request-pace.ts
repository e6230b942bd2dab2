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

/** What a busy machine was late by is made up for, up to this: ten that leave at once. */
const MOST_BEHIND_MS = 200;

/** Lets requests leave evenly, so that no second of Discord's holds too many. */
export interface RequestPace {
  /** Resolves when the next one may leave; rejects with the signal's reason. First come, first served. */
  turn(signal: AbortSignal | null | undefined): Promise<void>;
}

/**
 * When the next request may leave: milliseconds, as all times here.
 * @param turns when the latest ones did, oldest first
 * @param placeMs the place of the last one in an even row: who left late makes nobody else late
 */
export function nextTurn(turns: readonly number[], placeMs: number, nowMs: number): number {
  const isCalm = (turns.at(-AT_ONCE) ?? -Infinity) <= nowMs - WINDOW_MS;
  return Math.max(nowMs, windowEnd(turns), isCalm ? -Infinity : placeMs + SPACING_MS);
}

/** The place in the row of one that leaves now, after those of `turns`, the last of which had its place at `placeMs`. */
export function nextPlace(turns: readonly number[], placeMs: number, nowMs: number): number {
  return Math.max(placeMs + SPACING_MS, windowEnd(turns), nowMs - MOST_BEHIND_MS);
}

/** When the window that is full now is over. */
function windowEnd(turns: readonly number[]): number {
  return (turns.at(-PER_SECOND) ?? -Infinity) + WINDOW_MS;
}

/** In real time, as the limits of the client beneath are. */
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
