import { expect, test } from 'vitest';
import { clockText, shownTimeMs, spanText } from '../../../src/page/demo/time.ts';

test("the page shows the demo's time, and the machine's where there is no demo", () => {
  const time = { realMs: 1_000, demoMs: 50_000, speed: 60 };
  expect(shownTimeMs({ time }, 3_000)).toBe(50_000 + 60 * 2_000);
  expect(shownTimeMs({ time: { ...time, speed: 0 } }, 3_000)).toBe(50_000);
  expect(shownTimeMs(null, 3_000)).toBe(3_000);
});

test('times and spans', () => {
  expect(clockText(Date.parse('2026-11-02T22:00:07Z'))).toBe('Mon 2 Nov, 22:00:07 UTC');
  expect([-5_000, 0, 99_400, 99_500, 99 * 60_000, 100 * 60_000].map(spanText)).toEqual([
    '0 s',
    '0 s',
    '99 s',
    '2 min',
    '99 min',
    '2 h',
  ]);
});
