import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BLOCKED, Pause, type Setback } from '../../src/discord/pause.ts';
import { backOffMs } from '../../src/shared/backoff.ts';
import { ManualClock } from '../helpers/manual-clock.ts';

const RETRY = { firstMs: 1_000, factor: 2, longestMs: 60_000 };

function aPause() {
  const clock = new ManualClock();
  return { clock, pause: new Pause(clock, RETRY), leftMs: (pause: Pause) => pause.untilMs - clock.now() };
}

const setback: fc.Arbitrary<Setback> = fc.oneof(
  fc.constant({ kind: 'unknown' as const }),
  fc.constant({ kind: 'blocked' as const }),
  fc.record({ kind: fc.constant('later' as const), afterMs: fc.nat(90_000) }),
);

test('each pause depends on the failures of its own kind alone, and a limit lasts as long as Discord says', () => {
  fc.assert(
    fc.property(fc.array(setback, { minLength: 1, maxLength: 12 }), (setbacks) => {
      const { pause, leftMs } = aPause();
      for (const one of setbacks) pause.begin(one);
      const last = setbacks.at(-1) as Setback;
      const count = setbacks.filter(({ kind }) => kind === last.kind).length;
      const wantedMs =
        last.kind === 'later' ? last.afterMs : backOffMs(count, last.kind === 'blocked' ? BLOCKED : RETRY);
      expect([leftMs(pause), pause.because]).toEqual([wantedMs, last.kind]);
    }),
  );
});

test('only a pause for want of a permission ends when permissions change, and the next one is longer', () => {
  const { clock, pause, leftMs } = aPause();
  pause.begin({ kind: 'blocked' });
  pause.endBlocked();
  expect([pause.untilMs <= clock.now(), pause.because]).toEqual([true, 'blocked']);
  pause.begin({ kind: 'blocked' });
  expect(leftMs(pause)).toBe(backOffMs(2, BLOCKED));
  pause.begin({ kind: 'unknown' });
  pause.endBlocked();
  expect(leftMs(pause)).toBe(RETRY.firstMs);
});

test('after a success the next failure is the first again', () => {
  const { clock, pause, leftMs } = aPause();
  for (const kind of ['unknown', 'unknown', 'blocked'] as const) pause.begin({ kind });
  pause.reset();
  expect([pause.untilMs <= clock.now(), pause.because]).toEqual([true, null]);
  pause.begin({ kind: 'unknown' });
  expect(leftMs(pause)).toBe(RETRY.firstMs);
});

test('a wall clock that is set makes a pause neither longer nor shorter', async () => {
  const { clock, pause, leftMs } = aPause();
  pause.begin({ kind: 'blocked' });
  for (const jumpMs of [-3_600_000, 7_200_000]) {
    clock.jump(jumpMs);
    expect(leftMs(pause)).toBe(BLOCKED.firstMs);
  }
  await clock.advance(BLOCKED.firstMs - 1);
  expect(leftMs(pause)).toBe(1);
});
