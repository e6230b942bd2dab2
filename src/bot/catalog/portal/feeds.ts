import { z } from 'zod';
import type { Feed, Offer } from '../../deals/offer.ts';
import type { PriceRange } from '../../deals/price.ts';
import type { Demand } from '../demand.ts';
import { CatalogHttpError, CatalogSchemaError } from '../errors.ts';
import { cutToLimits } from '../limits.ts';
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

/** A live deployment cuts every feed off here; nothing in an answer says so. */
const CUT_OFF_AT = 5_000;

/** Specification: "Portal: FeedItem (minified offer)", without what an item can do without. */
const wireFeedItem = z.object({ OfferId: uuid, Title: title });

interface OptionalFields {
  Subtitle?: unknown;
  Condition?: unknown;
  Categories?: unknown;
  Photo?: unknown;
  Url?: unknown;
  ForumUrl?: unknown;
  StartDate?: unknown;
  EndDate?: unknown;
  SalePrice?: unknown;
  ListPrice?: unknown;
  IsSoldOut?: unknown;
  IsDealOff?: unknown;
  IsFeatured?: unknown;
  IsFulfilledByPartner?: unknown;
  IsAvailableOnMobileAppOnly?: unknown;
  Site?: unknown;
}

const readFeedItem: Reader<Offer> = (json, report) => {
  const required = check(wireFeedItem, json, report);
  if (required === null) return null;
  // Thousands of these come at once: what may be anything is read where it is, not copied by the schema first.
  const optional = json as OptionalFields;
  return {
    id: required.OfferId,
    title: required.Title,
    subtitle: readText(optional.Subtitle),
    condition: readText(optional.Condition),
    categories: readTexts(optional.Categories),
    photo: readLink(optional.Photo),
    url: readLink(optional.Url),
    forumUrl: readLink(optional.ForumUrl),
    startDateMs: readDateTime(optional.StartDate),
    endDateMs: readDateTime(optional.EndDate),
    salePrice: readPriceRange(optional.SalePrice),
    listPrice: readPriceRange(optional.ListPrice),
    isSoldOut: readFlag(optional.IsSoldOut),
    isDealOff: readFlag(optional.IsDealOff),
    isFeatured: readFlag(optional.IsFeatured),
    isFulfilledByPartner: readFlag(optional.IsFulfilledByPartner),
    isAvailableOnMobileAppOnly: readFlag(optional.IsAvailableOnMobileAppOnly),
    site: readText(optional.Site),
  };
};

/** "Example shows one object. The declared schema shows an array": of several, the range that covers them all. */
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

/** Of a range with one end known, that is both. */
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
  // What can't be told apart may be any of the offers: none of those that are missing proves to be gone.
  const isCutOff = items.length >= CUT_OFF_AT || unreadable?.hasNameless === true;
  return { value: { marketingName, offers: uniqueById(value), isCutOff }, problems, unreadable };
}

/** GET {developer_url}/feed/{feedname} */
export async function fetchFeed(portal: Transport, name: string, demand: Demand): Promise<Parsed<Feed>> {
  // A path like /feed/.. would be another resource, and half a character has no place in one.
  if (/^\.*$|\p{Surrogate}/u.test(name)) throw new CatalogHttpError(`"${name}" is no name of a feed.`, 400);
  return parseFeed(await portal.request({ path: `/feed/${encodeURIComponent(name)}` }, demand), demand.signal);
}
