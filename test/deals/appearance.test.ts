import { expect, test } from 'vitest';
import { appearanceFrom, MOST_LINE, readAppearance, USUAL_APPEARANCE } from '../../src/deals/appearance.ts';

test('what a later layer sets wins, what none sets is as usual', () => {
  expect(appearanceFrom(undefined, {})).toEqual(USUAL_APPEARANCE);
  const server = { style: 'large', accent: 0xff0000, line: 'Deals!', isSilent: true } as const;
  expect(appearanceFrom(server, { accent: null, line: '', isSilent: false })).toEqual({
    style: 'large',
    accent: null,
    line: '',
    isSilent: false,
    hasChart: true,
    whenOver: 'strike',
  });
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
  expect(readAppearance(stored)).toEqual(expected === true ? stored : expected);
});
