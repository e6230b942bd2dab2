import { z } from 'zod';
import type { OfferDetail } from '../../deals/offer.ts';
import type { Demand } from '../demand.ts';
import { CatalogHttpError, CatalogSchemaError } from '../errors.ts';
import { readItem, readPhoto, readShippingMethod } from '../parts.ts';
import type { Transport } from '../transport.ts';
import {
  amount,
  anything,
  check,
  dateTime,
  flag,
  flagOrNull,
  link,
  type Parsed,
  parseOne,
  percentage,
  type Reader,
  readList,
  text,
  title,
  uuid,
} from '../wire.ts';

/** Specification: "Portal: Offer (full detail)". */
const wireOffer = z.object({
  Id: uuid,
  EventId: text,
  Title: title,
  FullTitle: text,
  Subtitle: text,
  Teaser: text,
  Slug: text,
  Url: link,
  Features: text,
  Specs: text,
  Snippet: text,
  WriteUpIntro: text,
  WriteUpBody: text,
  ExtendedWarranty: text,
  PurchaseLimit: amount,
  QuantityLimit: amount,
  PercentageRemainingBlurred: percentage,
  IsDealOff: flag,
  IsSoldOut: flag,
  SoldOutOn: dateTime,
  IsOfferLiveNow: flagOrNull,
  Items: anything,
  Photos: anything,
  ShippingMethods: anything,
});

const readOffer: Reader<OfferDetail> = (json, report) => {
  const wire = check(wireOffer, json, report);
  return (
    wire && {
      id: wire.Id,
      eventId: wire.EventId,
      title: wire.Title,
      fullTitle: wire.FullTitle,
      subtitle: wire.Subtitle,
      teaser: wire.Teaser,
      slug: wire.Slug,
      url: wire.Url,
      features: wire.Features,
      specs: wire.Specs,
      snippet: wire.Snippet,
      writeUpIntro: wire.WriteUpIntro,
      writeUpBody: wire.WriteUpBody,
      extendedWarranty: wire.ExtendedWarranty,
      purchaseLimit: wire.PurchaseLimit,
      quantityLimit: wire.QuantityLimit,
      percentageRemaining: wire.PercentageRemainingBlurred,
      isDealOff: wire.IsDealOff,
      isSoldOut: wire.IsSoldOut,
      soldOutOnMs: wire.SoldOutOn,
      isOfferLiveNow: wire.IsOfferLiveNow,
      items: readList(wire.Items, 'Items', readItem, report),
      photos: readList(wire.Photos, 'Photos', readPhoto, report),
      shippingMethods: readList(wire.ShippingMethods, 'ShippingMethods', readShippingMethod, report),
    }
  );
};

/** GET {developer_url}/offers/{offerid}. Rejects with a CatalogHttpError of status 404 where the offer is gone. */
export async function fetchOffer(portal: Transport, id: string, demand: Demand): Promise<Parsed<OfferDetail>> {
  return parseOne(await portal.request({ path: `/offers/${id}` }, demand), 'offer', readOffer);
}

/** An offer, null where it is gone, or why it can't be read. */
export type Found = Parsed<OfferDetail | null> | CatalogSchemaError;

/** POST {developer_url}/getoffers: at most 25 ids. Ids that are gone are silently left out of the answer. */
export async function fetchOffers(
  portal: Transport,
  ids: readonly string[],
  demand: Demand,
): Promise<(id: string) => Found> {
  return findOffers(await portal.request({ path: '/getoffers', body: ids, isTooMuch }, demand));
}

/** Large batches are answered like this by a live deployment. */
export function isTooMuch(error: unknown): boolean {
  return error instanceof CatalogHttpError && (error.status === 500 || error.status === 504);
}

/** How to find an offer in an answer. One that is there and malformed is not gone. */
export function findOffers(json: unknown): (id: string) => Found {
  if (!Array.isArray(json)) throw new CatalogSchemaError("The catalog's answer is no list of offers.");
  const found = new Map<string, Found>();
  let nameless: CatalogSchemaError | null = null;
  for (const item of json as unknown[]) {
    const id = wireId.safeParse(item).data?.Id;
    try {
      const offer = parseOne(item, 'offer', readOffer);
      if (!found.has(offer.value.id)) found.set(offer.value.id, offer);
    } catch (error) {
      if (!(error instanceof CatalogSchemaError)) throw error;
      if (id === undefined) nameless = error;
      else if (!found.has(id)) found.set(id, error);
    }
  }
  return (id) => found.get(id) ?? nameless ?? { value: null, problems: [] };
}

const wireId = wireOffer.pick({ Id: true });
