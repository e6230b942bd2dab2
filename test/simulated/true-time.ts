import type { ManualClock } from '../helpers/manual-clock.ts';

/** The right time, by which the catalog and Discord go, beside the bot's clock, which may be set wrong. */
export interface TrueTime {
  /** Epoch milliseconds. */
  now: () => number;
  /** Sets the bot's clock ahead of the right time by so much; less than 0 for behind. */
  setBotAhead(ms: number): void;
  /** The total by which the bot's clock was set forward and back between two right times. */
  setBetween(fromMs: number, untilMs: number): { forwardMs: number; backMs: number };
  /** The most by which the bot's clock was ahead or behind at any time between two right times. */
  mostWrong(fromMs: number, untilMs: number): number;
  /** The time that the bot's clock shows at a right time: epoch milliseconds. */
  botMs(atMs: number): number;
  /** The first right time from `fromMs` on at which the bot's clock shows `botMs` or later. */
  shownFromMs(botMs: number, fromMs: number): number;
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
  return {
    now,
    setBotAhead(aheadMs) {
      const byMs = aheadMs - (settings.at(-1)?.aheadMs ?? 0);
      clock.jump(byMs);
      settings.push({ atMs: now(), aheadMs, byMs });
    },
    setBetween(fromMs, untilMs) {
      const within = settings.filter(({ atMs }) => atMs >= fromMs && atMs <= untilMs);
      const sum = (direction: 1 | -1) => within.reduce((total, { byMs }) => total + Math.max(0, byMs * direction), 0);
      return { forwardMs: sum(1), backMs: sum(-1) };
    },
    mostWrong(fromMs, untilMs) {
      const held = settings.filter(({ atMs }, index) => atMs <= untilMs && endMs(index) >= fromMs);
      return held.reduce((most, { aheadMs }) => Math.max(most, Math.abs(aheadMs)), 0);
    },
    botMs: (atMs) => atMs + (settings.findLast((setting) => setting.atMs <= atMs)?.aheadMs ?? 0),
    shownFromMs(botMs, fromMs) {
      const shown = settings.map(({ atMs, aheadMs }) => Math.max(fromMs, atMs, botMs - aheadMs));
      return shown.find((ms, index) => ms < endMs(index)) ?? Infinity;
    },
  };
}
