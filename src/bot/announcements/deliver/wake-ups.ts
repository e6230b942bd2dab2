import type { Clock } from '../../../shared/clock.ts';

/** Wakes idle channels at their next due time, with a single timer for all. */
export interface WakeUps {
  /** Sets when to wake the channel, and replaces its earlier time; Infinity for never. */
  at: (channelId: string, ms: number) => void;
}

export interface WakeUpParts {
  wake: (channelId: string) => void;
  clock: Clock;
  signal: AbortSignal;
}

/** The longest sleep. Timers have a maximum delay, and each awakening notices a changed wall clock. */
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
