import { expect, test } from 'vitest';
import type { AnnouncementKind } from '../../../src/deals/announcement.ts';
import { offeredBy, type Ping, rolesRung, stillOffered, withPing } from '../../../src/features/pings/ping.ts';

const ping = (roleId: string, filter = '', kinds: AnnouncementKind[] = []): Ping => ({ roleId, filter, kinds });

test.each<[string, Ping[], AnnouncementKind, string[]]>([
  ['no ping', [], 'new-offer', []],
  ['one for all', [ping('1')], 'new-offer', ['1']],
  ['one whose filter passes', [ping('1', 'ssd')], 'new-offer', ['1']],
  ['one whose filter does not', [ping('1', 'tv')], 'new-offer', []],
  ['one for the kind', [ping('1', '', ['price-drop', 'new-offer'])], 'new-offer', ['1']],
  ['one for another kind', [ping('1', '', ['price-drop'])], 'new-offer', []],
  ['one for another kind whose filter passes', [ping('1', 'ssd', ['price-drop'])], 'new-offer', []],
  ['several', [ping('1'), ping('2', 'tv'), ping('3', 'ssd')], 'new-offer', ['1', '3']],
])('with %s, exactly those roles ring', (_, pings, kind, roleIds) => {
  expect(rolesRung(pings, kind, (filter) => filter === 'ssd')).toEqual(roleIds);
});

test('a filter that is empty isn’t asked for', () => {
  expect(
    rolesRung([ping('1')], 'new-offer', () => {
      throw new Error('It was asked for.');
    }),
  ).toEqual(['1']);
});

test('a ping stands in the place of the former one, or after the others', () => {
  const pings = [ping('1'), ping('2'), ping('3')];
  expect(withPing(pings, ping('9'), '2').map(({ roleId }) => roleId)).toEqual(['1', '9', '3']);
  expect(withPing(pings, ping('9'), null).map(({ roleId }) => roleId)).toEqual(['1', '2', '3', '9']);
});

test('a role stays offered while its ping is changed, and isn’t when it comes back later', () => {
  const made: Ping = { ...ping('1'), offeredAs: 'made' };
  expect(withPing([made], ping('1', 'ssd'), '1')).toEqual([{ ...made, filter: 'ssd' }]);
  expect(stillOffered([ping('1', 'ssd'), ping('2')], [made])).toEqual([{ ...made, filter: 'ssd' }, ping('2')]);
  expect(withPing(withPing([made], ping('2'), '1'), ping('1'), '2')).toEqual([ping('1')]);
});

test('who may give a role offers it; one that the bot made stays such a role', () => {
  const made: Ping = { ...ping('1'), offeredAs: 'made' };
  const pings = [made, ping('2'), ping('3')];
  expect(offeredBy(pings, (roleId) => roleId !== '3').map(({ offeredAs }) => offeredAs)).toEqual([
    'made',
    'given',
    undefined,
  ]);
});
