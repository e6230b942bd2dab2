import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeEntities } from '../../src/shared/entities.ts';

test.each([
  ['Salt &amp; pepper', 'Salt & pepper'],
  ['Kids&amp;#39; table', "Kids' table"],
  ['Dyson&reg; V8', 'Dyson® V8'],
  ['4&#x27; &quot;wide&quot;', `4' "wide"`],
  ['caf&eacute;', 'café'],
])('%s is read as %s', (text, read) => {
  expect(decodeEntities(text)).toBe(read);
});

test.each(['AT&T', 'R&D; labs', 'Black & Decker', '&nosuch; thing', 'P&L&region', 'x &copy y', '100% &'])(
  '%s stays as it is',
  (text) => {
    expect(decodeEntities(text)).toBe(text);
  },
);

test('what was encoded three times is decoded twice', () => {
  expect(decodeEntities('&amp;amp;lt;b&amp;amp;gt;')).toBe('&lt;b&gt;');
});

test('no text grows or throws, and one without entities is the same', () => {
  const part = fc.constantFrom(
    '&',
    '#',
    'x',
    ';',
    'amp',
    'lt',
    '0',
    '9',
    '&amp;',
    '&#0;',
    '&#x110000;',
    '&NotEqualTilde;',
    ' ',
    'é',
  );
  fc.assert(
    fc.property(
      fc.array(part, { maxLength: 40 }).map((parts) => parts.join('')),
      (text) => {
        const read = decodeEntities(text);
        expect(read.length).toBeLessThanOrEqual(text.length);
        if (!/&[^&;]+;/.test(text)) expect(read).toBe(text);
      },
    ),
  );
});
