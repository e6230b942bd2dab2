import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  formatHours,
  formatTimeOfDay,
  parseHours,
  parseTimeOfDay,
  timeZoneNamed,
  timeZonesLike,
  timeZonesNear,
} from '../../src/deals/time-of-day.ts';

test.each([
  ['9', 540],
  ['09:05', 545],
  ['21.30', 1290],
  ['12 am', 0],
  ['12:15 PM', 735],
  ['9:30pm', 1290],
  ['0:00', 0],
  ['24:00', null],
  ['9:60', null],
  ['13 pm', null],
  ['soon', null],
  ['', null],
])('%j is minute %s of the day', (text, minute) => {
  expect(parseTimeOfDay(text)).toBe(minute);
});

test.each([
  ['22:00-7:00', { fromMinute: 1320, toMinute: 420 }],
  [' 10 pm – 7 am ', { fromMinute: 1320, toMinute: 420 }],
  ['7:00-7:00', null],
  ['7:00', null],
  ['7-8-9', null],
])('%j are the hours %j', (text, hours) => {
  expect(parseHours(text)).toEqual(hours);
});

test('what is shown is read again', () => {
  const minute = fc.integer({ min: 0, max: 1439 });
  fc.assert(fc.property(minute, (at) => parseTimeOfDay(formatTimeOfDay(at)) === at));
  fc.assert(
    fc.property(minute, minute, (fromMinute, toMinute) => {
      fc.pre(fromMinute !== toMinute);
      expect(parseHours(formatHours({ fromMinute, toMinute }))).toEqual({ fromMinute, toMinute });
    }),
  );
});

test('time zones are found by their name and by parts of it', () => {
  expect(timeZoneNamed('europe/berlin')).toBe('Europe/Berlin');
  expect(timeZoneNamed('Europe/Bielefeld')).toBeNull();
  expect(timeZonesLike('new yo')[0]).toBe('America/New_York');
  expect(timeZonesLike('utc')).toContain('UTC');
  expect(timeZonesLike('nowhere')).toEqual([]);
});

test('a city names its time zone, and a slip is told what is near', () => {
  expect(timeZoneNamed('berlin')).toBe('Europe/Berlin');
  expect(timeZoneNamed('new york')).toBe('America/New_York');
  expect(timeZoneNamed('Europe')).toBeNull();
  expect(timeZonesNear('Europe/Berln')[0]).toBe('Europe/Berlin');
  expect(timeZonesNear('ber')).toContain('Europe/Berlin');
});
