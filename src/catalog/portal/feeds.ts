import { z } from 'zod';
import type { Feed, Offer } from '../../deals/offer.ts';
import type { Catalog } from '../catalog.ts';
import { CatalogHttpError, CatalogSchemaError } from '../errors.ts';
import { readDateTime, readFlag, readLink, readText, readTexts, title, type Unread, uuid } from '../fields.ts';
import { cutToLimits } from '../limits.ts';
import { readPriceRange } from '../prices.ts';
import type { ResponseCache } from '../response-cache.ts';
import type { Transport } from '../transport.ts';
import { BY_ID, check, type Parsed, parseLongList, type Reader } from '../wire.ts';

/** The number of items at which a live deployment truncates every feed, without any indication in the answer. */
const CUT_OFF_AT = 5_000;

/** Specification: "Portal: FeedItem (minified offer)", required fields only. */
const wireFeedItem = z.object({ OfferId: uuid, Title: title });

const readFeedItem: Reader<Offer> = (json, report, unread) => {
  const required = check(wireFeedItem, json, report);
  if (required === null) return null;
  // Feeds have thousands of items, so optional fields are read in place instead of being copied by the schema.
  const optional = json as Readonly<Record<string, unknown>>;
  noteAbsent(optional, unread);
  return {
    id: required.OfferId,
    title: required.Title,
    subtitle: readText(optional['Subtitle'], 'subtitle', unread),
    condition: readText(optional['Condition'], 'condition', unread),
    categories: readCategories(optional['Categories'], unread),
    photo: readLink(optional['Photo'], 'photo', unread),
    url: readLink(optional['Url'], 'url', unread),
    forumUrl: readLink(optional['ForumUrl'], 'forumUrl', unread),
    startDateMs: readDateTime(optional['StartDate'], 'startDateMs', unread),
    endDateMs: readDateTime(optional['EndDate'], 'endDateMs', unread),
    salePrice: readPriceRange(optional['SalePrice'], 'salePrice', unread),
    listPrice: readPriceRange(optional['ListPrice'], 'listPrice', unread),
    isSoldOut: readFlag(optional['IsSoldOut'], 'isSoldOut', unread),
    isDealOff: readFlag(optional['IsDealOff'], 'isDealOff', unread),
    isFeatured: readFlag(optional['IsFeatured'], 'isFeatured', unread),
    isFulfilledByPartner: readFlag(optional['IsFulfilledByPartner'], 'isFulfilledByPartner', unread),
    isAvailableOnMobileAppOnly: readFlag(optional['IsAvailableOnMobileAppOnly'], 'isAvailableOnMobileAppOnly', unread),
    site: readText(optional['Site'], 'site', unread),
  };
};

const FEED_ITEMS = {
  ...BY_ID,
  fields: new Set([
    'OfferId',
    'Title',
    'Subtitle',
    'Condition',
    'Categories',
    'Photo',
    'Url',
    'ForumUrl',
    'StartDate',
    'EndDate',
    'SalePrice',
    'ListPrice',
    'IsSoldOut',
    'IsDealOff',
    'IsFeatured',
    'IsFulfilledByPartner',
    'IsAvailableOnMobileAppOnly',
    'Site',
    // Not specified: a live deployment sends it.
    'Slug',
  ]),
};

/** Without any, the list is empty: anything else in its place is unreadable. */
function readCategories(json: unknown, unread: Unread<'categories'>): string[] {
  if (json === null || json === '') unread('categories');
  return readTexts(json, 'categories', unread);
}

/** Notes the fields that the catalog always sends, as null where there is none, and that are absent from this item. */
function noteAbsent(item: Readonly<Record<string, unknown>>, unread: Unread<keyof Offer>): void {
  if (item['Condition'] === undefined) unread('condition');
  if (item['Categories'] === undefined) unread('categories');
  if (item['Photo'] === undefined) unread('photo');
  if (item['Url'] === undefined) unread('url');
  if (item['StartDate'] === undefined) unread('startDateMs');
  if (item['EndDate'] === undefined) unread('endDateMs');
  if (item['SalePrice'] === undefined) unread('salePrice');
  if (item['ListPrice'] === undefined) unread('listPrice');
}

/**
 * A feed page in either form: the example's object, or the declared bare array (specification: "Portal: feed page").
 * Thousands of items are read in slices, until the signal aborts.
 */
export async function parseFeed(json: unknown, signal?: AbortSignal): Promise<Parsed<Feed>> {
  const page = typeof json === 'object' && json !== null && !Array.isArray(json) ? json : { Items: json };
  const items = 'Items' in page ? page.Items : null;
  if (!Array.isArray(items)) throw new CatalogSchemaError("The catalog's answer is no feed page.");
  const { value, ...rest } = await parseLongList(items, readFeedItem, FEED_ITEMS, signal);
  const name = 'MarketingName' in page ? page.MarketingName : null;
  const cutName = cutToLimits(name, (problem) => rest.problems.push(problem), 'MarketingName');
  const marketingName = readText(cutName, 'marketingName', () => undefined);
  return { value: { marketingName, offers: value, isCutOff: items.length >= CUT_OFF_AT }, ...rest };
}

/** GET {developer_url}/feed/{feedname} */
export function createFeeds(portal: Transport, cache: ResponseCache): Catalog['feeds'] {
  return {
    // "Names are matched without regard to case."
    get: (name, options) =>
      cache.get('feed', name.toLowerCase(), options, async (demand) => {
        // A path such as /feed/.. would name another resource, and a lone surrogate can't be encoded.
        if (/^\.*$|\p{Surrogate}/u.test(name)) throw new CatalogHttpError(`"${name}" is no name of a feed.`, 400);
        return parseFeed(await portal.request({ path: `/feed/${encodeURIComponent(name)}` }, demand), demand.signal);
      }),
  };
}
