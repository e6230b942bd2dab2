import { z } from 'zod';
import type { Attribute, Item, Photo, ShippingMethod } from '../deals/offer.ts';
import { amount, anything, check, flag, link, type Reader, readList, text, texts, title, uuid } from './wire.ts';

// Both interfaces describe these parts of an offer; each sends some of the fields.

/** Specification: "v2: Photo" and "Portal: Photo". */
const wirePhoto = z.object({ Url: link, Width: amount, Height: amount, Caption: text, Tags: texts });

/** A photo without a link that can be followed is no photo: left out without a word. */
export const readPhoto: Reader<Photo> = (json) => {
  const wire = check(wirePhoto, json, ignore);
  if (wire === null || wire.Url === null) return null;
  return { url: wire.Url, width: wire.Width, height: wire.Height, caption: wire.Caption, tags: wire.Tags };
};

const wireAttribute = z.object({ Key: title, Value: title });

const readAttribute: Reader<Attribute> = (json) => {
  const wire = check(wireAttribute, json, ignore);
  return wire && { key: wire.Key, value: wire.Value };
};

/** Specification: "v2: Item" and "Portal: OfferItem". */
const wireItem = z.object({
  Id: uuid,
  Title: text,
  SalePrice: amount,
  ListPrice: amount,
  PurchaseLimit: amount,
  Attributes: anything,
  Photos: anything,
});

export const readItem: Reader<Item> = (json, report) => {
  const wire = check(wireItem, json, report);
  return (
    wire && {
      id: wire.Id,
      title: wire.Title,
      salePrice: wire.SalePrice,
      listPrice: wire.ListPrice,
      purchaseLimit: wire.PurchaseLimit,
      attributes: readList(wire.Attributes, 'Attributes', readAttribute, report),
      photos: readList(wire.Photos, 'Photos', readPhoto, report),
    }
  );
};

/** Specification: "v2: ShippingMethod" and "Portal: ShippingMethod". */
const wireShippingMethod = z.object({
  Name: title,
  PerOrderAmount: amount,
  PerEventAmount: amount,
  PerItemAmount: amount,
  ExcludedStates: texts,
  ExcludedPostalCodes: texts,
  ExcludePOBox: flag,
});

export const readShippingMethod: Reader<ShippingMethod> = (json) => {
  const wire = check(wireShippingMethod, json, ignore);
  return (
    wire && {
      name: wire.Name,
      perOrderAmount: wire.PerOrderAmount,
      perEventAmount: wire.PerEventAmount,
      perItemAmount: wire.PerItemAmount,
      excludedStates: wire.ExcludedStates,
      excludedPostalCodes: wire.ExcludedPostalCodes,
      excludePOBox: wire.ExcludePOBox,
    }
  );
};

function ignore(): void {
  // These parts have no identity: whoever reads the offer misses nothing that could be told.
}
