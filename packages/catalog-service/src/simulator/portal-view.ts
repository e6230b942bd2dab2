import type { FeedItem, PortalOffer, PortalPhoto } from '../portal/schemas.ts';
import { createRandom } from '../random.ts';
import { offsetTime } from './calendar.ts';
import { textsOf } from './html.ts';
import { dropsSoFar, isSoldOut, type Listing, percentageRemaining } from './listing.ts';
import { forumUrl, offerUrl, pictureUrl, siteOf, slugOf } from './places.ts';
import { ninetyNine, productOf, type Variant } from './product.ts';

/** Each price drop lowers the price by this share. */
const DROP = 0.12;

/** The present price of a variant. */
export function salePriceNow(variant: Variant, listing: Listing, nowMs: number): number {
  const drops = dropsSoFar(listing, nowMs);
  return drops === 0 ? variant.salePrice : ninetyNine(variant.salePrice * (1 - DROP) ** drops);
}

/** The listing as a feed shows it (specification: "Portal: FeedItem"). */
export function feedItemOf(listing: Listing, nowMs: number, origin: string): FeedItem {
  const product = productOf(listing);
  return {
    OfferId: listing.id,
    Title: product.title,
    Subtitle: product.subtitle,
    Condition: product.condition,
    Categories: product.categories,
    Photo: pictureUrl(origin, product.picture),
    Url: offerUrl(listing),
    ForumUrl: forumUrl(listing.id),
    StartDate: offsetTime(listing.startMs),
    EndDate: offsetTime(listing.endMs),
    SalePrice: rangeOf(product.variants.map((variant) => salePriceNow(variant, listing, nowMs))),
    ListPrice: product.isListPriceKnown ? rangeOf(product.variants.map(({ listPrice }) => listPrice)) : null,
    IsSoldOut: isSoldOut(listing, nowMs),
    IsDealOff: listing.isDealOff,
    IsFeatured: listing.isFeatured,
    IsFulfilledByPartner: product.isFulfilledByPartner,
    IsAvailableOnMobileAppOnly: product.isAvailableOnMobileAppOnly,
    Site: `https://${siteOf(listing.category.sitePrefix)}`,
  };
}

function rangeOf(prices: readonly number[]) {
  return { Minimum: Math.min(...prices), Maximum: Math.max(...prices) };
}

/** The listing in full (specification: "Portal: Offer (full detail)"). */
export function portalOfferOf(listing: Listing, nowMs: number, origin: string): PortalOffer {
  const product = productOf(listing);
  const texts = textsOf(listing);
  const random = createRandom(listing.key, 'portal');
  const win = `WIN${random.int(1_000_000, 9_999_999)}`;
  const photos = photosOf(listing, origin);
  return {
    Id: listing.id,
    EventId: listing.eventId,
    Title: product.title,
    FullTitle: `${product.title}${product.subtitle ? `, ${product.subtitle}` : ''}`,
    Subtitle: product.subtitle,
    Teaser: texts.teaser,
    Slug: slugOf(listing),
    Url: offerUrl(listing),
    Features: texts.features,
    Specs: texts.specs,
    Snippet: texts.snippet,
    WriteUpIntro: texts.intro,
    WriteUpBody: texts.body,
    ExtendedWarranty: random.chance(0.1) ? '2 Year Extended Warranty' : null,
    PurchaseLimit: random.int(1, 10),
    QuantityLimit: random.chance(0.3) ? random.int(1, 3) : null,
    PercentageRemainingBlurred: Math.ceil(percentageRemaining(listing, nowMs) / 10) * 10,
    IsDealOff: listing.isDealOff,
    IsSoldOut: isSoldOut(listing, nowMs),
    SoldOutOn: listing.soldOutMs !== null && isSoldOut(listing, nowMs) ? offsetTime(listing.soldOutMs) : null,
    Win: win,
    Items: product.variants.map((variant, index) => ({
      Id: variant.id,
      Title: variant.title,
      Asin: variant.asin,
      Win: `${win}-${index + 1}`,
      SalePrice: salePriceNow(variant, listing, nowMs),
      ...(product.isListPriceKnown && { ListPrice: variant.listPrice }),
      Attributes: variant.attributes,
      Photos: photos.slice(0, 1),
    })),
    Photos: photos,
    ShippingMethods: [
      {
        Name: 'Standard',
        ExcludedStates: random.chance(0.3) ? ['AK', 'HI'] : [],
        ExcludedPostalCodes: [],
        ExcludePOBox: random.chance(0.3),
      },
    ],
  };
}

function photosOf(listing: Listing, origin: string): PortalPhoto[] {
  const { picture, title } = productOf(listing);
  const photo = (size: number, ...tags: string[]): PortalPhoto => ({
    Url: pictureUrl(origin, picture),
    Width: size,
    Height: size,
    Caption: tags.length === 0 ? title : null,
    Tags: tags,
  });
  return [photo(600), photo(1200, 'gallery', 'fullsize-0'), photo(1600, 'gallery', 'original-0')];
}
