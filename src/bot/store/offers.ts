import type { Backend } from '../../shared/storage/backend.ts';
import type { PastListing } from '../deals/announcement.ts';
import type { KnownOffer } from '../deals/known-offer.ts';
import { rowReader, sweep } from './rows.ts';

/** Rows that are written at a time: others get their turn in between, and the C library keeps what the largest one took. */
const CHUNK_ROWS = 200;

/** What is known of each offer: one row for an offer, over all feeds. */
export interface OfferStore {
  all(): AsyncIterable<KnownOffer>;
  /** Cut off in between, some are kept and some are not. */
  save(records: readonly KnownOffer[]): Promise<void>;
  remove(ids: readonly string[]): Promise<void>;
}

/** How each product was sold the last time, so that what is known of an offer need not be kept for that. */
export interface ProductStore {
  /** The last listings of those products that have one; the keys are as `productKey` makes them. */
  among(products: readonly string[]): Promise<Map<string, PastListing>>;
  save(listings: ReadonlyMap<string, PastListing>): Promise<void>;
  /** Forgets what ended before a moment. */
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
  return {
    async *all() {
      for await (const [, record] of table.entries()) yield record;
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
