import { z } from 'zod';
import type { Attribute, Item, Photo, ShippingMethod } from '../deals/offer.ts';
import {
  check,
  optionalFields,
  type Reader,
  readAmount,
  readFlag,
  readLink,
  readList,
  readText,
  readTexts,
  title,
  uuid,
} from './wire.ts';

// Parts of an offer that both interfaces describe; each interface sends some of the fields.

/** Specification: "v2: Photo" and "Portal: Photo". A photo without a valid link is left out without a report. */
export const readPhoto: Reader<Photo> = (json) => {
  const wire = check(optionalFields, json, ignore);
  const url = readLink(wire?.['Url']);
  if (wire === null || url === null) return null;
  return {
    url,
    width: readAmount(wire['Width']),
    height: readAmount(wire['Height']),
    caption: readText(wire['Caption']),
    tags: readTexts(wire['Tags']),
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

export const readItem: Reader<Item> = (json, report) => {
  const wire = check(wireItem, json, report);
  return (
    wire && {
      id: wire.Id,
      title: readText(wire['Title']),
      salePrice: readAmount(wire['SalePrice']),
      listPrice: readAmount(wire['ListPrice']),
      purchaseLimit: readAmount(wire['PurchaseLimit']),
      attributes: readList(wire['Attributes'], 'Attributes', readAttribute, report),
      photos: readList(wire['Photos'], 'Photos', readPhoto, report),
    }
  );
};

/** Specification: "v2: ShippingMethod" and "Portal: ShippingMethod". */
const wireShippingMethod = z.looseObject({
  Name: title,
});

export const readShippingMethod: Reader<ShippingMethod> = (json) => {
  const wire = check(wireShippingMethod, json, ignore);
  return (
    wire && {
      name: wire.Name,
      perOrderAmount: readAmount(wire['PerOrderAmount']),
      perEventAmount: readAmount(wire['PerEventAmount']),
      perItemAmount: readAmount(wire['PerItemAmount']),
      excludedStates: readTexts(wire['ExcludedStates']),
      excludedPostalCodes: readTexts(wire['ExcludedPostalCodes']),
      excludePOBox: readFlag(wire['ExcludePOBox']),
    }
  );
};

function ignore(): void {
  // These parts have no identity, so a report could not name the one that is lost.
}
