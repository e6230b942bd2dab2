import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readDateTime } from '../../src/catalog/fields.ts';
import { dateTimeMs, httpDateMs } from '../../src/deals/date-time.ts';
import { monkeychatParts } from '../../src/deals/monkeychat.ts';

const before = process.env['TZ'];
afterEach(() => {
  if (before === undefined) delete process.env['TZ'];
  else process.env['TZ'] = before;
});

describe.each(['America/New_York', 'Asia/Kathmandu', 'UTC'])('on a machine in %s', (zone) => {
  beforeEach(() => {
    process.env['TZ'] = zone;
    expect(new Date(Date.UTC(2026, 9, 6)).getTimezoneOffset() === 0).toBe(zone === 'UTC');
  });

  test.each([
    '2026-10-06T05:00:00',
    '2026-10-06t05:00:00',
    '2026-10-06T05:00:00Z',
    '2026-10-06t05:00:00z',
    '2026-10-06T05:00:00z',
    '2026-10-06T05:00',
    '2026-10-06T05:00:00.0000000',
    '2026-10-06T01:00:00-04:00',
    '2026-10-06t10:45:00+05:45',
  ])('%s is one moment', (text) => {
    const epochMs = Date.UTC(2026, 9, 6, 5);
    expect(dateTimeMs(text)).toBe(epochMs);
    expect(readDateTime(text, 'startDateMs', expect.unreachable)).toBe(epochMs);
    expect(monkeychatParts({ raw: { StartDate: text } }).startDateMs).toBe(epochMs);
  });

  test('a day begins at midnight UTC', () => {
    expect(dateTimeMs('2026-10-06')).toBe(Date.UTC(2026, 9, 6));
  });

  test('whatever is written in one of the forms is read as written', () => {
    const moment = fc.date({ min: new Date(1), max: new Date('9999-12-31T00:00:00Z'), noInvalidDate: true });
    const minutes = fc.integer({ min: -23 * 60 - 59, max: 23 * 60 + 59 });
    fc.assert(
      fc.property(moment, minutes, fc.boolean(), (date, offset, isLower) => {
        const form = (text: string) => (isLower ? text.toLowerCase() : text);
        const written = date.toISOString();
        expect(dateTimeMs(form(written))).toBe(date.getTime());
        expect(dateTimeMs(form(written.slice(0, -1)))).toBe(date.getTime());
        const local = new Date(date.getTime() + offset * 60_000).toISOString();
        if (!/^\d{4}-/.test(local)) return;
        const two = (number: number) => String(Math.floor(number)).padStart(2, '0');
        const sign = offset < 0 ? '-' : '+';
        const zoned = `${local.slice(0, -1)}${sign}${two(Math.abs(offset) / 60)}:${two(Math.abs(offset) % 60)}`;
        expect(dateTimeMs(form(zoned))).toBe(date.getTime());
      }),
    );
  });

  test.each([
    ['Sun, 06 Nov 1994 08:49:37 GMT', Date.UTC(1994, 10, 6, 8, 49, 37)],
    ['Sunday, 06-Nov-94 08:49:37 GMT', Date.UTC(1994, 10, 6, 8, 49, 37)],
    ['Sun Nov  6 08:49:37 1994', Date.UTC(1994, 10, 6, 8, 49, 37)],
    ['2026-10-06T05:00:00', null],
    ['-5', null],
    ['1.5', null],
    ['Sun, 06 Nov 1994 08:49:37', null],
    ['Sun, 06 Abc 1994 08:49:37 GMT', null],
  ])('the date %s of HTTP is %s', (text, epochMs) => {
    expect(httpDateMs(text)).toBe(epochMs);
  });
});

test.each([
  '2026-02-29',
  '2026-02-30T00:00:00Z',
  '2026-00-01',
  '2026-13-01',
  '0001-13-01',
  '2026-10-00',
  '2026-10-32',
  '2100-02-29',
  '2026-10-06T24:00:00Z',
  '2026-10-06T05:60:00',
  '2026-10-06T05:00:60',
  '2026-10-06T',
  '2026-10-06T05',
  '2026-10-06T05:00:00T',
  '2026-10-06T05:00:00+25:00',
  '2026-10-06T05:00:00+0500',
  '2026-10-06 05:00:00',
  '+2026-10-06',
  '1969-12-31',
  '0001-01-01T00:00:00',
  'October 6, 2026',
  '6',
  '',
])('%j is no date', (text) => {
  expect(dateTimeMs(text)).toBeNull();
  expect(monkeychatParts({ raw: { StartDate: text } }).startDateMs).toBeNull();
});
