import fc from 'fast-check';
import Keyv from 'keyv';
import { expect, test } from 'vitest';
import { withPlainJson } from '../../../src/shared/storage/plain-json.ts';

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

test('what is stored is what Keyv would store, to the letter, and is read as Keyv would read it', async () => {
  const keyv = new Keyv();
  const plain = withPlainJson(new Keyv());
  await fc.assert(
    fc.asyncProperty(value, fc.option(fc.nat(), { nil: undefined }), async (stored, expires) => {
      const data = { value: stored, expires };
      const json = (await keyv.serialize?.(data)) ?? '';
      expect(await plain.serialize?.(data)).toBe(json);
      expect(await plain.deserialize?.(json)).toEqual(await keyv.deserialize?.(json));
    }),
    { numRuns: 2000 },
  );
});
