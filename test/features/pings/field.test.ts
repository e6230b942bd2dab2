import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { ANNOUNCEMENT_KINDS } from '../../../src/announcements/kinds/index.ts';
import { isSameRequest } from '../../../src/deals/same-request.ts';
import { PINGS } from '../../../src/features/pings/field.ts';
import { MOST_PINGS, type Ping } from '../../../src/features/pings/ping.ts';
import { aSubscription } from '../../helpers/things.ts';

const ping = (changes: Partial<Ping> = {}): Ping => ({
  roleId: '7',
  filter: 'nvme',
  kinds: ['new-offer', 'price-drop'],
  ...changes,
});
const withPings = (...pings: Ping[]) => aSubscription('a', { pings });

test.each([
  ['another spelling', withPings(ping({ filter: 'NVME', kinds: ['price-drop', 'new-offer'] })), true],
  ['none', withPings(), false],
  ['no field', aSubscription('a'), false],
  ['another role', withPings(ping({ roleId: '8' })), false],
  ['one more role', withPings(ping(), ping({ roleId: '8' })), false],
  ['another filter', withPings(ping({ filter: '' })), false],
  ['other kinds', withPings(ping({ kinds: [] })), false],
])('with %s of pings, a subscription asks for the same: %#', (_, other, isSame) => {
  expect(isSameRequest(withPings(ping()), other, [PINGS])).toBe(isSame);
  expect(isSameRequest(withPings(), aSubscription('a'), [PINGS])).toBe(true);
});

const { schema, written, kept, names } = PINGS.inFiles;
const SCHEMA = schema({
  id: z.string().regex(/^\d+$/),
  filter: z.string().refine((text) => !text.includes('<')),
  kinds: z.array(z.enum(ANNOUNCEMENT_KINDS)),
});
const anyPings = fc.uniqueArray(
  fc.record({
    roleId: fc.integer({ min: 1, max: 999 }).map(String),
    filter: fc.constantFrom('', 'ssd', 'price'),
    kinds: fc.subarray([...ANNOUNCEMENT_KINDS]),
  }),
  { maxLength: 10, selector: ({ roleId }) => roleId },
);

test('what is written of pings into a file is read back as it was, in the order of the roles; of none, nothing is', () => {
  fc.assert(
    fc.property(anyPings, (pings) => {
      const entry = written(pings);
      const inOrder = pings.toSorted((a, b) => (a.roleId < b.roleId ? -1 : 1));
      if (pings.length === 0) expect(entry).toBeUndefined();
      else expect(SCHEMA.parse(JSON.parse(JSON.stringify(entry)))).toEqual(inOrder);
    }),
  );
  expect(written(undefined)).toBeUndefined();
  expect(written([ping({ kinds: [] })])).toEqual([{ role: '7', filter: 'nvme' }]);
  expect(names).toEqual(['role', 'filter', 'kinds']);
});

test('a role that is there twice, too many roles, and what is no ping are mistakes, each where it stands', () => {
  const mistakes = (entry: unknown) => SCHEMA.safeParse(entry).error?.issues.map(({ code, path }) => [code, ...path]);
  expect(SCHEMA.safeParse([{ role: '1' }, { role: '1', filter: 'ssd' }]).error?.issues).toMatchObject([
    { code: 'custom', path: [], params: { mistake: { key: 'ping.twice', values: { role: '1' } } } },
  ]);
  expect(mistakes(Array.from({ length: MOST_PINGS + 1 }, (_, index) => ({ role: String(index) })))).toEqual([
    ['too_big'],
  ]);
  expect(mistakes([{ role: 1 }])).toEqual([['invalid_type', 0, 'role']]);
  expect(mistakes([{ role: '1', kinds: ['none'], filter: 'price:<' }])).toEqual([
    ['custom', 0, 'filter'],
    ['invalid_value', 0, 'kinds', 0],
  ]);
  expect(mistakes([{ role: '1', color: 'red' }])).toEqual([['unrecognized_keys', 0]]);
});

test('a file says nothing of who may take a role, so that stays as it was', () => {
  const made = ping({ offeredAs: 'made' });
  expect(kept?.([ping({ filter: '' }), ping({ roleId: '8' })], [made])).toEqual([
    { ...made, filter: '' },
    ping({ roleId: '8' }),
  ]);
  expect(kept?.(undefined, [made])).toEqual([]);
});
