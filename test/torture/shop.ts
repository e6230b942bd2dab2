import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CatalogContent } from '../../src/catalog-service/content.ts';
import { createRecorded } from '../../src/catalog-service/recorded.ts';

/** A catalog with one feed, to which offers that never end are added. */
export interface Shop {
  content: CatalogContent;
  /** Adds one and returns its id. */
  addOffer(): string;
}

export const FEED = 'Home';

/** @param directory an empty folder */
export function createShop(directory: string): Shop {
  const items: object[] = [];
  mkdirSync(join(directory, 'feeds'), { recursive: true });
  const path = join(directory, 'feeds', `${FEED}.json`);

  /** In one step: a reader never sees half a feed. */
  function write(): void {
    writeFileSync(`${path}.next`, JSON.stringify({ Items: items, MarketingName: FEED, TotalPages: 1 }));
    renameSync(`${path}.next`, path);
  }

  write();
  return {
    content: createRecorded({ directory }),
    addOffer() {
      const id = `00000000-0000-4000-8000-${String(items.length + 1).padStart(12, '0')}`;
      items.push({
        OfferId: id,
        Title: `Offer ${items.length + 1}`,
        Url: `https://www.example.com/offers/${items.length + 1}`,
        StartDate: new Date().toISOString(),
        SalePrice: { Minimum: 1, Maximum: 1 },
      });
      write();
      return id;
    },
  };
}
