import type { Announcement, EntityKey } from '../deals/announcement.ts';
import { isOverForGood, shownOffer } from '../deals/known-offer.ts';
import { StockHistory } from '../deals/stock-history.ts';
import type { ResourceKey } from '../deals/subscription.ts';
import type { OfferBook } from '../offers/offer-book.ts';
import type { KnownRecord } from '../store/catalog-records.ts';
import type { Store } from '../store/store.ts';
import { entityKey, isLive, KINDS } from './kinds/index.ts';

type Item = Announcement['item'];

/**
 * What becomes of an announcement that waits: it is posted, it waits on because its offer is only missing or in doubt, or
 * it ends.
 */
export type Fate = 'live' | 'held' | 'over';

/** The state of an entity that is not an offer. `record` is undefined where the store does not know it. */
export interface EntityState {
  announcement: Announcement;
  record: KnownRecord | undefined;
  /** Whether the last whole answer lacked it. Only a second such answer in a row proves that it is gone. */
  isMissed?: boolean;
}

/** The contents of a non-feed resource as of the last poll. */
export interface Seen {
  /** Each entity as the announcement it would make, in the catalog's order; events that have ended since come last. */
  announcements: readonly Announcement[];
  /** When the answer was fetched: epoch milliseconds. */
  fetchedAtMs: number;
}

const NO_ENTITIES: ReadonlyMap<EntityKey, EntityState> = new Map();

/** The current state of every entity, as it is stored. Offers come from the offer book; all others are kept here. */
export class CurrentState {
  readonly #offers: Pick<OfferBook, 'get'>;
  readonly #store: Pick<Store, 'resources' | 'known' | 'posts' | 'deliveries' | 'edits'>;
  /** How the stock of the events' offers fell since the start. */
  readonly stock = new StockHistory();
  readonly #entities = new Map<ResourceKey, ReadonlyMap<EntityKey, EntityState>>();
  /** The resources that were read since the start. The others may be known only in part. */
  readonly #read = new Set<ResourceKey>();

  constructor(
    offers: Pick<OfferBook, 'get'>,
    store: Pick<Store, 'resources' | 'known' | 'posts' | 'deliveries' | 'edits'>,
  ) {
    this.#offers = offers;
    this.#store = store;
  }

  /** The current state of an entity; undefined where it is not known. */
  entity(key: EntityKey): Item | undefined {
    const id = offerIdOf(key);
    if (id !== null) {
      const known = this.#offers.get(id);
      return known && shownOffer(known);
    }
    for (const entities of this.#entities.values()) {
      const state = entities.get(key);
      if (state) return state.announcement.item;
    }
    return undefined;
  }

  /** The announcement with its entity as it is now. */
  of(announcement: Announcement): Announcement {
    const item = this.entity(entityKey(announcement));
    return item === undefined ? announcement : withItem(announcement, item);
  }

  fateOf(announcement: Announcement, nowMs: number): Fate {
    const isWorthPosting = isLive(this.of(announcement), nowMs);
    const id = offerIdOf(entityKey(announcement));
    if (id === null) return isWorthPosting ? 'live' : 'over';
    const known = this.#offers.get(id);
    if (!known || isOverForGood(known, nowMs)) return 'over';
    if (isWorthPosting) return 'live';
    // Its kind may have ended it for another reason: a price that has risen again ends a price drop.
    return isLive(withItem(announcement, { ...known.offer, isSoldOut: false }), nowMs) ? 'held' : 'over';
  }

  /** The contents of a non-feed resource as of the last poll; null where it was not polled since the start. */
  seen(resource: ResourceKey): Seen | null {
    const entities = this.#read.has(resource) ? this.#entities.get(resource) : undefined;
    const record = this.#store.resources.get(resource);
    if (!entities || !record) return null;
    return {
      announcements: [...entities.values()].map(({ announcement }) => announcement),
      fetchedAtMs: record.polledAtMs,
    };
  }

  /**
   * The entities of a non-feed resource. After a restart the events are those that are in posts or in the
   * outbox, because these posts must stay correct. Rejects with a StoreError.
   */
  async entities(resource: ResourceKey): Promise<ReadonlyMap<EntityKey, EntityState>> {
    const known = this.#entities.get(resource) ?? (resource === 'events' ? await this.#announcedEvents() : NO_ENTITIES);
    this.#entities.set(resource, known);
    return known;
  }

  /** Replaces the entities of a resource, once they are stored. `isAnswer`: they come from an answer of the catalog. */
  setEntities(resource: ResourceKey, entities: readonly EntityState[], isAnswer: boolean): void {
    this.#entities.set(resource, new Map(entities.map((state) => [entityKey(state.announcement), state])));
    if (isAnswer) this.#read.add(resource);
  }

  async #announcedEvents(): Promise<Map<EntityKey, EntityState>> {
    const { deliveries, posts, edits, known } = this.#store;
    // The outbox is read first: a delivery that is posted meanwhile is among the posts then.
    const announced = [...waiting(deliveries), ...(await posts.announcements('event'))];
    const ofEvents = announced.flatMap(({ item }) => ('offers' in item ? [KINDS['event-started'].announce(item)] : []));
    const events = new Map<EntityKey, Announcement>(
      ofEvents.map((announcement) => [entityKey(announcement), announcement]),
    );
    // A post with a pending edit still shows an older state than the stored one, which the edit holds.
    for (const { thing, item } of edits.channels().flatMap((channelId) => edits.pending(channelId))) {
      const announcement = events.get(thing);
      if (announcement) events.set(thing, withItem(announcement, item));
    }
    const records = await known.among(
      'events',
      [...events.values()].map(({ subject }) => subject),
    );
    return new Map(
      [...events].map(([key, announcement]) => [key, { announcement, record: records.get(announcement.subject) }]),
    );
  }
}

/** The announcements that wait in the outbox, members of roll-ups included. */
function waiting(deliveries: Store['deliveries']): Announcement[] {
  return deliveries
    .channels()
    .flatMap((channelId) => [...deliveries.pending(channelId), ...(deliveries.pendingRollUp(channelId)?.members ?? [])])
    .map(({ announcement }) => announcement);
}

/** The offer's id; null where the entity is not an offer. */
function offerIdOf(key: EntityKey): string | null {
  return key.startsWith('offer:') ? key.slice('offer:'.length) : null;
}

/**
 * The announcement with another state of its entity. `item` must be of the announcement's kind, as it is where both
 * have the same entity key.
 */
export function withItem(announcement: Announcement, item: Item): Announcement {
  return { ...announcement, item } as Announcement;
}
