import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { LOOK } from '../../../src/features/looks/field.ts';

const { schema, written, names } = LOOK.inFiles;
const SCHEMA = schema({ id: z.string(), filter: z.string(), kinds: z.array(z.never()) });

const anyLook = fc.record(
  {
    style: fc.constantFrom('compact', 'large'),
    accent: fc.option(fc.nat(0xffffff)),
    line: fc.string({ maxLength: 100 }),
    isSilent: fc.boolean(),
    hasChart: fc.boolean(),
    whenOver: fc.constantFrom('strike', 'delete'),
  },
  { requiredKeys: [] },
);

test('what is written of a look into a file is read back as it was; of none, nothing is', () => {
  fc.assert(
    fc.property(anyLook, (look) => {
      const entry = written(look);
      if (Object.keys(look).length === 0) expect(entry).toBeUndefined();
      else expect(SCHEMA.parse(JSON.parse(JSON.stringify(entry)))).toEqual(look);
      expect(names).toEqual(expect.arrayContaining(Object.keys(entry ?? {})));
    }),
  );
  expect(SCHEMA.parse({})).toBeUndefined();
  for (const none of [undefined, null, 'large', {}, { style: 'huge' }]) expect(written(none)).toBeUndefined();
});

test('a file has the names that people read, and equal looks have equal entries', () => {
  const look = { isSilent: true, whenOver: 'delete', accent: 0xff8800, style: 'large', line: '', hasChart: false };
  const entry = `{"style":"large","accent":"#ff8800","line":"","silent":true,"chart":false,"when-over":"delete"}`;
  expect(JSON.stringify(written(look))).toBe(entry);
  expect(SCHEMA.parse(JSON.parse(entry))).toEqual(look);
  expect(SCHEMA.parse({ accent: 'auto' })).toEqual({ accent: null });
});

test.each(['red', '#f80', 'AUTO', ''])('%j is no color in a file', (accent) => {
  const mistake = { key: 'file.noColour' };
  expect(SCHEMA.safeParse({ accent }).error?.issues).toMatchObject([
    { code: 'custom', path: ['accent'], params: { mistake } },
  ]);
});

test.each([{ accent: 5 }, { style: 'huge' }, { line: 'x'.repeat(101) }, { color: 'red' }, 'large'])(
  '%j is no look',
  (entry) => {
    expect(SCHEMA.safeParse(entry).success).toBe(false);
  },
);
