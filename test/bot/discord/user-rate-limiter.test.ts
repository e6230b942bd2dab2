import { expect, test } from 'vitest';
import { createAllowance } from '../../../src/bot/discord/user-rate-limiter.ts';
import { UserError } from '../../../src/shared/errors.ts';
import { ManualClock } from '../../helpers/manual-clock.ts';

const MINUTE_MS = 60_000;

test.each([0, -24, -3, 3, 24])(
  'twelve at once, then one every five minutes, though the clock jumps by %i hours',
  async (hours) => {
    const clock = new ManualClock();
    const allowance = createAllowance(clock);
    for (let spent = 0; spent < 12; spent += 1) allowance.spend('ada');
    clock.jump(hours * 60 * MINUTE_MS);
    const at = Math.ceil((clock.now() + 5 * MINUTE_MS) / 1000);
    expect(() => allowance.spend('ada')).toThrow(
      expect.objectContaining({ saying: expect.objectContaining({ values: { at: `<t:${at}:R>` } }) }),
    );
    await clock.advance(5 * MINUTE_MS - 1);
    expect(() => allowance.spend('ada')).toThrow(UserError);
    await clock.advance(1);
    allowance.spend('ada');
    expect(() => allowance.spend('ada')).toThrow(UserError);
    allowance.spend('ben');
  },
);
