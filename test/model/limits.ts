import type { Timing } from '../../src/deals/settings.ts';
import { type Finding, iso } from './channel.ts';
import type { WallClocks } from './wall-clocks.ts';

const HOUR_MS = 3_600_000;

/**
 * The posts in a channel that came in an hour that had its most already.
 * @param postedAtMs by Discord's clock, in order
 * @param most an hour takes
 * @param setAheadAtMs when the bot's clock was set ahead without its knowing, so that it takes what it posted before for
 *   older than it is
 */
export function overposted(
  channel: string,
  postedAtMs: readonly number[],
  most: number,
  setAheadAtMs: readonly number[] = [],
): Finding[] {
  return postedAtMs.flatMap((atMs, index): Finding[] => {
    const earlier = postedAtMs[index - most];
    if (earlier === undefined || atMs - earlier >= HOUR_MS) return [];
    if (setAheadAtMs.some((setAtMs) => earlier <= setAtMs && setAtMs < atMs)) return [];
    return [{ is: 'too many', channel, url: null, why: `more than ${most} posts in the hour to ${iso(atMs)}` }];
  });
}

/** The posts that came when it was quiet for everybody in a channel. @param postedAtMs by the bot's clock */
export function inQuietHours(
  channel: string,
  postedAtMs: readonly number[],
  timings: readonly Timing[],
  clocks: WallClocks,
): Finding[] {
  const isQuiet = (atMs: number) => timings.every((timing) => clocks.isQuiet(timing, atMs));
  return postedAtMs.filter(isQuiet).map((atMs) => {
    return { is: 'too many', channel, url: null, why: `a post in quiet hours, at ${iso(atMs)}` };
  });
}
