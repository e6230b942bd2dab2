import { expect, test } from 'vitest';
import { createConverter } from '../../../src/bot/discord/converted.ts';

function countingConverter(most: number) {
  const converted: string[] = [];
  const convert = createConverter((html, base) => {
    converted.push(html);
    return `${html} from ${base}`;
  }, most);
  return { convert, converted };
}

test('a text that was converted is not converted again', () => {
  const { convert, converted } = countingConverter(1000);
  expect(convert('a', 'x')).toBe('a from x');
  expect(convert('a', 'x')).toBe('a from x');
  expect(converted).toEqual(['a']);
});

test('the same text elsewhere has other links', () => {
  const { convert, converted } = countingConverter(1000);
  convert('a', 'x');
  expect(convert('a', 'y')).toBe('a from y');
  expect(convert('a', null)).toBe('a from null');
  expect(converted).toEqual(['a', 'a', 'a']);
});

test('what was not shown for longest is forgotten, as soon as there is more than is kept', () => {
  const each = 'a from x'.length;
  const { convert, converted } = countingConverter(2 * each);
  convert('a', 'x');
  convert('b', 'x');
  convert('a', 'x');
  expect(converted).toEqual(['a', 'b']);
  convert('c', 'x');
  convert('a', 'x');
  expect(converted).toEqual(['a', 'b', 'c']);
  convert('b', 'x');
  expect(converted).toEqual(['a', 'b', 'c', 'b']);
});

test('one text that is longer than what is kept is converted all the same', () => {
  const { convert, converted } = countingConverter(1);
  expect(convert('a', 'x')).toBe('a from x');
  expect(convert('a', 'x')).toBe('a from x');
  expect(converted).toEqual(['a', 'a']);
});
