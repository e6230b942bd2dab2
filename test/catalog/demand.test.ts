import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { onAbort, withDeadline } from '../../src/catalog/demand.ts';
import { ManualClock } from '../helpers/manual-clock.ts';

/** As many offers as one request asks for. */
const MANY = 25;

test('as many may wait for one deadline as offers are asked for at once: Node warns of no leak', async () => {
  const warned: string[] = [];
  const note = (warning: Error) => warned.push(warning.name);
  process.on('warning', note);
  onTestFinished(() => void process.off('warning', note));
  const work = async (signal: AbortSignal) => {
    for (let index = 0; index < MANY; index += 1) onAbort(signal, () => undefined);
    await nextTurn();
  };
  await withDeadline(new ManualClock(), 1_000, undefined, () => new Error('late'), work);
  expect(warned).toEqual([]);
});
