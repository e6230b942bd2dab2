import { expect, test } from 'vitest';
import { type FeedPresence, lastSeenMs } from '../../src/deals/known-offer.ts';
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
