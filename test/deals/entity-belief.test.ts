import { describe, expect, test } from 'vitest';
import type { FieldRules } from '../../src/deals/belief.ts';
import { doubtedIn, doubtsOf, type Heard, type HeardNow, hearEntity } from '../../src/deals/entity-belief.ts';
import { LISTED } from '../../src/deals/presence.ts';
import { NOW_MS } from '../helpers/things.ts';

interface Broadcast {
  title: string;
  /** Percent. */
  heard: number;
}

const RULES: FieldRules<Broadcast> = {
  title: { isSame: (one, other) => one === other, isBelievedAtOnce: () => false },
  heard: {
    isSame: (one, other) => one === other,
    isBelievedAtOnce: (was, says) => says === was + 1,
    isSaidAgain: (said, says) => says > said,
  },
};
const FIRST: Broadcast = { title: 'Live', heard: 10 };
const NOTHING = { began: [], confirmed: [], refuted: [] };

/** What is believed after answers that show the changes, and what became of doubts with the last one. */
function believedAfter(...answers: (Partial<Broadcast> & { unreadable?: (keyof Broadcast)[] })[]): HeardNow<Broadcast> {
  let heard: HeardNow<Broadcast> = { value: FIRST, doubted: NOTHING };
  for (const { unreadable = [], ...changes } of answers) {
    const said = { value: { ...FIRST, ...changes }, unreadable: new Set(unreadable), nowMs: NOW_MS };
    heard = hearEntity<Broadcast>(heard, said, RULES);
  }
  return heard;
}

const doubtedNow = ({ doubts }: Heard<Broadcast>) => (doubts ? doubtedIn(doubts) : []);

describe('what one answer alone says', () => {
  test('is in doubt, and not believed', () => {
    const heard = believedAfter({ title: 'Over' });
    expect(heard).toMatchObject({ value: FIRST, doubted: { ...NOTHING, began: ['title'] } });
    expect(doubtedNow(heard)).toEqual(['title']);
  });

  test('is confirmed by a second answer, and nothing is in doubt then', () => {
    const heard = believedAfter({ title: 'Over' }, { title: 'Over' });
    expect(heard).toEqual({ value: { ...FIRST, title: 'Over' }, doubted: { ...NOTHING, confirmed: ['title'] } });
  });

  test('is refuted by an answer that says what is believed', () => {
    expect(believedAfter({ title: 'Over' }, {})).toEqual({ value: FIRST, doubted: { ...NOTHING, refuted: ['title'] } });
  });

  test('is refuted by another one, which begins', () => {
    const heard = believedAfter({ title: 'Over' }, { title: 'Gone' });
    expect(heard).toMatchObject({ value: FIRST, doubted: { ...NOTHING, began: ['title'], refuted: ['title'] } });
    expect(doubtedNow(heard)).toEqual(['title']);
  });

  test('is refuted by something else that is believed at once', () => {
    const heard = believedAfter({ heard: 90 }, { heard: 11 });
    expect(heard).toEqual({ value: { ...FIRST, heard: 11 }, doubted: { ...NOTHING, refuted: ['heard'] } });
  });

  test('is confirmed by an answer that says it again with another figure', () => {
    const heard = believedAfter({ heard: 80 }, { heard: 81 });
    expect(heard).toEqual({ value: { ...FIRST, heard: 81 }, doubted: { ...NOTHING, confirmed: ['heard'] } });
  });

  test('stays in doubt while answers can’t be read, or tell of other fields', () => {
    const unread = believedAfter({ title: 'Over' }, { title: '', unreadable: ['title'] });
    expect(unread.doubted).toEqual(NOTHING);
    expect(doubtedNow(unread)).toEqual(['title']);
    const other = believedAfter({ title: 'Over' }, { title: '', unreadable: ['title'], heard: 50 });
    expect(other.doubted).toEqual({ ...NOTHING, began: ['heard'] });
    expect(doubtedNow(other)).toEqual(['title', 'heard']);
  });
});

test('what is believed at once, or is said as before, is in no doubt', () => {
  expect(believedAfter({})).toEqual({ value: FIRST, doubted: NOTHING });
  expect(believedAfter({ heard: 11 })).toEqual({ value: { ...FIRST, heard: 11 }, doubted: NOTHING });
});

describe('doubts', () => {
  const dissents = { catalog: { title: { says: 'Over', sinceMs: NOW_MS } } };
  const older = { catalog: { title: { says: 'Over', sinceMs: NOW_MS, isOlder: true as const } } };
  const offers = new Map([['a', { dissents, presence: LISTED }]]);

  test('are kept where there are any, of parts as well', () => {
    expect(doubtsOf({ dissents: {} })).toEqual({});
    expect(doubtsOf({ dissents: {}, offers: new Map() })).toEqual({});
    expect(doubtsOf({ dissents })).toEqual({ doubts: { dissents } });
    expect(doubtsOf({ dissents: {}, offers })).toEqual({ doubts: { dissents: {}, offers } });
  });

  test('are told by field, those of parts by the name of their list; what is older than the belief is none', () => {
    expect(doubtedIn({ dissents: {} })).toEqual([]);
    expect(doubtedIn({ dissents, offers })).toEqual(['title', 'offers.title']);
    expect(doubtedIn({ dissents: older, offers: new Map([['a', { dissents: older, presence: LISTED }]]) })).toEqual([]);
  });
});
