import { setImmediate } from 'node:timers/promises';
import type { Catalog } from '../../catalog/catalog.ts';
import { remainingFor } from '../../catalog/throttle/rate-budget.ts';
import type { Announcement, EntityKey } from '../../deals/announcement.ts';
import type { Decision } from '../../deals/decision.ts';
import { type Filter, parseFilter } from '../../deals/filter/index.ts';
import { feedKey } from '../../deals/known-offer.ts';
import type { Preview } from '../../deals/preview.ts';
import {
  feedName,
  interfaceOf,
  isFeed,
  type ResourceKey,
  resourceOf,
  type Subscription,
} from '../../deals/subscription.ts';
import type { OfferBook } from '../../offers/offer-book.ts';
import type { Clock } from '../../shared/clock.ts';
import type { Store } from '../../store/store.ts';
import type { CurrentState } from '../current-state.ts';
import { nextPostAtMs } from '../deliver/plan.ts';
import { entityKey, knownAs, partOf, partsOf } from '../kinds/index.ts';
import type { Poller } from '../poll/poller.ts';
import { decide, type Facts, idsOf, postableOf, type SeenEntity, type SourceFacts } from './decide.ts';
import type { Ended } from './outcomes.ts';
import { announcementsOfEntity, announcementsOfOffer, previewDays, previewOf } from './preview.ts';

/** Explains in retrospect why something was or was not announced. It makes no catalog requests. */
export interface Explainer {
  /** Rejects with a StoreError. */
  why(offerId: string, subscription: Subscription): Promise<Decision>;
  /** The announcement of the offer that can be posted now, as in `postableOf`. Rejects with a StoreError. */
  postable(offerId: string, subscription: Subscription): Promise<Announcement | null>;
  /** The announcements that the last seven days would have brought. Rejects with a StoreError. */
  preview(subscription: Subscription): Promise<Preview>;
}

export interface ExplainerParts {
  store: Pick<Store, 'resources' | 'known' | 'deliveries' | 'posts' | 'paces' | 'postingPause'>;
  offers: Pick<OfferBook, 'all' | 'get'>;
  currentState: Pick<CurrentState, 'seen'>;
  poller: Pick<Poller, 'status'>;
  catalog: Pick<Catalog, 'quota'>;
  clock: Clock;
}

const OFFERS_AT_A_TIME = 500;

export function createExplainer(parts: ExplainerParts): Explainer {
  return {
    why: async (offerId, subscription) => decide(await factsOf(offerId, subscription, parts)),
    postable: async (offerId, subscription) => postableOf(await factsOf(offerId, subscription, parts)),
    preview: (subscription) => preview(subscription, parts),
  };
}

async function factsOf(offerId: string, subscription: Subscription, parts: ExplainerParts): Promise<Facts> {
  const { store, offers, clock } = parts;
  const { resources, deliveries, posts } = store;
  const { channelId, source } = subscription;
  const known = offers.get(offerId);
  const inEvents = (await entitiesOf(resourceOf(source), parts)).filter(
    ({ announcement }) => partOf(announcement) === offerId,
  );
  const ids = idsOf({ known, inEvents, subscription, offerId });
  const ended = await Promise.all(ids.map((id) => endOf(id, deliveries)));
  const things: EntityKey[] = [`offer:${offerId}`, ...inEvents.map(({ announcement }) => entityKey(announcement))];
  const standing = [...(await posts.about(things)).values()].flat();
  return {
    offerId,
    subscription,
    filter: filterOf(subscription),
    known,
    inEvents,
    feedNames: feedNames(resources),
    source: sourceFacts(subscription, parts),
    pending: deliveries.pending(channelId),
    rollUp: deliveries.pendingRollUp(channelId),
    freeAtMs: freeAtMs(subscription, parts),
    isPostingPaused: store.postingPause.sinceMs() !== null,
    ended: new Map(ended.filter((end) => end !== null)),
    posts: standing.filter((post) => post.channelId === channelId && post.announcement.subject === offerId),
    nowMs: clock.now(),
  };
}

/** The parts of a preview. */
export interface PreviewParts {
  store: Pick<Store, 'resources' | 'known'>;
  offers: Pick<OfferBook, 'all'>;
  currentState: Pick<CurrentState, 'seen'>;
  clock: Pick<Clock, 'now'>;
}

/** The announcements that the last seven days would have brought. Rejects with a StoreError. */
export async function preview(subscription: Subscription, parts: PreviewParts): Promise<Preview> {
  const nowMs = parts.clock.now();
  const record = parts.store.resources.get(resourceOf(subscription.source));
  const context = {
    subscription,
    filter: filterOf(subscription),
    source: {
      firstSeenMs: record?.firstSeenMs ?? null,
      polledAtMs: record?.polledAtMs ?? null,
      isCutOff: record?.isCutOff ?? false,
    },
    dayStartsMs: previewDays(subscription, nowMs),
    nowMs,
  };
  const entities = await entitiesOf(resourceOf(subscription.source), parts);
  const announcements = entities.flatMap((entity) => announcementsOfEntity(context, entity));
  const all = [...parts.offers.all()];
  for (let start = 0; start < all.length; start += OFFERS_AT_A_TIME) {
    const some = all.slice(start, start + OFFERS_AT_A_TIME);
    announcements.push(...some.flatMap((offer) => announcementsOfOffer(context, offer)));
    // Lets other work run in between.
    await setImmediate();
  }
  return previewOf(context, announcements);
}

function sourceFacts({ source }: Subscription, { store, poller, catalog }: ExplainerParts): SourceFacts {
  const resource = resourceOf(source);
  const record = store.resources.get(resource);
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

function feedNames(resources: Store['resources']): Map<string, string> {
  const names = resources.keys().filter(isFeed).map(feedName);
  return new Map(names.map((name) => [feedKey(name), name]));
}

/** When the channel's hourly limit allows the next post: epoch milliseconds, in the past where it allows one now. */
function freeAtMs({ channelId, mostPerHour }: Subscription, { store, clock }: ExplainerParts): number {
  const tries = store.paces.of(`post/${channelId}`, clock.now());
  return nextPostAtMs(
    tries.filter(({ id }) => !store.deliveries.isPending(id)),
    mostPerHour,
  );
}

async function endOf(id: string, deliveries: Store['deliveries']): Promise<[string, Ended] | null> {
  const entry = await deliveries.ended(id);
  if (!entry) return null;
  const rollUp = entry.rollUpId === null ? undefined : await deliveries.findRollUp(entry.rollUpId);
  const matches = rollUp?.members.find(({ deliveryId }) => deliveryId === id)?.matches ?? null;
  return [id, { entry, matches }];
}

/**
 * The known entities of a non-feed resource and the announcements about their parts; none until it was polled since the
 * start.
 */
async function entitiesOf(resource: ResourceKey, { store, currentState }: PreviewParts): Promise<SeenEntity[]> {
  const seen = currentState.seen(resource)?.announcements ?? [];
  const announcements = [...seen, ...seen.flatMap(partsOf)];
  const records = await store.known.among(resource, announcements.map(knownAs));
  return announcements.flatMap((announcement) => {
    const record = records.get(knownAs(announcement));
    return record ? [{ announcement, firstSeenMs: record.firstSeenMs }] : [];
  });
}

function filterOf({ filter }: Subscription): Filter | null {
  const parsed = parseFilter(filter);
  return parsed.ok ? parsed.filter : null;
}
