import type { CatalogContent, FeedName } from '../../packages/catalog-service/src/index.ts';

/** How long after it was first read as sold out an offer can be bought again: two answers have called it sold out by then. */
const AWAY_MS = 6 * 3_600_000;

/** A store in which every fourth of the offers that stay in their feeds while they are sold out comes back. */
export function withRestocks(content: CatalogContent): CatalogContent {
  const soldOutSince = new Map<string, number>();
  function isBack(id: string, nowMs: number): boolean {
    if (!/^[0-3]/.test(id)) return false;
    const sinceMs = soldOutSince.get(id) ?? nowMs;
    soldOutSince.set(id, sinceMs);
    return nowMs - sinceMs >= AWAY_MS;
  }
  function asItIs(item: object, nowMs: number): object {
    if (!('IsSoldOut' in item) || item.IsSoldOut !== true) return item;
    const id = 'OfferId' in item ? item.OfferId : 'Id' in item ? item.Id : null;
    return typeof id === 'string' && isBack(id.toLowerCase(), nowMs) ? { ...item, IsSoldOut: false } : item;
  }
  return {
    ...content,
    at(nowMs, origin) {
      const moment = content.at(nowMs, origin);
      return {
        ...moment,
        feed(name: FeedName) {
          const feed = moment.feed(name);
          return { ...feed, items: feed.items.map((item) => asItIs(item, nowMs)) };
        },
        offer(id) {
          const offer = moment.offer(id);
          return offer && asItIs(offer, nowMs);
        },
      };
    },
  };
}
