import type { ManualClock } from '../helpers/manual-clock.ts';
import type { ClockSettings } from '../model/deadlines.ts';

/** The right time, by which the catalog and Discord go, beside the bot's clock, which may be set wrong. */
export interface TrueTime extends ClockSettings {
  /** Epoch milliseconds. */
  now: () => number;
  /** Sets the bot's clock ahead of the right time by so much; less than 0 for behind. */
  setBotAhead(ms: number): void;
}

interface Setting {
  atMs: number;
  aheadMs: number;
  byMs: number;
}

export function createTrueTime(clock: ManualClock): TrueTime {
  const startMs = clock.now() - clock.monotonicMs();
  const settings: Setting[] = [{ atMs: -Infinity, aheadMs: 0, byMs: 0 }];
  const now = () => startMs + clock.monotonicMs();
  const endMs = (index: number) => settings[index + 1]?.atMs ?? Infinity;
  function firstShownMs(botMs: number, fromMs: number, isLastMomentIn: boolean): number {
    const shown = settings.map(({ atMs, aheadMs }) => Math.max(fromMs, atMs, botMs - aheadMs));
    const isIn = (ms: number, untilMs: number) => ms < untilMs || (isLastMomentIn && ms === untilMs && ms > fromMs);
    return shown.find((ms, index) => isIn(ms, endMs(index))) ?? Infinity;
  }
  return {
    now,
    setBotAhead(aheadMs) {
      const byMs = aheadMs - (settings.at(-1)?.aheadMs ?? 0);
      clock.jump(byMs);
      settings.push({ atMs: now(), aheadMs, byMs });
    },
    setBackMs: () => settings.filter(({ byMs }) => byMs < 0).map(({ atMs }) => atMs),
    mostWrong(fromMs, untilMs) {
      const held = settings.filter(({ atMs }, index) => atMs <= untilMs && endMs(index) >= fromMs);
      return held.reduce((most, { aheadMs }) => Math.max(most, Math.abs(aheadMs)), 0);
    },
    botMs: (atMs) => atMs + (settings.findLast((setting) => setting.atMs <= atMs)?.aheadMs ?? 0),
    shownFromMs: (botMs, fromMs) => firstShownMs(botMs, fromMs, false),
    mayBeShownFromMs: (botMs, fromMs) => firstShownMs(botMs, fromMs, true),
  };
}
