import type { Announcement, EntityKey, ThingUpdate } from '../deals/announcement.ts';
import { type KnownOffer, shownOffer } from '../deals/known-offer.ts';
import type { ResourceKey } from '../deals/subscription.ts';
import type { OfferBook } from '../offers/offer-book.ts';
import type { KnownRecord } from '../store/known.ts';
import type { Store } from '../store/store.ts';
import { entityKey, KINDS } from './kinds/index.ts';

type Item = Announcement['item'];

/** An entity that is no offer, and what is known of it: no record where it was never seen. */
export interface EntityState {
  announcement: Announcement;
  record: KnownRecord | undefined;
  /** Whether the last whole answer came without it. Only a second one in a row proves that it is gone. */
  isMissed?: boolean;
}

/** What a resource that is no feed held at the last look. */
export interface Seen {
  /** Each entity as the announcement it would make, in the catalog's order, then the events that are over since. */
  announcements: readonly Announcement[];
  /** When the answer was fetched: epoch milliseconds. */
  fetchedAtMs: number;
}

/** What a look has detected, before it is committed. */
export interface Detected {
  /** The offers whose records change. */
  offers: readonly KnownOffer[];
  /** What looks different now. */
  updates: readonly ThingUpdate[];
}

const NOTHING: Detected = { offers: [], updates: [] };
const NO_ENTITIES: ReadonlyMap<EntityKey, EntityState> = new Map();

/**
 * What every entity is now: what is committed, and over it what is detected and not committed yet. There is one detection at
 * a time. Offers are in the book, all else is kept here.
 */
export class CurrentState {
  readonly #offers: Pick<OfferBook, 'get'>;
  readonly #store: Pick<Store, 'resources' | 'known' | 'posts' | 'deliveries' | 'edits'>;
  readonly #entities = new Map<ResourceKey, ReadonlyMap<EntityKey, EntityState>>();
  /** The resources that were read since the start: what is known of others is not all that they hold. */
  readonly #read = new Set<ResourceKey>();
  #uncommittedOffers: ReadonlyMap<string, KnownOffer> = new Map();
  #uncommittedItems: ReadonlyMap<EntityKey, Item> = new Map();

  constructor(
    offers: Pick<OfferBook, 'get'>,
    store: Pick<Store, 'resources' | 'known' | 'posts' | 'deliveries' | 'edits'>,
  ) {
    this.#offers = offers;
    this.#store = store;
  }

  /**
   * From now on the entities are as detected; once `commit` has ended they are as it left them. It rejects as `commit` does:
   * then they are as they were before, and the next look detects the same again.
   */
  async whileUncommitted<T>(detected: Detected, commit: () => Promise<T>): Promise<T> {
    this.#detect(detected);
    try {
      return await commit();
    } finally {
      this.#detect(NOTHING);
    }
  }

  #detect({ offers, updates }: Detected): void {
    this.#uncommittedOffers = new Map(offers.map((known) => [known.offer.id, known]));
    this.#uncommittedItems = new Map(updates.map(({ thing, item }) => [thing, item]));
  }

  /** Whether it may be as it was before in a moment: its detection is not committed. */
  isUncommitted(thing: EntityKey): boolean {
    const id = offerIdOf(thing);
    return this.#uncommittedItems.has(thing) || (id !== null && this.#uncommittedOffers.has(id));
  }

  /** An entity as it is now; undefined where that is not known. */
  entity(thing: EntityKey): Item | undefined {
    const id = offerIdOf(thing);
    const known = id === null ? undefined : this.#uncommittedOffers.get(id);
    return known ? shownOffer(known) : (this.#uncommittedItems.get(thing) ?? this.committed(thing));
  }

  /** An entity without what is not committed; undefined where it is not known. */
  committed(thing: EntityKey): Item | undefined {
    const id = offerIdOf(thing);
    if (id !== null) {
      const known = this.#offers.get(id);
      return known && shownOffer(known);
    }
    for (const entities of this.#entities.values()) {
      const state = entities.get(thing);
      if (state) return state.announcement.item;
    }
    return undefined;
  }

  /** The announcement with its entity as it is now. */
  of(announcement: Announcement): Announcement {
    const item = this.entity(entityKey(announcement));
    return item === undefined ? announcement : withItem(announcement, item);
  }

  /** What is known of an offer. */
  offer(id: string): KnownOffer | undefined {
    return this.#uncommittedOffers.get(id) ?? this.#offers.get(id);
  }

  /** What a resource that is no feed held at the last look; null where it was not looked at since the start. */
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
   * The committed entities of a resource that is no feed. Of the events from before the start it holds what is told, or about
   * to be: that has to stay right. Rejects with a StoreError.
   */
  async entities(resource: ResourceKey): Promise<ReadonlyMap<EntityKey, EntityState>> {
    const known = this.#entities.get(resource) ?? (resource === 'events' ? await this.#toldEvents() : NO_ENTITIES);
    this.#entities.set(resource, known);
    return known;
  }

  /** Takes these for all that a resource holds, once that is stored. `isAnswer`: the catalog has just said so. */
  setEntities(resource: ResourceKey, entities: readonly EntityState[], isAnswer: boolean): void {
    this.#entities.set(resource, new Map(entities.map((state) => [entityKey(state.announcement), state])));
    if (isAnswer) this.#read.add(resource);
  }

  async #toldEvents(): Promise<Map<EntityKey, EntityState>> {
    const { deliveries, posts, edits, known } = this.#store;
    // The outbox first: what is posted meanwhile is among the posts before it leaves that.
    const told = [...waiting(deliveries), ...(await posts.announcements('event'))];
    const ofEvents = told.flatMap(({ item }) => ('offers' in item ? [KINDS['event-started'].announce(item)] : []));
    const events = new Map<EntityKey, Announcement>(
      ofEvents.map((announcement) => [entityKey(announcement), announcement]),
    );
    // A post that waits for its edit does not show yet what was committed.
    for (const { thing, item } of edits.channels().flatMap((channelId) => edits.pending(channelId))) {
      const announcement = events.get(thing);
      if (announcement) events.set(thing, withItem(announcement, item));
    }
    const records = await known.among(
      'events',
      [...events.values()].map(({ subject }) => subject),
    );
    return new Map(
      [...events].map(([thing, announcement]) => [thing, { announcement, record: records.get(announcement.subject) }]),
    );
  }
}

/** What is on its way to a channel. */
function waiting(deliveries: Store['deliveries']): Announcement[] {
  return deliveries
    .channels()
    .flatMap((channelId) => [...deliveries.pending(channelId), ...(deliveries.pendingRollUp(channelId)?.members ?? [])])
    .map(({ announcement }) => announcement);
}

/** null where it is no offer. */
function offerIdOf(thing: EntityKey): string | null {
  return thing.startsWith('offer:') ? thing.slice('offer:'.length) : null;
}

/** The announcement with another state of its entity: the key that names an entity names its kind too. */
export function withItem(announcement: Announcement, item: Item): Announcement {
  return { ...announcement, item } as Announcement;
}
