import type { DemoTime } from '../../local-discord/src/index.ts';
import { type Clock, systemClock } from '../../local-discord/src/index.ts';

/** A time that is ahead of the machine's, and goes as fast. */
export function timeAhead(ms: number): DemoTime {
  const nowMs = Date.now();
  return { realMs: nowMs, demoMs: nowMs + ms, speed: 1 };
}

/** The demo's wall clock, which can be paused, sped up and set forward. What waits, waits in real time. */
export interface DemoClock extends Clock {
  readonly setting: DemoTime;
  set(setting: DemoTime): void;
}

export function createDemoClock(first: DemoTime): DemoClock {
  let setting = first;
  return {
    ...systemClock,
    get setting() {
      return setting;
    },
    set(next) {
      setting = next;
    },
    now: () => Math.round(setting.demoMs + (Date.now() - setting.realMs) * setting.speed),
  };
}
