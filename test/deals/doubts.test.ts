import { describe, expect, test } from 'vitest';
import type { Dissent } from '../../src/deals/belief.ts';
import { contradictionsIn, doubtsBetween, doubtsOf } from '../../src/deals/doubts.ts';
import type { FeedPresence, KnownOffer } from '../../src/deals/known-offer.ts';
import type { Offer } from '../../src/deals/offer.ts';
import { HOUR_MS } from '../../src/shared/time.ts';
import { aKnownOffer, NOW_MS } from '../helpers/things.ts';

const SHOWN: FeedPresence = { firstSeenMs: NOW_MS, unseenSinceMs: null, goneSinceMs: null, isOld: false };
const GONE: FeedPresence = { ...SHOWN, unseenSinceMs: NOW_MS, goneSinceMs: NOW_MS };
const costing = (dollars: number) => ({ minimum: dollars, maximum: dollars });
const says = (value: unknown, more: Partial<Dissent> = {}): Dissent => ({ says: value, sinceMs: NOW_MS, ...more });
const OLDER = { isOlder: true } as const;

/** A kettle at $20 that the feeds Home and Tools show. */
function aKettle(
  dissents: KnownOffer['dissents'] | undefined,
  { feeds = {}, ...offer }: Partial<Offer> & { feeds?: Record<string, FeedPresence> } = {},
): KnownOffer {
  return aKnownOffer(1, offer, {
    feeds: { home: SHOWN, tools: SHOWN, ...feeds },
    ...(dissents ? { dissents } : {}),
  });
}

const cheap = { feed: 'home', field: 'salePrice', says: costing(2) };

describe('what one answer alone has said', () => {
  test('is in doubt by feed and field; what is older than the belief is not', () => {
    const dissents = {
      home: { salePrice: says(costing(2)), title: says('Pot', OLDER) },
      tools: { isSoldOut: says(false) },
    };
    expect(doubtsOf(aKettle(undefined))).toEqual([]);
    expect(doubtsOf(aKettle(dissents))).toEqual([cheap, { feed: 'tools', field: 'isSoldOut', says: false }]);
  });

  test('is in doubt while its feed holds the offer, or shows it again', () => {
    const dissents = { home: { salePrice: says(costing(2)) } };
    expect(doubtsOf(aKettle(dissents, { feeds: { home: { ...SHOWN, unseenSinceMs: NOW_MS } } }))).toEqual([cheap]);
    expect(doubtsOf(aKettle(dissents, { feeds: { home: GONE } }))).toEqual([]);
    expect(doubtsOf(aKettle(dissents, { feeds: { home: { ...GONE, backSinceMs: NOW_MS } } }))).toEqual([cheap]);
  });
});

describe('a doubt', () => {
  const doubted = aKettle({ home: { salePrice: says(costing(2)) } });
  const NOTHING = { began: [], confirmed: [], refuted: [] };

  test('begins when a feed changes its statement', () => {
    expect(doubtsBetween(aKettle(undefined), doubted)).toEqual({ ...NOTHING, began: [cheap] });
    expect(doubtsBetween(undefined, aKettle(undefined))).toEqual(NOTHING);
  });

  test('goes on while it is neither believed nor taken back', () => {
    const later = aKettle({ home: { salePrice: says(costing(2)), title: says('Pot', OLDER) } }, { title: 'Kettle' });
    expect(doubtsBetween(doubted, later)).toEqual(NOTHING);
  });

  test('is confirmed when it is believed', () => {
    const believed = aKettle({ tools: { salePrice: says(costing(20), OLDER) } }, { salePrice: costing(2) });
    expect(doubtsBetween(doubted, believed)).toEqual({ ...NOTHING, confirmed: [cheap] });
  });

  test.each<[string, KnownOffer]>([
    ['the feed takes it back', aKettle(undefined)],
    ['the belief is younger', aKettle({ home: { salePrice: says(costing(2), OLDER) } })],
    ['something else is believed', aKettle(undefined, { salePrice: costing(7) })],
    ['the feed drops the offer', aKettle({ home: { salePrice: says(costing(2)) } }, { feeds: { home: GONE } })],
  ])('is refuted when %s', (_, after) => {
    expect(doubtsBetween(doubted, after)).toEqual({ ...NOTHING, refuted: [cheap] });
  });

  test('is refuted by another one of the same feed, which begins', () => {
    const free = { ...cheap, says: costing(1) };
    const after = aKettle({ home: { salePrice: says(costing(1)) } });
    expect(doubtsBetween(doubted, after)).toEqual({ began: [free], confirmed: [], refuted: [cheap] });
  });

  test('of another feed or field is another one', () => {
    const after = aKettle({ tools: { salePrice: says(costing(2)) } });
    expect(doubtsBetween(doubted, after)).toEqual({
      began: [{ ...cheap, feed: 'tools' }],
      confirmed: [],
      refuted: [cheap],
    });
  });
});

describe('feeds that contradict what is believed', () => {
  const dissents = { tools: { salePrice: says(costing(25), OLDER) } };
  const readAfter = (ms: number) => () => NOW_MS + ms;
  const NONE = { offers: 0, fields: [] };

  test('are named once an answer that is more than an hour younger says the same', () => {
    expect(contradictionsIn([aKettle(dissents)], readAfter(HOUR_MS))).toEqual(NONE);
    expect(contradictionsIn([aKettle(dissents)], readAfter(HOUR_MS + 1))).toEqual({
      offers: 1,
      fields: [{ feed: 'tools', field: 'salePrice', offers: 1 }],
    });
  });

  test.each<[string, KnownOffer]>([
    ['what is new', aKettle({ tools: { salePrice: says(costing(25)) } })],
    [
      'a feed whose last answer lacks the offer',
      aKettle(dissents, { feeds: { tools: { ...SHOWN, unseenSinceMs: NOW_MS } } }),
    ],
    ['a feed that has dropped it', aKettle(dissents, { feeds: { tools: GONE } })],
    ['feeds that agree', aKettle(undefined)],
  ])('are no contradiction: %s', (_, known) => {
    expect(contradictionsIn([known], readAfter(2 * HOUR_MS))).toEqual(NONE);
  });

  test('are left out where their answers don’t count', () => {
    expect(contradictionsIn([aKettle(dissents)], () => null)).toEqual(NONE);
  });

  test('are counted by offers, those of most offers first', () => {
    const both = { tools: { title: says('Pot', OLDER), salePrice: says(costing(25), OLDER) } };
    const all = [aKettle(both), aKettle(dissents), aKettle({ home: { title: says('Pot', OLDER) } })];
    expect(contradictionsIn(all, readAfter(2 * HOUR_MS))).toEqual({
      offers: 3,
      fields: [
        { feed: 'tools', field: 'salePrice', offers: 2 },
        { feed: 'tools', field: 'title', offers: 1 },
        { feed: 'home', field: 'title', offers: 1 },
      ],
    });
  });
});
