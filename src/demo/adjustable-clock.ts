import type { DemoTime } from '../../packages/local-discord/src/index.ts';
import { type Clock, sleepBy, systemClock } from '../shared/clock.ts';

/** The least wait while time is paused: who waits for a moment that does not come asks again only so often. */
const LEAST_PAUSED_WAIT_MS = 100;

/** A time that is ahead of the machine's, and goes as fast. */
export function timeAhead(ms: number): DemoTime {
  const nowMs = systemClock.now();
  return { realMs: nowMs, demoMs: nowMs + ms, speed: 1 };
}

/** The demo's time at a moment of the machine's clock. */
function demoTimeAt({ realMs, demoMs, speed }: DemoTime, nowMs: number): number {
  return Math.round(demoMs + (nowMs - realMs) * speed);
}

/**
 * A clock that can be paused, sped up and set forward. Both of its times follow that; what waits (`sleep`, `after`) waits
 * in real time, because connections do: the poller looks once a second for what has become due.
 */
export interface AdjustableClock extends Clock {
  readonly setting: DemoTime;
  set(setting: DemoTime): void;
}

export function createAdjustableClock(first: DemoTime): AdjustableClock {
  let setting = first;
  /** The monotonic time at the last change of the setting. */
  let monotonicMs = 0;
  let changedAtMs = systemClock.monotonicMs();
  const sinceChange = () => (systemClock.monotonicMs() - changedAtMs) * setting.speed;

  const clock: AdjustableClock = {
    get setting() {
      return setting;
    },
    set(next) {
      const nowMs = systemClock.now();
      const skippedMs = demoTimeAt(next, nowMs) - demoTimeAt(setting, nowMs);
      monotonicMs += sinceChange() + Math.max(0, skippedMs);
      changedAtMs = systemClock.monotonicMs();
      setting = next;
    },
    now: () => demoTimeAt(setting, systemClock.now()),
    monotonicMs: () => monotonicMs + sinceChange(),
    sleep: (ms, signal) => sleepBy(clock, ms, signal),
    after: (ms, ring) => systemClock.after(setting.speed === 0 ? Math.max(ms, LEAST_PAUSED_WAIT_MS) : ms, ring),
  };
  return clock;
}
