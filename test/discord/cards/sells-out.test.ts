import { expect, test } from 'vitest';
import { sellsOutText } from '../../../src/discord/cards/event-card.ts';
import { translatorFor } from '../../../src/discord/i18n/translator.ts';
import { NOW_MS } from '../../helpers/things.ts';

const context = { translator: translatorFor('en-US'), nowMs: NOW_MS };
const inMinutes = (minutes: number) => ({ soldOut: false, sellsOutAtMs: NOW_MS + minutes * 60_000 });

test.each([
  [1, 'sells out in about 5 minutes'],
  [38, 'sells out in about 40 minutes'],
  [57, 'sells out in about 55 minutes'],
  [58, 'sells out in about 1 hour'],
  [89, 'sells out in about 1 hour'],
  [90, 'sells out in about 2 hours'],
  [119, 'sells out in about 2 hours'],
  [1400, 'sells out in about 23 hours'],
])('in %d minutes: %s', (minutes, text) => {
  expect(sellsOutText(inMinutes(minutes), context)).toBe(text);
});

test('where it is sold out, past its moment or unknown, nothing is said', () => {
  expect(sellsOutText({ ...inMinutes(9), soldOut: true }, context)).toBeNull();
  expect(sellsOutText(inMinutes(0), context)).toBeNull();
  expect(sellsOutText({ soldOut: false }, context)).toBeNull();
});
