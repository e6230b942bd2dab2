import { z } from 'zod';
import type { PastListing } from '../deals/announcement.ts';
import type { KnownOffer } from '../deals/known-offer.ts';
import { foundOf } from './known.ts';
import { fields, type Kind, LIST, OBJECT } from './table/kind.ts';
import type { Changes, State } from './table/state.ts';

/** The record of each offer, over all feeds that hold it. All of them are in memory, in the offer book. */
export interface OfferStore {
  list(): Promise<KnownOffer[]>;
  save(changes: Changes, records: readonly KnownOffer[]): void;
  remove(changes: Changes, ids: readonly string[]): void;
}

/** The last listing of each product, so that offers need not be kept to recognise a product that comes back. */
export interface ProductStore {
  /** The last listings of these products, where there is one; the keys are as `productKey` makes them. */
  among(products: readonly string[]): Promise<Map<string, PastListing>>;
  save(changes: Changes, listings: ReadonlyMap<string, PastListing>): void;
}

const OFFER: Kind<KnownOffer> = {
  name: 'offer',
  read: fields<KnownOffer>({ offer: OBJECT, firstSeenMs: z.number(), feeds: OBJECT, prices: LIST }),
};

export const PRODUCT: Kind<PastListing> = {
  name: 'product',
  read: fields<PastListing>({ offerId: z.string(), endedAtMs: z.number() }),
  kept: { ms: 180 * 24 * 3_600_000, since: ({ endedAtMs }) => endedAtMs },
};

export function openOffers(state: State): OfferStore {
  return {
    async list() {
      const records: KnownOffer[] = [];
      for await (const [, record] of state.entries(OFFER)) records.push(record);
      return records;
    },
    save(changes, records) {
      for (const record of records) changes.set(OFFER, record.offer.id, record);
    },
    remove(changes, ids) {
      for (const id of ids) changes.delete(OFFER, id);
    },
  };
}

export function openProducts(state: State): ProductStore {
  return {
    among: async (products) => foundOf(products, await state.getMany(PRODUCT, products)),
    save(changes, listings) {
      for (const [product, listing] of listings) changes.set(PRODUCT, product, listing);
    },
  };
}
