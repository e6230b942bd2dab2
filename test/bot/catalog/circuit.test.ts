import { expect, it } from 'vitest';
import { Circuit } from '../../../src/bot/catalog/circuit.ts';

function failed(times: number, nowMs: number, circuit = new Circuit()): Circuit {
  for (let time = 0; time < times; time += 1) circuit.failed(nowMs);
  return circuit;
}

it('opens after the fifth failure in a row', () => {
  const circuit = failed(4, 0);
  expect(circuit.openUntilMs(0)).toBeNull();
  expect(circuit.failed(0)).toBe(15_000);
  expect(circuit.openUntilMs(14_999)).toBe(15_000);
});

it('does not add up failures with successes between them', () => {
  const circuit = failed(4, 0);
  expect(circuit.succeeded()).toBe(false);
  failed(4, 0, circuit);
  expect(circuit.openUntilMs(0)).toBeNull();
});

it('is half open when that time is over, and closes when the catalog answers', () => {
  const circuit = failed(5, 0);
  expect([circuit.openUntilMs(14_999), circuit.isHalfOpen(14_999)]).toEqual([15_000, false]);
  expect([circuit.openUntilMs(15_000), circuit.isHalfOpen(15_000)]).toEqual([null, true]);
  expect(circuit.succeeded()).toBe(true);
  expect([circuit.openUntilMs(15_001), circuit.isHalfOpen(15_001)]).toEqual([null, false]);
});

it('waits twice as long after every probe that fails, up to five minutes', () => {
  const circuit = failed(5, 0);
  let nowMs = 0;
  const waits: (number | null)[] = [];
  for (let probe = 0; probe < 6; probe += 1) {
    nowMs = circuit.openUntilMs(nowMs) ?? nowMs;
    expect(circuit.isHalfOpen(nowMs)).toBe(true);
    waits.push(circuit.failed(nowMs));
  }
  expect(waits).toEqual([30_000, 60_000, 120_000, 240_000, 300_000, 300_000]);
});

it('does not count what had left before it opened against the next probe', () => {
  const circuit = failed(5, 0);
  expect(circuit.failed(100)).toBeNull();
  expect(circuit.openUntilMs(100)).toBe(15_000);
});
