import { expect, test } from 'vitest';
import { formatDay, formatPosted, formatTime } from '../../../src/page/markdown/time.ts';

const NOW = Date.parse('2026-03-05T12:00:00Z');
const inSeconds = (seconds: number) => NOW / 1000 + seconds;

test.each([
  [30, 'in 30 seconds'],
  [60, 'in 1 minute'],
  [7300, 'in 2 hours'],
  [-3600, '1 hour ago'],
  [86_400 * 3, 'in 3 days'],
  [-86_400 * 40, '1 month ago'],
  [86_400 * 800, 'in 2 years'],
])('%i seconds away: %s', (seconds, words) => {
  expect(formatTime(inSeconds(seconds), 'R', NOW)).toBe(words);
});

test.each([
  ['t', '12:00 PM'],
  ['T', '12:00:00 PM'],
  ['d', '03/05/2026'],
  ['D', 'March 5, 2026'],
  ['f', 'March 5, 2026 at 12:00 PM'],
  ['F', 'Thursday, March 5, 2026 at 12:00 PM'],
] as const)('style %s: %s', (style, words) => {
  // Some versions of the time data have a narrow space before PM.
  expect(formatTime(inSeconds(0), style, NOW, 'UTC').replaceAll(/\s/g, ' ')).toBe(words);
});

test('the last and the first second that can be written are formatted', () => {
  expect(formatTime(8_640_000_000_000, 'D', NOW, 'UTC')).toContain('275760');
  expect(formatTime(-8_640_000_000_000, 'R', NOW)).toContain('years ago');
});

test('a head says the time today, yesterday by name, and the date before that', () => {
  const plain = (ms: number) => formatPosted(ms, NOW, 'UTC').replaceAll(/\s/g, ' ');
  expect(plain(NOW - 60_000)).toBe('11:59 AM');
  expect(plain(NOW - 86_400_000)).toBe('Yesterday at 12:00 PM');
  expect(plain(NOW - 3 * 86_400_000)).toBe('3/2/26, 12:00 PM');
  expect(formatDay(NOW, 'UTC')).toBe('March 5, 2026');
});
