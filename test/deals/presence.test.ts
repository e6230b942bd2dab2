import { describe, expect, test } from 'vitest';
import {
  LISTED,
  namedSince,
  namelessAfter,
  type Presence,
  presenceAfter,
  type Sight,
  sightsOfMissing,
} from '../../src/deals/presence.ts';

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

test('what an answer says of a thing is doubted until another one says the same', () => {
  const doubtedAfter = (...sights: Sight[]) => sights.reduce(presenceAfter, LISTED).isDoubted;
  expect(doubtedAfter('shown')).toBe(false);
  expect(doubtedAfter('missing')).toBe(true);
  expect(doubtedAfter('missing', 'unreadable')).toBe(true);
  expect(doubtedAfter('missing', 'hidden')).toBe(true);
  expect(doubtedAfter('missing', 'shown')).toBe(false);
  expect(doubtedAfter('missing', 'missing')).toBe(false);
  expect(doubtedAfter('missing', 'missing', 'shown')).toBe(true);
  expect(doubtedAfter('missing', 'missing', 'shown', 'missing')).toBe(false);
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

test('an item without an identity may be a thing whatever others are lost', () => {
  const lost = { ids: ['b'], nameless: 1 };
  expect(Object.fromEntries(sightsOfMissing(there('a', 'b'), lost))).toEqual({ a: 'hidden', b: 'unreadable' });
  expect(Object.fromEntries(sightsOfMissing(there('b', 'a'), lost))).toEqual({ a: 'hidden', b: 'unreadable' });
});

describe('the nameless items of a first answer', () => {
  const first = (nameless: number) => namelessAfter(undefined, nameless);

  test('are none where all have an identity, and where the list went on', () => {
    expect(first(0)).toBeNull();
    expect(first(Number.POSITIVE_INFINITY)).toBeNull();
  });

  test('are as many as have been nameless in each answer, and are forgotten after two more', () => {
    expect(first(3)).toEqual({ items: 3, answers: 0 });
    expect(namelessAfter({ items: 3, answers: 0 }, 2)).toEqual({ items: 2, answers: 1 });
    expect(namelessAfter({ items: 2, answers: 0 }, 5)).toEqual({ items: 2, answers: 1 });
    expect(namelessAfter({ items: 2, answers: 0 }, Number.POSITIVE_INFINITY)).toEqual({ items: 2, answers: 1 });
    expect(namelessAfter({ items: 2, answers: 0 }, 0)).toBeNull();
    expect(namelessAfter({ items: 2, answers: 1 }, 2)).toBeNull();
  });

  test('may be so many of those that are shown first as are no longer nameless', () => {
    expect(namedSince({ items: 3, answers: 0 }, 1)).toBe(2);
    expect(namedSince({ items: 3, answers: 0 }, 3)).toBe(0);
    expect(namedSince({ items: 3, answers: 0 }, 4)).toBe(0);
    expect(namedSince(undefined, 0)).toBe(0);
  });
});
