import { z } from 'zod';
import type { Attribute, Item, Photo, ShippingMethod } from '../deals/offer.ts';
import { optionalFields, readAmount, readFlagOrNull, readLink, readText, readTexts, title, uuid } from './fields.ts';
import { readPrice } from './prices.ts';
import { check, type Reader, readList } from './wire.ts';

// Parts of an offer that both interfaces describe; each interface sends some of the fields.

/** Specification: "v2: Photo" and "Portal: Photo". A photo without a valid link is left out without a report. */
export const readPhoto: Reader<Photo> = (json, _, unread) => {
  const wire = check(optionalFields, json, ignore);
  const url = readLink(wire?.['Url'], 'url', unread);
  if (wire === null || url === null) return null;
  return {
    url,
    width: readAmount(wire['Width'], 'width', unread),
    height: readAmount(wire['Height'], 'height', unread),
    caption: readText(wire['Caption'], 'caption', unread),
    tags: readTexts(wire['Tags'], 'tags', unread),
  };
};

const wireAttribute = z.object({ Key: title, Value: title });

const readAttribute: Reader<Attribute> = (json) => {
  const wire = check(wireAttribute, json, ignore);
  return wire && { key: wire.Key, value: wire.Value };
};

/** Specification: "v2: Item" and "Portal: OfferItem". */
const wireItem = z.looseObject({
  Id: uuid,
});

export const readItem: Reader<Item> = (json, report, unread) => {
  const wire = check(wireItem, json, report);
  return (
    wire && {
      id: wire.Id,
      title: readText(wire['Title'], 'title', unread),
      salePrice: readPrice(wire['SalePrice'], 'salePrice', unread),
      listPrice: readPrice(wire['ListPrice'], 'listPrice', unread),
      purchaseLimit: readAmount(wire['PurchaseLimit'], 'purchaseLimit', unread),
      attributes: readList(wire['Attributes'], 'Attributes', readAttribute, report, unread),
      photos: readList(wire['Photos'], 'Photos', readPhoto, report, unread),
    }
  );
};

/** Specification: "v2: ShippingMethod" and "Portal: ShippingMethod". */
const wireShippingMethod = z.looseObject({
  Name: title,
});

export const readShippingMethod: Reader<ShippingMethod> = (json, _, unread) => {
  const wire = check(wireShippingMethod, json, ignore);
  return (
    wire && {
      name: wire.Name,
      perOrderAmount: readAmount(wire['PerOrderAmount'], 'perOrderAmount', unread),
      perEventAmount: readAmount(wire['PerEventAmount'], 'perEventAmount', unread),
      perItemAmount: readAmount(wire['PerItemAmount'], 'perItemAmount', unread),
      excludedStates: readTexts(wire['ExcludedStates'], 'excludedStates', unread),
      excludedPostalCodes: readTexts(wire['ExcludedPostalCodes'], 'excludedPostalCodes', unread),
      excludePOBox: readFlagOrNull(wire['ExcludePOBox'], 'excludePOBox', unread) ?? false,
    }
  );
};

function ignore(): void {
  // These parts have no identity, so a report could not name the one that is lost.
}
