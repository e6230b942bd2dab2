import { z } from 'zod';
import type { Feed, Offer } from '../../deals/offer.ts';
import type { PriceRange } from '../../deals/price.ts';
import type { Demand } from '../demand.ts';
import { CatalogHttpError, CatalogSchemaError } from '../errors.ts';
import type { Transport } from '../transport.ts';
import {
  check,
  dateTime,
  flag,
  lenient,
  link,
  type Parsed,
  parseList,
  type Reader,
  readAmount,
  text,
  texts,
  title,
  uniqueById,
  uuid,
} from '../wire.ts';

/** A live deployment cuts every feed off here; nothing in an answer says so. */
const CUT_OFF_AT = 5_000;

/** Specification: "Portal: FeedItem (minified offer)". */
const wireFeedItem = z.object({
  OfferId: uuid,
  Title: title,
  Subtitle: text,
  Condition: text,
  Categories: texts,
  Photo: link,
  Url: link,
  ForumUrl: link,
  StartDate: dateTime,
  EndDate: dateTime,
  SalePrice: lenient(readPriceRange),
  ListPrice: lenient(readPriceRange),
  IsSoldOut: flag,
  IsDealOff: flag,
  IsFeatured: flag,
  IsFulfilledByPartner: flag,
  IsAvailableOnMobileAppOnly: flag,
  Site: text,
});

const readFeedItem: Reader<Offer> = (json, report) => {
  const wire = check(wireFeedItem, json, report);
  return (
    wire && {
      id: wire.OfferId,
      title: wire.Title,
      subtitle: wire.Subtitle,
      condition: wire.Condition,
      categories: wire.Categories,
      photo: wire.Photo,
      url: wire.Url,
      forumUrl: wire.ForumUrl,
      startDateMs: wire.StartDate,
      endDateMs: wire.EndDate,
      salePrice: wire.SalePrice,
      listPrice: wire.ListPrice,
      isSoldOut: wire.IsSoldOut,
      isDealOff: wire.IsDealOff,
      isFeatured: wire.IsFeatured,
      isFulfilledByPartner: wire.IsFulfilledByPartner,
      isAvailableOnMobileAppOnly: wire.IsAvailableOnMobileAppOnly,
      site: wire.Site,
    }
  );
};

/** "Example shows one object. The declared schema shows an array": of several, the range that covers them all. */
function readPriceRange(value: unknown): PriceRange | null {
  const prices = (Array.isArray(value) ? value : [value]).flatMap((range: unknown) =>
    typeof range === 'object' && range !== null
      ? [readAmount('Minimum' in range ? range.Minimum : null), readAmount('Maximum' in range ? range.Maximum : null)]
      : [],
  );
  const known = prices.filter((price) => price !== null);
  return known.length === 0 ? null : { minimum: Math.min(...known), maximum: Math.max(...known) };
}

/** A feed page in either form: the example's object, or the declared bare array (specification: "Portal: feed page"). */
export function parseFeed(json: unknown): Parsed<Feed> {
  const page = typeof json === 'object' && json !== null && !Array.isArray(json) ? json : { Items: json };
  const items = 'Items' in page ? page.Items : null;
  if (!Array.isArray(items)) throw new CatalogSchemaError("The catalog's answer is no feed page.");
  const { value, problems } = parseList(items, 'offers', readFeedItem);
  const marketingName = text.parse('MarketingName' in page ? page.MarketingName : null);
  return { value: { marketingName, offers: uniqueById(value), isCutOff: items.length >= CUT_OFF_AT }, problems };
}

/** GET {developer_url}/feed/{feedname} */
export async function fetchFeed(portal: Transport, name: string, demand: Demand): Promise<Parsed<Feed>> {
  // A path like /feed/.. would be another resource.
  if (/^\.*$/.test(name)) throw new CatalogHttpError(`"${name}" is no name of a feed.`, 400);
  return parseFeed(await portal.request({ path: `/feed/${encodeURIComponent(name)}` }, demand));
}
