import fc from 'fast-check';
import Keyv from 'keyv';
import { expect, test } from 'vitest';
import { withPlainJson } from '../../src/store/plain-json.ts';

/** Text with more colons at its beginning than chance would bring. */
const text = fc
  .tuple(fc.constantFrom('', ':', '::', ':base64:', '":', ',":'), fc.string())
  .map((parts) => parts.join(''));
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.oneof(text, fc.double(), fc.boolean(), fc.constant(null), fc.constant(undefined)),
    fc.array(tie('value')),
    fc.dictionary(text, tie('value')),
  ),
}));

test('what is stored is what Keyv would store, to the letter, and is read as Keyv would read it', () => {
  const keyv = new Keyv();
  const plain = withPlainJson(new Keyv());
  fc.assert(
    fc.property(value, fc.option(fc.nat(), { nil: undefined }), (stored, expires) => {
      const data = { value: stored, expires };
      const json = keyv.serialize?.(data);
      expect(plain.serialize?.(data)).toBe(json);
      expect(plain.deserialize?.(String(json))).toEqual(keyv.deserialize?.(String(json)));
    }),
    { numRuns: 2000 },
  );
});
