import { feedKey } from './known-offer.ts';
import type { ResourceKey } from './subscription.ts';

/** Which of the catalog's interfaces a resource is asked from. */
export function interfaceOf(resource: ResourceKey): 'portal' | 'v2' {
  return isFeed(resource) ? 'portal' : 'v2';
}

export function isFeed(resource: ResourceKey): resource is `feed:${string}` {
  return resource.startsWith('feed:');
}

/** The name of a feed as the catalog spells it. */
export function feedName(resource: `feed:${string}`): string {
  return resource.slice('feed:'.length);
}

/** The same for each spelling of a feed's name. */
export function sameResource(resource: ResourceKey): ResourceKey {
  return isFeed(resource) ? `feed:${feedKey(feedName(resource))}` : resource;
}
