import { expect, it } from 'vitest';
import { CatalogNetworkError, CatalogTimeoutError } from '../../src/catalog/errors.ts';
import { createTestLog, PORTAL_KEY, takeLeaks, V2_KEY } from '../helpers/keys.ts';

// After each test a check finds leaked keys; these tests show that it would find one.

it.each([
  ['an error', () => new CatalogNetworkError(`No answer from /2/polls.json?key=${encodeURIComponent(V2_KEY)}`)],
  ['the cause of an error', () => new CatalogTimeoutError('Too late.', { cause: { headers: [PORTAL_KEY] } })],
  ['a line of the log', () => createTestLog().trace({ url: `/2/polls.json?key=${V2_KEY}` }, 'asked')],
])('a key in %s is noticed', (_, leak) => {
  leak();
  expect(takeLeaks()).toHaveLength(1);
  expect(takeLeaks()).toEqual([]);
});

it('the field of a key is not logged', () => {
  createTestLog().info({ key: V2_KEY, headers: { 'x-api-key': PORTAL_KEY } }, 'asked');
  expect(takeLeaks()).toEqual([]);
});
