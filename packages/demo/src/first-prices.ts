import { createHash } from 'node:crypto';
import type { CatalogContent } from '../../catalog-service/src/index.ts';
import type { FirstPrices } from './protocol.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** The feeds of the demo's subscriptions. */
const FEEDS = ['Electronics', 'Home', 'Gourmet', 'Shirts'] as const;
/** The products of so many minutes have a past: whoever stays for longer has seen some by then. */
const MINUTES = 30;
/** Few offers live for less. */
const EVERY_MINUTES = 5;

/** The past ends a minute before the present: in days. */
const LATEST_DAYS = MINUTE_MS / DAY_MS;

/** The prices of the last months, as shares of the present one, each from so many days ago on. */
const PASTS = [
  // It was always dearer.
  [
    { daysAgo: 75, share: 1.3 },
    { daysAgo: 34, share: 1.15 },
  ],
  // It was cheaper once.
  [
    { daysAgo: 62, share: 1.2 },
    { daysAgo: 41, share: 0.85 },
    { daysAgo: 33, share: 1.1 },
  ],
  // It comes and goes.
  [
    { daysAgo: 50, share: 1 },
    { daysAgo: 37, share: 1.25 },
    { daysAgo: 12, share: 1 },
    { daysAgo: 5, share: 1.25 },
  ],
] as const;

interface FeedItem {
  Title: string;
  Condition: string | null;
  SalePrice: { Minimum: number; Maximum: number } | null;
}

/** Makes up what the products of the demo's first half hour cost before it began. */
export function firstPrices(store: CatalogContent, nowMs: number): FirstPrices[] {
  const products = new Map<string, FirstPrices>();
  for (let minute = 0; minute < MINUTES; minute += EVERY_MINUTES) {
    const moment = store.at(nowMs + minute * MINUTE_MS, '');
    for (const item of FEEDS.flatMap((feed) => moment.feed(feed).items as FeedItem[])) {
      const name = `${item.Title}|${item.Condition}`;
      if (item.SalePrice && !products.has(name)) products.set(name, pastOf(item, item.SalePrice, nowMs));
    }
  }
  return [...products.values()];
}

function pastOf(
  { Title: title, Condition: condition }: FeedItem,
  price: NonNullable<FeedItem['SalePrice']>,
  nowMs: number,
) {
  // A title always has the same past.
  const past = PASTS[(createHash('sha256').update(title).digest()[0] ?? 0) % PASTS.length] ?? PASTS[0];
  const cents = (amount: number) => Math.round(amount * 100) / 100;
  const runs = past.map(({ daysAgo, share }, index) => ({
    fromMs: nowMs - daysAgo * DAY_MS,
    untilMs: nowMs - (past[index + 1]?.daysAgo ?? LATEST_DAYS) * DAY_MS,
    price: { minimum: cents(price.Minimum * share), maximum: cents(price.Maximum * share) },
  }));
  return { title, condition, runs };
}
