import type { Attribute, Item, Photo, ShippingMethod } from '../deals/offer.ts';
import { readAmount, readFlagOrNull, readLink, readText, readTexts, readTitle, readUuid } from './fields.ts';
import { readPrice } from './prices.ts';
import { listOf, orElse, readerOf, required, withoutReport } from './table.ts';

// Parts of an offer that both interfaces describe; each interface sends some of the fields.

/** Specification: "v2: Photo" and "Portal: Photo". */
export const readPhoto = withoutReport(
  readerOf<Photo>({
    url: required(readLink),
    width: readAmount,
    height: readAmount,
    caption: readText,
    tags: readTexts,
  }),
);

const readAttribute = withoutReport(readerOf<Attribute>({ key: required(readTitle), value: required(readTitle) }));

/** Specification: "v2: Item" and "Portal: OfferItem". */
export const readItem = readerOf<Item>({
  id: required(readUuid),
  title: readText,
  salePrice: readPrice,
  listPrice: readPrice,
  purchaseLimit: readAmount,
  attributes: listOf(readAttribute),
  photos: listOf(readPhoto),
});

/** Specification: "v2: ShippingMethod" and "Portal: ShippingMethod". */
export const readShippingMethod = withoutReport(
  readerOf<ShippingMethod>({
    name: required(readTitle),
    perOrderAmount: readAmount,
    perEventAmount: readAmount,
    perItemAmount: readAmount,
    excludedStates: readTexts,
    excludedPostalCodes: readTexts,
    excludePOBox: orElse(readFlagOrNull, false),
  }),
);
