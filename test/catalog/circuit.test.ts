import { expect, it } from 'vitest';
import { Circuit } from '../../src/catalog/circuit.ts';

function failed(times: number, nowMs: number, circuit = new Circuit()): Circuit {
  for (let time = 0; time < times; time += 1) circuit.failed(nowMs);
  return circuit;
}

it('opens after the fifth failure in a row', () => {
  const circuit = failed(4, 0);
  expect(circuit.closedUntilMs(0)).toBeNull();
  expect(circuit.failed(0)).toBe(15_000);
  expect(circuit.closedUntilMs(14_999)).toBe(15_000);
});

it('does not add up failures with successes between them', () => {
  const circuit = failed(4, 0);
  expect(circuit.succeeded()).toBe(false);
  failed(4, 0, circuit);
  expect(circuit.closedUntilMs(0)).toBeNull();
});

it('lets one probe pass at a time and closes when that succeeds', () => {
  const circuit = failed(5, 0);
  expect(circuit.closedUntilMs(15_000)).toBeNull();
  circuit.started();
  expect(circuit.closedUntilMs(15_001)).not.toBeNull();
  circuit.abandoned();
  expect(circuit.closedUntilMs(15_002)).toBeNull();
  circuit.started();
  expect(circuit.succeeded()).toBe(true);
  expect(circuit.closedUntilMs(15_003)).toBeNull();
});

it('waits twice as long after every probe that fails, up to five minutes', () => {
  const circuit = failed(5, 0);
  let nowMs = 0;
  const waits: (number | null)[] = [];
  for (let probe = 0; probe < 6; probe += 1) {
    nowMs = circuit.closedUntilMs(nowMs) ?? nowMs;
    circuit.started();
    waits.push(circuit.failed(nowMs));
  }
  expect(waits).toEqual([30_000, 60_000, 120_000, 240_000, 300_000, 300_000]);
});

it('does not count what had left before it opened against the next probe', () => {
  const circuit = failed(5, 0);
  expect(circuit.failed(100)).toBeNull();
  expect(circuit.closedUntilMs(100)).toBe(15_000);
});
