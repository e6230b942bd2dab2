import type { Backend } from '../../shared/storage/backend.ts';
import type { PastListing } from '../deals/announcement.ts';
import type { KnownOffer } from '../deals/known-offer.ts';
import { rowReader, sweep } from './rows.ts';

/**
 * The rows per write. Other work runs between writes, and the C library never releases the memory of the largest one.
 */
const CHUNK_ROWS = 200;

/** The record of each offer: one row per offer, across feeds. */
export interface OfferStore {
  all(): AsyncIterable<KnownOffer>;
  list(): Promise<KnownOffer[]>;
  /** After an interruption, some records may be saved and others not. */
  save(records: readonly KnownOffer[]): Promise<void>;
  remove(ids: readonly string[]): Promise<void>;
}

/** The last listing of each product, so that offers need not be kept to recognise a product that comes back. */
export interface ProductStore {
  /** The last listings of these products, where there is one; the keys are as `productKey` makes them. */
  among(products: readonly string[]): Promise<Map<string, PastListing>>;
  save(listings: ReadonlyMap<string, PastListing>): Promise<void>;
  /** Forgets listings that ended before that moment. */
  sweep(beforeMs: number): Promise<void>;
}

const readOffer = rowReader<KnownOffer>([1], {
  offer: 'object',
  firstSeenMs: 'number',
  feeds: 'object',
  prices: 'list',
});

type ListingRow = PastListing & { version: 1 };
const readListing = rowReader<ListingRow>([1], { offerId: 'string', endedAtMs: 'number' });

export function openOffers(backend: Backend): OfferStore {
  const table = backend.table<KnownOffer>('offers', { read: readOffer });
  async function* all(): AsyncGenerator<KnownOffer, void> {
    for await (const [, record] of table.entries()) yield record;
  }
  return {
    all,
    async list() {
      const records: KnownOffer[] = [];
      for await (const record of all()) records.push(record);
      return records;
    },
    async save(records) {
      for (let start = 0; start < records.length; start += CHUNK_ROWS) {
        const chunk = records.slice(start, start + CHUNK_ROWS);
        await table.setMany(chunk.map((record) => [record.offer.id, record]));
      }
    },
    remove: (ids) => table.deleteMany(ids),
  };
}

export function openProducts(backend: Backend): ProductStore {
  const table = backend.table<ListingRow>('products', { read: readListing });
  return {
    async among(products) {
      const rows = await table.getMany(products);
      return new Map(
        products.flatMap((product, index) => {
          const row = rows[index];
          return row ? [[product, row] as const] : [];
        }),
      );
    },
    save: (listings) => table.setMany([...listings].map(([product, listing]) => [product, { version: 1, ...listing }])),
    sweep: (beforeMs) => sweep(table, ({ endedAtMs }) => endedAtMs < beforeMs),
  };
}
