import { expect, test } from 'vitest';
import { memoize } from '../../commands/memoize.ts';

/** Says what was made how often. */
function aKeeper(most = 10) {
  const keep = memoize<string>(most);
  let made = 0;
  return (things: object, key: string, nowMs: number, goodUntilMs = Infinity) =>
    keep(things, key, nowMs, () => {
      made += 1;
      return { value: `${key} ${made}`, goodUntilMs };
    });
}

test('the same of the same is made once', () => {
  const [keep, things] = [aKeeper(), []];
  expect(keep(things, 'a', 0)).toBe('a 1');
  expect(keep(things, 'a', 1)).toBe('a 1');
  expect(keep(things, 'b', 1)).toBe('b 2');
});

test('of other things it is made anew, however alike they are', () => {
  const keep = aKeeper();
  expect(keep([], 'a', 0)).toBe('a 1');
  expect(keep([], 'a', 0)).toBe('a 2');
});

test('it is right until the moment it says, and not at that moment', () => {
  const [keep, things] = [aKeeper(), []];
  keep(things, 'a', 0, 100);
  expect(keep(things, 'a', 99, 200)).toBe('a 1');
  expect(keep(things, 'a', 100, 200)).toBe('a 2');
  expect(keep(things, 'a', 199)).toBe('a 2');
});

test('no more is kept than was said', () => {
  const [keep, things] = [aKeeper(2), []];
  for (const key of ['a', 'b', 'c']) keep(things, key, 0);
  expect(keep(things, 'c', 0)).toBe('c 3');
  expect(keep(things, 'a', 0)).toBe('a 4');
});

test('it is right from the moment at which it was made: a clock may be set back', () => {
  const [keep, things] = [aKeeper(), []];
  keep(things, 'a', 100, 200);
  expect(keep(things, 'a', 99, 200)).toBe('a 2');
  expect(keep(things, 'a', 99, 200)).toBe('a 2');
});
