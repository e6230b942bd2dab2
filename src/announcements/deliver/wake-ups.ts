import type { Clock } from '../../shared/clock.ts';
import type { Channel, Channels } from './channel.ts';

/** Wakes idle channels at their next due time, with a single timer for all. */
export interface WakeUps {
  /** Sets when to wake the channel, and replaces its earlier time: epoch milliseconds, Infinity for never. */
  at: (channel: Channel, ms: number) => void;
}

export interface WakeUpParts {
  channels: Channels;
  wake: (channelId: string) => void;
  clock: Clock;
  signal: AbortSignal;
}

/** The longest sleep. Timers have a maximum delay, and each awakening notices a changed wall clock. */
const LONGEST_SLEEP_MS = 3_600_000;

export function createWakeUps({ channels, wake, clock, signal }: WakeUpParts): WakeUps {
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
    for (const channel of channels.all()) {
      if (channel.wakeAtMs > nowMs) next = Math.min(next, channel.wakeAtMs);
      else {
        channel.wakeAtMs = Number.POSITIVE_INFINITY;
        wake(channel.id);
      }
    }
    arm(next);
  }

  return {
    at(channel, ms) {
      channel.wakeAtMs = ms;
      arm(ms);
    },
  };
}
