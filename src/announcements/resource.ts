import type { CallOptions, Catalog } from '../catalog/catalog.ts';
import type { Announcement } from '../deals/announcement.ts';
import type { ResourceKey } from '../deals/subscription.ts';
import type { OfferBook } from '../offers/offer-book.ts';
import { KINDS } from './kinds/index.ts';

/** What a resource holds, each thing as the announcement it would make. */
export interface Sighting {
  announcements: Announcement[];
  fetchedAtMs: number;
  isStale: boolean;
}

/** Which of the catalog's interfaces a resource is asked from. */
export function interfaceOf(resource: ResourceKey): 'portal' | 'v2' {
  return resource.startsWith('feed:') ? 'portal' : 'v2';
}

/** Reads a resource whole. Rejects with a CatalogError. */
export async function readResource(
  resource: ResourceKey,
  catalog: Catalog,
  offers: OfferBook,
  options: CallOptions,
): Promise<Sighting> {
  if (resource === 'events') {
    const { value, ...answer } = await catalog.events.list({}, options);
    return { ...answer, announcements: value.map((event) => KINDS['event-started'].announce(event)) };
  }
  if (resource === 'dealcasts') {
    const { value, ...answer } = await catalog.dealcasts.list(options);
    return { ...answer, announcements: value.map((dealcast) => KINDS['new-dealcast'].announce(dealcast)) };
  }
  const { value, ...answer } = await offers.feed(resource.slice('feed:'.length), options);
  return { ...answer, announcements: value.offers.map((offer) => KINDS['new-offer'].announce(offer)) };
}
