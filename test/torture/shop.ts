import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CatalogContent } from '../../src/catalog-service/content.ts';
import { createRecorded } from '../../src/catalog-service/recorded.ts';
import type { Clock } from '../../src/clock.ts';

/** A catalog with one feed, to which offers that never end are added. */
export interface Shop {
  content: CatalogContent;
  addOffer(): void;
  /** The address of every offer, by which it is known in a post. */
  addresses(): string[];
}

export const FEED = 'Home';

/** @param directory an empty folder */
export function createShop(directory: string, clock: Clock): Shop {
  const items: { Url: string }[] = [];
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
      const number = items.length + 1;
      const offer = {
        OfferId: `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`,
        Title: `Offer ${number}`,
        Url: `https://www.example.com/offers/${number}`,
        StartDate: new Date(clock.now()).toISOString(),
        SalePrice: { Minimum: 1, Maximum: 1 },
      };
      items.push(offer);
      write();
    },
    addresses: () => items.map(({ Url }) => Url),
  };
}
