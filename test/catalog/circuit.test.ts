import pino from 'pino';
import { expect, it } from 'vitest';
import { Circuit } from '../../src/catalog/circuit.ts';
import { ManualClock } from '../helpers/manual-clock.ts';

/** A circuit that has seen failures. */
function failed(times: number) {
  const clock = new ManualClock();
  const openings: string[] = [];
  const onOpen = ({ message }: Error) => openings.push(message);
  const circuit = new Circuit({ name: 'v2', clock, log: pino({ level: 'silent' }), onOpen });
  const fail = (more: number) => {
    for (let time = 0; time < more; time += 1) circuit.failed();
  };
  fail(times);
  return { clock, circuit, fail, openings };
}

it('opens after the fifth failure in a row, and says for how long', async () => {
  const { clock, circuit, fail, openings } = failed(4);
  expect(circuit.openForMs()).toBeNull();
  fail(1);
  expect(circuit.openForMs()).toBe(15_000);
  expect(openings).toEqual(["The catalog's v2 interface keeps failing and is asked again in 15 s."]);
  await clock.advance(14_999);
  expect(circuit.openForMs()).toBe(1);
  await clock.advance(1);
  expect(circuit.openForMs()).toBeNull();
});

it('does not add up failures with successes between them', () => {
  const { circuit, fail } = failed(4);
  circuit.succeeded();
  fail(4);
  expect(circuit.openForMs()).toBeNull();
});

it('closes when the catalog answers: five failures open it again, for the first time', async () => {
  const { clock, circuit, fail } = failed(5);
  await clock.advance(15_000);
  circuit.succeeded();
  fail(4);
  expect(circuit.openForMs()).toBeNull();
  fail(1);
  expect(circuit.openForMs()).toBe(15_000);
});

it('waits twice as long after every probe that fails, up to five minutes', async () => {
  const { clock, circuit, fail } = failed(5);
  const waits: (number | null)[] = [];
  for (let probe = 0; probe < 6; probe += 1) {
    await clock.advance(circuit.openForMs() ?? 0);
    fail(1);
    waits.push(circuit.openForMs());
  }
  expect(waits).toEqual([30_000, 60_000, 120_000, 240_000, 300_000, 300_000]);
});

it('does not count what had left before it opened against the next probe', async () => {
  const { clock, circuit, fail } = failed(5);
  await clock.advance(100);
  fail(1);
  expect(circuit.openForMs()).toBe(14_900);
});
