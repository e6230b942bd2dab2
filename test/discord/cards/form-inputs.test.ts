import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Input } from '../../../src/discord/cards/form-inputs.ts';
import { markOf, sinceOpened } from '../../../src/discord/cards/form-inputs.ts';

const text = (name: string, value: string): Input => ({
  takes: 'text',
  name,
  label: name,
  example: '',
  value,
  most: 20,
});
const menu = (name: string, ...chosen: string[]): Input => ({
  takes: 'choice',
  name,
  label: name,
  most: 3,
  options: ['a', 'b', 'c'].map((value) => ({ label: value, value, isChosen: chosen.includes(value) })),
});

test.each<[name: string, opened: Input, now: Input, entered: string, typed: string, isClash: boolean]>([
  ['nothing', text('x', '1'), text('x', '1'), '1', '1', false],
  ['the person', text('x', '1'), text('x', '1'), '2', '2', false],
  ['somebody else', text('x', '1'), text('x', '3'), '1', '3', false],
  ['both to the same', text('x', '1'), text('x', '2'), '2', '2', false],
  ['both', text('x', '1'), text('x', '3'), '2', '2', true],
  ['both, of which one empties it', text('x', '1'), text('x', ''), '2', '2', true],
  ['the person, who empties it', text('x', '1'), text('x', '1'), '', '', false],
  ['spaces around', text('x', '1'), text('x', '3'), ' 1 ', '3', false],
  ['a menu whose choices come in another order', menu('x', 'a', 'b'), menu('x', 'c'), 'b,a', 'c', false],
  ['a menu by both', menu('x', 'a'), menu('x', 'b'), 'c', 'c', true],
])('what was changed by %s is told from the form’s mark', (_, opened, now, entered, typed, isClash) => {
  const found = sinceOpened(markOf([opened]), new Map([['x', entered]]), [now]);
  expect(found.typed.get('x')).toBe(typed);
  expect(found.clash?.name ?? null).toBe(isClash ? 'x' : null);
});

test('without a mark, nothing counts as changed by others', () => {
  const inputs = [text('x', '1'), text('y', '2'), text('z', '3')];
  const entered = new Map([
    ['x', '5'],
    ['y', '2'],
    ['z', '4'],
  ]);
  expect(sinceOpened('', entered, inputs)).toEqual({ typed: entered, clash: null });
});

test('an input that the form has got since is no reason to overwrite what others have changed', () => {
  const opened = markOf([text('x', '1'), text('y', '2')]);
  const present = [text('x', '1'), text('y', '3'), text('z', '4')];
  const entered = new Map([
    ['x', '5'],
    ['y', '2'],
  ]);
  const { typed, clash } = sinceOpened(opened, entered, present);
  expect([typed.get('x'), typed.get('y'), clash]).toEqual(['5', '3', null]);
});

test('nobody’s change is lost: each input has the value of whoever changed it, or is a clash', () => {
  const value = fc.constantFrom('', '1', '2', '3');
  const row = fc.record({ opened: value, now: value, entered: value });
  fc.assert(
    fc.property(fc.array(row, { minLength: 1, maxLength: 5 }), (rows) => {
      const inputs = (of: 'opened' | 'now') => rows.map((one, index) => text(`i${index}`, one[of]));
      const entered = new Map(rows.map((one, index) => [`i${index}`, one.entered]));
      const { typed, clash } = sinceOpened(markOf(inputs('opened')), entered, inputs('now'));
      const clashes = rows.map((one) => new Set([one.opened, one.now, one.entered]).size === 3);
      expect(clash?.name).toBe(clashes.includes(true) ? `i${clashes.indexOf(true)}` : undefined);
      for (const [index, { opened, now, entered: own }] of rows.entries()) {
        expect(typed.get(`i${index}`)).toBe(own === opened ? now : own);
      }
    }),
  );
});
