import { z } from 'zod';
import type { Feed, Offer } from '../../deals/offer.ts';
import type { PriceRange } from '../../deals/price.ts';
import type { Catalog } from '../catalog.ts';
import { CatalogHttpError, CatalogSchemaError } from '../errors.ts';
import { cutToLimits } from '../limits.ts';
import type { ResponseCache } from '../response-cache.ts';
import type { Transport } from '../transport.ts';
import {
  check,
  type Parsed,
  parseLongList,
  type Reader,
  readAmount,
  readDateTime,
  readFlag,
  readLink,
  readText,
  readTexts,
  title,
  uniqueById,
  uuid,
} from '../wire.ts';

/** The number of items at which a live deployment truncates every feed, without any indication in the answer. */
const CUT_OFF_AT = 5_000;

/** Specification: "Portal: FeedItem (minified offer)", required fields only. */
const wireFeedItem = z.object({ OfferId: uuid, Title: title });

const readFeedItem: Reader<Offer> = (json, report) => {
  const required = check(wireFeedItem, json, report);
  if (required === null) return null;
  // Feeds have thousands of items, so optional fields are read in place instead of being copied by the schema.
  const optional = json as Readonly<Record<string, unknown>>;
  return {
    id: required.OfferId,
    title: required.Title,
    subtitle: readText(optional['Subtitle']),
    condition: readText(optional['Condition']),
    categories: readTexts(optional['Categories']),
    photo: readLink(optional['Photo']),
    url: readLink(optional['Url']),
    forumUrl: readLink(optional['ForumUrl']),
    startDateMs: readDateTime(optional['StartDate']),
    endDateMs: readDateTime(optional['EndDate']),
    salePrice: readPriceRange(optional['SalePrice']),
    listPrice: readPriceRange(optional['ListPrice']),
    isSoldOut: readFlag(optional['IsSoldOut']),
    isDealOff: readFlag(optional['IsDealOff']),
    isFeatured: readFlag(optional['IsFeatured']),
    isFulfilledByPartner: readFlag(optional['IsFulfilledByPartner']),
    isAvailableOnMobileAppOnly: readFlag(optional['IsAvailableOnMobileAppOnly']),
    site: readText(optional['Site']),
  };
};

/** "Example shows one object. The declared schema shows an array": of several ranges, the one that covers them all. */
function readPriceRange(json: unknown): PriceRange | null {
  if (!Array.isArray(json)) return readOneRange(json);
  const ranges = json.map(readOneRange).filter((range) => range !== null);
  if (ranges.length === 0) return null;
  return {
    minimum: Math.min(...ranges.map(({ minimum }) => minimum)),
    maximum: Math.max(...ranges.map(({ maximum }) => maximum)),
  };
}

function readOneRange(json: unknown): PriceRange | null {
  if (typeof json !== 'object' || json === null) return null;
  const minimum = readAmount('Minimum' in json ? json.Minimum : null);
  const maximum = readAmount('Maximum' in json ? json.Maximum : null);
  if (minimum === null || maximum === null) return bothEnds(minimum ?? maximum);
  return minimum <= maximum ? { minimum, maximum } : { minimum: maximum, maximum: minimum };
}

/** A range from one known end, which serves as both. */
function bothEnds(price: number | null): PriceRange | null {
  return price === null ? null : { minimum: price, maximum: price };
}

/**
 * A feed page in either form: the example's object, or the declared bare array (specification: "Portal: feed page").
 * Thousands of items are read in slices, until the signal aborts.
 */
export async function parseFeed(json: unknown, signal?: AbortSignal): Promise<Parsed<Feed>> {
  const page = typeof json === 'object' && json !== null && !Array.isArray(json) ? json : { Items: json };
  const items = 'Items' in page ? page.Items : null;
  if (!Array.isArray(items)) throw new CatalogSchemaError("The catalog's answer is no feed page.");
  const { value, problems, unreadable } = await parseLongList(items, readFeedItem, signal);
  const name = 'MarketingName' in page ? page.MarketingName : null;
  const marketingName = readText(cutToLimits(name, (problem) => problems.push(problem), 'MarketingName'));
  // An item without a readable id may be any of the offers, so no missing offer is proven to be gone.
  const isCutOff = items.length >= CUT_OFF_AT || unreadable?.hasNameless === true;
  return { value: { marketingName, offers: uniqueById(value), isCutOff }, problems, unreadable };
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
