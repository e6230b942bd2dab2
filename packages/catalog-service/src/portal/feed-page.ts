import { type FeedContent, jsonText } from '../content.ts';
import { notFound } from '../refusal.ts';

/** Specification: "Other portal limits". */
const PAGE_SIZE = 100;

/** A live deployment cuts every feed off after this many items, with or without `page`. */
const CUT_OFF = 5000;

/** Cached answers by the feed itself, so that services share a page only where they share the feed. */
const answers = new WeakMap<FeedContent, Map<number | undefined, string>>();

/**
 * The JSON of a feed page (specification: "Portal: feed page"). It is joined from the texts of its items, so that a
 * feed in which little has changed is cheap to make again.
 * @param page counted from 1; `undefined` for the whole feed
 * @throws Refusal 404 for a page past the end; the first page of an empty feed is an empty page
 */
export function feedAnswer(feed: FeedContent, page: number | undefined): object | string {
  if (page === undefined && feed.asItStands) return feed.asItStands;
  const pages = answers.get(feed) ?? new Map<number | undefined, string>();
  answers.set(feed, pages);
  const known = pages.get(page);
  if (known !== undefined) return known;

  const total = Math.min(feed.items.length, CUT_OFF);
  const totalPages = Math.ceil(total / PAGE_SIZE);
  if (page !== undefined && page > Math.max(1, totalPages)) throw notFound();
  const items =
    page === undefined
      ? feed.items.slice(0, total)
      : feed.items.slice((page - 1) * PAGE_SIZE, Math.min(page * PAGE_SIZE, total));
  const text = `{"Items":[${items.map(jsonText).join(',')}],"MarketingName":${JSON.stringify(feed.marketingName)},"TotalPages":${totalPages}}`;
  pages.set(page, text);
  return text;
}
