import type { Answer, CallOptions, Catalog } from '../../catalog/catalog.ts';
import type { Announcement } from '../../deals/announcement.ts';
import type { Feed } from '../../deals/offer.ts';
import { feedName, isFeed, type ResourceKey } from '../../deals/subscription.ts';
import { announcementIn } from '../kinds/index.ts';

/** The contents of a resource: a feed's offers, or each other entity as the announcement it would make. */
export type PollResponse = Answer<Feed | Announcement[]>;

/** Reads a whole resource. Rejects with a CatalogError. */
export async function readResource(
  resource: ResourceKey,
  catalog: Catalog,
  options: CallOptions,
): Promise<PollResponse> {
  if (isFeed(resource)) return catalog.feeds.get(feedName(resource), options);
  const answer = await catalog[resource].list(options);
  return { ...answer, value: answer.value.map((item) => announcementIn(resource, item)) };
}
