import { afterEach, expect } from 'vitest';
import { takeLeaks, watchErrors } from './keys.ts';

// Runs in every test file: no test may end with a key in a log or an error.
watchErrors();
afterEach(() => {
  expect(takeLeaks()).toEqual([]);
});
