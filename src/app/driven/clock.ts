import { type Clock, sleepBy, systemClock } from '../../shared/clock.ts';
import type { TimeSetting } from './messages.ts';

/** The least wait while time is paused. Otherwise code that waits for a moment of the bot's time would ask without pause. */
const LEAST_PAUSED_WAIT_MS = 100;

/**
 * A clock that can be paused, sped up and set forward. Both of its times follow that. `sleep` and `after` wait in real
 * time, because connections do; the poller looks once a second for what has become due.
 */
export interface DrivenClock extends Clock {
  set(setting: TimeSetting): void;
}

export function createDrivenClock(first: TimeSetting): DrivenClock {
  let setting = first;
  /** The monotonic time at the last change of the setting. */
  let monotonicMs = 0;
  let changedAtMs = systemClock.monotonicMs();
  const sinceChange = () => (systemClock.monotonicMs() - changedAtMs) * setting.speed;

  const clock: DrivenClock = {
    set(next) {
      const nowMs = systemClock.now();
      const skippedMs = timeAt(next, nowMs) - timeAt(setting, nowMs);
      monotonicMs += sinceChange() + Math.max(0, skippedMs);
      changedAtMs = systemClock.monotonicMs();
      setting = next;
    },
    now: () => timeAt(setting, systemClock.now()),
    monotonicMs: () => monotonicMs + sinceChange(),
    sleep: (ms, signal) => sleepBy(clock, ms, signal),
    after: (ms, ring) => systemClock.after(setting.speed === 0 ? Math.max(ms, LEAST_PAUSED_WAIT_MS) : ms, ring),
  };
  return clock;
}

/** The bot's time at a moment of the machine's clock. */
function timeAt({ realMs, botMs, speed }: TimeSetting, nowMs: number): number {
  return Math.round(botMs + (nowMs - realMs) * speed);
}
