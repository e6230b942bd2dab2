import type { Answer, CallOptions, Catalog } from '../../catalog/catalog.ts';
import type { Announcement } from '../../deals/announcement.ts';
import type { Feed } from '../../deals/offer.ts';
import { feedName, isFeed, type ResourceKey } from '../../deals/subscription.ts';
import { KINDS } from '../kinds/index.ts';

/** The contents of a resource: a feed's offers, or each other entity as the announcement it would make. */
export type PollResponse = Answer<Feed | Announcement[]>;

/** Reads a whole resource. Rejects with a CatalogError. */
export async function readResource(
  resource: ResourceKey,
  catalog: Catalog,
  options: CallOptions,
): Promise<PollResponse> {
  if (isFeed(resource)) return catalog.feeds.get(feedName(resource), options);
  switch (resource) {
    case 'events':
      return announced(await catalog.events.list(options), (item) => KINDS['event-started'].announce(item));
    case 'dealcasts':
      return announced(await catalog.dealcasts.list(options), (item) => KINDS['new-dealcast'].announce(item));
    case 'polls':
      return announced(await catalog.polls.list(options), (item) => KINDS['new-poll'].announce(item));
    case 'monkeychats':
      return announced(await catalog.monkeychats.list(options), (item) => KINDS['new-monkeychat'].announce(item));
  }
}

function announced<T>(answer: Answer<T[]>, announce: (item: T) => Announcement): Answer<Announcement[]> {
  return { ...answer, value: answer.value.map(announce) };
}
