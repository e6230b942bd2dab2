import type { Feed, Offer } from '../../deals/offer.ts';
import type { Catalog } from '../catalog.ts';
import { CatalogHttpError, CatalogSchemaError } from '../errors.ts';
import {
  isNone,
  readDateTime,
  readFlag,
  readLink,
  readText,
  readTexts,
  readTitle,
  readUuid,
  type Unread,
} from '../fields.ts';
import { cutToLimits } from '../limits.ts';
import { namedByLink } from '../parts.ts';
import { readPriceRange } from '../prices.ts';
import type { ResponseCache } from '../response-cache.ts';
import { type FieldReader, type Fields, isObject, namesIn, readerOf, required } from '../table.ts';
import type { Transport } from '../transport.ts';
import { BY_ID, type Parsed, parseLongList } from '../wire.ts';

/** The number of items at which a live deployment truncates every feed, without any indication in the answer. */
const CUT_OFF_AT = 5_000;

/** Specification: "Portal: FeedItem (minified offer)". */
const OFFER: Fields<Offer> = {
  id: { name: 'OfferId', read: required(readUuid) },
  title: required(readTitle),
  subtitle: readText,
  condition: alwaysSent(readText),
  categories: readCategories,
  photo: alwaysSent(readLink),
  url: alwaysSent(readLink),
  forumUrl: readLink,
  startDateMs: alwaysSent(readDateTime),
  endDateMs: alwaysSent(readDateTime),
  salePrice: alwaysSent(readPriceRange),
  listPrice: alwaysSent(readPriceRange),
  isSoldOut: readFlag,
  isDealOff: readFlag,
  isFeatured: readFlag,
  isFulfilledByPartner: readFlag,
  isAvailableOnMobileAppOnly: readFlag,
  site: readText,
};

const readOffer = namedByLink(readerOf(OFFER));

/** A live deployment sends a slug, which is not specified. */
const OFFERS = { ...BY_ID, fields: namesIn(OFFER, 'Slug') };

/** A field that the catalog always sends, as null where there is none. */
function alwaysSent<T>(read: FieldReader<T>): FieldReader<T> {
  return (value, field, unread, report) => {
    if (value === undefined) unread(field);
    return read(value, field, unread, report);
  };
}

/** Without any, the list is empty: anything else in its place is unreadable. */
function readCategories(value: unknown, field: string, unread: Unread): string[] {
  if (isNone(value)) unread(field);
  return readTexts(value, field, unread);
}

/**
 * A feed page in either form: the example's object, or the declared bare array (specification: "Portal: feed page").
 * Thousands of items are read in slices, until the signal aborts.
 */
export async function parseFeed(json: unknown, signal?: AbortSignal): Promise<Parsed<Feed>> {
  const page = isObject(json) ? json : { Items: json };
  const items = page['Items'];
  if (!Array.isArray(items)) throw new CatalogSchemaError("The catalog's answer is no feed page.");
  const { value, ...rest } = await parseLongList(items, readOffer, OFFERS, signal);
  const name = page['MarketingName'];
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
