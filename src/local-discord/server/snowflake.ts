import type { Clock } from '../../shared/clock.ts';

/** The first second of 2015, from which Discord counts. */
const DISCORD_EPOCH_MS = 1_420_070_400_000n;

export interface Snowflakes {
  /** An id that is later than every one before it and, where those leave room, carries the clock's time. */
  next(): string;
  /** Never hand out `id` or an earlier one, for instance because it is stored already. */
  startAfter(id: string): void;
}

/** Ids as Discord makes them: https://discord.com/developers/docs/reference#snowflakes */
export function createSnowflakes(clock: Clock): Snowflakes {
  let last = 0n;
  return {
    next() {
      const ofNow = (BigInt(Math.trunc(clock.now())) - DISCORD_EPOCH_MS) << 22n;
      last = ofNow > last ? ofNow : last + 1n;
      return last.toString();
    },
    startAfter(id) {
      const given = BigInt(id);
      if (given > last) last = given;
    },
  };
}

/** Milliseconds since the epoch at which the id was made. */
export function snowflakeTimeMs(id: string): number {
  return Number((BigInt(id) >> 22n) + DISCORD_EPOCH_MS);
}

export function isSnowflake(value: unknown): value is string {
  return typeof value === 'string' && /^\d{15,20}$/.test(value);
}

/** Earlier ids first. */
export function compareSnowflakes(left: string, right: string): number {
  return left.length - right.length || (left < right ? -1 : left > right ? 1 : 0);
}
