import { expect, test } from 'vitest';
import { describeColor, formatColor, NAMED_COLORS, readColor } from '../../../src/features/looks/colors.ts';
import { translatorFor } from '../../helpers/translator.ts';

test.each(['en-US', 'de', 'fr', 'es-ES'])('%s reads what it writes', (locale) => {
  const translator = translatorFor(locale);
  for (const color of [null, 0, 0xff8800, 0xffffff, ...NAMED_COLORS.map((named) => named.color)]) {
    expect(readColor(describeColor(color, translator), translator)).toEqual({ color });
    expect(readColor(formatColor(color), translator)).toEqual({ color });
  }
});

test.each<[string, number | null]>([
  ['auto', null],
  ['  AUTO ', null],
  ['red', NAMED_COLORS[0].color],
  ['Rot', NAMED_COLORS[0].color],
  ['#F80', 0xff8800],
  ['ff8800', 0xff8800],
  ['#000000', 0],
])('%j is a color in German', (typed, color) => {
  expect(readColor(typed, translatorFor('de'))).toEqual({ color });
});

test.each(['', '#', 'ff88', '#ff88001', 'reddish', '-1', '#ggg', '0xff8800'])('%j is none', (typed) => {
  expect(readColor(typed, translatorFor('en-US'))).toHaveProperty('problem.key', 'look.noColor');
});
