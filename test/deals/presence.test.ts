import { expect, test } from 'vitest';
import { LISTED, type Presence, presenceAfter, type Sight, sightsOfMissing } from '../../src/deals/presence.ts';

/** Whether a thing counts as listed after each of these sights. */
function listedAfter(...sights: Sight[]): boolean[] {
  let presence: Presence = LISTED;
  return sights.map((sight) => {
    presence = presenceAfter(presence, sight);
    return presence.isListed;
  });
}

test.each<[Sight[], boolean[]]>([
  [
    ['missing', 'shown', 'missing', 'shown'],
    [true, true, true, true],
  ],
  [
    ['missing', 'missing'],
    [true, false],
  ],
  [
    ['missing', 'unreadable', 'missing'],
    [true, true, false],
  ],
  [
    ['missing', 'missing', 'shown', 'missing', 'shown'],
    [true, false, false, false, false],
  ],
  [
    ['missing', 'missing', 'shown', 'shown'],
    [true, false, false, true],
  ],
  [
    ['hidden', 'hidden', 'missing', 'missing'],
    [true, true, true, false],
  ],
])('%j: listed %j', (sights, listed) => {
  expect(listedAfter(...sights)).toEqual(listed);
});

test('a thing that is shown again may be hidden as often as before', () => {
  const hidden = presenceAfter(presenceAfter(LISTED, 'hidden'), 'hidden');
  expect(presenceAfter(hidden, 'shown')).toEqual(LISTED);
});

const there = (...ids: string[]) => ids.map((id) => ({ id, presence: LISTED }));

test('nameless items hide as many things as there are such items, and what is gone is none of them', () => {
  const gone = { id: 'gone', presence: { ...LISTED, isListed: false } };
  const sights = sightsOfMissing([gone, ...there('a', 'b', 'c', 'd')], { ids: ['b'], nameless: 2 });
  expect(Object.fromEntries(sights)).toEqual({
    gone: 'missing',
    a: 'hidden',
    b: 'unreadable',
    c: 'hidden',
    d: 'missing',
  });
});

test('a thing is hidden twice at most, and then another one may be', () => {
  const hiddenTwice = { id: 'a', presence: { ...LISTED, hiddenTimes: 2 } };
  const sights = sightsOfMissing([hiddenTwice, ...there('b')], { ids: [], nameless: 1 });
  expect(Object.fromEntries(sights)).toEqual({ a: 'missing', b: 'hidden' });
});

test('a list that was not read to its end proves nothing missing, and one that was read whole proves all', () => {
  const cut = { ids: [], nameless: Number.POSITIVE_INFINITY };
  expect([...sightsOfMissing(there('a', 'b'), cut).values()]).toEqual(['unreadable', 'unreadable']);
  expect([...sightsOfMissing(there('a', 'b'), undefined).values()]).toEqual(['missing', 'missing']);
});
