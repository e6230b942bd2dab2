import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemProblem } from '../../src/shared/system-errors.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

/** The error of what is done with a path in a new folder. */
function errorOf(act: (path: string) => void): { path: string; error: unknown } {
  const path = join(temporaryFolder(), 'a');
  try {
    act(path);
  } catch (error) {
    return { path, error };
  }
  throw new Error('Nothing failed.');
}

test.each<[string, (path: string) => void, (path: string) => void, string]>([
  ['is missing', () => undefined, readFileSync, 'does not exist. Check the path.'],
  ['is a folder', mkdirSync, readFileSync, 'is a folder. Name a file.'],
  ['is there already', mkdirSync, mkdirSync, 'exists already. Name another one.'],
  ['leads to itself', (path) => symlinkSync('a', path), readFileSync, 'is a link that leads to itself. Delete it.'],
])('a file that %s is named with what to do', (_, make, act, sentence) => {
  const { path, error } = errorOf((one) => {
    make(one);
    act(one);
  });
  expect(systemProblem(error, path)).toBe(`${path} ${sentence}`);
});

test('a file below another file is named with what to do', () => {
  const { error } = errorOf((path) => {
    writeFileSync(path, '');
    readFileSync(join(path, 'b'));
  });
  expect(systemProblem(error)).toMatch(/^A part of the path .* is no folder\. Check the path\.$/);
});

test.each([[new Error('Other.')], ['text'], [null], [Object.assign(new Error('Odd.'), { code: 'constructor' })]])(
  'the error %s is none of the file system',
  (error) => {
    expect(systemProblem(error)).toBeNull();
  },
);

test('a code that nothing is known of has no sentence', () => {
  expect(systemProblem(Object.assign(new Error('Odd.'), { code: 'constructor', syscall: 'open' }))).toBeNull();
});
