import type { Announcement, EntityKey } from '../deals/announcement.ts';
import { type Doubts, doubtedIn } from '../deals/entity-belief.ts';
import type { DealEvent } from '../deals/event.ts';
import { isMissed } from '../deals/feed-presence.ts';
import { isOverForGood, shownOffer } from '../deals/known-offer.ts';
import { LISTED, type Presence } from '../deals/presence.ts';
import { StockHistory } from '../deals/stock-history.ts';
import type { ResourceKey } from '../deals/subscription.ts';
import type { OfferBook } from '../offers/offer-book.ts';
import { DAY_MS } from '../shared/time.ts';
import type { KnownRecord } from '../store/catalog-records.ts';
import type { Records, Store } from '../store/store.ts';
import { entityKey, entityOf, hasStarted, isLive, kindOf, wholeOf } from './kinds/index.ts';
import type { FeatureKind } from './kinds/kind.ts';

type Item = Announcement['item'];

/**
 * An announcement that waits is posted while it is `live`. It goes on waiting while it is `held`, as its offer is only
 * missing or in doubt. It ends once it is `over`.
 */
export type Fate = 'live' | 'held' | 'over';

/** The state of an entity that is not an offer. `record` is undefined where the store does not know it. */
export interface EntityState {
  announcement: Announcement;
  record: KnownRecord | undefined;
  /** Answers have said this of it, and it is not believed; absent where they agree. After a restart a doubt begins anew. */
  doubts?: Doubts;
  /** Whether its resource lists it; absent where it does. */
  presence?: Presence;
  /** The event as it was, and since when it is gone, where its resource no longer lists it: it shows as ended then. */
  gone?: { was: Announcement; sinceMs: number };
  /** How many answers have shown it while it was not taken in: it has not begun, or could not be decided. Absent once it is. */
  answers?: number;
}

/** How long what waits for an event is held while the event is missing. */
const LONGEST_HOLD_MS = DAY_MS;

/** The contents of a non-feed resource as of the last poll. */
export interface Seen {
  /** Each entity as the announcement it would make, in the catalog's order; events that have ended since come last. */
  announcements: readonly Announcement[];
  /** When the answer was fetched: epoch milliseconds. */
  fetchedAtMs: number;
}

/** The current state of every entity, as it is stored. Offers come from the offer book; all others are kept here. */
export class CurrentState {
  readonly #offers: Pick<OfferBook, 'get'>;
  readonly #store: Records;
  readonly #kinds: readonly FeatureKind[];
  /** How the stock of the events' offers fell since the start. */
  readonly stock = new StockHistory();
  readonly #entities = new Map<ResourceKey, ReadonlyMap<EntityKey, EntityState>>();
  /** The ids of offers about which the catalog is being asked. */
  readonly #asked = new Set<string>();
  /** The resources that were read since the start. The others may be known only in part. */
  readonly #read = new Set<ResourceKey>();

  /** @param kinds those of features */
  constructor(offers: Pick<OfferBook, 'get'>, store: Records, kinds: readonly FeatureKind[] = []) {
    this.#offers = offers;
    this.#store = store;
    this.#kinds = kinds;
  }

  /** The current state of an entity; undefined where it is not known. */
  entity(key: EntityKey): Item | undefined {
    const id = offerIdOf(key);
    if (id !== null) {
      const known = this.#offers.get(id);
      return known && shownOffer(known);
    }
    return this.#stateOf(key)?.announcement.item;
  }

  /** The state of an entity that is not an offer. */
  #stateOf(key: EntityKey): EntityState | undefined {
    for (const entities of this.#entities.values()) {
      const state = entities.get(key);
      if (state) return state;
    }
    return undefined;
  }

  /** The announcement with its entity as it is now. */
  of(announcement: Announcement): Announcement {
    const item = this.entity(entityKey(announcement));
    return item === undefined ? announcement : withItem(announcement, item);
  }

  #isLive(announcement: Announcement, nowMs: number): boolean {
    if (!isLive(announcement, nowMs)) return false;
    const ofFeature = this.#kinds.find(({ name }) => name === announcement.kind);
    return ofFeature?.isLive?.(announcement, nowMs) ?? true;
  }

  /** Holds what is to be posted of offers until `release`, because the catalog is being asked about them. */
  hold(offerIds: readonly string[]): void {
    for (const id of offerIds) this.#asked.add(id);
  }

  release(offerIds: readonly string[]): void {
    for (const id of offerIds) this.#asked.delete(id);
  }

  fateOf(announcement: Announcement, nowMs: number): Fate {
    const isWorthPosting = this.#isLive(this.of(announcement), nowMs);
    const id = offerIdOf(entityKey(announcement));
    if (id === null) return isWorthPosting ? 'live' : this.#fateOfMissing(announcement, nowMs);
    const known = this.#offers.get(id);
    if (!known || isOverForGood(known, nowMs)) return 'over';
    if (isWorthPosting) return isMissed(known) || this.#asked.has(id) ? 'held' : 'live';
    // Its kind may have ended it for another reason: a price that has risen again ends a price drop.
    return this.#isLive(withItem(announcement, { ...known.offer, isSoldOut: false }), nowMs) ? 'held' : 'over';
  }

  /** A delivery of an event that is missing waits for a day, unless the event would have ended by now. */
  #fateOfMissing(announcement: Announcement, nowMs: number): Fate {
    const gone = this.#stateOf(entityKey(announcement))?.gone;
    if (!gone || nowMs - gone.sinceMs >= LONGEST_HOLD_MS) return 'over';
    return this.#isLive(withItem(announcement, gone.was.item), nowMs) ? 'held' : 'over';
  }

  /** The events that are announced and have not begun. */
  comingEvents(nowMs: number): DealEvent[] {
    const states = [...(this.#entities.get('events')?.values() ?? [])];
    return states.flatMap(({ announcement, answers, presence = LISTED }) => {
      const isComing = answers !== undefined && presence.isListed && !hasStarted(announcement, nowMs);
      return isComing && announcement.kind === 'event-started' ? [announcement.item] : [];
    });
  }

  /** The contents of a non-feed resource as of the last poll; null where it was not polled since the start. */
  seen(resource: ResourceKey): Seen | null {
    const entities = this.#read.has(resource) ? this.#entities.get(resource) : undefined;
    const record = this.#store.resources.get(resource);
    if (!entities || !record) return null;
    return {
      announcements: [...entities.values()].flatMap(({ announcement, answers }) =>
        answers === undefined ? [announcement] : [],
      ),
      fetchedAtMs: record.polledAtMs,
    };
  }

  /**
   * What a non-feed resource lists and was not taken in yet, most of which has not begun, and how many answers have
   * shown it in a row. After a restart they are counted anew.
   */
  toCome(resource: ResourceKey): { announcement: Announcement; answers: number }[] {
    return [...(this.#entities.get(resource)?.values() ?? [])].flatMap(({ announcement, answers }) =>
      answers === undefined ? [] : [{ announcement, answers }],
    );
  }

  /**
   * The entities of a non-feed resource. After a restart they are those that are in posts or in the outbox, because these
   * posts must stay correct, and none of them is news. Rejects with a StoreError.
   */
  async entities(resource: ResourceKey): Promise<ReadonlyMap<EntityKey, EntityState>> {
    const known = this.#entities.get(resource) ?? (await this.#announcedIn(resource));
    this.#entities.set(resource, known);
    return known;
  }

  /** How many fields of entities that are no offers wait for a second answer, in the resources that `isMeant` names. */
  doubted(isMeant: (resource: ResourceKey) => boolean): number {
    const meant = [...this.#entities].filter(([resource]) => isMeant(resource));
    return meant
      .flatMap(([, entities]) => [...entities.values()])
      .reduce((sum, { doubts }) => sum + (doubts ? doubtedIn(doubts).length : 0), 0);
  }

  /** Replaces the entities of a resource, once they are stored. `isAnswer`: they come from an answer of the catalog. */
  setEntities(resource: ResourceKey, entities: readonly EntityState[], isAnswer: boolean): void {
    this.#entities.set(resource, new Map(entities.map((state) => [entityKey(state.announcement), state])));
    if (isAnswer) this.#read.add(resource);
  }

  async #announcedIn(resource: ResourceKey): Promise<Map<EntityKey, EntityState>> {
    const { deliveries, posts, edits, known } = this.#store;
    const entity = entityOf(resource);
    if (entity === null) return new Map();
    // The outbox is read first: a delivery that is posted meanwhile is among the posts then.
    const inOutbox = waiting(deliveries).filter((announcement) => kindOf(announcement).entity === entity);
    const announced = [...inOutbox, ...(await posts.announcements(entity))];
    const entities = new Map<EntityKey, Announcement>(
      announced.flatMap((announcement) => wholeOf(announcement) ?? []).map((whole) => [entityKey(whole), whole]),
    );
    // A post with a pending edit still shows an older state than the stored one, which the edit holds.
    for (const { thing, item } of edits.channels().flatMap((channelId) => edits.pending(channelId))) {
      const announcement = entities.get(thing);
      if (announcement) entities.set(thing, withItem(announcement, item));
    }
    const records = await known.among(
      resource,
      [...entities.values()].map(({ subject }) => subject),
    );
    // An entity without an end may have left its resource at any time since it was posted.
    const presence = resource === 'events' ? {} : { presence: { ...LISTED, isDoubted: true } };
    return new Map(
      [...entities].map(([key, announcement]) => [
        key,
        { announcement, record: records.get(announcement.subject), ...presence },
      ]),
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
