import { expect, test } from 'vitest';
import { readingOrder } from '../../src/offers/reading-order.ts';
import { aKnownOffer, NOW_MS } from '../helpers/things.ts';

const feed = (name: string, polledAtMs: number | null = null, marketingName: string | null = null) => ({
  feed: name,
  polledAtMs,
  marketingName,
});
const FEEDS = [feed('All'), feed('Home'), feed('Sports'), feed('Tools')];
const namesOf = (feeds: ReturnType<typeof readingOrder>) => feeds.map((one) => one.feed);

test.each([
  ['kettle', ['All', 'Home', 'Sports', 'Tools']],
  ['a sport watch', ['Sports', 'All', 'Home', 'Tools']],
  ['my TOOL box', ['Tools', 'All', 'Home', 'Sports']],
  // Two letters begin too many words.
  ['to go', ['All', 'Home', 'Sports', 'Tools']],
  ['', ['All', 'Home', 'Sports', 'Tools']],
])('%j: feeds that the words name come first', (words, expected) => {
  expect(namesOf(readingOrder(FEEDS, words, []))).toEqual(expected);
});

test('the display name of a category counts as its name', () => {
  const feeds = [feed('Home'), feed('Gourmet', 1, 'Food & Wine')];
  expect(namesOf(readingOrder(feeds, 'red wine', []))).toEqual(['Gourmet', 'Home']);
});

test('then those that hold what was found, or have its category', () => {
  const was = { firstSeenMs: NOW_MS, unseenSinceMs: null, goneSinceMs: NOW_MS, isOld: false };
  const found = [
    aKnownOffer(1, { categories: ['SPORTS/Bikes'] }, { feeds: { tools: was } }),
    aKnownOffer(2, { categories: ['Other'] }, { feeds: { tools: was } }),
  ];
  expect(namesOf(readingOrder(FEEDS, 'pump', found))).toEqual(['Tools', 'Sports', 'All', 'Home']);
  expect(namesOf(readingOrder(FEEDS, 'home pump', found))).toEqual(['Home', 'Tools', 'Sports', 'All']);
});

test('then those that were never read, and the oldest', () => {
  const feeds = [feed('A', NOW_MS), feed('B', NOW_MS - 1), feed('C')];
  expect(namesOf(readingOrder(feeds, 'kettle', []))).toEqual(['C', 'B', 'A']);
});
