import type { SitePrefix } from '../v2/schemas.ts';
import type { Listing } from './listing.ts';
import { productOf } from './product.ts';

/** The domain of the simulated store, reserved for examples. */
export const SITE_DOMAIN = 'example.com';

export const siteOf = (prefix: SitePrefix) => `${prefix}.${SITE_DOMAIN}`;

/** The slug of a product's URL; that of a relist ends in a counter. */
export function slugOf(listing: Listing): string {
  const { slug } = productOf(listing);
  return listing.edition === 1 ? slug : `${slug}-${listing.edition - 1}`;
}

export function offerUrl(listing: Listing): string {
  return `https://${siteOf(listing.category.sitePrefix)}/offers/${slugOf(listing)}`;
}

/** @param id UUID of the thing that is discussed */
export function forumUrl(id: string): string {
  return `https://forums.${SITE_DOMAIN}/t/${Number.parseInt(id.slice(0, 6), 16) + 1_000_000}`;
}

/** @param origin of the service, for example `http://127.0.0.1:4100` */
export function pictureUrl(origin: string, picture: string): string {
  return `${origin}/photos/${picture}.svg`;
}
