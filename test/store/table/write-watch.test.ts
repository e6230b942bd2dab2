import { expect, test } from 'vitest';
import type { WriteProblem } from '../../../src/shared/errors.ts';
import { PROBE_EVERY_MS, WriteWatch } from '../../../src/store/table/failures.ts';
import { createTestLog } from '../../helpers/keys.ts';
import { ManualClock } from '../../helpers/manual-clock.ts';

/** A watch whose tries to write succeed once `isMended`. */
function aWatch() {
  const clock = new ManualClock();
  const lines: object[] = [];
  const tries: WriteProblem[] = [];
  let held: Promise<void> | null = null;
  const state = {
    isMended: false,
    /** Lets the next try last until it may go on. */
    hold() {
      let goOn = (): void => undefined;
      held = new Promise((resolve) => {
        goOn = resolve;
      });
      return { goOn: () => goOn() };
    },
  };
  const watch = new WriteWatch({
    clock,
    log: createTestLog((line) => lines.push(JSON.parse(line) as object)),
    async probe(problem) {
      tries.push(problem);
      await held;
      if (!state.isMended) throw new Error('still so');
    },
  });
  return { clock, lines, tries, state, watch };
}

const notWritable = (problem: WriteProblem) => expect.objectContaining({ level: 50, problem }) as object;
const WRITABLE = expect.objectContaining({ level: 30 }) as object;

test('a problem is logged once, and every 5 s a write is tried, until one succeeds', async () => {
  const { clock, lines, tries, state, watch } = aWatch();
  expect(watch.problem).toBeNull();
  for (let write = 0; write < 3; write += 1) watch.failed('disk-full');
  expect(watch.problem).toBe('disk-full');
  expect(lines).toEqual([notWritable('disk-full')]);
  await clock.advance(PROBE_EVERY_MS - 1);
  expect(tries).toEqual([]);
  await clock.advance(1);
  expect(tries).toEqual(['disk-full']);
  state.isMended = true;
  await clock.advance(PROBE_EVERY_MS - 1);
  expect(watch.problem).toBe('disk-full');
  await clock.advance(1);
  expect(watch.problem).toBeNull();
  expect(lines.slice(1)).toEqual([WRITABLE]);
  await clock.advance(10 * PROBE_EVERY_MS);
  expect(tries).toHaveLength(2);
});

test('one that turns into another is logged as that, and tried no more often', async () => {
  const { clock, lines, tries, watch } = aWatch();
  watch.failed('disk-full');
  await clock.advance(PROBE_EVERY_MS - 1);
  watch.failed('disk-failed');
  watch.failed('read-only');
  expect(lines).toEqual([notWritable('disk-full'), notWritable('disk-failed'), notWritable('read-only')]);
  await clock.advance(1);
  expect(tries).toEqual(['read-only']);
});

test('a database that is reached again is writable at once, and one with a full disk is not', async () => {
  const { clock, lines, tries, watch } = aWatch();
  watch.reached();
  expect(lines).toEqual([]);
  watch.failed('unreachable');
  watch.reached();
  watch.reached();
  expect(watch.problem).toBeNull();
  expect(lines).toEqual([notWritable('unreachable'), WRITABLE]);
  await clock.advance(2 * PROBE_EVERY_MS);
  expect(tries, 'nothing is tried any more').toEqual([]);
  watch.failed('disk-full');
  watch.reached();
  expect(watch.problem).toBe('disk-full');
  await clock.advance(PROBE_EVERY_MS);
  expect(tries).toEqual(['disk-full']);
});

test('one that ends while a write is tried is over once, and each later one is tried by itself', async () => {
  const { clock, lines, tries, state, watch } = aWatch();
  for (const isMended of [true, false]) {
    state.isMended = isMended;
    watch.failed('unreachable');
    await clock.advance(PROBE_EVERY_MS - 1);
    const trying = state.hold();
    await clock.advance(1);
    watch.reached();
    if (!isMended) watch.failed('disk-full');
    trying.goOn();
    await clock.advance(0);
  }
  expect(lines).toEqual([
    notWritable('unreachable'),
    WRITABLE,
    notWritable('unreachable'),
    WRITABLE,
    notWritable('disk-full'),
  ]);
  tries.length = 0;
  await clock.advance(3 * PROBE_EVERY_MS);
  expect(tries).toEqual(['disk-full', 'disk-full', 'disk-full']);
});

test('a try that succeeds says nothing of a problem that has come meanwhile', async () => {
  const { clock, tries, state, watch } = aWatch();
  state.isMended = true;
  watch.failed('disk-full');
  const trying = state.hold();
  await clock.advance(PROBE_EVERY_MS);
  watch.failed('read-only');
  trying.goOn();
  await clock.advance(PROBE_EVERY_MS - 1);
  expect(watch.problem).toBe('read-only');
  await clock.advance(1);
  expect(tries).toEqual(['disk-full', 'read-only']);
  expect(watch.problem).toBeNull();
});

test('nothing is tried once it is stopped, whatever fails then', async () => {
  const { clock, tries, watch } = aWatch();
  watch.failed('disk-full');
  watch.stop();
  await clock.advance(2 * PROBE_EVERY_MS);
  const later = aWatch();
  later.watch.stop();
  later.watch.failed('read-only');
  await later.clock.advance(2 * PROBE_EVERY_MS);
  expect([...tries, ...later.tries]).toEqual([]);
  expect(later.watch.problem).toBe('read-only');
});
