import fc from 'fast-check';

const SURROGATES = { first: 0xd800, last: 0xdfff };

/**
 * Any character of Unicode, for the `unit` of `fc.string`. fast-check's own `binary` makes a table of all million of them in
 * each process.
 */
export const anyCharacter = fc
  .oneof(
    fc.integer({ min: 0, max: SURROGATES.first - 1 }),
    fc.integer({ min: SURROGATES.last + 1, max: 0xffff }),
    fc.integer({ min: 0x10000, max: 0x10ffff }),
  )
  .map((codePoint) => String.fromCodePoint(codePoint));
