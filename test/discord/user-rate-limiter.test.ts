import { expect, test } from 'vitest';
import { createUserRateLimiter } from '../../src/discord/answering.ts';
import { UserError } from '../../src/shared/errors.ts';
import { ManualClock } from '../helpers/manual-clock.ts';

const MINUTE_MS = 60_000;

test.each([0, -24, -3, 3, 24])(
  'twelve at once, then one every five minutes, though the clock jumps by %i hours',
  async (hours) => {
    const clock = new ManualClock();
    const userRateLimiter = createUserRateLimiter(clock);
    for (let spent = 0; spent < 12; spent += 1) userRateLimiter.spend('ada');
    clock.jump(hours * 60 * MINUTE_MS);
    const at = Math.ceil((clock.now() + 5 * MINUTE_MS) / 1000);
    expect(() => userRateLimiter.spend('ada')).toThrow(
      expect.objectContaining({ localized: expect.objectContaining({ values: { at: `<t:${at}:R>` } }) }),
    );
    await clock.advance(5 * MINUTE_MS - 1);
    expect(() => userRateLimiter.spend('ada')).toThrow(UserError);
    await clock.advance(1);
    userRateLimiter.spend('ada');
    expect(() => userRateLimiter.spend('ada')).toThrow(UserError);
    userRateLimiter.spend('ben');
  },
);
