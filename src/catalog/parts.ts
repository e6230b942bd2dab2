import type { Attribute, Item, Photo, ShippingMethod } from '../deals/offer.ts';
import { readAmount, readFlagOrNull, readLink, readText, readTexts, readTitle, readUuid } from './fields.ts';
import { readPrice } from './prices.ts';
import { isObject, listOf, orElse, type Reader, readerOf, required, withoutReport } from './table.ts';

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
  asin: readText,
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

/** Gives a reader of offers a name for one without a title: the last part of its link. The title is noted as unread. */
export function namedByLink<T>(read: Reader<T>): Reader<T> {
  return (json, report, unread) => {
    if (!isObject(json) || readTitle(json['Title']) !== null) return read(json, report, unread);
    const name = nameInLink(readLink(json['Url'], 'url', () => undefined));
    const offer = read(name === null ? json : { ...json, Title: name }, report, unread);
    if (offer && name !== null) unread('title');
    return offer;
  };
}

/** `acme blender` of `https://www.example.com/deals/acme-blender`; null where a link has no such part. */
function nameInLink(link: string | null): string | null {
  const last = link === null ? '' : (new URL(link).pathname.split('/').findLast((part) => part !== '') ?? '');
  const words = decodedPart(last)
    .replaceAll(/[-_+\s]+/g, ' ')
    .trim();
  return words === '' ? null : words;
}

/** The characters that a part's escapes stand for; as it is where they are none. */
function decodedPart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
