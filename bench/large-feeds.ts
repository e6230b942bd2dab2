import type { CatalogContent, FeedName } from '../packages/catalog-service/src/index.ts';
import { createSimulator } from '../packages/catalog-service/src/index.ts';
import { systemClock } from '../src/shared/clock.ts';

/** The offers of each of the feeds, which no other feed holds; together with another one, as many as a live deployment has. */
export const LARGE_FEED_OFFERS = 6_200;
/** The feeds, in the pairs that are read at the same time. */
export const LARGE_FEEDS = [
  ['Featured', 'Clearance'],
  ['Gourmet', 'DealOff'],
  ['Shirts', 'Tools'],
] as const satisfies readonly (readonly FeedName[])[];

/** The content with large feeds, none of them cut off. */
export function withLargeFeeds(content: CatalogContent): CatalogContent {
  const large = new Map(
    LARGE_FEEDS.flat().map((name) => {
      const simulator = createSimulator({ seed: name, offers: 1.3 * LARGE_FEED_OFFERS, pace: 'store' });
      const items = simulator.at(systemClock.now(), 'http://127.0.0.1').feed('All').items.slice(0, LARGE_FEED_OFFERS);
      if (items.length < LARGE_FEED_OFFERS) throw new Error(`${name} has ${items.length} offers only.`);
      return [
        name as FeedName,
        { marketingName: name, items, asItStands: { Items: items, MarketingName: name, TotalPages: 1 } },
      ];
    }),
  );
  return {
    ...content,
    at(nowMs, origin) {
      const moment = content.at(nowMs, origin);
      return { ...moment, feed: (name) => large.get(name) ?? moment.feed(name) };
    },
  };
}
