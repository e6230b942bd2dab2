import { z } from 'zod';

/** Specification: "v2: Event (common fields)", Type. */
export const EVENT_TYPES = ['Daily', 'Ghost', 'Moofi', 'Reckoning', 'DealOff', 'DealPlus'] as const;

/** Specification: "Site values (v2)". */
export const SITE_PREFIXES = [
  'accessories',
  'computers',
  'electronics',
  'home',
  'kids',
  'sellout',
  'shirt',
  'sport',
  'tools',
  'wine',
  'www',
] as const;
export type SitePrefix = (typeof SITE_PREFIXES)[number];

const text = z.string();
const html = z.string().describe('HTML');
const dateTime = z.iso.datetime().describe('UTC');
const amount = z.number().describe('US dollars');
const int32 = z.int32();
const percent = z.int().min(0).max(100);

const photo = z.strictObject({ Url: z.url(), Width: int32, Height: int32, Tags: z.array(text) });

const attribute = z.strictObject({ Key: text, Value: text });

const item = z.strictObject({
  Id: z.guid(),
  SalePrice: amount,
  ListPrice: amount.nullable(),
  PurchaseLimit: int32.describe('0 where no limit applies'),
  Attributes: z.array(attribute),
});

const shippingMethod = z.strictObject({
  Name: text,
  PerOrderAmount: amount,
  PerEventAmount: amount,
  PerItemAmount: amount,
});

const estimatedShipDate = z.strictObject({ MessagePrefix: text, MessageBody: text });

const keyValuePairs = z.array(z.strictObject({ Key: text, Value: z.number() }));

const salesRanks = {
  OverallOrderPace: z.number(),
  OverallDealsSold: z.number(),
  SiteOrderPace: z.number(),
  SiteDealsSold: z.number(),
};

const offerStats = z.strictObject({
  FirstSucker: text,
  LastPurchase: dateTime,
  LastBuyerToDeal: text,
  ...salesRanks,
  PercentageOfSalesPerDay: keyValuePairs,
  PercentageOfSalesPerHour: keyValuePairs,
  PurchaserExperience: keyValuePairs,
  PurchaserSeniority: keyValuePairs,
  QuantityBreakdown: keyValuePairs,
  SpeedToFirstDeal: text.describe('hh:mm:ss.fffffff'),
  DealsByState: keyValuePairs,
});

const qualityPost = z.strictObject({
  Username: text,
  Avatar: z.url(),
  Text: text,
  FormattedBody: html,
  PostedOn: dateTime,
});

const artist = z.strictObject({ Name: text, Avatar: z.url(), Biography: html });

export const offer = z.strictObject({
  Id: z.guid(),
  Title: text,
  Subtitle: text.nullable(),
  Teaser: text.nullable(),
  WriteUp: html.nullable(),
  Features: html.nullable(),
  Specs: html.nullable(),
  Url: z.url(),
  DiscussionUrl: z.url(),
  Items: z.array(item),
  Photos: z.array(photo),
  ShippingMethods: z.array(shippingMethod),
  EstimatedShipDate: estimatedShipDate,
  PercentageRemaining: percent,
  SoldOut: z.boolean(),
  Stats: offerStats.nullable(),
  QualityPosts: z.array(qualityPost),
  Artist: artist.nullable().describe('shirt offers only'),
  Snippet: html.nullable(),
  WineryDetails: html.nullable(),
  Rank: int32.optional().describe('Reckoning offers only; left out when the shirt is immune from ranking'),
  OriginalStartDate: dateTime.optional().describe('Reckoning offers only'),
});

const commonFields = {
  Id: z.guid(),
  Title: text,
  Site: text,
  StartDate: dateTime,
  EndDate: dateTime.nullable(),
  Offers: z.array(offer),
  Stats: z.strictObject(salesRanks),
};

export const event = z.discriminatedUnion('Type', [
  z.strictObject({ Type: z.literal('Daily'), ...commonFields }),
  z.strictObject({ Type: z.literal('Ghost'), ...commonFields }),
  z.strictObject({ Type: z.literal('Moofi'), ...commonFields }),
  z.strictObject({ Type: z.literal('Reckoning'), ...commonFields }),
  z.strictObject({ Type: z.literal('DealOff'), ...commonFields, Subtitle: text, WriteUp: html.nullable() }),
  z.strictObject({
    Type: z.literal('DealPlus'),
    ...commonFields,
    DiscussionUrl: z.url(),
    ManufacturerText: html,
    Photos: z.array(photo),
    Subtitle: text.nullable(),
    Text: html,
    Url: z.url(),
  }),
]);

export const dealcast = z.strictObject({
  Title: text,
  Site: text,
  StartDate: dateTime,
  Teaser: html,
  Text: html,
  BlogUrl: z.url(),
  DiscussionUrl: z.url(),
  Mp4Url: z.url(),
  YouTubeUrl: z.url(),
  Thumbnail: photo,
  Views: int32.nullable(),
});

export const poll = z.strictObject({
  DiscussionUrl: z.url(),
  Site: text,
  Questions: z.array(
    z.strictObject({ Text: text, Responses: z.array(z.strictObject({ Text: text, VoteCount: z.int() })) }),
  ),
});

/** The fields are the service's own, because the specification shows none. */
export const monkeychat = z.strictObject({
  Title: text,
  Site: text,
  StartDate: dateTime,
  DiscussionUrl: z.url(),
  Lines: z.array(z.strictObject({ Character: text, Text: text })),
});

export type V2Photo = z.infer<typeof photo>;
export type V2Offer = z.infer<typeof offer>;
export type OfferStats = z.infer<typeof offerStats>;
export type CatalogEvent = z.infer<typeof event>;
export type Dealcast = z.infer<typeof dealcast>;
export type Poll = z.infer<typeof poll>;
export type Monkeychat = z.infer<typeof monkeychat>;
