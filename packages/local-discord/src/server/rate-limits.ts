import type { Clock } from '../clock.ts';

/** A number of requests allowed in each window of `perMs` milliseconds. */
interface Limit {
  requests: number;
  perMs: number;
}

export interface Limits {
  /** All requests together, except interaction answers. */
  global: Limit;
  /** Per channel, as for the next two. */
  createMessage: Limit;
  editMessage: Limit;
  deleteMessage: Limit;
  /** Forum posts and threads, per channel. */
  createThread: Limit;
  /** Edits of messages older than an hour, per channel. */
  editOldMessage: Limit;
  /** Per announcement channel, whoever publishes. */
  crosspost: Limit;
  /** Edits of one published message. */
  editPublished: Limit;
  /** New commands, per guild or globally. */
  createCommand: Limit;
  /** Roles that members get and lose, per guild. */
  memberRoles: Limit;
  /** Reactions that are added and removed, per channel. */
  react: Limit;
  bulkDelete: Limit;
}

/** The limits as far as they are known; Discord publishes only the first and the last. */
export const DISCORD_LIMITS: Limits = {
  global: { requests: 50, perMs: 1000 },
  createMessage: { requests: 5, perMs: 5000 },
  editMessage: { requests: 5, perMs: 5000 },
  deleteMessage: { requests: 5, perMs: 1000 },
  createThread: { requests: 5, perMs: 5000 },
  editOldMessage: { requests: 3, perMs: 6000 },
  crosspost: { requests: 10, perMs: 3_600_000 },
  editPublished: { requests: 3, perMs: 3_600_000 },
  createCommand: { requests: 200, perMs: 86_400_000 },
  memberRoles: { requests: 10, perMs: 10_000 },
  react: { requests: 1, perMs: 250 },
  bulkDelete: { requests: 1, perMs: 1000 },
};

export type LimitName = keyof Limits;

export interface Taken {
  /** False when the window's requests are used up: the request must not be carried out. */
  allowed: boolean;
  limit: number;
  remaining: number;
  /** The end of the window, in milliseconds since the epoch. */
  resetAtMs: number;
  resetAfterMs: number;
}

export interface RateLimits {
  /**
   * Counts one request of that kind.
   * @param key names its channel, message or guild
   * @param others how many requests of each window somebody else makes
   */
  take(name: LimitName, key: string, others?: number): Taken;
}

/** Number of windows kept before the ended ones are deleted. */
const SWEEP_WINDOWS = 1000;

/** Counts requests in fixed windows; a window begins with its first request. */
export function createRateLimits(clock: Clock, limits: Limits): RateLimits {
  /** The windows end at times of the monotonic clock. */
  const windows = new Map<string, { used: number; endsAtMs: number }>();

  function sweep(now: number): void {
    for (const [bucket, { endsAtMs }] of windows) if (endsAtMs <= now) windows.delete(bucket);
  }

  return {
    take(name, key, others = 0) {
      const { requests: all, perMs } = limits[name];
      const requests = Math.max(0, all - others);
      const now = clock.monotonicMs();
      const bucket = `${name}:${key}`;
      let window = windows.get(bucket);
      if (!window || window.endsAtMs <= now) {
        if (windows.size >= SWEEP_WINDOWS) sweep(now);
        window = { used: 0, endsAtMs: now + perMs };
        windows.set(bucket, window);
      }
      const allowed = window.used < requests;
      if (allowed) window.used += 1;
      const { used, endsAtMs } = window;
      const resetAtMs = Math.round(clock.now() + endsAtMs - now);
      return { allowed, limit: requests, remaining: requests - used, resetAtMs, resetAfterMs: endsAtMs - now };
    },
  };
}
