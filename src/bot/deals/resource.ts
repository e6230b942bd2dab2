import { feedKey } from './known-offer.ts';
import type { ResourceKey } from './subscription.ts';

/** The interface of the catalog that serves a resource. */
export function interfaceOf(resource: ResourceKey): 'portal' | 'v2' {
  return isFeed(resource) ? 'portal' : 'v2';
}

export function isFeed(resource: ResourceKey): resource is `feed:${string}` {
  return resource.startsWith('feed:');
}

/** The feed's name in the catalog's spelling. */
export function feedName(resource: `feed:${string}`): string {
  return resource.slice('feed:'.length);
}

/** Normalises a resource key: feed names are matched without regard to case. */
export function sameResource(resource: ResourceKey): ResourceKey {
  return isFeed(resource) ? `feed:${feedKey(feedName(resource))}` : resource;
}
