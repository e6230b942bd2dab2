import { expect, test } from 'vitest';
import { backOffMs, retry } from '../../src/shared/backoff.ts';
import { ManualClock } from '../helpers/manual-clock.ts';

const BACK_OFF = { firstMs: 1_000, factor: 3, longestMs: 20_000 };

test('each wait is longer by the factor, up to the longest', () => {
  expect([1, 2, 3, 4, 2_000].map((failures) => backOffMs(failures, BACK_OFF))).toEqual([
    1_000, 3_000, 9_000, 20_000, 20_000,
  ]);
});

test('jitter shortens a wait by its share at most', () => {
  const waits = [0, 0.5, 1].map((random) => backOffMs(2, { ...BACK_OFF, jitter: 0.4 }, () => random));
  expect(waits).toEqual([1_800, 2_400, 3_000]);
});

/** Fails so many times before it succeeds; tells when each attempt was made. */
function flaky(failures: number, clock: ManualClock) {
  const attemptsMs: number[] = [];
  const attempt = async () => {
    attemptsMs.push(clock.monotonicMs());
    if (attemptsMs.length <= failures) throw new Error(`failure ${attemptsMs.length}`);
    return 'done';
  };
  return { attempt, attemptsMs };
}

test('an attempt is made again after the back-off, or after the longer wait that its failure asks for', async () => {
  const clock = new ManualClock();
  const { attempt, attemptsMs } = flaky(3, clock);
  const failures: unknown[] = [];
  const onFailure = (error: unknown) => failures.push(error) * 2_000;
  const done = retry(attempt, { ...BACK_OFF, clock, signal: new AbortController().signal, onFailure });
  await clock.advance(60_000);
  await expect(done).resolves.toBe('done');
  expect(attemptsMs).toEqual([0, 2_000, 6_000, 15_000]);
  expect(failures.map(String)).toEqual(['Error: failure 1', 'Error: failure 2', 'Error: failure 3']);
});

test('what the failure handler throws ends the attempts, as the signal does', async () => {
  const clock = new ManualClock();
  const ended = new AbortController();
  const { attempt, attemptsMs } = flaky(9, clock);
  const onFailure = (error: unknown) => {
    if (String(error) === 'Error: failure 2') throw new Error('Enough.');
    return 0;
  };
  const given = expect(retry(attempt, { ...BACK_OFF, clock, signal: ended.signal, onFailure })).rejects.toThrow(
    'Enough.',
  );
  await clock.advance(60_000);
  await given;
  const cancelled = expect(
    retry(attempt, { ...BACK_OFF, clock, signal: ended.signal, onFailure: () => 0 }),
  ).rejects.toThrow('Stopped.');
  await clock.advance(500);
  ended.abort(new Error('Stopped.'));
  await cancelled;
  expect(attemptsMs).toHaveLength(3);
});
