import { describe, expect, it } from 'vitest';
import {
  check,
  type Reader,
  readAmount,
  readDateTime,
  readLink,
  readList,
  readTimeSpan,
  title,
  uniqueById,
} from '../../src/catalog/wire.ts';

describe('readLink', () => {
  it.each([
    ['https://a.example.com/x?y=1#z', 'https://a.example.com/x?y=1#z'],
    ['http://a.example.com/', 'http://a.example.com/'],
    ['//a.example.com/x.jpg', 'https://a.example.com/x.jpg'],
    [' HTTPS://A.example.com/a b ', 'https://a.example.com/a%20b'],
    ['http://localhost:4100/offers/1', 'http://localhost:4100/offers/1'],
    ['https://a.example.com/(x)<y>', 'https://a.example.com/(x)%3Cy%3E'],
  ])('takes %j', (link, taken) => {
    expect(readLink(link)).toBe(taken);
  });

  it.each([
    '/warranty',
    'warranty',
    '',
    'javascript:alert(1)',
    'data:text/html,x',
    'ftp://a.example.com/x',
    'https:a.example.com',
    'https://',
    'https://someone:word@a.example.com/',
    'java\nscript:alert(1)',
    7,
    null,
    undefined,
    {},
  ])('refuses %j', (link) => {
    expect(readLink(link)).toBeNull();
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
  ])('reads %s in UTC', (text, iso) => {
    expect(new Date(readDateTime(text) ?? 0).toISOString()).toBe(iso);
  });

  it.each([
    '',
    'tomorrow',
    'Tuesday 5',
    '2012-13-45T00:00:00Z',
    '0001-01-01T00:00:00',
    1_700_000_000,
    null,
    undefined,
    {},
  ])('takes %j for no date', (text) => {
    expect(readDateTime(text)).toBeNull();
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

describe('readAmount', () => {
  it.each([
    [0, 0],
    [19.99, 19.99],
    [-1, null],
    [Number.POSITIVE_INFINITY, null],
    [Number.NaN, null],
    ['19.99', null],
    [null, null],
  ])('reads %j as %j', (value, amount) => {
    expect(readAmount(value)).toBe(amount);
  });
});

describe('readList', () => {
  it('says where a part was malformed, lists within lists included', () => {
    const problems: { at: string }[] = [];
    const read: Reader<(string | null)[]> = (json, report) =>
      readList(json, 'Offers', (item, tell) => check(title, item, tell), report);
    readList([['a', 5], 'none', [null]], '', read, (problem) => problems.push(problem));
    expect(problems.map(({ at }) => at)).toEqual(['0.Offers.1', '2.Offers.0']);
  });
});

it('keeps the first of those that share an id', () => {
  const items = [
    { id: 'a', n: 1 },
    { id: 'b', n: 2 },
    { id: 'a', n: 3 },
  ];
  expect(uniqueById(items)).toEqual([
    { id: 'a', n: 1 },
    { id: 'b', n: 2 },
  ]);
});
