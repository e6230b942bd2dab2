import { z } from 'zod';
import { createRandom } from './random.ts';

const price = z.looseObject({ Minimum: z.number(), Maximum: z.number() }).nullish().catch(null);
const text = z.string().nullish().catch(null);
const flag = z.boolean().nullish().catch(null);

/** The fields of a feed item that are read here; an item may hold any others. */
const recordedItem = z.looseObject({
  OfferId: z.string(),
  Title: text,
  Subtitle: text,
  Photo: text,
  Url: text,
  SalePrice: price,
  ListPrice: price,
  IsSoldOut: flag,
  IsDealOff: flag,
  IsWootOff: flag,
});

/** The offer that a recorded feed item is about, in lower case. */
export function recordedItemId(item: object): string | undefined {
  return 'OfferId' in item && typeof item.OfferId === 'string' ? item.OfferId.toLowerCase() : undefined;
}

/**
 * The full detail of an offer as far as a feed item tells it (specification: "Portal: Offer"); the rest is null or
 * empty.
 */
export function recordedOffer(item: object): object {
  const { OfferId, Title, Subtitle, Photo, Url, SalePrice, ListPrice, ...flags } = recordedItem.parse(item);
  const prices = SalePrice ? [...new Set([SalePrice.Minimum, SalePrice.Maximum])] : [];
  const lists = ListPrice ? [ListPrice.Minimum, ListPrice.Maximum] : [];
  const ids = createRandom(OfferId, 'items');
  return {
    Id: OfferId,
    EventId: null,
    Title,
    FullTitle: Title,
    Subtitle: Subtitle ?? null,
    Teaser: null,
    Slug: Url?.split('/').at(-1) ?? null,
    Url,
    Features: null,
    Specs: null,
    Snippet: null,
    WriteUpIntro: null,
    WriteUpBody: null,
    ExtendedWarranty: null,
    IsDealOff: flags.IsDealOff ?? flags.IsWootOff ?? false,
    IsSoldOut: flags.IsSoldOut ?? false,
    SoldOutOn: null,
    Items: prices.map((salePrice, index) => ({
      Id: ids.uuid(),
      Title,
      SalePrice: salePrice,
      ...(lists[index] !== undefined && { ListPrice: lists[index] }),
      Attributes: [],
      Photos: [],
    })),
    Photos: Photo ? [{ Url: Photo, Width: null, Height: null, Caption: null, Tags: [] }] : [],
    ShippingMethods: [],
  };
}
