import { expect, test } from 'vitest';
import { changedLook, lookOf, MOST_LINE, readLook, USUAL_LOOK } from '../../src/deals/look.ts';

test('what a later layer sets wins, what none sets is as usual', () => {
  expect(lookOf(undefined, {})).toEqual(USUAL_LOOK);
  const server = { style: 'large', accent: 0xff0000, line: 'Deals!', isSilent: true } as const;
  expect(lookOf(server, { accent: null, line: '', isSilent: false })).toEqual({
    style: 'large',
    accent: null,
    line: '',
    isSilent: false,
    hasChart: true,
    whenOver: 'strike',
  });
});

test('a change sets, takes back and leaves alone', () => {
  const before = { style: 'large', accent: 1, whenOver: 'delete' } as const;
  expect(changedLook(before, { accent: { to: null }, style: null, isSilent: { to: false } })).toEqual({
    accent: null,
    isSilent: false,
    whenOver: 'delete',
  });
  expect(changedLook(before, { style: null, accent: null, whenOver: null })).toEqual({});
});

test.each([
  [{}, {}],
  [{ accent: null }, { accent: null }],
  [{ style: 'large', accent: 0xffffff, line: 'x'.repeat(MOST_LINE) }, true],
  [{ isSilent: true, hasChart: false, whenOver: 'delete' }, true],
  // Each setting by itself: the others stay.
  [{ style: 'huge', isSilent: true }, { isSilent: true }],
  [{ hasChart: 'no', isSilent: true }, { isSilent: true }],
  [{ accent: 0x1000000, line: 'x' }, { line: 'x' }],
  [{ accent: -1 }, {}],
  [{ accent: 1.5 }, {}],
  [{ line: 'x'.repeat(MOST_LINE + 1), style: 'compact' }, { style: 'compact' }],
  [{ whenOver: 'hide', later: true }, {}],
  [null, {}],
  ['large', {}],
  [[], {}],
])('%j is read as what it says', (stored, expected) => {
  expect(readLook(stored)).toEqual(expected === true ? stored : expected);
});
