import { expect, test } from 'vitest';
import { pillsOf } from '../../src/page/composer-pills.ts';

const shown = (text: string) =>
  pillsOf(text).map(({ text: piece, kind }) => ({ plain: piece, name: `[${piece}`, value: `${piece}]` })[kind]);

test('each option of a command is a pill of its name and its value', () => {
  expect(shown('/feed feed:Tools order:discount')).toEqual(['/feed ', '[feed:', 'Tools]', ' ', '[order:', 'discount]']);
  expect(shown('/feed filter:"price:<50 ssd" p')).toEqual(['/feed ', '[filter:', '"price:<50 ssd"]', ' p']);
});

test('an option without a value yet is a pill of its name alone', () => {
  expect(shown('/feed feed:')).toEqual(['/feed ', '[feed:']);
});

test('what is no command has no pills', () => {
  expect(shown('note: hello')).toEqual(['note: hello']);
  expect(shown('/help')).toEqual(['/help']);
});

test('the pieces together are the text, whatever is typed', () => {
  for (const text of ['/a b:c d: e:"f', '/x :y', '/', '/a  b:"1 2"  c:3 ']) {
    expect(pillsOf(text).reduce((all, piece) => all + piece.text, '')).toBe(text);
  }
});
