import { createRandom, type Random } from '../random.ts';
import type { OfferStats, V2Offer, V2Photo } from '../v2/schemas.ts';
import { zuluTime } from './calendar.ts';
import { textsOf } from './html.ts';
import { isSoldOut, type Listing, percentageRemaining } from './listing.ts';
import { forumUrl, offerUrl, pictureUrl } from './places.ts';
import { salePriceNow } from './portal-view.ts';
import { productOf } from './product.ts';

const NAMES = [
  'thriftypanda',
  'bargainbert',
  'lastmeow',
  'dealmeister',
  'onemorebox',
  'couponella',
  'ruthless9',
] as const;

/** The listing as an event carries it (specification: "v2: Offer"). */
export function v2OfferOf(listing: Listing, nowMs: number, origin: string): V2Offer {
  const product = productOf(listing);
  const texts = textsOf(listing);
  const random = createRandom(listing.key, 'v2');
  const soldOut = isSoldOut(listing, nowMs);
  const { feed } = listing.category;
  return {
    Id: listing.id,
    Title: product.title,
    Subtitle: product.subtitle,
    Teaser: texts.teaser,
    WriteUp: random.chance(0.9) ? texts.body : null,
    Features: texts.features,
    Specs: texts.specs,
    Url: offerUrl(listing),
    DiscussionUrl: forumUrl(listing.id),
    Items: product.variants.map((variant) => ({
      Id: variant.id,
      SalePrice: salePriceNow(variant, listing, nowMs),
      ListPrice: product.isListPriceKnown ? variant.listPrice : null,
      PurchaseLimit: soldOut ? 0 : random.pick([0, 1, 3, 5, 10]),
      Attributes: variant.attributes,
    })),
    Photos: v2PhotosOf(origin, product.picture),
    ShippingMethods: [
      { Name: 'Standard', PerOrderAmount: random.pick([5, 6]), PerEventAmount: 0, PerItemAmount: 0 },
      ...(random.chance(0.2) ? [{ Name: 'Express', PerOrderAmount: 12.5, PerEventAmount: 0, PerItemAmount: 1 }] : []),
    ],
    EstimatedShipDate: { MessagePrefix: 'Estimated to ship in', MessageBody: `${random.int(2, 5)} to 7 business days` },
    PercentageRemaining: percentageRemaining(listing, nowMs),
    SoldOut: soldOut,
    Stats: random.chance(0.5) ? statsOf(listing, nowMs, random) : null,
    QualityPosts: random.chance(0.3)
      ? [
          {
            Username: random.pick(NAMES),
            Avatar: pictureUrl(origin, `box-${random.int(0, 35) * 10}`),
            Text: 'Had one for a year. Still works, still on the shelf.',
            FormattedBody: '<p>Had one for a year.<br/>Still works, <i>still on the shelf</i>.</p>',
            PostedOn: zuluTime(listing.startMs),
          },
        ]
      : [],
    Artist:
      feed === 'Shirts'
        ? {
            Name: random.pick(NAMES),
            Avatar: pictureUrl(origin, `shirt-${random.int(0, 35) * 10}`),
            Biography: '<p>Draws at night, sleeps at noon &amp; answers mail on <b>Tuesdays</b>.</p>',
          }
        : null,
    Snippet: texts.snippet,
    WineryDetails:
      feed === 'Gourmet' ? `<p>${product.brand} has been at it since ${random.int(1890, 2005)}.</p>` : null,
  };
}

export function v2PhotosOf(origin: string, picture: string): V2Photo[] {
  const photo = (size: number, ...tags: string[]): V2Photo => ({
    Url: pictureUrl(origin, picture),
    Width: size,
    Height: size,
    Tags: tags,
  });
  return [photo(600), photo(588, 'gallery', 'fullsize-0'), photo(60, 'gallery', 'thumbnail-0')];
}

/** Ranks among the sales of all sites and among those of one site. */
export function salesRanks(
  random: Random,
): Pick<OfferStats, 'OverallOrderPace' | 'OverallDealsSold' | 'SiteOrderPace' | 'SiteDealsSold'> {
  const overall = random.int(1, 900);
  return {
    OverallOrderPace: overall,
    OverallDealsSold: random.int(1, 900),
    SiteOrderPace: Math.ceil(overall / 8),
    SiteDealsSold: random.int(1, 110),
  };
}

function statsOf(listing: Listing, nowMs: number, random: Random): OfferStats {
  const hours = [12, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11];
  const lastMs = Math.min(nowMs, listing.soldOutMs ?? nowMs);
  const seconds = random.int(1, 50);
  return {
    FirstSucker: random.pick(NAMES),
    LastPurchase: `${new Date(lastMs).toISOString().slice(0, 19)}.${random.int(100, 999)}Z`,
    LastBuyerToDeal: random.pick(NAMES),
    ...salesRanks(random),
    PercentageOfSalesPerDay: shares(random, ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']),
    // The hours of the morning, then those of the afternoon under the same names.
    PercentageOfSalesPerHour: shares(random, [...hours, ...hours].map(String)),
    PurchaserExperience: shares(random, ['first time', '1', '2 - 4', '≥ 5 <25', '> 25']),
    PurchaserSeniority: shares(random, ['< 1 day', '1 week', '1 month', '> 1 year']),
    QuantityBreakdown: shares(random, ['1', '2', '≥ 3']),
    SpeedToFirstDeal: `00:0${random.int(0, 4)}:${String(seconds).padStart(2, '0')}.${random.int(100, 999)}0000`,
    DealsByState: shares(random, ['CA', 'TX', 'NY', 'FL', 'WA', 'OH']),
  };
}

/** Percentages, by name, that add up to about 100. */
function shares(random: Random, names: readonly string[]): { Key: string; Value: number }[] {
  const weights = names.map(() => 0.2 + random.next());
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return names.map((name, index) => ({ Key: name, Value: Math.round(((weights[index] ?? 0) / sum) * 100) }));
}
