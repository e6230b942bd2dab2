import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { flatMapInTurns } from '../../src/shared/turns.ts';

/** Work in steps that take so many milliseconds each. `done` are those that were done; a step of NaN ms fails. */
function start(...stepsMs: number[]) {
  let nowMs = 1_000;
  const stopping = new AbortController();
  const done: number[] = [];
  const step = (ms: number) => {
    if (Number.isNaN(ms)) throw new Error('a step failed');
    nowMs += ms;
    done.push(ms);
    return [ms, 'done'];
  };
  const result = flatMapInTurns(stepsMs, step, { clock: { monotonicMs: () => nowMs }, signal: stopping.signal });
  // Some tests look at the result only after it has settled.
  result.catch(() => undefined);
  return { result, done, stop: () => stopping.abort(new Error('stopping')) };
}

test.each([
  ['ends with the step that reaches 5 ms', [2, 3, 1], 2],
  ['goes on below 5 ms', [2, 2.999, 1, 1], 3],
  ['has one step at least', [60, 60], 1],
])('a turn %s', async (_, stepsMs, first) => {
  const { result, done } = start(...stepsMs);
  expect(done).toEqual(stepsMs.slice(0, first));
  await nextTurn();
  expect(done).toEqual(stepsMs);
  await expect(result).resolves.toEqual(stepsMs.flatMap((ms) => [ms, 'done']));
});

test('each turn has its 5 ms anew, and other code runs after each', async () => {
  const { result, done } = start(3, 3, 3, 3, 3, 3);
  const seen: number[] = [];
  for (let turn = 0; turn < 3; turn += 1) {
    seen.push(done.length);
    await nextTurn();
  }
  expect(seen).toEqual([2, 4, 6]);
  await expect(result).resolves.toHaveLength(12);
});

test('what is stopped ends between two turns, and what is done by then has its result', async () => {
  const { result, done, stop } = start(5, 5, 5);
  stop();
  await expect(result).rejects.toThrow('stopping');
  expect(done).toHaveLength(1);
  const short = start(1, 1);
  short.stop();
  await expect(short.result).resolves.toEqual([1, 'done', 1, 'done']);
});

test.each([
  ['first', [Number.NaN]],
  ['later', [5, Number.NaN, 5]],
])('an error in the %s turn rejects, and nothing more is done', async (_, stepsMs) => {
  const { result, done } = start(...stepsMs);
  await expect(result).rejects.toThrow('a step failed');
  await nextTurn();
  expect(done).toEqual(stepsMs.slice(0, stepsMs.findIndex(Number.isNaN)));
});
