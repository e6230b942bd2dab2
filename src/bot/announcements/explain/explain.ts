import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../../../shared/clock.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import { remainingFor } from '../../catalog/throttle/quota.ts';
import type { Decision } from '../../deals/decision.ts';
import { type Filter, parseFilter } from '../../deals/filter/index.ts';
import { feedKey } from '../../deals/known-offer.ts';
import type { Preview } from '../../deals/preview.ts';
import { feedName, interfaceOf, isFeed } from '../../deals/resource.ts';
import { type ResourceKey, resourceOf, type Subscription } from '../../deals/subscription.ts';
import type { OfferBook } from '../../offers/offer-book.ts';
import type { Store } from '../../store/store.ts';
import type { CurrentState } from '../current-state.ts';
import { nextPostAtMs } from '../deliver/hourly-limit.ts';
import type { Poller } from '../poll/poller.ts';
import { decide, idsOf, type SourceFacts } from './decide.ts';
import type { Ended } from './outcomes.ts';
import { type PastThing, previewDays, previewOf, tellingsOfOffer, tellingsOfThing } from './preview.ts';

/** Answers afterwards why something was announced or was not. Spends nothing of the catalog's quota. */
export interface Hindsight {
  /** Rejects with a StoreError. */
  why(offerId: string, subscription: Subscription): Promise<Decision>;
  /** What the last seven days would have announced. Rejects with a StoreError. */
  preview(subscription: Subscription): Promise<Preview>;
}

export interface HindsightParts {
  store: Pick<Store, 'resources' | 'known' | 'deliveries' | 'posts' | 'paces'>;
  offers: Pick<OfferBook, 'all'>;
  currentState: Pick<CurrentState, 'offer' | 'seen'>;
  poller: Pick<Poller, 'status'>;
  catalog: Pick<Catalog, 'quota'>;
  clock: Clock;
}

const OFFERS_AT_A_TIME = 500;

export function createHindsight({ store, offers, currentState, poller, catalog, clock }: HindsightParts): Hindsight {
  const { resources, known, deliveries, posts, paces } = store;

  function sourceFacts({ source }: Subscription): SourceFacts {
    const resource = resourceOf(source);
    const record = resources.get(resource);
    const status = poller.status().resources.find((candidate) => candidate.resource === resource);
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
    return nextPostAtMs(
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

  /** What a resource that is no feed is known to hold; nothing until it has been looked at since the start. */
  async function thingsOf(resource: ResourceKey): Promise<PastThing[]> {
    const announcements = currentState.seen(resource)?.announcements ?? [];
    const records = await known.among(
      resource,
      announcements.map(({ subject }) => subject),
    );
    return announcements.flatMap((announcement) => {
      const record = records.get(announcement.subject);
      return record ? [{ announcement, firstSeenMs: record.firstSeenMs }] : [];
    });
  }

  return {
    async why(offerId, subscription) {
      const { channelId } = subscription;
      const offer = currentState.offer(offerId);
      const ended = await Promise.all(idsOf({ known: offer, subscription, offerId }).map(endOf));
      const standing = await posts.of(`offer:${offerId}`);
      return decide({
        offerId,
        subscription,
        filter: filterOf(subscription),
        known: offer,
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
    async preview(subscription) {
      const nowMs = clock.now();
      const wish = {
        subscription,
        filter: filterOf(subscription),
        source: sourceFacts(subscription),
        dayStartsMs: previewDays(subscription, nowMs),
        nowMs,
      };
      const tellings = (await thingsOf(resourceOf(subscription.source))).flatMap((thing) =>
        tellingsOfThing(wish, thing),
      );
      const all = [...offers.all()];
      for (let start = 0; start < all.length; start += OFFERS_AT_A_TIME) {
        const some = all.slice(start, start + OFFERS_AT_A_TIME);
        tellings.push(...some.flatMap((offer) => tellingsOfOffer(wish, offer)));
        // Others get their turn in between.
        await setImmediate();
      }
      return previewOf(wish, tellings);
    },
  };
}

function filterOf({ filter }: Subscription): Filter | null {
  const parsed = parseFilter(filter);
  return parsed.ok ? parsed.filter : null;
}
