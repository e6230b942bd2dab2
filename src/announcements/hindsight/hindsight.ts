import type { Catalog } from '../../catalog/catalog.ts';
import { remainingFor } from '../../catalog/throttle/quota.ts';
import type { Clock } from '../../clock.ts';
import type { Decision } from '../../deals/decision.ts';
import { parseFilter } from '../../deals/filter/index.ts';
import { feedKey } from '../../deals/known-offer.ts';
import { resourceOf, type Subscription } from '../../deals/subscription.ts';
import type { OfferBook } from '../../offers/offer-book.ts';
import type { Store } from '../../store/store.ts';
import { freeAt } from '../delivery/plan.ts';
import type { Poster } from '../poster.ts';
import { feedName, interfaceOf, isFeed } from '../resource.ts';
import { decide, idsOf, type SourceFacts } from './decide.ts';
import type { Ended } from './outcomes.ts';

/** Answers afterwards why something was announced or was not. Spends nothing of the catalog's quota. */
export interface Hindsight {
  /** Rejects with a StoreError. */
  why(offerId: string, subscription: Subscription): Promise<Decision>;
}

export interface HindsightParts {
  store: Pick<Store, 'resources' | 'deliveries' | 'posts' | 'paces'>;
  offers: Pick<OfferBook, 'get'>;
  poster: Pick<Poster, 'status'>;
  catalog: Pick<Catalog, 'quota'>;
  clock: Clock;
}

export function createHindsight({ store, offers, poster, catalog, clock }: HindsightParts): Hindsight {
  const { resources, deliveries, posts, paces } = store;

  function sourceFacts({ source }: Subscription): SourceFacts {
    const resource = resourceOf(source);
    const record = resources.get(resource);
    const status = poster.status().resources.find((candidate) => candidate.resource === resource);
    const { spent, limit, resetsAtMs } = catalog.quota()[interfaceOf(resource)];
    return {
      firstSeenMs: record?.firstSeenMs ?? null,
      polledAtMs: record?.polledAtMs ?? null,
      isCutOff: record?.isCutOff ?? false,
      failingSinceMs: status?.failure?.sinceMs ?? null,
      spentUntilMs: remainingFor('announcement', spent, limit) > 0 ? null : resetsAtMs,
    };
  }

  function feedNames(): Map<string, string> {
    const names = resources.keys().filter(isFeed).map(feedName);
    return new Map(names.map((name) => [feedKey(name), name]));
  }

  /** When the channel's hour has room for a post: the past where it has some. */
  function freeAtMs({ channelId, mostPerHour }: Subscription): number {
    const tries = paces.of(`post/${channelId}`, clock.now());
    return freeAt(
      tries.filter(({ id }) => !deliveries.isPending(id)),
      mostPerHour,
    );
  }

  async function endOf(id: string): Promise<[string, Ended] | null> {
    const entry = await deliveries.ended(id);
    if (!entry) return null;
    const rollUp = entry.rollUpId === null ? undefined : await deliveries.findRollUp(entry.rollUpId);
    const matches = rollUp?.members.find(({ deliveryId }) => deliveryId === id)?.matches ?? null;
    return [id, { entry, matches }];
  }

  return {
    async why(offerId, subscription) {
      const { channelId } = subscription;
      const parsed = parseFilter(subscription.filter);
      const known = offers.get(offerId);
      const ended = await Promise.all(idsOf({ known, subscription, offerId }).map(endOf));
      const standing = await posts.of(`offer:${offerId}`);
      return decide({
        offerId,
        subscription,
        filter: parsed.ok ? parsed.filter : null,
        known,
        feedNames: feedNames(),
        source: sourceFacts(subscription),
        pending: deliveries.pending(channelId),
        rollUp: deliveries.pendingRollUp(channelId),
        freeAtMs: freeAtMs(subscription),
        ended: new Map(ended.filter((end) => end !== null)),
        posts: standing.filter((post) => post.channelId === channelId),
        nowMs: clock.now(),
      });
    },
  };
}
