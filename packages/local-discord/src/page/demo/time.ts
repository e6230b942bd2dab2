import type { DemoState, DemoTime } from '../../server/demo-api.ts';

/** The time that the page shows: the demo's where it has one of its own. */
export function shownTimeMs(demo: Pick<DemoState, 'time'> | null | undefined, nowMs: number): number {
  return demo ? demoTimeMs(demo.time, nowMs) : nowMs;
}

function demoTimeMs({ realMs, demoMs, speed }: DemoTime, nowMs: number): number {
  return demoMs + (nowMs - realMs) * speed;
}

/** `Sun 22 Nov, 22:00:07 UTC` */
export function clockText(ms: number): string {
  const [day = '', date = '', month = '', , time = ''] = new Date(ms).toUTCString().replace(',', '').split(' ');
  return `${day} ${Number(date)} ${month}, ${time} UTC`;
}

/** `22:00 UTC` */
export function timeOfDay(ms: number): string {
  return `${new Date(ms).toISOString().slice(11, 16)} UTC`;
}

/** `7 s`, `2 min`, `3 h`: a span in one unit. */
export function spanText(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  if (seconds < 100) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 100 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}
