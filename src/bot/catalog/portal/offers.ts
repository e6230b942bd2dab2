import { z } from 'zod';
import type { OfferDetail } from '../../deals/offer.ts';
import type { Demand } from '../demand.ts';
import { CatalogHttpError, CatalogSchemaError } from '../errors.ts';
import { LIMITS } from '../limits.ts';
import { readItem, readPhoto, readShippingMethod } from '../parts.ts';
import type { Transport } from '../transport.ts';
import {
  check,
  idIn,
  type Parsed,
  parseOne,
  type Reader,
  readAmount,
  readFlag,
  readFlagOrNull,
  readLink,
  readList,
  readPercentage,
  readText,
  title,
  uuid,
} from '../wire.ts';

/** Specification: "Portal: Offer (full detail)". */
const wireOffer = z.looseObject({
  Id: uuid,
  Title: title,
});

const readOffer: Reader<OfferDetail> = (json, report) => {
  const wire = check(wireOffer, json, report);
  return (
    wire && {
      id: wire.Id,
      eventId: readText(wire['EventId']),
      title: wire.Title,
      fullTitle: readText(wire['FullTitle']),
      subtitle: readText(wire['Subtitle']),
      teaser: readText(wire['Teaser']),
      url: readLink(wire['Url']),
      features: readText(wire['Features']),
      specs: readText(wire['Specs']),
      snippet: readText(wire['Snippet']),
      writeUpIntro: readText(wire['WriteUpIntro']),
      writeUpBody: readText(wire['WriteUpBody']),
      extendedWarranty: readText(wire['ExtendedWarranty']),
      purchaseLimit: readAmount(wire['PurchaseLimit']),
      percentageRemaining: readPercentage(wire['PercentageRemainingBlurred']),
      isDealOff: readFlag(wire['IsDealOff']),
      isSoldOut: readFlag(wire['IsSoldOut']),
      isOfferLiveNow: readFlagOrNull(wire['IsOfferLiveNow']),
      items: readList(wire['Items'], 'Items', readItem, report),
      photos: readList(wire['Photos'], 'Photos', readPhoto, report),
      shippingMethods: readList(wire['ShippingMethods'], 'ShippingMethods', readShippingMethod, report),
    }
  );
};

/**
 * GET {developer_url}/offers/{offerid}. Rejects with a CatalogHttpError of status 404 where the offer no longer exists.
 */
export async function fetchOffer(portal: Transport, id: string, demand: Demand): Promise<Parsed<OfferDetail>> {
  return parseOne(await portal.request({ path: `/offers/${id}` }, demand), 'offer', readOffer);
}

/** An offer, null where it no longer exists, or the error where it can't be read. */
export type Found = Parsed<OfferDetail | null> | CatalogSchemaError;

/**
 * POST {developer_url}/getoffers: at most 25 ids. Ids of offers that no longer exist are silently left out of the
 * answer.
 */
export async function fetchOffers(
  portal: Transport,
  ids: readonly string[],
  demand: Demand,
): Promise<(id: string) => Found> {
  return findOffers(await portal.request({ path: '/getoffers', body: ids, isTooMuch }, demand));
}

/** Whether the status is one with which a live deployment answers batches that are too large. */
export function isTooMuch(error: unknown): boolean {
  return error instanceof CatalogHttpError && (error.status === 500 || error.status === 504);
}

/** Finds an offer in an answer by its id. A malformed offer is not taken for a missing one. */
export function findOffers(json: unknown): (id: string) => Found {
  if (!Array.isArray(json)) throw new CatalogSchemaError("The catalog's answer is no list of offers.");
  const found = new Map<string, Found>();
  let nameless: CatalogSchemaError | null = null;
  for (const item of json.slice(0, LIMITS.entities) as unknown[]) {
    const id = idIn(item);
    try {
      const offer = parseOne(item, 'offer', readOffer);
      if (!found.has(offer.value.id)) found.set(offer.value.id, offer);
    } catch (error) {
      if (!(error instanceof CatalogSchemaError)) throw error;
      if (id === null) nameless = error;
      else if (!found.has(id)) found.set(id, error);
    }
  }
  return (id) => found.get(id) ?? nameless ?? { value: null, problems: [] };
}
