import type { Clock } from '../../../shared/clock.ts';

/** Wakes channels that have nothing to do until a moment. Sleeps once for all of them. */
export interface WakeUps {
  /** In place of the moment that was said before; Infinity for never. */
  at: (channelId: string, ms: number) => void;
}

export interface WakeUpParts {
  wake: (channelId: string) => void;
  clock: Clock;
  signal: AbortSignal;
}

/** No timer counts further than this, and a clock that was set meanwhile is noticed. */
const LONGEST_SLEEP_MS = 3_600_000;

export function createWakeUps({ wake, clock, signal }: WakeUpParts): WakeUps {
  const moments = new Map<string, number>();
  let sleep = { untilMs: Number.POSITIVE_INFINITY, rouse: new AbortController() };

  function arm(untilMs: number): void {
    if (untilMs >= sleep.untilMs || signal.aborted) return;
    sleep.rouse.abort();
    const rouse = new AbortController();
    sleep = { untilMs, rouse };
    const ms = Math.min(Math.max(0, untilMs - clock.now()), LONGEST_SLEEP_MS);
    clock.sleep(ms, AbortSignal.any([signal, rouse.signal])).then(ring, () => undefined);
  }

  function ring(): void {
    sleep = { untilMs: Number.POSITIVE_INFINITY, rouse: new AbortController() };
    const nowMs = clock.now();
    let next = Number.POSITIVE_INFINITY;
    for (const [channelId, ms] of moments) {
      if (ms > nowMs) next = Math.min(next, ms);
      else {
        moments.delete(channelId);
        wake(channelId);
      }
    }
    arm(next);
  }

  return {
    at(channelId, ms) {
      if (ms === Number.POSITIVE_INFINITY) {
        moments.delete(channelId);
        return;
      }
      moments.set(channelId, ms);
      arm(ms);
    },
  };
}
