import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/shared/time.ts';
import type { Arena } from './arena.ts';
import type { EventName } from './events.ts';

/** The error to which a clock is set: longer than Discord remembers a nonce, and than a channel's messages are read back. */
const WRONG_BY_MS = [HOUR_MS, -HOUR_MS, 3 * HOUR_MS, -3 * HOUR_MS] as const;

/** The next error of the bot's clock: none where it is wrong now, else some, over midnight too. */
function drawAheadMs(arena: Arena): number {
  if (arena.botAheadMs() !== 0) return 0;
  const drawn = Math.floor(arena.random() * (WRONG_BY_MS.length + 2));
  const sinceMidnightMs = arena.now() % DAY_MS;
  const overMidnight = [DAY_MS - sinceMidnightMs + MINUTE_MS, -sinceMidnightMs - MINUTE_MS];
  return WRONG_BY_MS[drawn] ?? overMidnight[drawn - WRONG_BY_MS.length] ?? 0;
}

/** Sets the bot's clock at a step of its run, or for its next run where it ends before that step. */
export function clockJump(arena: Arena, count: (event: EventName) => void): () => number {
  const aheadMs = drawAheadMs(arena);
  return () => {
    const byMs = arena.setBotAhead(aheadMs);
    if (byMs !== 0) count(byMs > 0 ? 'forward' : 'back');
    return byMs;
  };
}
