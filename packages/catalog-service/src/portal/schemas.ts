import { z } from 'zod';

const text = z.string();
const html = z.string().describe('HTML');
const amount = z.number().describe('US dollars');
const dateTime = z.iso.datetime({ offset: true });

const priceRange = z.strictObject({ Minimum: amount, Maximum: amount });

export const feedItem = z.strictObject({
  OfferId: z.guid(),
  Title: text,
  Subtitle: text.nullable(),
  Condition: text.nullable(),
  Categories: z.array(text).describe('a top-level category, or a path <CATEGORY>/<subcategory>'),
  Photo: z.url(),
  Url: z.url(),
  ForumUrl: z.url(),
  StartDate: dateTime,
  EndDate: dateTime,
  SalePrice: priceRange,
  ListPrice: priceRange.nullable(),
  IsSoldOut: z.boolean().optional(),
  IsDealOff: z.boolean(),
  IsFeatured: z.boolean(),
  IsFulfilledByPartner: z.boolean(),
  IsAvailableOnMobileAppOnly: z.boolean(),
  Site: z.url(),
});

export const feedPage = z.strictObject({
  Items: z.array(feedItem),
  MarketingName: text,
  TotalPages: z.int().min(0),
});

const photo = z.strictObject({
  Url: z.url(),
  Width: z.int(),
  Height: z.int(),
  Caption: text.nullable(),
  Tags: z.array(text),
});

const offerItem = z.strictObject({
  Id: z.guid(),
  Title: text,
  Asin: text,
  Win: text,
  SalePrice: amount,
  ListPrice: amount.optional().describe('left out when it is not known'),
  Attributes: z.array(z.strictObject({ Key: text, Value: text })),
  Photos: z.array(photo),
});

const shippingMethod = z.strictObject({
  Name: text,
  ExcludedStates: z.array(text),
  ExcludedPostalCodes: z.array(text),
  ExcludePOBox: z.boolean(),
});

export const offer = z.strictObject({
  Id: z.guid(),
  EventId: z.guid(),
  Title: text,
  FullTitle: text,
  Subtitle: text.nullable(),
  Teaser: text,
  Slug: text,
  Url: z.url(),
  Features: html,
  Specs: html,
  Snippet: html.nullable(),
  WriteUpIntro: html.nullable(),
  WriteUpBody: html,
  ExtendedWarranty: text.nullable(),
  PurchaseLimit: z.int(),
  QuantityLimit: z.int().nullable(),
  PercentageRemainingBlurred: z.int().min(0).max(100).describe('in steps of 10'),
  IsDealOff: z.boolean(),
  IsSoldOut: z.boolean(),
  SoldOutOn: dateTime.nullable(),
  Win: text,
  Items: z.array(offerItem),
  Photos: z.array(photo),
  ShippingMethods: z.array(shippingMethod),
});

export type FeedItem = z.infer<typeof feedItem>;
export type PortalPhoto = z.infer<typeof photo>;
export type PortalOffer = z.infer<typeof offer>;
