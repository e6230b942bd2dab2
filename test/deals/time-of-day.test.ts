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
  ['21h30', 1290],
  ['21 h 30', 1290],
  ['21\u00a0h\u00a030', 1290],
  ['9 h', 540],
  ['9 Uhr', 540],
  ['8h', 480],
  ['8 am', 480],
  ['20 Uhr', 1200],
  ['21.30 Uhr', 1290],
  ['9:30 p. m.', 1290],
  ['12 a.m.', 0],
  ['24:00', null],
  ['24 h', null],
  ['9 h 60', null],
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
  ['22 h-7 h', { fromMinute: 1320, toMinute: 420 }],
  ['22-7', { fromMinute: 1320, toMinute: 420 }],
  ['10pm to 7am', { fromMinute: 1320, toMinute: 420 }],
  ['from 10pm until 7am', { fromMinute: 1320, toMinute: 420 }],
  ['between 10pm and 7am', { fromMinute: 1320, toMinute: 420 }],
  ['22 bis 7 Uhr', { fromMinute: 1320, toMinute: 420 }],
  ['von 22 Uhr bis 7 Uhr', { fromMinute: 1320, toMinute: 420 }],
  ['zwischen 22 und 7 Uhr', { fromMinute: 1320, toMinute: 420 }],
  ['de 22 h à 7 h', { fromMinute: 1320, toMinute: 420 }],
  ['entre 22h et 7h', { fromMinute: 1320, toMinute: 420 }],
  ['de 10 p. m. a 7 a. m.', { fromMinute: 1320, toMinute: 420 }],
  ['entre las 22 y las 7', null],
  ['bis', null],
  ['22 bis', null],
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

test.each([
  [' 9 ', 540],
  ['1 am', 60],
  ['1am', 60],
  ['12 pm', 720],
  ['12', 720],
  ['23:59', 1439],
  ['24', null],
  ['0 am', null],
  ['12:59', 779],
  ['9:5', null],
  ['9:059', null],
  ['009', null],
  ['x9', null],
  ['9x', null],
])('%j is minute %s of the day', (text, minute) => {
  expect(parseTimeOfDay(text)).toBe(minute);
});

test.each([
  ['22:00–7:00', { fromMinute: 1320, toMinute: 420 }],
  ['22:00—7:00', { fromMinute: 1320, toMinute: 420 }],
  ['0-1', { fromMinute: 0, toMinute: 60 }],
  ['1-0', { fromMinute: 60, toMinute: 0 }],
  ['soon-7', null],
  ['7-soon', null],
  ['7-8-', null],
])('%j are the hours %j', (text, hours) => {
  expect(parseHours(text)).toEqual(hours);
});

test.each([
  [0, '00:00'],
  [65, '01:05'],
  [1439, '23:59'],
  [1440, '00:00'],
  [-1, '23:59'],
  [-1440, '00:00'],
])('minute %i is shown as %s', (minute, text) => {
  expect(formatTimeOfDay(minute)).toBe(text);
});

test('time zones that begin with what was typed come before those that contain it', () => {
  const zones = timeZonesLike('york');
  expect(timeZonesLike('  YORK ')).toEqual(zones);
  expect(zones).toEqual(['America/New_York']);
  const begins = timeZonesLike('ma').map((zone) =>
    zone
      .toLowerCase()
      .split('/')
      .some((part) => part.startsWith('ma')),
  );
  expect(begins).toContain(false);
  expect(begins.lastIndexOf(true)).toBeLessThan(begins.indexOf(false));
  expect(timeZonesLike('America/New York')).toEqual(['America/New_York']);
});

test('a name with blanks around it or within it is a time zone all the same', () => {
  expect(timeZoneNamed(' Europe/Berlin ')).toBe('Europe/Berlin');
  expect(timeZoneNamed(' New York ')).toBe('America/New_York');
  expect(timeZoneNamed('York')).toBeNull();
});

test('of the time zones that a slip may have meant three are named, the likeliest first', () => {
  expect(timeZonesNear('america')).toHaveLength(3);
  expect(timeZonesNear('america')).toEqual(timeZonesLike('america').slice(0, 3));
  expect(timeZonesNear('New Yrok')).toHaveLength(3);
  expect(timeZonesNear('New Yrok')[0]).toBe('America/New_York');
  expect(timeZonesNear('America/ Los Angles')[0]).toBe('America/Los_Angeles');
});
