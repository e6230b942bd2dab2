import type { Timing } from '../../src/deals/settings.ts';
import type { Debt, Span } from './channel.ts';
import type { WallClocks } from './wall-clocks.ts';

/** How the bot's clock was set, compared with the right time: all in epoch milliseconds. */
export interface ClockSettings {
  /** The right times at which the bot's clock was set back, the first one first. */
  setBackMs(): number[];
  /** The most by which the bot's clock was ahead or behind at any time between two right times. */
  mostWrong(fromMs: number, untilMs: number): number;
  /** The time that the bot's clock shows at a right time. */
  botMs(atMs: number): number;
  /** The first right time from `fromMs` on at which the bot's clock shows `botMs` or later. */
  shownFromMs(botMs: number, fromMs: number): number;
  /** The same, where what wakes at the moment at which the clock is set may still see what it showed until then. */
  mayBeShownFromMs(botMs: number, fromMs: number): number;
}

/** All that decides by when something has to be posted. */
export interface Circumstances {
  /** The settings of a channel's subscriptions. */
  settingsOf: (channel: string) => readonly { timing: Timing; mostPerHour: number }[];
  clocks: WallClocks;
  time: ClockSettings;
  /**
   * The end of the last time that the channel was closed between two right times, with the time in which the bot finds
   * out; null where it was not; Infinity where it never opens again.
   */
  foundOpenByMs: (channel: string, fromMs: number, untilMs: number) => number | null;
  /** Whether the bot was not in the channel's server for some of that time. */
  isAway: (channel: string, fromMs: number, untilMs: number) => boolean;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/**
 * The longest that an hour's most may hold something back that stays live: half of the hour's posts are kept for roll-ups,
 * which come evenly. Where subscriptions with different limits share a channel, another one may have used the hour up.
 */
function longestHoldMs(mosts: readonly number[]): number {
  const [most = 1, ...others] = mosts;
  if (most === 1 || others.some((other) => other !== most)) return HOUR_MS;
  return Math.max(5 * MINUTE_MS, HOUR_MS / Math.max(2, Math.ceil(most / 2)));
}

/**
 * Finds the span of each debt, by the times that the bot's clock shows: a digest and the end of quiet hours are such times,
 * and come again where that clock is set back before the post is made.
 */
export function createDeadlines({ settingsOf, clocks, time, foundOpenByMs, isAway }: Circumstances) {
  /** The first right time from then on at which the bot's clock shows none of the quiet hours. */
  function openFromMs(timing: Timing, fromMs: number): number {
    const shownMs = time.botMs(fromMs);
    const openMs = clocks.dueAtMs({ ...timing, mode: 'at-once' }, Math.ceil(shownMs / MINUTE_MS) * MINUTE_MS);
    return openMs - shownMs < MINUTE_MS ? fromMs : openFromMs(timing, time.shownFromMs(openMs, fromMs));
  }
  return ({ channel, foundAtMs, dueAtMs, isOptional }: Debt): Span => {
    const here = settingsOf(channel);
    const holdMs = longestHoldMs(here.map(({ mostPerHour }) => mostPerHour));
    const isDelayed = dueAtMs > time.botMs(foundAtMs);
    const dueFromMs = (fromMs: number) => (isDelayed ? time.shownFromMs(dueAtMs, fromMs) : fromMs);
    /** Adds the time that a limit holds posts back and, where it ends in quiet hours, an hour's limit after their end. */
    const heldUntil = (fromMs: number) => {
      const cappedMs = fromMs + holdMs;
      const openMs = Math.max(...here.map(({ timing }) => openFromMs(timing, cappedMs)));
      return openMs > cappedMs ? openMs + holdMs : cappedMs;
    };
    /** The latest time of a post that can be made from then on. */
    const latestMs = (fromMs: number) => {
      let startMs = dueFromMs(fromMs);
      let untilMs = heldUntil(startMs);
      for (const setMs of time.setBackMs()) {
        if (setMs < startMs || setMs > untilMs) continue;
        startMs = dueFromMs(setMs);
        untilMs = Math.max(untilMs, heldUntil(startMs));
      }
      return untilMs;
    };
    let untilMs = latestMs(foundAtMs);
    for (let openMs = foundOpenByMs(channel, foundAtMs, untilMs); openMs !== null; ) {
      const laterMs = Number.isFinite(openMs) ? latestMs(openMs) : Infinity;
      if (laterMs <= untilMs) break;
      untilMs = laterMs;
      openMs = foundOpenByMs(channel, foundAtMs, untilMs);
    }
    return {
      fromMs: isDelayed ? time.mayBeShownFromMs(dueAtMs, foundAtMs) : foundAtMs,
      untilMs,
      isOptional: isOptional || untilMs === Infinity || isAway(channel, foundAtMs, untilMs),
      wrongByMs: time.mostWrong(foundAtMs, untilMs),
    };
  };
}
