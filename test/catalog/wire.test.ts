import { describe, expect, it } from 'vitest';
import { title } from '../../src/catalog/fields.ts';
import { check, type Reader, readList, uniqueById } from '../../src/catalog/wire.ts';

describe('readList', () => {
  it('says where a part was malformed, lists within lists included', () => {
    const problems: { at: string }[] = [];
    const read: Reader<(string | null)[]> = (json, report) =>
      readList(
        json,
        'Offers',
        (item, tell) => check(title, item, tell),
        report,
        () => undefined,
      );
    readList([['a', 5], 'none', [null]], '', read, (problem) => problems.push(problem), expect.unreachable);
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
