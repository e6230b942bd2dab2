import type { Catalog } from '../../catalog/catalog.ts';
import { remainingFor } from '../../catalog/throttle/rate-budget.ts';
import type { Announcement, EntityKey } from '../../deals/announcement.ts';
import type { Decision } from '../../deals/decision.ts';
import { filterOf } from '../../deals/filter-of.ts';
import { feedKey } from '../../deals/known-offer.ts';
import type { Preview } from '../../deals/preview.ts';
import type { Setting } from '../../deals/settings.ts';
import { feedName, interfaceOf, isFeed, resourceOf, type Subscription } from '../../deals/subscription.ts';
import type { OfferBook } from '../../offers/offer-book.ts';
import type { Clock } from '../../shared/clock.ts';
import type { Records } from '../../store/store.ts';
import type { CurrentState } from '../current-state.ts';
import type { Deliverer } from '../deliver/deliverer.ts';
import { MOST_PUBLISHED_PER_HOUR, nextPostAtMs } from '../deliver/plan.ts';
import { entityKey, partOf } from '../kinds/index.ts';
import type { Poller } from '../poll/poller.ts';
import { decide, type Ended, type Facts, kindsById, postableOf, type SourceFacts } from './decide.ts';
import { pastOfEntities, preview } from './dry-run.ts';
import { type PostedFor, postedFor } from './posted-for.ts';

/** Explains in retrospect why something was or was not announced. It makes no catalog requests. */
export interface Explainer {
  /** Rejects with a StoreError. */
  why(offerId: string, subscription: Subscription): Promise<Decision>;
  /** The announcement of the offer that can be posted now, as in `postableOf`. Rejects with a StoreError. */
  postable(offerId: string, subscription: Subscription): Promise<Announcement | null>;
  /** The announcements that the last seven days would have brought. Rejects with a StoreError. */
  preview(subscription: Subscription): Promise<Preview>;
  /** As `postedFor`. Rejects with a StoreError. */
  postedFor(thing: EntityKey, deliveryId: string): Promise<PostedFor | null>;
}

export interface ExplainerParts {
  store: Records;
  /** All those that a subscription can have. */
  settings: readonly Setting[];
  deliverer: Pick<Deliverer, 'publishingOf' | 'setAside' | 'isPublishedOnly' | 'mentions'>;
  offers: Pick<OfferBook, 'all' | 'get'>;
  currentState: Pick<CurrentState, 'seen'>;
  poller: Pick<Poller, 'status'>;
  catalog: Pick<Catalog, 'quota'>;
  clock: Clock;
}

export function createExplainer(parts: ExplainerParts): Explainer {
  return {
    why: async (offerId, subscription) => decide(await factsOf(offerId, subscription, parts)),
    postable: async (offerId, subscription) => postableOf(await factsOf(offerId, subscription, parts)),
    preview: (subscription) => preview(subscription, { ...parts, mentions: parts.deliverer.mentions }),
    postedFor: (thing, id) => postedFor(thing, id, parts),
  };
}

async function factsOf(offerId: string, subscription: Subscription, parts: ExplainerParts): Promise<Facts> {
  const { store, settings, offers, clock } = parts;
  const { resources, deliveries, posts } = store;
  const { channelId, source } = subscription;
  const known = offers.get(offerId);
  const inEvents = (await pastOfEntities(resourceOf(source), parts)).filter(
    ({ announcement }) => partOf(announcement) === offerId,
  );
  const ids = kindsById({ known, inEvents, subscription, offerId }).keys();
  const ended = await Promise.all([...ids].map((id) => endOf(id, deliveries)));
  const things: EntityKey[] = [`offer:${offerId}`, ...inEvents.map(({ announcement }) => entityKey(announcement))];
  const standing = [...(await posts.about(things)).values()].flat();
  const here = standing.filter((post) => post.channelId === channelId && post.announcement.subject === offerId);
  const messageIds = [...here, ...ended.flatMap((end) => end?.[1].entry ?? [])].map(({ messageId }) => messageId);
  return {
    offerId,
    subscription,
    settings,
    filter: filterOf(subscription, settings),
    known,
    inEvents,
    feedNames: feedNames(resources),
    source: sourceFacts(subscription, parts),
    pending: [...deliveries.pending(channelId), ...deliveries.pendingMembers(channelId)],
    freeAtMs: freeAtMs(subscription, parts),
    isPostingPaused: store.postingPause.sinceMs() !== null,
    ended: new Map(ended.filter((end) => end !== null)),
    posts: here,
    unpublished: await unpublishedOf(channelId, messageIds, parts),
    setAside: parts.deliverer.setAside().filter((one) => one.channelId === channelId),
    mentions: parts.deliverer.mentions,
    nowMs: clock.now(),
  };
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

/** How one of these messages waits to be published, or that it was left unpublished; null where neither is so. */
async function unpublishedOf(
  channelId: string,
  messageIds: readonly (string | null)[],
  { store, deliverer }: ExplainerParts,
): Promise<Facts['unpublished']> {
  const waiting = store.publications.pending(channelId).find(({ messageId }) => messageIds.includes(messageId));
  if (waiting) {
    const publishing = deliverer.publishingOf(channelId);
    if (!publishing) return null;
    const { nextAtMs, because } = publishing;
    return { step: 'unpublished', because, sinceMs: waiting.queuedAtMs, nextAtMs };
  }
  const [left] = (await store.unpublished.among(messageIds.filter((id) => id !== null))).values();
  if (!left) return null;
  return { step: 'left-unpublished', because: left.because, sinceMs: left.queuedAtMs, atMs: left.atMs };
}

function feedNames(resources: Records['resources']): Map<string, string> {
  const names = resources.keys().filter(isFeed).map(feedName);
  return new Map(names.map((name) => [feedKey(name), name]));
}

/** When the channel's hourly limit allows the next post: epoch milliseconds, in the past where it allows one now. */
function freeAtMs({ channelId, mostPerHour }: Subscription, { store, deliverer, clock }: ExplainerParts): number {
  const tries = store.rateLog.recent(`post/${channelId}`, clock.now());
  const posted = tries.filter(({ id }) => !store.deliveries.isPending(id));
  if (!deliverer.isPublishedOnly(channelId)) return nextPostAtMs(posted, mostPerHour);
  const publishedAtMs = deliverer.publishingOf(channelId)?.nextAtMs ?? 0;
  return Math.max(nextPostAtMs(posted, Math.min(mostPerHour, MOST_PUBLISHED_PER_HOUR)), publishedAtMs);
}

async function endOf(id: string, deliveries: Records['deliveries']): Promise<[string, Ended] | null> {
  const entry = await deliveries.ended(id);
  if (!entry) return null;
  const rollUp = entry.rollUpId === null ? undefined : await deliveries.findRollUp(entry.rollUpId);
  const matches = rollUp?.members.find(({ deliveryId }) => deliveryId === id)?.matches ?? null;
  return [id, { entry, matches }];
}
