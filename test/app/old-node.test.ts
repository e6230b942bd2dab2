import { expect, test } from 'vitest';
import { isPastItsEnd } from '../../src/app/process.ts';

test.each([
  ['20.20.2', true],
  ['21.7.3', true],
  ['22.0.0', false],
  ['24.21.0', false],
  ['100.0.0', false],
])('whether Node %s gets no security updates any more: %s', (version, isOld) => {
  expect(isPastItsEnd(version)).toBe(isOld);
});
