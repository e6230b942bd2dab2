import { describe, expect, it } from 'vitest';
import {
  readAmount,
  readDateTime,
  readFinite,
  readFlag,
  readFlagOrNull,
  readHtml,
  readLink,
  readPercentage,
  readText,
  readTexts,
  readTimeSpan,
  readTitle,
  type Unread,
} from '../../src/catalog/fields.ts';
import { readPrice, readPriceRange } from '../../src/catalog/prices.ts';
import { MOST_MARKS } from '../../src/shared/combining-marks.ts';

type Read = (value: unknown, field: string, unread: Unread) => unknown;

/** What a reader makes of a value that it can read. */
function readBy(read: Read, value: unknown): unknown {
  return read(value, 'field', () => expect.unreachable(`${JSON.stringify(value)} is unreadable`));
}

/** Expects a value to be noted as unreadable, and returns what stands in for it. */
function unreadableBy(read: Read, value: unknown): unknown {
  const noted: string[] = [];
  const standIn = read(value, 'field', (field) => noted.push(field));
  expect(noted).toEqual(['field']);
  return standIn;
}

const OF_NULL: Record<string, Read> = {
  readText,
  readAmount,
  readFinite,
  readPercentage,
  readDateTime,
  readLink,
  readFlagOrNull,
  readPrice,
};

it.each(Object.entries(OF_NULL))(
  '%s takes absent, null and "" for none, and a list or an object for neither',
  (_, read) => {
    for (const none of [undefined, null, '']) expect(readBy(read, none)).toBeNull();
    for (const odd of [[], {}, [1], ['x']]) expect(unreadableBy(read, odd)).toBeNull();
  },
);

describe('readLink', () => {
  it.each([
    ['https://a.example.com/x?y=1#z', 'https://a.example.com/x?y=1#z'],
    ['http://a.example.com/', 'http://a.example.com/'],
    ['//a.example.com/x.jpg', 'https://a.example.com/x.jpg'],
    [' HTTPS://A.example.com/a b ', 'https://a.example.com/a%20b'],
    ['http://localhost:4100/offers/1', 'http://localhost:4100/offers/1'],
    ['https://a.example.com/(x)<y>', 'https://a.example.com/(x)%3Cy%3E'],
  ])('takes %j', (link, taken) => {
    expect(readBy(readLink, link)).toBe(taken);
  });

  it.each([
    '/warranty',
    'warranty',
    'javascript:alert(1)',
    'data:text/html,x',
    'ftp://a.example.com/x',
    'https:a.example.com',
    'https://',
    'https://someone:word@a.example.com/',
    'java\nscript:alert(1)',
    7,
    true,
  ])('can’t read %j', (link) => {
    expect(unreadableBy(readLink, link)).toBeNull();
  });
});

describe('readDateTime', () => {
  it.each([
    ['2026-10-06T05:00:00+00:00', '2026-10-06T05:00:00.000Z'],
    ['2026-10-06T05:00:00-05:00', '2026-10-06T10:00:00.000Z'],
    ['2012-06-26T05:00:00Z', '2012-06-26T05:00:00.000Z'],
    ['2012-06-26T05:00:00', '2012-06-26T05:00:00.000Z'],
    ['2012-06-26T05:00:00.1234567Z', '2012-06-26T05:00:00.123Z'],
    ['2012-06-26', '2012-06-26T00:00:00.000Z'],
    ['1995-01-01', '1995-01-01T00:00:00.000Z'],
    ['2099-12-31T23:59:59Z', '2099-12-31T23:59:59.000Z'],
  ])('reads %s in UTC', (text, iso) => {
    expect(readBy(readDateTime, text)).toBe(Date.parse(iso));
  });

  it.each([
    'tomorrow',
    'Tuesday 5',
    '2012-13-45T00:00:00Z',
    '0001-01-01T00:00:00',
    '1994-12-31T23:59:59Z',
    '2100-01-01T00:00:00Z',
    '9999-12-31T23:59:59',
    1_700_000_000,
    true,
  ])('can’t read %j', (text) => {
    expect(unreadableBy(readDateTime, text)).toBeNull();
  });
});

describe('readTimeSpan', () => {
  it.each([
    ['00:01:49.3990000', 109_399],
    ['1.02:03:04', 93_784_000],
    ['00:00:00', 0],
    ['-00:00:01', null],
    ['soon', null],
    [109, null],
    [null, null],
  ])('reads %j as %j ms', (text, ms) => {
    expect(readTimeSpan(text)).toBe(ms);
  });
});

describe('numbers', () => {
  it('are read as they are; a percentage is 100 at most', () => {
    for (const read of [readAmount, readFinite, readPercentage]) {
      for (const number of [0, 19.99, 100]) expect(readBy(read, number)).toBe(number);
    }
    expect(readBy(readFinite, -1)).toBe(-1);
    expect(readBy(readPercentage, 250)).toBe(100);
  });

  it.each<[string, Read, unknown]>([
    ['an amount below zero', readAmount, -1],
    ['a percentage below zero', readPercentage, -1],
    ...['19.99', Number.POSITIVE_INFINITY, Number.NaN, true].flatMap((value): [string, Read, unknown][] => [
      [`the amount ${value}`, readAmount, value],
      [`the number ${value}`, readFinite, value],
    ]),
  ])('%s can’t be read', (_, read, value) => {
    expect(unreadableBy(read, value)).toBeNull();
  });
});

describe('texts and flags', () => {
  it('are read as they are; an absent flag is false, an absent list empty', () => {
    expect(readBy(readText, ' a\u0000')).toBe(' a\u0000');
    expect(readBy(readTexts, ['a', '', 'b'])).toEqual(['a', 'b']);
    expect(readBy(readTexts, [])).toEqual([]);
    for (const read of [readFlag, readFlagOrNull]) {
      expect([readBy(read, true), readBy(read, false)]).toEqual([true, false]);
    }
    expect([readBy(readFlag, undefined), readBy(readTexts, undefined), readBy(readTexts, null)]).toEqual([
      false,
      [],
      [],
    ]);
  });

  it.each<[Read, unknown, unknown]>([
    [readText, 5, null],
    [readText, false, null],
    [readTexts, 'a', []],
    [readTexts, {}, []],
    [readTexts, ['a', 5, null], ['a']],
    [readFlag, null, false],
    [readFlag, '', false],
    [readFlag, 'true', false],
    [readFlag, 1, false],
    [readFlagOrNull, 'true', null],
  ])('%o can’t read %j', (read, value, standIn) => {
    expect(unreadableBy(read, value)).toEqual(standIn);
  });
});

describe('readPrice', () => {
  it.each([
    [19.99, 19.99],
    [0.01, 0.01],
    [999_999.99, 999_999.99],
    [0, null],
    [0.004, null],
    [-1, null],
  ])('reads %j as %j', (value, price) => {
    expect(readBy(readPrice, value)).toBe(price);
  });

  it.each([1_000_000, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NaN, '19.99', true])(
    'can’t read %j',
    (value) => {
      expect(unreadableBy(readPrice, value)).toBeNull();
    },
  );
});

describe('readPriceRange', () => {
  const range = (minimum: unknown, maximum: unknown) => ({ Minimum: minimum, Maximum: maximum });

  it.each<[unknown, unknown]>([
    [range(5, 5), { minimum: 5, maximum: 5 }],
    [range(6, 5), { minimum: 5, maximum: 6 }],
    [{ Minimum: 6 }, { minimum: 6, maximum: 6 }],
    [range(null, 7), { minimum: 7, maximum: 7 }],
    [range(0, 30), { minimum: 30, maximum: 30 }],
    [range(-1, 7), { minimum: 7, maximum: 7 }],
    [[range(5, 6)], { minimum: 5, maximum: 6 }],
    [[range(5, 6), range(2, 4)], { minimum: 2, maximum: 6 }],
    [[range(5, 6), null, range(0, 0)], { minimum: 5, maximum: 6 }],
    [range(0, 0), null],
    [range(-5, 0), null],
    [{ Maximum: 0 }, null],
    [[range(0, 0)], null],
    [[null], null],
    [null, null],
    [undefined, null],
  ])('reads %j as %j', (json, read) => {
    expect(readBy(readPriceRange, json)).toEqual(read);
  });

  it.each<[unknown]>([
    [{}],
    [range(null, null)],
    [range('5', '6')],
    [range(5, '6')],
    [range(Number.POSITIVE_INFINITY, 5)],
    [range(5, 1_000_000)],
    [[]],
    [[{}]],
    [['x', null]],
    [[range(5, 6), 'x']],
    [''],
    [true],
  ])('can’t read %j', (json) => {
    expect(unreadableBy(readPriceRange, json)).toBeNull();
  });

  it.each<[unknown, number | null]>([
    [7, 7],
    [0, null],
    ['7', 7],
    [' $1,299.50 ', 1299.5],
    ['999999', 999_999],
  ])('reads %j as a price, and notes that it is no range', (json, price) => {
    const noted: string[] = [];
    const range = readPriceRange(json, 'field', (field) => noted.push(field));
    expect(range).toEqual(price === null ? null : { minimum: price, maximum: price });
    expect(noted).toEqual(['field as a range']);
  });

  it.each(['1,29', '1,2999', '$', '7 to 9', '-7', '1e3', '1299999'])('can’t read the text %j', (text) => {
    expect(unreadableBy(readPriceRange, text)).toBeNull();
  });
});

it('keeps of the combining marks in a row as many as letters have, in each short text', () => {
  const piled = (marks: number) => `Z${'\u0301'.repeat(marks)}u${'\u0489'.repeat(marks)}`;
  for (const marks of [0, 1, MOST_MARKS]) expect(readBy(readText, piled(marks))).toBe(piled(marks));
  for (const marks of [MOST_MARKS + 1, 454]) {
    expect(readBy(readText, piled(marks))).toBe(piled(MOST_MARKS));
    expect(readTitle(piled(marks))).toBe(piled(MOST_MARKS));
    expect(readBy(readTexts, [piled(marks)])).toEqual([piled(MOST_MARKS)]);
    expect(readBy(readText, `Z${'&#769;'.repeat(marks)}`)).toBe(`Z${'\u0301'.repeat(MOST_MARKS)}`);
  }
  expect(readBy(readText, `Z${'\u0301\u200D'.repeat(454)}`)).toBe(`Z${'\u0301\u200D'.repeat(MOST_MARKS)}`);
  // Letters of scripts that need several, and an emoji of a digit.
  for (const text of ['Tiếng Việt'.normalize('NFD'), 'ที่นี้', 'שָׁלוֹם', '1\uFE0F\u20E3', '👁️\u200D🗨️', 'क्\u200Dष'])
    expect(readBy(readText, text)).toBe(text);
});

it('reads short texts with the characters that their entities stand for, and HTML as it is', () => {
  expect(readTitle('Salt &amp; pepper')).toBe('Salt & pepper');
  expect(readTitle('&nbsp;')).toBeNull();
  expect(readBy(readText, 'Kids&amp;#39;')).toBe("Kids'");
  expect(readBy(readTexts, ['Dyson&reg;', 'R&D'])).toEqual(['Dyson®', 'R&D']);
  expect(readBy(readHtml, '<b>Salt &amp; pepper</b>')).toBe('<b>Salt &amp; pepper</b>');
});
