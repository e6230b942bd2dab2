import { expect, test } from 'vitest';
import { Stories } from './stories.ts';

const HOUR_MS = 3_600_000;

test('what may belong to the story before, as that may not have ended, may do so with all its repetitions', () => {
  const stories = new Stories();
  const tell = (hours: number, isSure: boolean) => {
    const { number, isOpen } = stories.tell('back', hours * HOUR_MS, [], isSure);
    return [number, isOpen];
  };
  expect(tell(0, true)).toEqual([0, false]);
  // Perhaps this is a second story, and then the next ones belong to it.
  expect(tell(7, false)).toEqual([1, false]);
  expect(tell(7.1, true)).toEqual([2, true]);
  expect(tell(7.2, true)).toEqual([2, true]);
  expect(tell(14, true), 'after six quiet hours another one begins for sure').toEqual([3, false]);
  expect(tell(14.1, true)).toEqual([3, false]);
});
