import type { DemoTime } from '../../local-discord/src/index.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** Minutes of the demo in one of the machine's when time is sped up. */
export const FAST = 60;

/** The moments of a day that time can be set forward to: hours of UTC. A second later, so that all clocks are past it. */
const MOMENTS = { evening: 22, morning: 7, midnight: 0 } as const;

export type TimeLever = keyof typeof MOMENTS | 'pause' | 'normal' | 'fast';

/** The setting after a lever is used: jumps go forward only, and keep the speed; a paused time goes on with them. */
export function afterLever(lever: TimeLever, { speed }: DemoTime, now: { realMs: number; demoMs: number }): DemoTime {
  if (lever === 'pause') return { ...now, speed: 0 };
  if (lever === 'normal') return { ...now, speed: 1 };
  if (lever === 'fast') return { ...now, speed: FAST };
  return { realMs: now.realMs, demoMs: nextMoment(MOMENTS[lever], now.demoMs), speed: speed === 0 ? 1 : speed };
}

function nextMoment(hour: number, nowMs: number): number {
  const todayMs = Math.floor(nowMs / DAY_MS) * DAY_MS + hour * HOUR_MS + 1_000;
  return todayMs > nowMs ? todayMs : todayMs + DAY_MS;
}
