import type { Timing } from '../../src/deals/settings.ts';

/** Looks local times up in tables, minute by minute. */
export interface WallClocks {
  /** The first minute at which a find of a whole minute may be posted, found by trying one after another. */
  dueAtMs(timing: Timing, nowMs: number): number;
  isQuiet(timing: Timing, atMs: number): boolean;
}

const MINUTE_MS = 60_000;
const DAY_MINUTES = 1_440;

/** @param fromMs, untilMs whole minutes between which everything plays */
export function createWallClocks(timeZones: readonly string[], fromMs: number, untilMs: number): WallClocks {
  const minutes = (untilMs - fromMs) / MINUTE_MS;
  const tables = new Map(timeZones.map((timeZone) => [timeZone, tableOf(timeZone)]));

  /** The minute of the day for each minute. */
  function tableOf(timeZone: string): Int16Array {
    const format = new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
    return Int16Array.from({ length: minutes }, (_, index) => {
      const [hour = 0, minute = 0] = format
        .format(fromMs + index * MINUTE_MS)
        .split(':')
        .map(Number);
      return hour * 60 + minute;
    });
  }

  function minuteAt(timeZone: string, index: number): number {
    const minute = tables.get(timeZone)?.[index];
    if (minute === undefined) throw new Error(`No clock of ${timeZone} shows that.`);
    return minute;
  }

  function isQuietAt({ quiet, timeZone }: Timing, index: number): boolean {
    if (!quiet) return false;
    const { fromMinute, toMinute } = quiet;
    const minute = minuteAt(timeZone, index);
    // Compares the minutes since `from` with those from `from` to `to`.
    return (minute - fromMinute + DAY_MINUTES) % DAY_MINUTES < (toMinute - fromMinute + DAY_MINUTES) % DAY_MINUTES;
  }

  /** Whether the clock shows what it showed before on that day: in autumn an hour comes twice. */
  function isRepeated(timeZone: string, index: number): boolean {
    const minute = minuteAt(timeZone, index);
    return [30, 60].some((back) => index >= back && minuteAt(timeZone, index - back) === minute);
  }

  return {
    isQuiet: (timing, atMs) => isQuietAt(timing, Math.floor((atMs - fromMs) / MINUTE_MS)),
    dueAtMs(timing, nowMs) {
      let index = (nowMs - fromMs) / MINUTE_MS;
      if (timing.mode !== 'at-once') {
        const isTime = (at: number) => {
          const minute = minuteAt(timing.timeZone, at);
          if (timing.mode === 'hourly') return minute % 60 === 0;
          return minute === timing.dailyAtMinute && !isRepeated(timing.timeZone, at);
        };
        do index += 1;
        while (!isTime(index));
      }
      while (isQuietAt(timing, index)) index += 1;
      return fromMs + index * MINUTE_MS;
    },
  };
}
