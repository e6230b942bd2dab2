import type { Clock } from '../clock.ts';

/** Discord's epoch, the first second of 2015, in milliseconds since the Unix epoch. */
const DISCORD_EPOCH_MS = 1_420_070_400_000n;

export interface Snowflakes {
  /**
   * An id that is later than every one before it. It carries the clock's time unless an earlier id is later than that.
   */
  next(): string;
}

/**
 * Makes ids as Discord does: https://discord.com/developers/docs/reference#snowflakes
 * @param stored ids that are in use already; every new one is later
 */
export function createSnowflakes(clock: Clock, stored: Iterable<string>): Snowflakes {
  let last = 0n;
  for (const id of stored) if (BigInt(id) > last) last = BigInt(id);
  return {
    next() {
      const ofNow = (BigInt(Math.trunc(clock.now())) - DISCORD_EPOCH_MS) << 22n;
      last = ofNow > last ? ofNow : last + 1n;
      return last.toString();
    },
  };
}

/** The time at which the id was made, in milliseconds since the epoch. */
export function snowflakeTimeMs(id: string): number {
  return Number((BigInt(id) >> 22n) + DISCORD_EPOCH_MS);
}

/** Sorts earlier ids first. */
export function compareSnowflakes(left: string, right: string): number {
  return left.length - right.length || (left < right ? -1 : left > right ? 1 : 0);
}
