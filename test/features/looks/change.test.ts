import { expect, test } from 'vitest';
import { changedLook } from '../../../src/features/looks/change.ts';

test('a change sets, takes back and leaves alone', () => {
  const before = { style: 'large', accent: 1, whenOver: 'delete' } as const;
  expect(changedLook(before, { accent: { to: null }, style: null, isSilent: { to: false } })).toEqual({
    accent: null,
    isSilent: false,
    whenOver: 'delete',
  });
  expect(changedLook(before, { style: null, accent: null, whenOver: null })).toEqual({});
});
