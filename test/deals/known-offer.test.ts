import { expect, test } from 'vitest';
import {
  type FeedPresence,
  feedKey,
  isGone,
  isInFeed,
  lastSeenMs,
  pastListingOf,
  shownOffer,
} from '../../src/deals/known-offer.ts';
import { aKnownOffer, NOW_MS } from '../helpers/things.ts';

const held: FeedPresence = { firstSeenMs: 0, unseenSinceMs: null, goneSinceMs: null, isOld: false };
const polledAtMs = (feed: string) =>
  new Map([
    ['home', NOW_MS],
    ['tools', NOW_MS - 1],
  ]).get(feed) ?? null;

test.each<[string, Record<string, FeedPresence>, number | null]>([
  ['the latest of the feeds that hold it', { home: held, tools: held }, NOW_MS],
  ['not one that holds it no more', { home: { ...held, goneSinceMs: NOW_MS }, tools: held }, NOW_MS - 1],
  ['since a feed was cut off before it: the moment of that', { home: { ...held, unseenSinceMs: 5 } }, 5],
  ['a feed of which nothing is remembered', { cellar: held }, null],
  ['no feed', {}, null],
])('when an offer was last seen: %s', (_, feeds, expected) => {
  expect(lastSeenMs(aKnownOffer(1, {}, { feeds }), polledAtMs)).toBe(expected);
});

test('a feed holds an offer that it has shown and that no whole answer came without', () => {
  const known = aKnownOffer(
    1,
    {},
    { feeds: { home: held, cut: { ...held, unseenSinceMs: 5 }, gone: { ...held, goneSinceMs: 5 } } },
  );
  expect(['home', 'cut', 'gone', 'none'].map((feed) => isInFeed(known, feed))).toEqual([true, true, false, false]);
  expect(feedKey('Home & Garden')).toBe('home & garden');
});

test('an offer is gone when it was found to be over, and from its end on', () => {
  expect(isGone(aKnownOffer(1, { endDateMs: NOW_MS + 1 }), NOW_MS)).toBe(false);
  expect(isGone(aKnownOffer(1, { endDateMs: NOW_MS }), NOW_MS)).toBe(true);
  expect(isGone(aKnownOffer(1, { endDateMs: null }, { overAtMs: NOW_MS }), NOW_MS)).toBe(true);
});

test.each([
  ['is live', { endDateMs: NOW_MS + 1 }, null, NOW_MS + 1],
  ['left before its end', { endDateMs: NOW_MS + 1 }, NOW_MS, NOW_MS],
  ['left and has no end', { endDateMs: null }, NOW_MS, NOW_MS],
  ['was over at its end', { endDateMs: NOW_MS }, NOW_MS, NOW_MS],
  ['was found to be over after its end', { endDateMs: NOW_MS - 1 }, NOW_MS, NOW_MS - 1],
  ['is sold out', { endDateMs: NOW_MS + 1, isSoldOut: true }, NOW_MS, NOW_MS + 1],
])('the end that is shown of an offer that %s', (_, offer, overAtMs, expected) => {
  const known = aKnownOffer(1, offer, { overAtMs });
  expect(shownOffer(known)).toEqual({ ...known.offer, endDateMs: expected });
});

test('a past listing ended when it was found to be over, or now', () => {
  const { offer } = aKnownOffer(1);
  const listing = { offerId: offer.id, salePrice: offer.salePrice };
  expect(pastListingOf(aKnownOffer(1, {}, { overAtMs: 5 }), NOW_MS)).toEqual({ ...listing, endedAtMs: 5 });
  expect(pastListingOf(aKnownOffer(1), NOW_MS)).toEqual({ ...listing, endedAtMs: NOW_MS });
});
